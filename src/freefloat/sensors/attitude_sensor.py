"""What sensors of attitude have in common.

An estimator predicts R_0 R of them, R_0 the first attitude and R the attitude against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from freefloat.arrays import Array
from freefloat.robot.rotations import (
    logarithm,
    quaternion_of,
    quaternion_product,
    quaternions,
    right_jacobian,
    rotations,
)
from freefloat.sensors.draws import Stream
from freefloat.sensors.moving_base import MovingBase, PulledBack
from freefloat.sensors.noise import Noise
from freefloat.sensors.reading import Reading
from freefloat.sensors.sensor import MountedSensor, Output
from freefloat.sensors.truth import Truth


class AttitudeSensor(MountedSensor):
    """Gives the attitude of its frame, R_IB R_BS, turned by a small rotation in its own axes."""

    def _attitude(self, output: Output, truths: Sequence[Truth], times: Array, draws: Stream) -> Array:
        mounted = quaternion_of(self.frame().R)
        true = quaternion_product(self._shown_attitude(truths, times, draws), mounted)
        still = np.zeros((1, times.size, 3))
        error = output.noise.added_to(still, self.interval_s, draws, "attitude/")
        return quaternion_product(true, quaternions(error))

    def _attitude_output(self, noise: Noise) -> Output:
        return Output(self.channel_name("attitude"), tuple("xyzw"), ("",) * 4, noise)


class AttitudeReading(Reading[Any]):
    """Attitude; its residual is the rotation vector from the predicted to the measured one, in base axes [rad].

    Its unknown, the first attitude, says where inertial axes are: it belongs to the flight.
    """

    array = "attitude"
    quantities = ("attitude",)
    unit, words, sensor = "rad", "base attitude", "star tracker"
    turns = True
    shows_attitude = True

    def predicted(self, base: MovingBase, point: Array) -> Array:
        """R_IB, shape (n, 3, 3)."""
        return self.setting.first_attitude(point) @ base.R

    def _away(self, base: MovingBase, point: Array) -> Array:
        return logarithm(self.predicted(base, point).swapaxes(1, 2) @ rotations(self.measured()))

    def residual(self, base: MovingBase, point: Array) -> Array:
        """Rotation vector from predicted to measured, shape (n, axes)."""
        return self._away(base, point)[:, self.axes]

    def derivative(self, base: MovingBase, point: Array) -> Array:
        """Of the attitude, as a small rotation in base axes, shape (n, axes, k)."""
        return self.setting.turn_by_unknowns(base, point)[:, self.axes]

    def residual_derivative(self, base: MovingBase, point: Array) -> Array:
        """Of minus the rotation vector, shape (n, axes, k)."""
        turned = self.setting.turn_by_unknowns(base, point)
        return (np.linalg.inv(right_jacobian(-self._away(base, point))) @ turned)[:, self.axes]

    def pull_back(self, base: MovingBase, point: Array, J: Array) -> PulledBack:
        """The way back from a derivative by `derivative`, J (n, axes, k)."""
        by_turn = np.eye(3)[:, self.axes] @ J
        return PulledBack(by_turn=by_turn, turn=self.setting.first_back(base, by_turn))
