"""Inertial sensors: three axes with the noise, the scale errors and the misalignment of a data sheet."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from pydantic import Field

from freefloat.arrays import Array
from freefloat.sensors.draws import Stream
from freefloat.sensors.sensor import ZERO, DensitySensor, MountedSensor, Output, PerAxis, SpreadPerAxis
from freefloat.sensors.truth import Truth


class Triad(MountedSensor, DensitySensor):
    """Three axes, nearly at right angles and nearly of scale one.

    What it reads is D (1 + U) (1 - [misalignment x]) times the truth in its frame, with D the diagonal of the
    scales and U, strictly upper triangular, by how much its axes are not at right angles.
    """

    scale_ppm: PerAxis = Field(ZERO, description="error of scale in every run")
    scale_sd_ppm: SpreadPerAxis = Field(ZERO, description="error of scale, drawn for every run")
    misalignment_mrad: PerAxis = Field(ZERO, description="how its frame is turned from the mounting, always")
    misalignment_sd_mrad: SpreadPerAxis = Field(ZERO, description="the same, drawn for every run")
    nonorthogonality_mrad: PerAxis = Field(ZERO, description="of the axes x and y, x and z, y and z")

    @abstractmethod
    def _seen(self, truth: Truth, times: Array) -> Array:
        """What perfect axes in the sensor's frame would read, shape (n, 3) [SI]."""

    def _values(self, output: Output, truths: Sequence[Truth], times: Array, draws: Stream) -> Array:
        seen = self._shown(self._seen, truths, times, draws)
        return output.noise.added_to(_turned(self._gains(draws), seen), self.interval_s, draws)

    def _gains(self, draws: Stream) -> Array:
        """From the truth in its frame to readings, shape (runs, 3, 3), or (1, 3, 3) if nothing is drawn."""
        scale, turn = np.array([self.scale_ppm]) * 1e-6, np.array([self.misalignment_mrad]) * 1e-3
        if any(self.scale_sd_ppm):
            scale = scale + 1e-6 * np.array(self.scale_sd_ppm) * draws.normal("scale", (3,))
        if any(self.misalignment_sd_mrad):
            turn = turn + 1e-3 * np.array(self.misalignment_sd_mrad) * draws.normal("misalignment", (3,))
        upper = np.eye(3)
        upper[0, 1], upper[0, 2], upper[1, 2] = 1e-3 * np.array(self.nonorthogonality_mrad)
        turned_back = np.eye(3) - np.cross(turn[:, None, :], np.eye(3)).swapaxes(1, 2)
        return (1.0 + scale)[..., None] * (upper @ turned_back)


def _turned(gains: Array, vectors: Array) -> Array:
    """Term by term, so that a run's numbers do not depend on how many runs there are; shape (runs, n, 3)."""
    g = gains[:, None]  # (runs, 1, 3, 3)
    return g[..., 0] * vectors[..., :1] + g[..., 1] * vectors[..., 1:2] + g[..., 2] * vectors[..., 2:]
