"""How much less a fit would cost if it allowed for one thing more: the score test (C. R. Rao, 1948).

At the least cost of a fit, |r - J d|^2 + (u - m)^T L (u - m) with d = u - u_0, something more is allowed for by k
further unknowns a. It may move readings (columns C of further derivatives: r - J d - C a), or what was assumed of the
fitted unknowns (m + D a instead of m: a prior that is relaxed along D). In both cases the cost falls by

    gain = g^T H^-1 g,     g = g_a - M^T S g_u,    H = H_a - M^T S M,     S = (J^T J + L)^-1,

which is chi-square with k degrees of freedom if the thing is not there, with g_a, H_a and M:

    C: C^T r, C^T C, J^T C;          D: D^T L (u_0 - m), D^T L D, -L D.

a = H^-1 g is its size, H^-1 the covariance of that.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array

_LARGEST = 1e100  # derivative: what is larger is so wild that nothing can be said
_ROUNDING = 1e-9  # of what a further unknown does by itself: less that fitted unknowns do not do as well is nothing


@dataclass(frozen=True, slots=True, eq=False)
class Score:
    """gain: how much less it costs. count: how many further unknowns data tell from the others.

    amount, sd: of them, (k,).
    """

    gain: float
    count: int
    amount: Array
    sd: Array


@dataclass(frozen=True, eq=False)
class FittedRows:
    """A fit, linear about where it ended, and derivatives by what it did not allow for.

    r: residual, (rows,). J: derivative of the prediction by all that may be unknown, (rows, w). fitted: which of these
    were, (w,). information: assumed of them before the data, (w, w), zero of the others. off: how far they are from
    what was assumed of them, (w,). steadying: what is added to the information so that directions that nothing
    determines have some, (w, w).
    """

    r: Array
    J: Array
    fitted: NDArray[np.bool_]
    information: Array
    off: Array
    steadying: Array

    @property
    def is_usable(self) -> bool:
        """Whether squares of all derivatives are numbers."""
        return bool(np.isfinite(self.r).all() and np.abs(self.J).max(initial=0.0) < _LARGEST)

    @cached_property
    def _data(self) -> Array:
        return self.J.T @ self.J

    @cached_property
    def covariance(self) -> Array:
        """S, of what was fitted, (f, f)."""
        at = np.ix_(self.fitted, self.fitted)
        N = self._data[at] + self.information[at] + self.steadying[at]
        scale = 1.0 / np.sqrt(np.maximum(np.diagonal(N), 1e-300))
        values, vectors = np.linalg.eigh(N * np.outer(scale, scale))
        kept = values > 1e-15 * len(values) * values[-1]
        root = scale[:, None] * (vectors[:, kept] / np.sqrt(values[kept]))
        return root @ root.T

    @cached_property
    def _step(self) -> Array:
        """From where the fit ended to the least cost of these rows, (f,)."""
        gradient = self.J[:, self.fitted].T @ self.r - (self.information @ self.off)[self.fitted]
        return self.covariance @ gradient

    @cached_property
    def left(self) -> Array:
        """Residual at the least cost, (rows,)."""
        return np.asarray(self.r - self.J[:, self.fitted] @ self._step)

    @cached_property
    def away(self) -> Array:
        """How far the unknowns are from what was assumed of them at the least cost, (w,)."""
        away = np.array(self.off)
        away[self.fitted] += self._step
        return away

    @cached_property
    def cost(self) -> float:
        """The least."""
        return float(self.left @ self.left + self.away @ self.information @ self.away)

    def of_columns(self, columns: Array) -> Score:
        """Of further derivatives, (rows, k)."""
        mixed = self.J[:, self.fitted].T @ columns
        return self._score(columns.T @ self.left, columns.T @ columns, mixed)

    def of_steps(self, columns: Array, t: Array, places: Array) -> tuple[Score, float]:
        """Of further derivatives, (rows, k), from some place in time on: the best of these, and where that is.

        t: when each row was read, (rows,).
        """
        order = np.argsort(-t)
        counts = np.searchsorted(-t[order], -places)  # rows after each place
        J, C, left, k = self.J[order][:, self.fitted], columns[order], self.left[order], columns.shape[1]
        products = [J * C[:, [j]] for j in range(k)] + [C * left[:, None]] + [C * C[:, [j]] for j in range(k)]
        sums = np.cumsum(np.hstack(products), axis=0)[counts - 1]
        mixed, g, H_a = np.split(sums, [k * J.shape[1], k * J.shape[1] + k], axis=1)
        shape = places.size, k, -1
        found = [
            self._score(*each)
            for each in zip(g, H_a.reshape(shape), mixed.reshape(shape).transpose(0, 2, 1), strict=True)
        ]
        best = int(np.argmax([each.gain for each in found]))
        return found[best], float(places[best])

    def of_dormant(self, places: NDArray[np.int64]) -> Score:
        """Of unknowns that were not fitted, by their places in J."""
        mixed = self._data[np.ix_(self.fitted, places)]
        return self._score(self.J[:, places].T @ self.left, self._data[np.ix_(places, places)], mixed)

    def of_prior(self, along: Array) -> Score:
        """Of a prior that is relaxed along directions of the fitted unknowns, (w, k)."""
        pull = self.information @ along
        return self._score(pull.T @ self.away, along.T @ pull, -pull[self.fitted])

    def relaxed(self, freed: Array) -> Array:
        """Information of a prior that assumes nothing along directions, (w, k), any more, (w, w)."""
        pull = self.information @ freed
        values, vectors = np.linalg.eigh(freed.T @ pull)
        kept = values > _ROUNDING * max(float(values[-1]), 1e-300)
        root = pull @ (vectors[:, kept] / np.sqrt(values[kept]))
        return np.asarray(self.information - root @ root.T)

    def _score(self, g: Array, H_a: Array, mixed: Array) -> Score:
        H = H_a - mixed.T @ self.covariance @ mixed
        scale = 1.0 / np.sqrt(np.maximum(np.diagonal(H_a), 1e-300))
        values, vectors = np.linalg.eigh(H * np.outer(scale, scale))
        kept = values > _ROUNDING
        root = scale[:, None] * (vectors[:, kept] / np.sqrt(values[kept]))
        along = root.T @ g
        return Score(float(along @ along), int(kept.sum()), root @ along, np.sqrt((root**2).sum(axis=1)))
