"""Motion capture, GNSS: where the base is, and how it is turned.

What an estimator predicts of a position: with P and V of the centre of mass at first, c where that is in base axes,
R_0 the first attitude, R the attitude against it, and D how far pulses have pushed the centre,

    P + V t + R_0 D - R_0 R c

In an orbit P and V are against what flies on it, and P + V t is where that leads there (`dynamics/orbit.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from pydantic import Field

from freefloat.arrays import Array
from freefloat.robot.base_axes import sliding_axes
from freefloat.robot.model import Robot
from freefloat.robot.rotations import cross_matrices
from freefloat.sensors.attitude_sensor import AttitudeSensor
from freefloat.sensors.draws import Stream
from freefloat.sensors.measured import Measured
from freefloat.sensors.moving_base import MovingBase, PulledBack
from freefloat.sensors.noise import Noise
from freefloat.sensors.reading import DRIFT_VELOCITY, FIRST_ATTITUDE, Reading, drift_velocity
from freefloat.sensors.sensor import ZERO, Output, PerAxis, Sensor, SpreadPerAxis
from freefloat.sensors.truth import Layout, Truth
from freefloat.sensors.unknowns import UnknownGroup, along, flat

FIRST_POSITION = "first position"  # of the centre of mass


class PoseSensor(AttitudeSensor):
    """Position of its origin and attitude of its frame: motion capture, GNSS (then without attitude)."""

    quantities = ("position", "attitude")

    kind: Literal["pose"] = "pose"
    position_noise_m: SpreadPerAxis = Field(ZERO, description="standard deviation of a sample, inertial axes")
    position_offset_m: PerAxis = Field(ZERO, description="error in every run, inertial axes")
    position_offset_sd_m: SpreadPerAxis = Field(ZERO, description="error drawn for every run, inertial axes")
    gives_attitude: bool = Field(True, description="false for position alone")
    attitude_noise_deg: SpreadPerAxis = Field(ZERO, description="standard deviation of a sample per axis")
    misalignment_deg: PerAxis = Field(ZERO, description="how it is turned from its mounting, in every run")
    misalignment_sd_deg: SpreadPerAxis = Field(ZERO, description="the same, drawn for every run")

    def gives(self) -> tuple[str, ...]:
        """Position, and attitude unless that is switched off."""
        return self.quantities if self.gives_attitude else ("position",)

    def outputs(self, layout: Layout) -> tuple[Output, ...]:
        """Position [m] and attitude, a quaternion; its noise is that of a rotation vector [rad]."""
        where = Noise(
            np.array(self.position_noise_m),
            bias=np.array(self.position_offset_m),
            bias_sd=np.array(self.position_offset_sd_m),
        )
        position = Output(self.channel_name("position"), tuple("xyz"), ("m",) * 3, where)
        if not self.gives_attitude:
            return (position,)
        turned_by = Noise(
            np.radians(self.attitude_noise_deg),
            bias=np.radians(self.misalignment_deg),
            bias_sd=np.radians(self.misalignment_sd_deg),
        )
        return position, self._attitude_output(turned_by)

    def _values(self, output: Output, truths: Sequence[Truth], times: Array, draws: Stream) -> Array:
        if output.components == tuple("xyzw"):
            return self._attitude(output, truths, times, draws)
        where = self._shown(self._position, truths, times, draws)
        return output.noise.added_to(where, self.interval_s, draws, "position/")

    def _position(self, truth: Truth, times: Array) -> Array:
        arm = self.frame().p
        position = truth.at("position", times)
        return position + truth.rotation(times) @ arm if arm.any() else position


# ---------------------------------------------------------------------- as an estimator compares it


class PositionReading(Reading[Any]):
    """Position of the base's origin along the axes that slide, in inertial axes."""

    array = "position"
    quantities = ("position",)
    unit, words, sensor = "m", "base position", "position sensor"
    turns = False

    @classmethod
    def flight_unknowns(cls, nuisances: Any, robot: Robot, data: Measured, ending: str) -> Iterator[UnknownGroup]:
        """Velocity and first position of the centre of mass."""
        axes = sliding_axes(robot)
        yield drift_velocity(axes, ending)
        yield flat(FIRST_POSITION, along(axes, "first position of the centre", ending), "m")

    @classmethod
    def sd_in_base_axes(cls, sensor: Sensor, quantity: str, sd: Array) -> Array:
        """As they are, for positions are in inertial axes."""
        return sd

    def predicted(self, base: MovingBase, point: Array) -> Array:
        """Position of the base's origin, inertial axes, shape (n, 3) [m]."""
        P, V = (self.setting.vector(point, kind, self.axes) for kind in (FIRST_POSITION, DRIFT_VELOCITY))
        first = self.setting.first_attitude(point)
        turned = first @ base.R @ base.centre[:, :, None]
        way = 0.0 if base.pushed_way is None else base.pushed_way @ first.T
        by_place, by_velocity = self._coasting(base)
        return by_place @ P + by_velocity @ V + way - turned[..., 0]

    def _coasting(self, base: MovingBase) -> tuple[Array, Array]:
        """Of the centre of mass by its first position and by its velocity then, (n, 3, 3) each [-, s]."""
        since = base.t - base.t[0]
        if self.setting.orbit is None:
            return np.broadcast_to(np.eye(3), (since.size, 3, 3)), since[:, None, None] * np.eye(3)
        return self.setting.orbit.coasting(since)

    def derivative(self, base: MovingBase, point: Array) -> Array:
        """Of the position, by all unknowns, shape (n, axes, k)."""
        turned = cross_matrices(base.centre) @ self.setting.turn_by_unknowns(base, point)
        whole = self.setting.first_attitude(point) @ base.R
        J = -(whole @ (base.centre_by_unknowns - turned))[:, self.axes]
        for kind, columns in zip((FIRST_POSITION, DRIFT_VELOCITY), self._coasting(base), strict=True):
            J[:, :, self.setting.place(kind)] += columns[:, self.axes[:, None], self.axes]
        if base.pushed_way is not None:
            J += self._pushed(base, point, base.pushed_way)[:, self.axes]
        return J

    def _pushed(self, base: MovingBase, point: Array, way: Array) -> Array:
        """Of what pulses gave, way (n, 3), by all unknowns, inertial axes, shape (n, 3, k)."""
        change, place = np.array(base.pushed_way_by_unknowns), self.setting.place(FIRST_ATTITUDE)
        if place is not None:
            change[:, :, place] -= cross_matrices(way) @ self.setting.first_turn(point)
        return self.setting.first_attitude(point) @ change

    def pull_back(self, base: MovingBase, point: Array, J: Array) -> PulledBack:
        """The way back from a derivative by `derivative`, J (n, axes, k)."""
        whole, change = self.setting.first_attitude(point) @ base.R, base.centre_by_unknowns
        turned = self.setting.turn_by_unknowns(base, point)
        seen = whole.swapaxes(1, 2) @ (np.eye(3)[:, self.axes] @ J)
        by_turn = np.cross(seen, base.centre[:, :, None], axis=1)
        moved = np.cross(base.centre[:, :, None], turned, axis=1) - change
        return PulledBack(
            by_turn=by_turn,
            by_centre_change=-seen,
            centre=np.cross(turned, seen, axis=1).sum(axis=2),
            turn=np.cross(moved, seen, axis=1).sum(axis=2) + self.setting.first_back(base, by_turn),
        )
