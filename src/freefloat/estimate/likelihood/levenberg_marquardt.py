"""Damped Gauss-Newton (Levenberg 1944, Marquardt 1963) on weighted residuals with a Gaussian prior.

    minimise |r(p)|^2 + (p - mean)^T information (p - mean)

Undamped steps are tried first: they converge in a few iterations where the prediction is nearly linear within the
uncertainty of the data. A few may go uphill before they must have paid (the watchdog of Chamberlain, Powell,
Lemarechal and Pedersen 1982): in a narrow curved valley, where clusters are weakly seen, descent alone would creep.
Directions that neither data nor prior determine are found by the eigenvalues of the information in the given units,
and are not moved in.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.errors import FreefloatError
from freefloat.estimate.progress import say_left

Evaluate = Callable[[Array, bool], tuple[Array, Array]]
Move = Callable[[Array, Array], Array]

MOST_ITERATIONS = 60
_ROUNDING = 1e-12
_FIRST_DAMPING, _LEAST_DAMPING = 1e-6, 1e-9
_CONVERGED = 1e-2  # mean square of the last step in units of the uncertainty; what it leaves is its square
_MOST_DAMPED = 1e8
_PATIENCE = 3  # undamped steps that may go uphill
_NUMERICAL = 1e-15
_HARD = 100.0  # mean square of weighted residuals: so much is left by a wrong model, and the last digit is not worth it
_WINDOW, _WORTH = 8, 0.9  # iterations of a hard fit that must bring the cost below this part of what it was


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Where it ended.

    point: shape (k,). information: of data and prior there, (k, k); data: of the data alone.
    residual: weighted, (rows,). unseen: directions not moved in, as rows in the given units, (u, k).
    """

    point: Array
    residual: Array
    data: Array
    information: Array
    unseen: Array
    iterations: int
    converged: bool


