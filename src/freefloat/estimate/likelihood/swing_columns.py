"""What an oscillator on the base does to a gyro, and what other unknowns cannot explain of that.

A body on a spring, its coordinate y scaled so that the base's rigid rate w_r drives it along L, and u, the rigid
velocity of the base where the centre of mass of all is, along S,

    y'' + 2 z s y' + s^2 y = -L . w_r' - S . u',        s = 2 pi f,

adds -I^-1 L y' to the base's rate, I the inertia of all about the centre of mass: a symmetric matrix of rank one,
C = L L^T, acts on w_r through a filter, and L S^T on u, which an arm makes that shifts the base. With
x'' + 2 z s x' + s^2 x = w_r the filtered rate is x'', so that no rate has to be differentiated. Beside that it may
swing freely from the first instant on.

All of it is linear but for f and z. Columns are compared with what is left in a space where all other unknowns, what
was assumed of them and all other readings are allowed for. Rows are those in which errors of the joints' curves are not
made white: what does that to rows would do it to swings too, not alike about all axes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.linalg import expm
from scipy.signal import lfilter

from freefloat.arrays import Array
from freefloat.estimate.causes.score import FittedRows
from freefloat.estimate.causes.spectral_lines import ChannelRows
from freefloat.estimate.likelihood.likelihood import Likelihood
from freefloat.estimate.likelihood.predicted_base import PredictedFlight
from freefloat.estimate.predicted_motion import BaseMotion

_ROWS_PER_PERIOD = 4.0  # means of readings, of the fastest swing that is looked for
_STEPS_PER_PERIOD = 16.0  # of the filter
_ROUNDING = 1e-9  # of a column's square: less that others do not do as well is nothing
_PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # entries of a symmetric matrix


@dataclass(frozen=True, slots=True, eq=False)
class Gain:
    """By how much less a fit costs with columns, and their factors, (k,)."""

    saved: float
    factors: Array


@dataclass(frozen=True, eq=False)
class SwingColumns:
    """Columns of oscillators in the means of one gyro's rows, (n, 3), behind them rows of what else is known.

    t: of the means, (n,) [s]. inertia: by rows, what angular momentum does to them, (n, 3, 3). inverse: mean inverse
    inertia, (3, 3). places: where the filter is solved, even steps. drive: the base's rigid rates there, then its
    velocities at the centre of mass of all, less the first, (m, 6). by_unknowns: what other unknowns do, (rows, f).
    explained: orthonormal columns of that, and of more. target: what there is to explain, (rows,). left: what these
    leave of it. every: readings in a mean.
    """

    t: Array
    inertia: Array
    inverse: Array
    places: Array
    drive: Array
    by_unknowns: Array
    explained: Array
    target: Array
    left: Array
    every: int

    @classmethod
    def of(
        cls, fit: FittedRows, likelihood: Likelihood, point: Array, channel: ChannelRows, levels: Array, top_Hz: float
    ) -> SwingColumns:
        """Those of a fit about a point, swings being no faster than `top_Hz`; levels: as of `Everything`."""
        flight = likelihood.flights[channel.flight]
        motion, at = PredictedFlight(flight, point, likelihood.phi(point), 0).motion_of("w")
        t, nodes = flight.joint_time("w", point), flight.nodes["w"]
        own = levels[channel.rows].reshape(-1, 3)
        by_momentum = motion.B[:, -3:][at]
        rows = nodes.rows(np.array(by_momentum)) / flight.readings["w"].sd[:, None] / own[:, :, None]
        shown = nodes.at_rows(t)
        step = float(np.median(np.diff(shown)))
        every = max(1, int(1.0 / (_ROWS_PER_PERIOD * top_Hz * step))) if nodes.mix is None else 1
        count = max(2, int(np.ceil((shown[-1] - shown[0]) * _STEPS_PER_PERIOD * top_Hz)))
        places = np.linspace(shown[0], shown[-1], count)
        apart = np.concatenate([[True], np.diff(motion.grid.t) > 0.0])
        both = np.hstack([motion.w, _shift(motion)])
        rates = CubicSpline(motion.grid.t[apart], both[apart])(places)
        target, J = _with_all_else(fit, channel, every)
        size = np.maximum(np.sqrt((J**2).sum(axis=0)), 1e-300)
        Q = np.linalg.qr(J / size)[0]
        left = target - Q @ (Q.T @ target)
        inertia, inverse = _means(rows, every), by_momentum.mean(axis=0)
        drive = rates - rates[0]
        return cls(_means(shown, every), inertia, inverse, places, drive, J, Q, target, left, every)

    def beside(self, columns: Array) -> SwingColumns:
        """The same with what these columns explain taken off."""
        own = self._apart(columns)
        more = np.linalg.qr(own / np.maximum(np.sqrt((own**2).sum(axis=0)), 1e-300))[0]
        left = self.left - more @ (more.T @ self.left)
        return replace(self, left=left, explained=np.hstack([self.explained, more]))

    def step_beside(self, columns: Array) -> Array:
        """By how much other unknowns are elsewhere if there are swings of these columns, (f,)."""
        below = np.zeros((len(self.target) - len(columns), columns.shape[1]))
        both = np.hstack([np.vstack([columns, below]), self.by_unknowns])
        size = np.maximum(np.sqrt((both**2).sum(axis=0)), 1e-300)
        found, *_ = np.linalg.lstsq(both / size, self.target, rcond=1e-12)
        return np.asarray((found / size)[columns.shape[1] :])

    @cached_property
    def duration_s(self) -> float:
        """From the first to the last mean [s]."""
        return float(self.t[-1] - self.t[0])

    def matrix(self, frequency_Hz: float, damping: float) -> Array:
        """Columns by the six entries of C, the nine of L S^T, then of free swings about each axis, (3 n, 21)."""
        forced, free = self._swings(frequency_Hz, damping)
        B, found = self.inertia, list[Array]()
        for i, j in _PAIRS:
            column = B[:, :, i] * forced[:, [j]]
            found.append((column if i == j else column + B[:, :, j] * forced[:, [i]]).ravel())
        found += [(B[:, :, i] * by[:, None]).ravel() for i in range(3) for by in forced[:, 3:].T]
        found += [(B[:, :, i] * by[:, None]).ravel() for i in range(3) for by in free.T]
        return np.stack(found, axis=1)

    def about(self, frequency_Hz: float, damping: float, axis: Array) -> Array:
        """Columns of an oscillator about an axis: driven by turning and by shifts, and free swings, (3 n, 6)."""
        forced, free = self._swings(frequency_Hz, damping)
        pushed = self.inertia @ axis
        driven = forced[:, :3] @ axis, *forced[:, 3:].T
        return np.stack([(pushed * each[:, None]).ravel() for each in (*driven, *free.T)], axis=1)

    def gain(self, columns: Array) -> Gain:
        """What columns, (3 n, k), save."""
        own = self._apart(columns)
        size = np.maximum(np.sqrt((columns**2).sum(axis=0)), 1e-300)
        own = own / size
        values, vectors = np.linalg.eigh(own.T @ own)
        kept = values > _ROUNDING * max(float(values[-1]), 1e-300)
        along = vectors[:, kept].T @ (own.T @ self.left)
        found = vectors[:, kept] @ (along / values[kept])
        return Gain(float(along @ (along / values[kept])) * self.every, found / size)

    def _apart(self, columns: Array) -> Array:
        """What others do not explain of columns, (rows, k)."""
        inside = self.explained[: len(columns)].T @ columns
        found = -self.explained @ inside
        found[: len(columns)] += columns
        return found

    def _swings(self, frequency_Hz: float, damping: float) -> tuple[Array, Array]:
        """Filtered rates and velocities, (n, 6), and free swings, (n, 2)."""
        omega = 2.0 * np.pi * frequency_Hz
        above, below = _filter(omega, damping, float(self.places[1] - self.places[0]))
        forced = lfilter(above, below, self.drive, axis=0)
        at = np.stack([np.interp(self.t, self.places, each) for each in forced.T], axis=1)
        since = self.t - self.places[0]
        angle = omega * np.sqrt(max(1.0 - damping**2, 0.0)) * since
        decay = np.exp(-damping * omega * since)
        return at, np.stack([decay * np.cos(angle), decay * np.sin(angle)], axis=1)


def _shift(motion: BaseMotion) -> Array:
    """Velocity of the base at the centre of mass of all, which what the base carries gives it, (m, 3) [m/s]."""
    A = motion.A
    momentum = A[:, :3, :3] @ motion.v[:, :, None] + A[:, :3, 3:6] @ motion.w[:, :, None]
    return np.asarray(np.linalg.solve(A[:, :3, :3], momentum)[..., 0])


def _filter(omega: float, damping: float, step: float) -> tuple[Array, Array]:
    """Numerator and denominator, (3,) each, of the filter from u to x'' = u - 2 z omega x' - omega^2 x.

    Exact where u is linear from one even step to the next.
    """
    law = np.zeros((4, 4))
    law[0, 1], law[1, :3], law[2, 3] = 1.0, (-omega * omega, -2.0 * damping * omega, 1.0), 1.0 / step
    over = expm(law * step)
    Phi, after = over[:2, :2], over[:2, 3]
    before, back = over[:2, 2] - after, law[1, :2]
    trace, det = float(np.trace(Phi)), float(np.linalg.det(Phi))
    adjugate = trace * np.eye(2) - Phi
    below = np.array([1.0, -trace, det])
    above = np.array([back @ after, back @ before - back @ adjugate @ after, -back @ adjugate @ before])
    return above + below, below


def _with_all_else(fit: FittedRows, channel: ChannelRows, every: int) -> tuple[Array, Array]:
    """Residual and derivatives of a gyro's means, (3 n + f,) and (3 n + f, f).

    The last f rows stand for all other readings, and for what was assumed.
    """
    f = fit.fitted
    r, J = fit.r[channel.rows].reshape(-1, 3), fit.J[channel.rows][:, f]
    others = np.ones(fit.r.size, dtype=bool)
    others[channel.rows] = False
    J_others = fit.J[others][:, f]
    N = J_others.T @ J_others + (fit.information + fit.steadying)[np.ix_(f, f)]
    pull = J_others.T @ fit.r[others] - (fit.information @ fit.off)[f]
    scale = 1.0 / np.sqrt(np.maximum(np.diagonal(N), 1e-300))
    values, vectors = np.linalg.eigh(N * np.outer(scale, scale))
    kept = values > 1e-14 * values[-1]
    root = np.sqrt(np.where(kept, values, 0.0))[:, None] * vectors.T / scale
    aim = np.where(kept, vectors.T @ (scale * pull) / np.sqrt(np.where(kept, values, 1.0)), 0.0)
    noise = 1.0 / np.sqrt(every)  # of a mean
    means = _means(J.reshape(len(r), 3, -1), every).reshape(-1, int(f.sum()))
    return np.concatenate([_means(r, every).ravel(), noise * aim]), np.vstack([means, noise * root])


def _means(values: Array, every: int) -> Array:
    """Of so many in a row, (n // every, ...); the last few are left out."""
    n = len(values) // every
    return values[: n * every].reshape(n, every, *values.shape[1:]).mean(axis=1)
