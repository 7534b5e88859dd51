"""Fits of a prediction to recordings: with the estimate held, within its uncertainty, or with all parameters free.

Unknowns are y = (xi, nu), theta = theta_0 + root xi. With uncertainties of the right size and noise as declared, the
fit's residual r has covariance E - J G J^T, G the covariance of y after the data: each column of it has as many
degrees of freedom as it has rows, less the trace of its part of J G J^T.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg

from freefloat.arrays import Array
from freefloat.estimate.likelihood.finished import stacked
from freefloat.estimate.likelihood.levenberg_marquardt import levenberg_marquardt
from freefloat.estimate.likelihood.likelihood import Rows
from freefloat.validation.prediction import Predictor

MOST, FEW = 30, 6  # iterations; a fit near the truth takes two or three, a hypothesis that needs more is not it


@dataclass(frozen=True, slots=True, eq=False)
class Freedom:
    """How far a fit may move the parameters: theta = theta_0 + root xi, where xi is zero before the data.

    theta: theta_0, shape (p,). root: shape (p, m). information: of each xi before the data, shape (m,): one where
    root has the size of what is uncertain, zero where xi is free.
    """

    theta: Array
    root: Array
    information: Array

    @classmethod
    def none(cls, theta: Array) -> Freedom:
        """Theta stays."""
        return cls(theta, np.zeros((theta.size, 0)), np.zeros(0))

    @classmethod
    def within(cls, theta: Array, root: Array) -> Freedom:
        """Theta moves as far as it is uncertain."""
        return cls(theta, root, np.ones(root.shape[1]))

    def along(self, direction: Array) -> Freedom:
        """The same, and freely along one more direction, shape (p,)."""
        return Freedom(self.theta, np.column_stack([self.root, direction]), np.append(self.information, 0.0))

    @property
    def size(self) -> int:
        """How many numbers xi has."""
        return self.root.shape[1]


@dataclass(frozen=True, eq=False)
class FittedPrediction:
    """Where a fit ended.

    y: (xi, nu). rows: residuals with derivatives by (theta, nu) there. cost: squares of the residual, and of how far
    y is from what was expected before the data.
    """

    prediction: Predictor
    freedom: Freedom
    y: Array
    rows: tuple[Rows, ...]
    cost: float

    @property
    def xi(self) -> Array:
        """How far theta moved, in units of its freedom, shape (m,)."""
        return self.y[: self.freedom.size]

    @property
    def nu(self) -> Array:
        """Everything else, shape (k,)."""
        return self.y[self.freedom.size :]

    @cached_property
    def point(self) -> Array:
        """Theta and nu."""
        return point_of(self.freedom, self.y)

    @cached_property
    def prior(self) -> Array:
        """Information on y before the data, shape (m + k, m + k)."""
        return _prior(self.prediction, self.freedom)

    @cached_property
    def residual(self) -> Array:
        """Of all rows, shape (rows,)."""
        return np.concatenate([part.values.ravel() for part in self.rows])

    @cached_property
    def by_point(self) -> Array:
        """Derivative of the prediction by (theta, nu), shape (rows, p + k)."""
        return stacked(self.rows)[1]

    @cached_property
    def J(self) -> Array:
        """Derivative of the prediction by y, shape (rows, m + k)."""
        return by_freedom(self.by_point, self.freedom)

    @cached_property
    def covariance(self) -> Array:
        """G, of y after the data, shape (m + k, m + k)."""
        return inverse(self.J.T @ self.J + self.prior)

    @cached_property
    def leverage(self) -> Array:
        """Diagonal of J G J^T, shape (rows,)."""
        return np.einsum("ij,ij->i", self.J @ self.covariance, self.J)

    def linear_cost(self, residual: Array) -> float:
        """Cost after one step, with these derivatives, of another residual than the one here."""
        away = mean_of(self.prediction, self.freedom) - self.y
        g = self.J.T @ residual + self.prior @ away
        return float(residual @ residual + away @ self.prior @ away - g @ self.covariance @ g)

    @cached_property
    def stepped(self) -> Array:
        """Residual after one step, shape (rows,)."""
        away = mean_of(self.prediction, self.freedom) - self.y
        return self.residual - self.J @ (self.covariance @ (self.J.T @ self.residual + self.prior @ away))


def fit(
    prediction: Predictor, freedom: Freedom, nu: Array, derivatives: bool = True, iterations: int = MOST
) -> FittedPrediction:
    """The y that agrees best with the recordings and what was known before, from xi = 0 and a given nu."""

    def evaluate(y: Array, wanted: bool) -> tuple[Array, Array]:
        r, J = stacked(prediction.rows(point_of(freedom, y), wanted))
        return r, by_freedom(J, freedom) if wanted else J

    start, mean = np.concatenate([np.zeros(freedom.size), nu]), mean_of(prediction, freedom)
    y = start
    if start.size:
        y = levenberg_marquardt(evaluate, start, mean, _prior(prediction, freedom), most_iterations=iterations).point
    return at(prediction, freedom, y, derivatives)


def at(prediction: Predictor, freedom: Freedom, y: Array, derivatives: bool = True) -> FittedPrediction:
    """A place as if a fit had ended there."""
    mean, rows = mean_of(prediction, freedom), prediction.rows(point_of(freedom, y), derivatives)
    away = y - mean
    square = sum(float((part.values**2).sum()) for part in rows)
    return FittedPrediction(prediction, freedom, y, rows, square + float(away @ _prior(prediction, freedom) @ away))


def point_of(freedom: Freedom, y: Array) -> Array:
    """Theta and nu of (xi, nu)."""
    return np.concatenate([freedom.theta + freedom.root @ y[: freedom.size], y[freedom.size :]])


def by_freedom(J: Array, freedom: Freedom) -> Array:
    """Derivatives by (theta, nu) as those by (xi, nu)."""
    p = freedom.theta.size
    return np.hstack([J[:, :p] @ freedom.root, J[:, p:]])


def inverse(matrix: Array) -> Array:
    """Of an information whose entries have very different sizes."""
    scale = np.sqrt(np.maximum(np.diagonal(matrix), 1e-300))
    return np.asarray(np.linalg.pinv(matrix / np.outer(scale, scale), hermitian=True)) / np.outer(scale, scale)


def mean_of(prediction: Predictor, freedom: Freedom) -> Array:
    """Of (xi, nu) before the data."""
    return np.concatenate([np.zeros(freedom.size), prediction.mean])


def _prior(prediction: Predictor, freedom: Freedom) -> Array:
    return np.asarray(scipy.linalg.block_diag(np.diag(freedom.information), prediction.information))
