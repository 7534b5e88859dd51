"""How the base turned, as sensors had it: good enough for what torques from outside do, which are small."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from freefloat.arrays import Array
from freefloat.data.processing.attitude import integrate_rates
from freefloat.data.processing.resampling import one_way_round
from freefloat.estimate.flight import InvalidProblem
from freefloat.robot.rotations import conjugate, quaternion_product, quaternions, rotation_vectors, rotations
from freefloat.sensors.measured import Measured, span_of

_APART_S, _FEWEST, _MOST = 0.1, 100, 5000  # instants, of joints that move as arms do
_BEYOND_S = 0.5  # the last reading, which its clock may have later


def instants_through(measured: Mapping[str, Measured]) -> Array:
    """Instants that are close enough for attitudes, from the first reading to beyond the last, shape (k,) [s]."""
    begin, end = span_of(measured)
    end += _BEYOND_S
    count = int(np.clip(np.ceil((end - begin) / _APART_S), _FEWEST, _MOST)) + 1
    return np.linspace(begin, end, count)


def turned_attitudes(name: str, measured: Mapping[str, Measured], t: Array) -> Array:
    """Attitudes against the first at times t, (k, 3, 3): rates integrated, their drift taken off by a star tracker."""
    tracker, gyro = measured.get("attitude"), measured.get("w")
    if gyro is not None:
        turned = _Turning(gyro.t, integrate_rates(gyro.t, gyro.values))
        found = turned.at(t) if tracker is None else turned.without_drift(tracker, t)
    elif tracker is not None:
        found = _Turning(tracker.t, tracker.values).at(t)
    else:
        raise InvalidProblem(
            f"{name}: an orbit or a torque in base axes is given, but neither attitude nor rates of the base were "
            "measured, without which nobody knows how it turned; allowed: at least one of the two, or neither of those"
        )
    R = rotations(found)
    return np.asarray(R[0].T @ R)


@dataclass(frozen=True, slots=True, eq=False)
class _Turning:
    """Attitudes, quaternions (n, 4), at times t, (n,) [s]."""

    t: Array
    attitudes: Array

    def at(self, t: Array) -> Array:
        """Between these times, and as at the ends beyond, (k, 4), of about unit length."""
        spline = CubicSpline(self.t, one_way_round(self.attitudes))
        return np.asarray(spline(np.clip(t, self.t[0], self.t[-1])))

    def without_drift(self, tracker: Measured, t: Array) -> Array:
        """The same, turned to what a tracker measured since its own first reading."""
        apart = quaternion_product(tracker.values, conjugate(self.at(tracker.t)))
        off = rotation_vectors(quaternion_product(conjugate(apart[:1]), apart))
        drift = np.stack([np.interp(t, tracker.t, column) for column in off.T], axis=1)
        return quaternion_product(quaternions(drift), self.at(t))
