"""Rows of a base velocity whose errors walk, as of an accelerometer that was integrated: its changes, made white.

In inertial axes the error of such a velocity is a random walk and white noise, so that neighbouring samples err alike
and count for little more than one. Its changes from sample to sample err by steps of the walk and by white noise that
neighbours share; the factor of their covariance makes them independent and of size one (`StepWhitening`, as in
`maximum-likelihood`). White noise is that of the velocity and of all else that moves the rows, at the CAD model. The
first sample alone shows the velocity of the centre of mass. Errors of rates count in that noise only: what they do to
the columns of these rows is far below a walk.

The accelerometer's constant bias has columns (`BaseVelocityRows`). Its instability, where one is declared, makes steps
err alike for long: it is in the covariance as the flicker that it is (`FlickerWhitening`), fixed in base axes.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from freefloat.arrays import AXES, Array
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.rows.base_velocity import BaseVelocityRows
from freefloat.estimate.rows.model_rows import NoisyChannel, RowKind, Unit, noisy_channels
from freefloat.sensors.walks import FlickerWhitening, StepWhitening, UnstableBias, faster_walk

_FIRST_M_S = 1.0  # standard deviation of the first sample, which has all that walked before


class VelocityStepRows(BaseVelocityRows):
    """As many rows as samples: the first, then changes, each with an error of one."""

    @property
    def kinds(self) -> tuple[RowKind, ...]:
        """Components of one vector, over their noise."""
        return tuple(RowKind("base velocity, changes", AXES[axis], "sd") for axis in self._axes)

    @cached_property
    def matrix(self) -> Array:
        """Columns of the clusters, then of the nuisances, shape (n, rows, columns)."""
        return self._whitened(self._plain.matrix)

    @cached_property
    def right(self) -> Array:
        """The measured velocity, shape (n, rows, 1 + known)."""
        return self._whitened(self._plain.right)

    def unit(self, channel: NoisyChannel) -> Unit | None:
        """All errors are of size one, and are counted as those of the velocity."""
        if channel.name == "q":
            return None
        added = self.no_unit()
        if channel.name == "v":
            added.right[..., 0] = np.eye(3)[channel.index][self._axes] / channel.sd
        return added

    def by_position(self, x: Array) -> Array:
        """Counted with the velocity's."""
        return np.zeros((*self.right.shape[:2], self.samples.q.shape[1]))

    @cached_property
    def _plain(self) -> BaseVelocityRows:
        """The same rows as they are."""
        if self.samples.attitude is None:
            raise InvalidProblem(
                f"{self.flight.name}: a velocity whose errors walk is compared in inertial axes and needs `attitude`"
            )
        return BaseVelocityRows(self.problem, self.flight, self.number, self.model)

    @cached_property
    def _whitening(self) -> StepWhitening:
        """Noise counts as equal along all axes, for the base turns in them."""
        channels = tuple(
            channel for channel in noisy_channels(self.problem.robot, self.flight, walks=False) if channel.sd > 0.0
        )
        x = np.concatenate([self.model.values(), np.zeros(len(self._plain.columns))])
        errors = self._plain.slopes(x, channels) * [channel.sd for channel in channels]
        white = float(np.sqrt((errors**2).sum(axis=2).mean())) if channels else 0.0
        unstable = self.flight.unstable
        walk = self.flight.walks["v"] if unstable is None else self._beside_flicker(unstable)
        return StepWhitening(self.flight.t, white, float(np.sqrt((walk**2).mean())))

    def _beside_flicker(self, unstable: UnstableBias) -> Array:
        """The walk and what of the flicker is as fast, shape (3,)."""
        return np.asarray(np.hypot(unstable.walk, faster_walk(unstable.flicker, self.flight.t)))

    @cached_property
    def _flicker(self) -> FlickerWhitening | None:
        """That of the accelerometer's bias, if it is known to be unstable."""
        unstable = self.flight.unstable
        if unstable is None:
            return None
        return FlickerWhitening(self._whitening, self._to_inertial[:-1], unstable.flicker[self._axes])

    @cached_property
    def _to_inertial(self) -> Array:
        """R at each sample between the axes along which the base slides, shape (n, axes, axes)."""
        return self.turned.transpose(0, 2, 1)[:, self._axes[:, None], self._axes]

    def _whitened(self, rows: Array) -> Array:
        inertial = self._to_inertial @ rows
        changes = self._whitening.whitened(np.diff(inertial, axis=0))
        if self._flicker is not None:
            changes = self._flicker.whitened(changes)
        return np.concatenate([inertial[:1] / _FIRST_M_S, changes])
