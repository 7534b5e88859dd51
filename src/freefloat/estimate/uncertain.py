"""Quantities of a robot with standard deviations, by their derivatives with respect to identified clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.models.minimal import MinimalParameters

_ROUNDING = 1e-9  # of a derivative: less of it in directions that the clusters do not hold is nothing
_NOTHING = 1e-13  # of the largest eigenvalue of a correlation matrix: rounding
NEARLY_EXACT = 1e-10  # of the largest: a variance below that counts as that, for what is stiffer drowns all else
HALF = 1.9599639845400545  # standard deviations on either side of a 95 % interval
OPEN = 1e3  # spreads of the CAD model by which a direction is uncertain of which nothing is known
_SMALL_ENTRY = 1e-3  # an entry that vanishes by law is measured by this share of the largest


@dataclass(frozen=True, slots=True, eq=False)
class Uncertain:
    """Values and standard deviations, of one shape; NaN and infinite where the data say nothing.

    A number whose standard deviation is NaN is of an estimate that states no intervals.
    """

    value: Array
    sd: Array


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """What is known of the clusters of p parameters.

    minimal: c clusters. root: of their covariance, root root^T, shape (c, .).
    sizes: of the parameters, zero for those that are settled, shape (p,): what makes a derivative large.
    unseen: directions of the clusters that the data do not show, as columns, shape (c, u).
    """

    minimal: MinimalParameters
    root: Array
    sizes: Array
    unseen: Array

    def judged(self, value: Array, slope: Array) -> Uncertain:
        """A quantity, shape (...), with its derivative by the parameters, shape (..., p)."""
        by_cluster = slope[..., self.minimal.kept]
        columns, sizes = self.sizes > 0.0, self.sizes[self.sizes > 0.0]
        missed = np.abs(slope[..., columns] - by_cluster @ self.minimal.combine[:, columns]) @ sizes
        whole = np.abs(slope[..., columns]) @ sizes
        left_open = missed > _ROUNDING * (whole + _SMALL_ENTRY * whole.max(initial=0.0))
        held = OPEN * np.linalg.norm(by_cluster @ self.unseen, axis=-1)
        left_open |= held > whole  # what is less than that counts as uncertain
        sd = np.maximum(np.linalg.norm(by_cluster @ self.root, axis=-1), held)
        return Uncertain(np.where(left_open, np.nan, value), np.where(left_open, np.inf, sd))


def covariance_root(covariance: Array) -> Array:
    """A root of a covariance that may be singular, shape (c, c); NaN if that is."""
    if np.isnan(covariance).any():
        return np.full_like(covariance, np.nan)
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def root_of(covariance: Array) -> Array:
    """R with R R^T the covariance, whose entries may have very different sizes, shape (p, rank)."""
    scale = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    safe = np.where(scale > 0.0, scale, 1.0)
    values, vectors = np.linalg.eigh(covariance / np.outer(safe, safe))
    kept = values > _NOTHING * max(float(values[-1]), 1e-300) if values.size else values > 0.0
    return np.asarray(scale[:, None] * (vectors[:, kept] * np.sqrt(values[kept])))


def inverse_of(covariance: Array) -> Array:
    """Of a covariance whose entries have very different sizes; what is exact counts as nearly so."""
    scale = np.sqrt(np.diagonal(covariance))
    correlation = not_singular(covariance) / np.outer(scale, scale)
    return np.linalg.inv(correlation) / np.outer(scale, scale)


def not_singular(covariance: Array) -> Array:
    """A covariance in which what is exact, such as where a point is that has a mass, is only nearly so."""
    scale = np.sqrt(np.diagonal(covariance))
    if not scale.size or not scale.all():  # of which nothing can be made
        return covariance
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    if values[0] > NEARLY_EXACT * values[-1]:
        return covariance
    return (vectors * np.maximum(values, NEARLY_EXACT * values[-1])) @ vectors.T * np.outer(scale, scale)


def side_by_side(columns: Sequence[Uncertain]) -> Uncertain:
    """Columns as the last axis."""
    return Uncertain(np.stack([each.value for each in columns], -1), np.stack([each.sd for each in columns], -1))