def levenberg_marquardt(
    evaluate: Evaluate,
    start: Array,
    mean: Array,
    information: Array,
    units: Array | None = None,
    least: float = 0.0,
    most_iterations: int = MOST_ITERATIONS,
    worth: float = 0.0,
    move: Move = np.add,
) -> Fit:
    """Minimise.

    evaluate: residual (rows,) and derivative of the prediction (rows, k; only if asked for), both weighted, at a
        point; an error of freefloat's own means that the point is not possible.
    units: of the unknowns, shape (k,), NaN where the data set them; given, directions of less information than
        `least` in them are held.
    worth: by how much less cost a step must promise to be tried.
    move: where a step leads from a point, to first order straight on.
    """
    here = _Place.at(evaluate, np.array(start, float), mean, information)
    before, patience, damping, growth, step_size, promised, iteration = None, _PATIENCE, 0.0, 2.0, np.inf, np.inf, 0
    held, costs = np.zeros((0, here.point.size)), [here.cost]
    while iteration < most_iterations:
        iteration += 1
        say_left(here.r)
        N, g = here.data + information, here.gradient + information @ (mean - here.point)
        if not (np.isfinite(N).all() and np.isfinite(g).all()):  # so far off that nothing can be said
            break
        step, held = _step(N, g, damping, units, least)
        step_size, promised = float(step @ N @ step) / step.size, float(step @ (2.0 * g - N @ step))
        if promised < worth and before is None:
            return Fit(here.point, here.r, here.data, N, held, iteration, converged=True)
        last, limit = damping == 0.0 and step_size < _CONVERGED, here.cost if before is None else before.cost
        trial = None
        with suppress(FreefloatError):
            trial = _Place.at(evaluate, move(here.point, step), mean, information, None if not last else here)
        if trial is not None and trial.cost <= limit + _ROUNDING * (limit + trial.r.size):
            damping, growth = _eased(damping, (limit - trial.cost) / max(promised, 1e-300)), 2.0
            here, before, patience = trial, None, _PATIENCE
            if last:
                break
        elif trial is not None and trial.cost < np.inf and damping == 0.0 and patience and not last:
            here, before, patience = trial, before or here, patience - 1
        else:
            here, before, patience = before or here, None, 0
            damping, growth = max(growth * damping, _FIRST_DAMPING), 2.0 * growth
        costs.append(min(costs[-1], here.cost))
        hard = costs[-1] > _HARD * here.r.size and iteration >= _WINDOW
        if hard and costs[-1] > _WORTH * costs[-1 - _WINDOW]:
            break
        if damping > _MOST_DAMPED or (promised < _CONVERGED**2 and before is None):
            break
    here = before or here
    settled = min(step_size, promised) < _CONVERGED
    return Fit(here.point, here.r, here.data, here.data + information, held, iteration, settled)


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Residual r at a point, J^T r and J^T J with its derivative J, and cost."""

    point: Array
    r: Array
    gradient: Array
    data: Array
    cost: float

    @classmethod
    def at(
        cls, evaluate: Evaluate, point: Array, mean: Array, information: Array, near: _Place | None = None
    ) -> _Place:
        """Evaluate at a point; what a place so near that it serves here, too, says of derivatives."""
        r, J = evaluate(point, near is None)
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # a point so far off that squares are not numbers is no better
            gradient, data = (J.T @ r, J.T @ J) if near is None else (near.gradient, near.data)
            return cls(point, r, gradient, data, float(r @ r + (point - mean) @ information @ (point - mean)))


def _eased(damping: float, kept: float) -> float:
    """Damping after a step that kept this part of its promise (Nielsen 1999)."""
    if damping == 0.0:
        return 0.0 if kept > 0.25 else _FIRST_DAMPING
    damping *= max(0.1, 1.0 - (2.0 * kept - 1.0) ** 3)
    return damping if damping > _LEAST_DAMPING else 0.0


def _step(N: Array, g: Array, damping: float, units: Array | None, least: float) -> tuple[Array, Array]:
    """The step, and the directions that it leaves alone."""
    scale = np.sqrt(np.maximum(np.diagonal(N), 1e-300))
    if units is None:
        scaled = N / np.outer(scale, scale)
        scaled[np.diag_indices_from(scaled)] += damping
        return _solve(scaled, g / scale) / scale, np.zeros((0, g.size))
    found = directions(N, units, least)
    moved, values = found.vectors[:, found.seen], found.values[found.seen]
    return (moved / (values + damping * values.max(initial=0.0))) @ (moved.T @ g), found.unseen


def _solve(matrix: Array, right: Array) -> Array:
    """Solve with a matrix that is positive, if only by rounding; no move where it is not, in numbers."""
    with suppress(np.linalg.LinAlgError):
        root = np.linalg.cholesky(matrix)
        if float(np.diagonal(root).min()) ** 2 > _NUMERICAL * len(root):
            return np.asarray(scipy.linalg.cho_solve((root, True), right))
    values, vectors = np.linalg.eigh(matrix)
    seen = values > _NUMERICAL * len(values) * max(float(values[-1]), 0.0)
    return np.asarray(vectors[:, seen] @ ((vectors[:, seen].T @ right) / values[seen]))


@dataclass(frozen=True, slots=True, eq=False)
class Directions:
    """Independent directions of unknowns, by how much is known of them.

    values: ascending, (k,), and vectors: directions as columns, (k, k), such that the inverse of the information is
    vectors diag(1 / values) vectors^T. in_units, sizes: the same in the given units, (k, k), and
    how long they are there, (k,). seen: which hold enough.
    """

    values: Array
    vectors: Array
    sizes: Array
    seen: NDArray[np.bool_]
    in_units: Array

    @property
    def unseen(self) -> Array:
        """Those that hold too little, as rows of unit length in the given units, (u, k)."""
        return (self.in_units / np.maximum(self.sizes, 1e-300))[:, ~self.seen].T

    def covariance(self, least: float) -> Array:
        """Inverse of the information, which counts as at least so much in the given units, (k, k)."""
        numerical = _NUMERICAL * len(self.values) * float(self.values[-1])
        root = self.vectors / np.sqrt(np.maximum(self.values, np.maximum(least * self.sizes**2, numerical)))
        return root @ root.T


def directions(information: Array, units: Array, least: float) -> Directions:
    """Directions that hold more information than `least` in these units (NaN where they have none), and others.

    Found with every diagonal entry scaled to one, so that very different accuracies cost no digits.
    """
    scale = 1.0 / np.sqrt(np.maximum(np.diagonal(information), 1e-300))
    values, vectors = np.linalg.eigh(information * np.outer(scale, scale))
    real = scale[:, None] * vectors
    in_units = np.nan_to_num(real / units[:, None])
    sizes = np.linalg.norm(in_units, axis=0)
    seen = (values > _NUMERICAL * len(values) * values[-1]) & (values > least * sizes**2)
    return Directions(values, real, sizes, seen, in_units)
