"""Motion on one time base: the arrays that regressors read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array, read_only
from freefloat.errors import ShapeError
from freefloat.frozen import Content
from freefloat.robot.model import Robot

UNCLAIMED_WHEEL = "wheel "
_WIDTH = {"v": 3, "w": 3, "dv": 3, "dw": 3, "attitude": 4, "position": 3, "base_wrench": 6}


@dataclass(frozen=True, slots=True, eq=False)
class Samples(Content):
    """States of a robot at n instants. Only q is needed; a computation says what else it lacks.

    q, dq, ddq: joint positions, rates, accelerations, shape (n, joints) [rad or m, per s, per s^2].
    v, w: velocity of the base origin and angular velocity, base frame, shape (n, 3) [m/s, rad/s].
    dv, dw: time derivatives of those components, shape (n, 3).
    attitude: quaternion of R_IB, scalar last, shape (n, 4).
    position: base origin in the inertial frame, shape (n, 3) [m].
    wheel_rates, wheel_accelerations: relative to the base, shape (n, wheels) [rad/s, rad/s^2].
    torques: joint torques or forces, shape (n, joints) [N m or N].
    base_wrench: external force and moment about the base origin, base frame, shape (n, 6) [N, N m].
    t: time, shape (n,) [s].
    others: what further sensors measured, by name, shape (n, k) each; rates of wheels that the robot does not have are
        `UNCLAIMED_WHEEL` and the wheel's name, shape (n, 1) [rad/s].
    """

    q: Array
    dq: Array | None = None
    ddq: Array | None = None
    v: Array | None = None
    w: Array | None = None
    dv: Array | None = None
    dw: Array | None = None
    attitude: Array | None = None
    position: Array | None = None
    wheel_rates: Array | None = None
    wheel_accelerations: Array | None = None
    torques: Array | None = None
    base_wrench: Array | None = None
    t: Array | None = None
    others: Any = None  # Mapping[str, Array] | None: declared so, type checkers would refuse Samples(**arrays)

    def __post_init__(self) -> None:
        q = np.asarray(self.q, float)
        if q.ndim != 2:
            raise ShapeError(f"q must have shape (samples, joints), found {q.shape}")
        for name, values in self._given():
            array = read_only(values)
            expected = self._expected_shape(name, q, array)
            if array.shape != expected:
                raise ShapeError(f"{name} must have shape {expected}, found {array.shape}")
            object.__setattr__(self, name, array)
        for name, values in (self.others or {}).items():
            if np.ndim(values) != 2 or np.shape(values)[0] != q.shape[0]:
                raise ShapeError(f"{name} must have shape ({q.shape[0]}, k), found {np.shape(values)}")

    @classmethod
    def holding(cls, arrays: Mapping[str, Array]) -> Samples:
        """Samples with these arrays, those that they have no field for among the others."""
        own = {each.name for each in fields(cls)}
        others = {name: read_only(values) for name, values in arrays.items() if name not in own}
        return cls(**{name: values for name, values in arrays.items() if name in own}, others=others or None)

    def _given(self) -> Iterator[tuple[str, ArrayLike]]:
        for field in fields(self):
            values = getattr(self, field.name)
            if values is not None and field.name != "others":
                yield field.name, values

    @staticmethod
    def _expected_shape(name: str, q: Array, array: Array) -> tuple[int, ...]:
        if name == "t":
            return (q.shape[0],)
        if name in ("wheel_rates", "wheel_accelerations"):
            return (q.shape[0], int(array.shape[-1]) if array.ndim else 0)
        return (q.shape[0], _WIDTH.get(name, int(q.shape[1])))

    def __len__(self) -> int:
        return int(self.q.shape[0])

    def __getitem__(self, chosen: slice | ArrayLike) -> Samples:
        """The chosen instants."""
        index = chosen if isinstance(chosen, slice) else np.atleast_1d(np.asarray(chosen))
        chosen_others = {name: values[index] for name, values in (self.others or {}).items()} or None
        own = {name: np.asarray(values)[index] for name, values in self._given()}
        return replace(self, **own, others=chosen_others)

    def array(self, name: str) -> Array | None:
        """The array of this name, one of the others included; None if these samples do not have it."""
        found: Array | None = getattr(self, name, None)
        return found if found is not None else (self.others or {}).get(name)

    def need(self, name: str, what_for: str) -> Array:
        """The array of this name, or one sentence saying what lacks it."""
        values = self.array(name)
        if values is None:
            raise ShapeError(f"{what_for} needs `{name}`, which these samples do not have")
        return values

    def check(self, robot: Robot) -> None:
        """Refuse samples that belong to a robot with another number of joints or wheels."""
        if self.q.shape[1] != len(robot.joints):
            raise ShapeError(f"q has {self.q.shape[1]} columns; {robot.name} has {len(robot.joints)} joints")
        for name in ("wheel_rates", "wheel_accelerations"):
            values = getattr(self, name)
            if values is not None and values.shape[1] != len(robot.wheels):
                raise ShapeError(f"{name} has {values.shape[1]} columns; {robot.name} has {len(robot.wheels)} wheels")

    def base_twist(self, robot: Robot, what_for: str) -> tuple[Array, Array]:
        """Velocities v and w of the base, each (n, 3); zero for a fixed base."""
        if robot.base == "fixed":
            rest = read_only(np.zeros((len(self), 3)))
            return rest, rest
        return self.need("v", what_for), self.need("w", what_for)
