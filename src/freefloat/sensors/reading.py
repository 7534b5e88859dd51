"""A reading: how what one sensor said in a flight is compared with a predicted motion of the base.

The sensors' files hold one reading each (`RateReading` in gyro.py, ...), `kinds.py` lists them. A reading says what is
predicted, how that changes with all unknowns, the way back from those changes, which unknowns are its own, and how
its errors are made white. The likelihood, its information (the Cramér-Rao bound) and the design all read it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import AXES, Array
from freefloat.dynamics.orbit import Orbit
from freefloat.dynamics.samples import Samples
from freefloat.robot.base_axes import sliding_axes, turning_axes
from freefloat.robot.model import Robot
from freefloat.robot.rotations import exponential, right_jacobian, rotations
from freefloat.sensors.measured import Measured
from freefloat.sensors.moving_base import MovingBase, PulledBack
from freefloat.sensors.noise import FLAT_ALLAN
from freefloat.sensors.sensor import MountedSensor, Sensor
from freefloat.sensors.unknowns import UnknownGroup, along, flat

FIRST_ATTITUDE = "first attitude"  # of the base, against the first one measured
DRIFT_VELOCITY = "drift velocity"  # of the centre of mass, inertial axes

Axes = NDArray[np.int64]
Spreads = TypeVar("Spreads")  # of a sensor's errors, as its file declares them


@dataclass(frozen=True, eq=False)
class Setting:
    """Where a reading finds its unknowns in the vector of all.

    turning, sliding: numbers of the axes about and along which the base moves.
    place: where unknowns of a kind are that bear on this flight; None if there are none.
    measured_first: the first attitude that was measured in the flight, R_IB, shape (3, 3).
    joints: their names. orbit: in inertial axes, from the first reading on; None in free space.
    """

    turning: Axes
    sliding: Axes
    place: Callable[[str], slice | None]
    measured_first: Array
    joints: tuple[str, ...] = ()
    orbit: Orbit | None = None

    @classmethod
    def of(
        cls,
        robot: Robot,
        readings: Mapping[str, Measured],
        place: Callable[[str], slice | None],
        orbit: Orbit | None = None,
    ) -> Setting:
        """That of a robot's flight; readings: by array of the samples. orbit: in base axes at the first of them."""
        attitude = readings.get("attitude")
        first = np.eye(3) if attitude is None else rotations(attitude.values[:1])[0]
        known = None if orbit is None else orbit.later(0.0, first)
        return cls(turning_axes(robot), sliding_axes(robot), place, first, robot.joint_names, known)

    def vector(self, point: Array, kind: str, axes: Axes) -> Array:
        """The three components of unknowns that exist along some axes, at a point; zero for those that do not."""
        vector, place = np.zeros(3), self.place(kind)
        if place is not None:
            vector[axes] = point[place]
        return vector

    # ------------------------------------------------------------------ where inertial axes are

    def first_attitude(self, point: Array) -> Array:
        """R_IB of the first sample, (3, 3); without a measured attitude inertial axes are those of that sample."""
        if self.place(FIRST_ATTITUDE) is None:
            return np.eye(3)
        return self.measured_first @ exponential(self.vector(point, FIRST_ATTITUDE, self.turning)[None])[0]

    def turn_by_unknowns(self, base: MovingBase, point: Array) -> Array:
        """Derivative of R_IB as a small rotation in base axes, that of the first attitude included, (n, 3, k)."""
        place, turned = self.place(FIRST_ATTITUDE), base.turn_by_unknowns
        if place is None:
            return turned
        total = np.array(turned)
        total[:, :, place] += base.R.swapaxes(1, 2) @ self.first_turn(point)
        return total

    def first_turn(self, point: Array) -> Array:
        """Derivative of the first attitude by its unknowns, as a small rotation in its own axes, (3, turning axes)."""
        return right_jacobian(self.vector(point, FIRST_ATTITUDE, self.turning)[None])[0][:, self.turning]

    def first_back(self, base: MovingBase, by_turn: Array) -> Array:
        """The way back of the first attitude's columns of `turn_by_unknowns`: by a small rotation of R, (n, 3)."""
        place = self.place(FIRST_ATTITUDE)
        if place is None:
            return np.zeros((len(by_turn), 3))
        columns = base.R.swapaxes(1, 2)[:, :, self.turning]
        return -np.cross(columns, by_turn[:, :, place], axis=1).sum(axis=2)


def drift_velocity(axes: Axes, ending: str) -> UnknownGroup:
    """The velocity of the centre of mass, of which nothing is assumed."""
    return flat(DRIFT_VELOCITY, along(axes, "velocity of the centre", ending), "m/s")


