"""Energy rows: what the joints' torques and forces from outside have put in is there as energy.

    Y theta - E_0 + taken by drives = work - Y_known phi_known - wheels - taken by known drives

between successive instants, made white in time. An error of a power stays in all work after it, so that rows of the
work since the start err together; the work of one step errs alone. A rate's error, though, is in the energy at the end
of one step and at the beginning of the next. Errors of steps are therefore a moving average over two instants, whose
covariance has three diagonals: rows are its innovations, each what a step adds to what those before it tell.

After M. Gautier, W. Khalil, "Exciting trajectories for the identification of base inertial parameters of robots",
International Journal of Robotics Research, 1992. E_0, the energy at the first sample, is unknown. Of the wheels, the
work of their motors is known by their motion: what they keep and what was put into them differ by J int (a w) dr.
Friction takes the integral of its torque times the rate, rotors keep energy (`joint_drives.py`, `dynamics/rotors.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.dynamics.energy import kinetic_energy_regressor, potential_energy_regressor
from freefloat.dynamics.rotors import rotor_energy_columns
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import mass_matrix
from freefloat.estimate.rows.integral import integral
from freefloat.estimate.rows.model_rows import NoisyChannel, NuisanceColumn, RowKind, noisy_channels
from freefloat.estimate.rows.standard import StandardRows

if TYPE_CHECKING:
    from freefloat.models.names import ModelName


_PLACE = {"v": 0, "w": 3, "dq": 6}
_FLOOR = 0.1  # of the rows' standard deviation, in which the integral holds noise of instants farther off
# Of white noise at a step's end and beginning, what the spline's integral over the step holds: shares sum to one, and
# give 0.77 of the variance that the noise would have if it stood still during the step.
_AT_END, _AT_BEGINNING = 0.87, 0.13


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
        """The energy at the first sample, and what is unknown of the joints' drives."""
        return (NuisanceColumn(self.named("energy at the start"), "J"), *self.joint_drives.columns)

    @property
    def explains(self) -> frozenset[str]:
        """Torques, whose work it is."""
        return frozenset({"torques"})

    def standard(self, samples: Samples, columns: NDArray[np.int64]) -> Array:
        """Kinetic and potential energy, shape (n, 1, len(columns))."""
        robot = self.problem.robot
        rows = kinetic_energy_regressor(robot, samples) + potential_energy_regressor(robot, samples)
        return rows[:, None, columns]

    @cached_property
    def nuisance(self) -> Array:
        """The energy at the first sample, then what the drives take and keep, shape (n, 1, 1 + terms joints)."""
        drives, dq = self.joint_drives, self.joint_drives.dq
        taken = integral(drives.own * dq[..., None], self.flight.t)
        if "rotor" in drives.unknown:
            taken[..., drives.unknown.index("rotor")] = rotor_energy_columns(self.problem.robot, self.samples)
        n = len(self.samples)
        return np.concatenate([-np.ones((n, 1)), taken.transpose(0, 2, 1).reshape(n, -1)], axis=1)[:, None]

    @cached_property
    def matrix(self) -> Array:
        """Columns of the clusters, then of the nuisances, shape (n, 1, columns)."""
        return self._in_time(super().matrix)

    @cached_property
    def right(self) -> Array:
        """Right-hand side, then its derivative by each uncertain known value, shape (n, 1, 1 + known)."""
        return self._in_time(super().right)

    @cached_property
    def measured(self) -> Array:
        """Work since the first sample, less what the wheels hold of it, shape (n, 1)."""
        samples, robot = self.samples, self.problem.robot
        drives, dq = self.joint_drives, samples.need("dq", "energy")
        power = ((samples.need("torques", "energy") - drives.known_friction.value) * dq).sum(axis=1)
        v, w = samples.base_twist(robot, "energy")
        if samples.base_wrench is not None:
            power = power + (samples.base_wrench * np.hstack([v, w])).sum(axis=1)
        if robot.wheels:
            rises = samples.need("wheel_accelerations", "the wheels' energy")
            power = power - ((w @ robot.wheel_axes.T) * rises) @ robot.wheel_inertias
        kept = rotor_energy_columns(robot, samples) @ drives.rotors
        return (integral(power, self.flight.t) - kept)[:, None]

    def slopes(self, x: Array, channels: Sequence[NoisyChannel]) -> Array:
        """How much each row errs by unit noise of each channel, at the CAD model, shape (n, 1, channels).

        The variance of a row, shared among channels as that of its step is.
        """
        slopes = np.zeros((len(self.samples), 1, len(channels)))
        if not channels:
            return slopes
        end, beginning = self._step_slopes(channels)
        sd = np.array([channel.sd for channel in channels])
        parts = sd**2 * (end**2 + beginning**2)
        share = parts / np.maximum(parts.sum(axis=1, keepdims=True), 1e-300)
        slopes[:, 0] = self._triangle[0][:, None] * np.sqrt(share) / sd
        return slopes

    def _in_time(self, rows: Array) -> Array:
        """Innovations of the steps between rows of energies, shape (n, 1, k)."""
        steps = np.diff(rows[:, 0], axis=0, prepend=np.zeros((1, rows.shape[2])))  # the first is the energy there
        size, below = self._triangle
        unit = np.stack([np.ones_like(size), np.append(below[1:], 0.0)])
        return np.asarray(scipy.linalg.solve_banded((1, 0), unit, steps))[:, None]

    @cached_property
    def _triangle(self) -> tuple[Array, Array]:
        """Standard deviation of innovations, and how much of the one before is in each step, shape (n,) each."""
        n, channels = len(self.samples), noisy_channels(self.problem.robot, self.flight)
        if not {channel.name for channel in channels} & self.feels:
            return np.ones(n), np.zeros(n)
        end, beginning = self._step_slopes(channels)
        variance = np.array([channel.sd**2 for channel in channels])
        diagonal = (end**2 + beginning**2) @ variance
        beside = np.append((end[:-1] * beginning[1:]) @ variance, 0.0)
        root = scipy.linalg.cholesky_banded([diagonal + _FLOOR**2 * diagonal.mean(), beside], lower=True)
        return root[0], np.concatenate([[0.0], root[1, :-1] / root[0, :-1]])

    def _step_slopes(self, channels: Sequence[NoisyChannel]) -> tuple[Array, Array]:
        """How a step's row errs by unit noise at its end, and at its beginning, shape (n, channels) each.

        The first step has no beginning: it is the energy at the first sample.
        """
        samples, robot = self.samples, self.problem.robot
        v, w = samples.base_twist(robot, "energy")
        rates = np.hstack([v, w, samples.need("dq", "energy")])
        momentum = np.einsum("kij,kj->ki", mass_matrix(self.cad_robot, samples.q), rates)
        momentum[:, 6:] += self.joint_drives.rotors * rates[:, 6:]
        lasts = np.diff(self.flight.t, prepend=self.flight.t[0])
        kept, power = np.zeros((len(samples), len(channels))), np.zeros((len(samples), len(channels)))
        for k, channel in enumerate(channels):
            power[:, k] = self._power_slope(channel)
            if channel.name in _PLACE:
                kept[:, k] = momentum[:, _PLACE[channel.name] + channel.index]
        end = kept - _AT_END * lasts[:, None] * power
        beginning = np.zeros_like(end)
        beginning[1:] = -kept[:-1] - _AT_BEGINNING * lasts[1:, None] * power[:-1]
        return end, beginning

    def _power_slope(self, channel: NoisyChannel) -> Array:
        """Derivative of the power that is put in by a channel, shape (n,)."""
        samples, slope = self.samples, np.zeros(len(self.samples))
        if channel.name == "torques":
            return samples.need("dq", "energy")[:, channel.index]
        if channel.name == "dq":
            drives = self.joint_drives.assumed_friction
            taken = drives.value + drives.by_rate * self.joint_drives.dq
            return (samples.need("torques", "energy") - taken)[:, channel.index]
        if channel.name in ("v", "w") and samples.base_wrench is not None:
            slope = slope + samples.base_wrench[:, _PLACE[channel.name] + channel.index]
        return slope
