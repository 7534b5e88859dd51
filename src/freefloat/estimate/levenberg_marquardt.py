"""Damped Gauss-Newton (Levenberg 1944, Marquardt 1963) on weighted residuals with a Gaussian prior.

    minimise |r(p)|^2 + (p - mean)^T information (p - mean)

Undamped steps are tried first: they converge in a few iterations where the prediction is nearly linear within the
uncertainty of the data. Directions that neither data nor prior determine are found by the eigenvalues of the
information in the given units, and are not moved in.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from freefloat.errors import FreefloatError
from freefloat.robot.transform import Array

Evaluate = Callable[[Array, bool], tuple[Array, Array]]

_ROUNDING = 1e-12
_FIRST_DAMPING, _LEAST_DAMPING = 1e-6, 1e-9
_CONVERGED = 1e-2  # mean square of the last step in units of the uncertainty; what it leaves is its square
_MOST_DAMPED = 1e8
_NUMERICAL = 1e-15


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
    most_iterations: int = 60,
) -> Fit:
    """Minimise.

    evaluate: residual (rows,) and derivative of the prediction (rows, k; only if asked for), both weighted, at a
        point; an error of freefloat's own means that the point is not possible.
    units: of the unknowns, shape (k,), NaN where the data set them; given, directions of less information than
        `least` in them are held.
    """
    point, (r, J) = np.array(start, float), evaluate(start, True)
    cost, damping, growth, step_size, iteration = _cost(r, point, mean, information), 0.0, 2.0, np.inf, 0
    data, held = J.T @ J, np.zeros((0, point.size))
    for iteration in range(1, most_iterations + 1):
        N, g = data + information, J.T @ r + information @ (mean - point)
        step, held = _step(N, g, damping, units, least)
        step_size = float(step @ N @ step) / point.size
        promised = float(step @ (2.0 * g - N @ step))
        last = damping == 0.0 and step_size < _CONVERGED
        trial, trial_cost = point + step, np.inf
        with suppress(FreefloatError):
            r_trial, J_trial = evaluate(trial, not last)
            trial_cost = _cost(r_trial, trial, mean, information)
        if trial_cost <= cost + _ROUNDING * (cost + r.size):
            damping, growth = _eased(damping, (cost - trial_cost) / max(promised, 1e-300)), 2.0
            point, r, cost = trial, r_trial, trial_cost
            if last:
                break
            J, data = J_trial, J_trial.T @ J_trial
        else:
            damping, growth = max(growth * damping, _FIRST_DAMPING), 2.0 * growth
        if damping > _MOST_DAMPED or promised < _CONVERGED**2:
            break
    return Fit(point, r, data, data + information, held, iteration, min(step_size, promised) < _CONVERGED)


def _eased(damping: float, kept: float) -> float:
    """Damping after a step that kept this part of its promise (Nielsen 1999)."""
    if damping == 0.0:
        return 0.0 if kept > 0.25 else _FIRST_DAMPING
    damping *= max(0.1, 1.0 - (2.0 * kept - 1.0) ** 3)
    return damping if damping > _LEAST_DAMPING else 0.0


def _cost(r: Array, point: Array, mean: Array, information: Array) -> float:
    return float(r @ r + (point - mean) @ information @ (point - mean))


def _step(N: Array, g: Array, damping: float, units: Array | None, least: float) -> tuple[Array, Array]:
    """The step, and the directions that it leaves alone."""
    scale = np.sqrt(np.maximum(np.diagonal(N), 1e-300))
    if units is None:
        scaled = N / np.outer(scale, scale)
        scaled[np.diag_indices_from(scaled)] += damping
        return _solve(scaled, g / scale) / scale, np.zeros((0, g.size))
    values, vectors, units = spectrum(N, units)
    seen = values > threshold(values, least)
    weight = vectors[:, seen] / (values[seen] + damping * values[-1])
    return units * (weight @ (vectors[:, seen].T @ (units * g))), vectors[:, ~seen].T


def _solve(matrix: Array, right: Array) -> Array:
    """Solve with a matrix that is positive, if only by rounding; no move where it is not, in numbers."""
    with suppress(np.linalg.LinAlgError):
        root = np.linalg.cholesky(matrix)
        if float(np.diagonal(root).min()) ** 2 > _NUMERICAL * len(root):
            return np.asarray(scipy.linalg.cho_solve((root, True), right))
    values, vectors = np.linalg.eigh(matrix)
    seen = vectors[:, values > _NUMERICAL * len(values) * values[-1]]
    return seen @ ((seen.T @ right) / values[-seen.shape[1] :])


def spectrum(information: Array, units: Array) -> tuple[Array, Array, Array]:
    """Eigenvalues, ascending, and eigenvectors of information in these units, and the units with none missing."""
    size = np.sqrt(np.maximum(np.diagonal(information), 1e-300))
    free = np.isnan(units)  # these get as much information as the best known of the others
    units = np.where(free, np.max(size[~free] * units[~free], initial=1.0) / size, units)
    values, vectors = np.linalg.eigh(information * np.outer(units, units))
    return values, vectors, units


def threshold(values: Array, least: float) -> float:
    """Information below which a direction counts as not seen."""
    return max(least, _NUMERICAL * float(values[-1]))
