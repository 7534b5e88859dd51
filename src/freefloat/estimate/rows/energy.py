"""Energy rows: what the joints' torques and forces from outside have put in is there as energy.

    Y theta - E_0 = work - Y_known phi_known - wheels

after M. Gautier, W. Khalil, "Exciting trajectories for the identification of base inertial parameters of robots",
International Journal of Robotics Research, 1992. E_0, the energy at the first sample, is unknown. Of the wheels, the
work of their motors is known by their motion: what they keep and what was put into them differ by J int (a w) dr.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.dynamics.energy import kinetic_energy_regressor, potential_energy_regressor
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import mass_matrix
from freefloat.estimate.rows.integral import integral
from freefloat.estimate.rows.model_rows import NoisyChannel, NuisanceColumn, RowKind
from freefloat.estimate.rows.standard import StandardRows

if TYPE_CHECKING:
    from freefloat.models.names import ModelName


_PLACE = {"v": 0, "w": 3, "dq": 6}


class EnergyRows(StandardRows):
    """One row per sample."""

    name: ClassVar[ModelName] = "energy"
    feels: ClassVar[frozenset[str]] = frozenset({"v", "w", "dq", "torques"})
    rate_linear: ClassVar[bool] = False

    @property
    def labels(self) -> tuple[str, ...]:
        """What the row of a sample is."""
        return ("energy",)

    @property
    def kinds(self) -> tuple[RowKind, ...]:
        """One number."""
        return (RowKind("energy", "energy", "J"),)

    @property
    def columns(self) -> tuple[NuisanceColumn, ...]:
        """The energy at the first sample."""
        return (NuisanceColumn(self.named("energy at the start"), "J"),)

    def standard(self, samples: Samples, columns: NDArray[np.int64]) -> Array:
        """Kinetic and potential energy, shape (n, 1, len(columns))."""
        robot = self.problem.robot
        rows = kinetic_energy_regressor(robot, samples) + potential_energy_regressor(robot, samples)
        return rows[:, None, columns]

    @cached_property
    def nuisance(self) -> Array:
        """The column of the energy at the first sample, shape (n, 1, 1)."""
        return -np.ones((len(self.samples), 1, 1))

    @cached_property
    def measured(self) -> Array:
        """Work since the first sample, less what the wheels hold of it, shape (n, 1)."""
        samples, robot = self.samples, self.problem.robot
        power = (samples.need("torques", "energy") * samples.need("dq", "energy")).sum(axis=1)
        v, w = samples.base_twist(robot, "energy")
        if samples.base_wrench is not None:
            power = power + (samples.base_wrench * np.hstack([v, w])).sum(axis=1)
        if robot.wheels:
            rises = samples.need("wheel_accelerations", "the wheels' energy")
            power = power - ((w @ robot.wheel_axes.T) * rises) @ robot.wheel_inertias
        return integral(power, self.flight.t)[:, None]

    def slopes(self, x: Array, channels: Sequence[NoisyChannel]) -> Array:
        """How much each row errs by unit noise of each channel, at the CAD model, shape (n, 1, channels).

        An error of a power stays in all work after it: it counts as the root of the sum of squares over the samples
        before, as if rows then erred independently of each other.
        """
        samples, robot = self.samples, self.problem.robot
        v, w = samples.base_twist(robot, "energy")
        rates = np.hstack([v, w, samples.need("dq", "energy")])
        momentum = np.einsum("kij,kj->ki", mass_matrix(self.cad_robot, samples.q), rates)
        lasts = np.diff(self.flight.t, prepend=self.flight.t[0])
        slopes = np.zeros((len(samples), 1, len(channels)))
        for k, channel in enumerate(channels):
            work = np.cumsum((lasts * self._power_slope(channel)) ** 2)
            kept = momentum[:, _PLACE[channel.name] + channel.index] if channel.name in _PLACE else 0.0
            slopes[:, 0, k] = np.sqrt(kept**2 + work)
        return slopes

    def _power_slope(self, channel: NoisyChannel) -> Array:
        """Derivative of the power that is put in by a channel, shape (n,)."""
        samples, slope = self.samples, np.zeros(len(self.samples))
        if channel.name == "torques":
            return samples.need("dq", "energy")[:, channel.index]
        if channel.name == "dq":
            return samples.need("torques", "energy")[:, channel.index]
        if channel.name in ("v", "w") and samples.base_wrench is not None:
            slope = slope + samples.base_wrench[:, _PLACE[channel.name] + channel.index]
        return slope
