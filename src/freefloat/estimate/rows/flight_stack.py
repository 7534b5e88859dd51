"""All rows of one flight, sample by sample: models side by side share the errors of the same sensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.estimate.flight import Flight
from freefloat.estimate.rows.model_rows import ModelRows, NoisyChannel, RowKind, Unit, noisy_channels

_FLOOR = 1e-3  # of the standard deviation of a row: no combination of rows counts as more exact than this


@dataclass(frozen=True, eq=False)
class FlightStack:
    """Rows of several models in one flight.

    sources: the models' rows. places: columns of each among all unknowns. unknowns: how many there are.
    """

    flight: Flight
    sources: tuple[ModelRows, ...]
    places: tuple[NDArray[np.int64], ...]
    unknowns: int

    @cached_property
    def channels(self) -> tuple[NoisyChannel, ...]:
        """The flight's channels whose noise is known."""
        return noisy_channels(self.sources[0].problem.robot, self.flight)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where the rows of each model begin within a sample, and where the last one ends, (models + 1,)."""
        return np.cumsum([0, *(len(source.labels) for source in self.sources)])

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What each row of a sample is."""
        return tuple(label for source in self.sources for label in source.labels)

    @cached_property
    def kinds(self) -> tuple[RowKind, ...]:
        """Quantity, component and unit of each row of a sample."""
        return tuple(kind for source in self.sources for kind in source.kinds)

    @cached_property
    def matrix(self) -> Array:
        """Columns of all unknowns, shape (n, rows, unknowns)."""
        return self._wide([source.matrix for source in self.sources])

    @cached_property
    def right(self) -> Array:
        """Right-hand side, then its derivative by uncertain known values, shape (n, rows, 1 + known)."""
        return np.concatenate([source.right for source in self.sources], axis=1)

    def _wide(self, parts: list[Array]) -> Array:
        if len(parts) == 1 and parts[0].shape[2] == self.unknowns:
            return parts[0]  # one model, one flight: its columns are all there are
        wide = np.zeros((len(self.flight.samples), self.starts[-1], self.unknowns))
        for part, place, start in zip(parts, self.places, self.starts, strict=False):
            wide[:, start : start + part.shape[1], place] = part
        return wide

    # ------------------------------------------------------------------ errors

    def errors(self, x: Array) -> Array:
        """How matrix x - right errs in each sample: a column for each channel, times its noise, (n, rows, channels)."""
        return self.usual_errors(x) * self.doubt[..., None]

    def usual_errors(self, x: Array) -> Array:
        """The same of rows that are not in doubt."""
        return self._slopes(x, self.channels) * [channel.sd for channel in self.channels]

    @cached_property
    def doubt(self) -> Array:
        """How many times as much as usual each row errs, shape (n, rows)."""
        return np.concatenate([source.doubt for source in self.sources], axis=1)

    def _slopes(self, x: Array, channels: Sequence[NoisyChannel]) -> Array:
        pairs = zip(self.sources, self.places, strict=True)
        return np.concatenate([source.slopes(x[place], channels) for source, place in pairs], axis=1)

    def own_and_common_errors(self, x: Array) -> tuple[Array, Array]:
        """The same, of errors that each sample has for itself, and of those that all samples of the flight share.

        Shared are coefficients of the joints' curves, rates of wheels that stand for all samples, and the attitude of
        the first sample, where a known momentum is given in its axes: the more samples, the less do they average out.
        Shapes (n, rows, channels) and (n, rows, shared).
        """
        if not self.rate_linear:
            return self.errors(x), np.zeros((*self.right.shape[:2], 0))
        names = [(channel.name, channel.index) for channel in self.channels]
        curves, errors = self.flight.joints.errors(self.flight.t), self.errors(x)
        rates = self.flight.samples.wheel_rates
        constant = [k for k, (name, i) in enumerate(names) if name == "wheel_rates" and _stands(rates, i)]
        shared = set(constant)
        parts = [errors[..., constant]]
        if curves.joint.size:
            shared |= {k for k, (name, _) in enumerate(names) if name in ("q", "dq")}
            joints = np.unique(curves.joint).tolist()
            position, rate = (self._slopes(x, [NoisyChannel(name, j, 1.0) for j in joints]) for name in ("q", "dq"))
            place = np.searchsorted(joints, curves.joint)
            moved = position[..., place] * curves.position[:, None] + rate[..., place] * curves.rate[:, None]
            parts.append(moved * curves.sd)
        turned = np.concatenate([source.by_first_attitude() for source in self.sources], axis=1)
        parts.append(turned * self.flight.sd("attitude", 3))
        own = [k for k in range(len(names)) if k not in shared]
        return errors[..., own], np.concatenate(parts, axis=2)

    @cached_property
    def noise_known(self) -> bool:
        """Whether any noise is known that moves the rows of every model, that of what they explain included."""
        noisy, said = {channel.name for channel in self.channels}, set(self.flight.noise)
        return all(noisy & source.feels and source.explains <= said for source in self.sources)

    @property
    def rate_linear(self) -> bool:
        """Whether all rows are linear in the measured rates."""
        return all(source.rate_linear for source in self.sources)

    def units(self) -> Iterator[tuple[NoisyChannel, Unit]]:
        """What unit errors of each channel add to the rows, channels one after another.

        Only of models that are linear in their rates; joint positions, which are not linear, are left out.
        """
        for channel in self.channels:
            parts = [source.unit_once(channel) for source in self.sources]
            if all(part is not None for part in parts):
                added = [part for part in parts if part is not None]
                right = np.concatenate([part.right for part in added], axis=1)
                yield channel, Unit(self._wide([part.matrix for part in added]), right)

    def instruments(self, x: Array) -> Array:
        """The matrix at the base motion that the unknowns x predict, shape (n, rows, unknowns)."""
        pairs = zip(self.sources, self.places, strict=True)
        return self._wide([source.instruments(x[place]) for source, place in pairs])


def _stands(rates: Array | None, wheel: int) -> bool:
    """Whether one number stands for the rate of a wheel in all samples."""
    return rates is not None and bool((rates[:, wheel] == rates[0, wheel]).all())


def whitening(errors: Array) -> Array:
    """Matrices W with W^T W = (J J^T)^-1 for errors J, shape (n, rows, rows).

    Where sensors are called exact, no combination of rows counts as more exact than a thousandth of its rows.
    """
    S = errors @ errors.transpose(0, 2, 1)
    variance = np.diagonal(S, axis1=1, axis2=2).mean(axis=0)
    least = _FLOOR**2 * np.where(variance > 0.0, variance, variance.max(initial=0.0))
    if not least.all():
        return np.broadcast_to(np.eye(S.shape[1]), S.shape)
    L = np.linalg.cholesky(S + np.diag(least))
    return np.linalg.inv(L)
