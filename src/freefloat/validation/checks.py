"""The tests of a fit within the estimate's uncertainty: parameters, everything beside them, and what it leaves over.

Of xi, which is N(0, E) before the data, these hold information M once nu is allowed for. Along an eigenvector u of M
with value m the mean after the data has variance m / (1 + m) before they are seen, so that

    z = u^T xi / sqrt(m / (1 + m)) ~ N(0, 1),      sum z^2 ~ chi^2.

The same holds of each nu. Each of the four kinds of tests gets a quarter of the false alarms.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import chi2, norm

from freefloat.arrays import Array
from freefloat.estimate.likelihood.noise_levels import level_of
from freefloat.estimate.unknowns import JOINT_MOTION
from freefloat.sensors.gyro import WALKS as GYRO_WALKS
from freefloat.validation.columns import ColumnCheck, check_column
from freefloat.validation.fits import FittedPrediction, inverse, mean_of

_SHOWN = 1e-3  # share of the variance before the data that these must take away for a direction to be tested
_SILENT = (JOINT_MOTION, *GYRO_WALKS)  # many, small, and of no interest by themselves


@dataclass(frozen=True, slots=True)
class FitCheck:
    """One test. statistic and limit: it fires where the former is larger. meaning: what the statistic is."""

    name: str
    statistic: float
    limit: float
    meaning: str

    @property
    def fired(self) -> bool:
        """Whether chance hardly reaches it."""
        return self.statistic > self.limit


@dataclass(frozen=True, slots=True, eq=False)
class FitChecks:
    """All tests. columns: by place of the rows and component."""

    checks: tuple[FitCheck, ...]
    columns: tuple[tuple[int, int, ColumnCheck], ...]

    @property
    def fired(self) -> bool:
        """Whether any test fires."""
        return any(check.fired for check in self.checks)

    def of_level(self, least: float) -> FitChecks:
        """That of the level alone, which fires from so much on."""
        level = self.of("level")
        return replace(self, checks=(replace(level, limit=max(level.limit, least)),))

    def of(self, name: str) -> FitCheck:
        """The test of this name."""
        return next(check for check in self.checks if check.name == name)


def check_fit(fitted: FittedPrediction, false_alarm: float) -> FitChecks:
    """Test a fit within the estimate's uncertainty.

    Sensors that are noisier than declared but white are judged by the noise that they have.
    """
    share = false_alarm / 4.0
    columns, weights = column_checks(fitted, 2.0 * share)
    odd = sum(bool(check.lines) or not check.white for _, _, check in columns)
    checks = (
        parameters_check(innovations(fitted, weights), share),
        _beside(fitted, weights, share),
        _level(columns),
        FitCheck("colour", float(odd), 0.0, f"of {len(columns)} columns"),
    )
    return FitChecks(checks, columns)


def column_checks(
    fitted: FittedPrediction, false_alarm: float
) -> tuple[tuple[tuple[int, int, ColumnCheck], ...], Array]:
    """Every column by itself, and weights of all rows, shape (rows,): less than one where noisier than declared."""
    count = sum(part.values.shape[1] for part in fitted.rows)
    found, weights, first = list[tuple[int, int, ColumnCheck]](), np.ones(fitted.residual.size), 0
    for place, part in enumerate(fitted.rows):
        used = fitted.leverage[first : first + part.values.size].reshape(part.values.shape).sum(axis=0)
        own = weights[first : first + part.values.size].reshape(part.values.shape)
        weighed = level_of(part, fitted.prediction.levels)
        for component, column in enumerate(part.values.T):
            check = check_column(column, float(used[component]), false_alarm / count, float(weighed[component]))
            found.append((place, component, check))
            own[:, component] = 1.0 / check.noise
        first += part.values.size
    return tuple(found), weights


def _level(columns: tuple[tuple[int, int, ColumnCheck], ...]) -> FitCheck:
    """The column that is nearest to the largest level it may have, or farthest beyond."""
    worst = max((check for _, _, check in columns), key=lambda check: check.level / check.allowed)
    return FitCheck("level", worst.level, worst.allowed, "times the noise")


def information_on(J: Array, prior: Array, m: int) -> Array:
    """Information on the first m unknowns once the others are allowed for, shape (m, m)."""
    beside, mixed = J[:, m:].T @ J[:, m:] + prior[m:, m:], J[:, m:].T @ J[:, :m]
    return np.asarray(J[:, :m].T @ J[:, :m] - mixed.T @ (inverse(beside) @ mixed))


def reweighed(fitted: FittedPrediction, weights: Array) -> tuple[Array, Array, Array]:
    """The same fit, linear from here: derivatives, information before the data, and (xi, nu) where it ends.

    weights: of the rows, shape (rows,).
    """
    J, r, prior = fitted.J * weights[:, None], fitted.residual * weights, fitted.prior
    mean = mean_of(fitted.prediction, fitted.freedom)
    return J, prior, fitted.y + inverse(J.T @ J + prior) @ (J.T @ r + prior @ (mean - fitted.y))


def innovations(fitted: FittedPrediction, weights: Array) -> Array:
    """The z of every direction that the data tell something of, shape (directions,)."""
    m = fitted.freedom.size
    if not m:
        return np.zeros(0)
    J, prior, y = reweighed(fitted, weights)
    values, vectors = np.linalg.eigh(information_on(J, prior, m))
    gained = np.maximum(values, 0.0) / (1.0 + np.maximum(values, 0.0))
    seen = gained > _SHOWN
    return np.asarray((vectors[:, seen].T @ y[:m]) / np.sqrt(gained[seen]))


def parameters_check(z: Array, share: float) -> FitCheck:
    """Whether the innovations z are larger than chance makes them."""
    return FitCheck(
        "parameters", float(z @ z), float(chi2.isf(share, z.size)) if z.size else 0.0, f"as the sum of {z.size} squares"
    )


def nuisance_sizes(fitted: FittedPrediction, weights: Array) -> Array:
    """How far each of nu is from its mean, in standard deviations that the fit should have, shape (k,).

    Before the data, the mean after them has variance P - G: what was known less what is left. Zero where nothing
    was known, or the data tell nothing.
    """
    m, prediction = fitted.freedom.size, fitted.prediction
    J, prior, y = reweighed(fitted, weights)
    before = np.diagonal(inverse(prediction.information))
    gained = before - np.diagonal(inverse(J.T @ J + prior))[m:]
    known = (np.diagonal(prediction.information) > 0.0) & (gained > _SHOWN * before)
    silent = np.array([kind in _SILENT for kind in prediction.kinds], dtype=bool)
    tested = known & ~silent
    return np.where(tested, np.abs(y[m:] - prediction.mean) / np.sqrt(np.where(tested, gained, 1.0)), 0.0)


def _beside(fitted: FittedPrediction, weights: Array, share: float) -> FitCheck:
    sizes = nuisance_sizes(fitted, weights)
    tested = max(int((sizes > 0.0).sum()), 1)
    limit = float(norm.isf(share / (2.0 * tested)))
    return FitCheck("sensors and clocks", float(sizes.max(initial=0.0)), limit, "of their standard deviations")
