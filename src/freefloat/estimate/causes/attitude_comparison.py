"""How well recorded attitudes, read in some way, agree with recorded rates: no model of the robot is needed for that.

A quaternion read in the wrong order turns by the same angles as the right one, about other axes. What is compared is
how the base turns over stretches of time, which neither a first attitude nor a gyro's bias changes much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.data.processing.attitude import integrate_rates
from freefloat.estimate.causes.possible_faults import Fault, of_other_sensor
from freefloat.estimate.causes.rate_comparison import Agreement
from freefloat.estimate.flight import Flight
from freefloat.estimate.problem import Problem
from freefloat.robot.rotations import conjugate, logarithm, quaternion_of, quaternion_product, rotations

_STRETCHES = 8  # of a flight
_FEWEST = 16  # attitudes
_HEARD = 5.0  # times its noise that the attitude of a base must turn to say anything


def attitude_faults(problem: Problem) -> tuple[Agreement, list[tuple[Fault, Agreement]]] | None:
    """Agreement of attitudes as recorded, and with each mistake undone; None where attitudes and rates are not both."""
    turning = [found for flight in problem.flights if (found := _Turning.of(flight)) is not None]
    if not turning:
        return None
    readings: list[tuple[Fault, Callable[[Array], Array]]] = [
        (_scalar_first(problem), _scalar_last),
        (_inverted(problem), conjugate),
    ]
    return _agreement(turning, lambda q: q), [(fault, _agreement(turning, undo)) for fault, undo in readings]


def _scalar_last(attitude: Array) -> Array:
    """Of numbers w, x, y, z, shape (n, 4)."""
    return np.roll(attitude, -1, axis=1)


def _scalar_first(problem: Problem) -> Fault:
    what = "the attitude's quaternions are recorded with the scalar first, and read as if it were last"
    cure = "name the attitude's columns in the recording in the order that they have (`attitude_w` first)"
    return of_other_sensor(problem.robot, "quaternion order", "scalar first", what, cure)


def _inverted(problem: Problem) -> Fault:
    what = "the attitude's quaternions turn inertial axes into the sensor's instead of the sensor's into inertial ones"
    cure = "change the signs of `attitude_x`, `attitude_y` and `attitude_z` in the recording"
    return of_other_sensor(problem.robot, "frame", "attitude", what, cure)


@dataclass(frozen=True, slots=True, eq=False)
class _Turning:
    """Attitudes of a flight, and how the base turned over stretches by its gyro.

    recorded: of the sensor, as quaternions, (n, 4). axes: of the sensor in the base, (3, 3). turned: rotations from
    each attitude to that `ahead` of it, (n - ahead, 3, 3). noise: mean square of that of such a turn [rad^2].
    """

    recorded: Array
    axes: Array
    turned: Array
    ahead: int
    noise: float

    @classmethod
    def of(cls, flight: Flight) -> _Turning | None:
        """None without attitudes and a gyro, or if the base hardly turns."""
        read, w = flight.measured.get("attitude"), flight.samples.w
        if read is None or w is None or "w" not in flight.measured:
            return None
        inside = (read.t >= flight.t[0]) & (read.t <= flight.t[-1])
        if inside.sum() < _FEWEST:
            return None
        values, ahead = read.values[inside], int(inside.sum()) // _STRETCHES
        whole = integrate_rates(flight.t, w)
        by_gyro = np.column_stack([np.interp(read.t[inside], flight.t, column) for column in whole.T])
        turned = _turns(by_gyro / np.linalg.norm(by_gyro, axis=1, keepdims=True), ahead)
        noise = 2.0 * float((read.sd**2).sum())
        if (logarithm(turned) ** 2).sum(axis=1).mean() < _HEARD**2 * noise:
            return None
        sensor = quaternion_product(values, quaternion_of(read.own_axes))
        return cls(sensor, read.own_axes, turned, ahead, noise)

    def left(self, undo: Callable[[Array], Array]) -> Array:
        """What the sensor's turns leave of the gyro's once a mistake is undone, vectors (n - ahead, 3) [rad]."""
        base = quaternion_product(undo(self.recorded), conjugate(quaternion_of(self.axes)))
        return logarithm(self.turned.swapaxes(1, 2) @ _turns(base / np.linalg.norm(base, axis=1)[:, None], self.ahead))


def _turns(attitude: Array, ahead: int) -> Array:
    R = rotations(attitude)
    return R[:-ahead].swapaxes(1, 2) @ R[ahead:]


def _agreement(flights: list[_Turning], undo: Callable[[Array], Array]) -> Agreement:
    power = sum(float((logarithm(each.turned) ** 2).sum()) for each in flights)
    left = sum(float((each.left(undo) ** 2).sum()) for each in flights)
    noise = sum(len(each.turned) * each.noise for each in flights)
    return Agreement(left / power, max(left - noise, 0.0) / power, 0.0, np.nan)