class Reading(ABC, Generic[Spreads]):
    """What was read of one quantity in one flight.

    array: its name in the samples. quantities: of a recording that become it, the first that there is counts.
    unit: of a row. words: for people. sensor: what commonly measures it.
    turns: whether its rows are about the axes that turn, else along those that slide.
    of_base: whether samples of the base hold it; what they do not (rates of joints, a specific force) is compared at
    its own instants only, and not planned for.
    changes: whether it reads how fast something changes (`Measured.by_change`).
    left_is_slow: whether what a model leaves of it lasts, for no law of friction is quite right. Its noise is then
    judged at the frequencies of the motion.
    needs_attitude: whether its prediction needs the attitude; rates do not. shows_attitude: whether it shows how the
    base lies in inertial axes, so that the first attitude is an unknown. walks: whether its errors may walk.
    """

    array: ClassVar[str]
    quantities: ClassVar[tuple[str, ...]]
    unit: ClassVar[str]
    words: ClassVar[str]
    sensor: ClassVar[str]
    turns: ClassVar[bool]
    of_base: ClassVar[bool] = True
    changes: ClassVar[bool] = False
    left_is_slow: ClassVar[bool] = False
    needs_attitude: ClassVar[bool] = True
    shows_attitude: ClassVar[bool] = False
    walks: ClassVar[bool] = False

    def __init__(self, setting: Setting, data: Measured) -> None:
        self.setting, self.data = setting, data
        self.axes = self._compared()

    def _compared(self) -> Axes:
        """Which columns of its array are compared."""
        return self.setting.turning if self.turns else self.setting.sliding

    @property
    def components(self) -> tuple[str, ...]:
        """Names of these columns."""
        return tuple(AXES[axis] for axis in self.axes)

    # ------------------------------------------------------------------ its own unknowns, its noise in a plan

    @classmethod
    def shared_unknowns(cls, nuisances: Spreads, robot: Robot) -> Iterable[UnknownGroup]:
        """Unknowns that all flights share."""
        return ()

    @classmethod
    def flight_unknowns(cls, nuisances: Spreads, robot: Robot, data: Measured, ending: str) -> Iterable[UnknownGroup]:
        """Unknowns of one flight; ending: of their labels."""
        return ()

    @classmethod
    def sd_in_base_axes(cls, sensor: Sensor, quantity: str, sd: Array) -> Array:
        """Standard deviations along the sensor's axes as they are along those of the samples' array, shape (3,)."""
        return np.sqrt(sensor.frame().R ** 2 @ sd**2) if isinstance(sensor, MountedSensor) else sd

    @classmethod
    def walk_in_base_axes(cls, sensor: Sensor, quantity: str, walk: Array) -> Array:
        """The same of a random walk."""
        return cls.sd_in_base_axes(sensor, quantity, walk)

    @classmethod
    def walk_of_flicker(cls, flicker: Array, between_s: float) -> Array:
        """The random walk, after one second, with the Allan deviation of a flicker of the readings after so long."""
        return FLAT_ALLAN * flicker * np.sqrt(3.0 / between_s)

    @classmethod
    def exact(cls, flown: Samples) -> Array:
        """Its array of the samples if it had no errors, shape (n, width)."""
        return flown.need(cls.array, "a plan")

    # ------------------------------------------------------------------ what it reads

    def measured(self) -> Array:
        """What was read, shape (n, width)."""
        return self.data.values

    @abstractmethod
    def predicted(self, base: MovingBase, point: Array) -> Array:
        """What the sensor should read, in the form of the samples' array; attitudes as rotations, (n, 3, 3)."""

    def residual(self, base: MovingBase, point: Array) -> Array:
        """Measured less predicted, shape (n, axes)."""
        return (self.measured() - self.predicted(base, point))[:, self.axes]

    @abstractmethod
    def derivative(self, base: MovingBase, point: Array) -> Array:
        """Of what is predicted, by all unknowns, shape (n, axes, k); a new array, to be changed at will."""

    def residual_derivative(self, base: MovingBase, point: Array) -> Array:
        """Of minus the residual; that of the prediction, except where the residual is no difference."""
        return self.derivative(base, point)

    @abstractmethod
    def pull_back(self, base: MovingBase, point: Array, J: Array) -> PulledBack:
        """The way back from a derivative by `derivative`, J (n, axes, k), where sensors are without errors."""

    def by_twist(self) -> Array | None:
        """What it reads of the base's velocities (sliding axes, then turning ones) at one instant, (axes, r).

        None for what errors of one sample's joints do not touch.
        """
        return None

    # ------------------------------------------------------------------ its noise

    @property
    def sd(self) -> Array:
        """Standard deviation of the axes that count, shape (axes,)."""
        return self.data.sd[self.axes]

    @property
    def steps(self) -> bool:
        """Whether only its changes from sample to sample are compared, for its errors walk."""
        return False

    def whitened(self, values: Array, base: MovingBase) -> Array:
        """Values (n, axes, c) made white; changed in place where that serves."""
        values /= self.sd[:, None]
        return values

    def of_data(self, rows: Array) -> Array:
        """Whitened derivatives without what was added to steady a search, shape (m, axes, k)."""
        return rows

    def of_data_back(self, Z: Array) -> Array:
        """The way back of `of_data`."""
        return Z

    def whitened_back(self, base: MovingBase, point: Array, Z: Array) -> tuple[Array, Array | None]:
        """The way back of the whitened derivative, Z in its shape: by that, (n, axes, k), by a turn of R, (n, 3)."""
        return Z / self.sd[:, None], None
