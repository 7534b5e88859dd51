"""What sensors of attitude have in common."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freefloat.arrays import Array
from freefloat.robot.rotations import quaternion_of, quaternion_product, quaternions
from freefloat.sensors.draws import Stream
from freefloat.sensors.noise import Noise
from freefloat.sensors.sensor import MountedSensor, Output
from freefloat.sensors.truth import Truth


class AttitudeSensor(MountedSensor):
    """Gives the attitude of its frame, R_IB R_BS, turned by a small rotation in its own axes."""

    def _attitude(self, output: Output, truths: Sequence[Truth], times: Array, draws: Stream) -> Array:
        mounted = quaternion_of(self.frame().R)
        true = np.stack([quaternion_product(truth.at("attitude", times), mounted) for truth in truths])
        still = np.zeros((1, times.size, 3))
        error = output.noise.added_to(still, self.interval_s, draws, "attitude/")
        return quaternion_product(true, quaternions(error))

    def _attitude_output(self, noise: Noise) -> Output:
        return Output(self.channel_name("attitude"), tuple("xyzw"), ("",) * 4, noise)
