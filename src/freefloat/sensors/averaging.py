"""What a sensor that is not instant makes of a motion: the mean over what it integrates, or a lag.

Weights of the past are those of the sensor: even over an integration, falling with exp(-s / lag) behind a bandwidth.
Means are sums over so many instants that a simulated reading is exact, whatever few an estimator makes do with
(`response.py`). Before its first instant a motion counts as it is then.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.robot.rotations import conjugate, quaternion_product, quaternions, rotation_vectors
from freefloat.sensors.truth import Truth

_INTEGRATION = 24  # instants over an integration
_LAGS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 23, 36)  # ends of the pieces of a lag; beyond the last there is 2e-16
_PER_PIECE = 10


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """How long before a reading's instant each of m instants is [s], and how much it counts, shape (m,) each."""

    seconds: Array
    weights: Array


def past_of(integration_s: float, bandwidth_Hz: float | None) -> Past | None:
    """What a reading is the mean of; None if it is instant."""
    if bandwidth_Hz is not None:
        lags, weights = _between(np.array(_LAGS, float), _PER_PIECE)
        weights = weights * np.exp(-lags)
        return Past(lags / (2.0 * math.pi * bandwidth_Hz), weights / weights.sum())
    if integration_s > 0.0:
        parts, weights = _between(np.array([0.0, 1.0]), _INTEGRATION)
        return Past(integration_s * parts, weights / weights.sum())
    return None


def _between(edges: Array, each: int) -> tuple[Array, Array]:
    """Places and weights of Gauss-Legendre on the pieces between edges, shape (m,) each."""
    node, weight = np.polynomial.legendre.leggauss(each)
    half = 0.5 * np.diff(edges)[:, None]
    return (edges[:-1, None] + half * (1.0 + node)).ravel(), (half * weight).ravel()


def averaged(seen: Callable[[Truth, Array], Array], truth: Truth, times: Array, past: Past | None) -> Array:
    """The mean of what is seen of a motion at times, shape (n,) [s], and before, shape (n, k)."""
    if past is None:
        return seen(truth, times)
    found, start = np.zeros(1), truth.span_s[0]
    for before, share in zip(past.seconds.tolist(), past.weights.tolist(), strict=True):
        found = found + share * seen(truth, np.maximum(times - before, start))
    return found


def averaged_attitude(truth: Truth, times: Array, past: Past | None) -> Array:
    """The mean attitude, shape (n, 4): that at the mean instant, turned by the mean rotation vector from it."""
    if past is None:
        return truth.at("attitude", times)
    middle = truth.at("attitude", np.maximum(times - float(past.seconds @ past.weights), truth.span_s[0]))

    def away(truth: Truth, at: Array) -> Array:
        return rotation_vectors(quaternion_product(conjugate(middle), truth.at("attitude", at)))

    return quaternion_product(middle, quaternions(averaged(away, truth, times, past)))
