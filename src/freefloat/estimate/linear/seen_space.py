"""What of the unknowns the data show.

    x = origin + basis z

Origin is the CAD model. Directions that the rows do not show, or show no better than the noise in the rows' own
columns would, are left out of the basis: there the estimate stays at the CAD model, measured in units of its spread,
and says so. Columns of the weighted matrix times the basis have unit norm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from freefloat.arrays import Array
from freefloat.estimate.rows.equations import COUNTS, Equations, by_model

_GIVES_WAY = 1e-6  # weight of nuisances where a direction is part cluster, part nuisance
_ROUNDING = 1e-3  # of that: a nuisance with less in a direction has no part in it
_NEGLIGIBLE = 1e-3  # of the median spread: a cluster whose spread vanishes to first order still gets one
_CLEARLY = 0.1  # a direction must exceed the noise of its own columns by this share, and by
_DEVIATIONS = 5.0  # so many standard deviations of that noise' power


@dataclass(frozen=True, slots=True, eq=False)
class SeenSpace:
    """The part of the unknowns that is estimated.

    origin: shape (unknowns,). basis: shape (unknowns, s). unseen: cluster parts of the directions left out,
    orthonormal in units of the CAD model's spread, shape (k, clusters). units: that spread, shape (clusters,).
    held_sd: by how much each nuisance goes along where these directions are off by that spread, shape (nuisances,).
    """

    origin: Array
    basis: Array
    unseen: Array
    units: Array
    held_sd: Array

    def at(self, z: Array) -> Array:
        """All unknowns."""
        return self.origin + self.basis @ z


def spread(equations: Equations) -> Array:
    """Standard deviation of each cluster in the CAD model, none quite zero, shape (clusters,)."""
    return units_of_spread(equations.cad_covariance)


def units_of_spread(covariance: Array) -> Array:
    """The same of clusters with this covariance in the CAD model, (clusters, clusters)."""
    sd = np.sqrt(np.diagonal(covariance))
    some = sd[sd > 0.0]
    return np.maximum(sd, _NEGLIGIBLE * float(np.median(some)) if some.size else 1.0)


def seen_space(equations: Equations, roots: Sequence[Array], column_noise: Array | None) -> SeenSpace:
    """What rows, weighted by roots (n, rows, rows) one a flight, show.

    column_noise: what the sensors' noise adds to matrix^T matrix of the weighted rows on average, shape (unknowns,
        unknowns); None if it is not known.
    """
    M = weighted(equations, roots, [stack.matrix for stack in equations.stacks])
    triangle = np.asarray(scipy.linalg.qr(M, mode="r")[0][: M.shape[1]])
    null = _null(triangle)
    if not null.size and not equations.right.any() and column_noise is None:
        null = equations.start[:, None]  # zero solves everything, and so does any multiple: nothing shows the scale
    space = _without(equations, triangle, null)
    if column_noise is None or not column_noise.any() or not space.basis.size:
        return space
    drowned = _drowned(triangle @ space.basis, space.basis.T @ column_noise @ space.basis, M.shape[0])
    return _without(equations, triangle, np.column_stack([null, space.basis @ drowned]))


def weighted(equations: Equations, roots: Sequence[Array], parts: Sequence[Array]) -> Array:
    """Rows of each flight (n, rows, k) multiplied by its roots, in the order of the equations, (all rows, k)."""
    return by_model(equations.stacks, [root @ part for root, part in zip(roots, parts, strict=True)])


def _null(triangle: Array) -> Array:
    """Directions that the rows do not show, shape (unknowns, k)."""
    size = np.linalg.norm(triangle, axis=0)
    scale = np.where(size > 0.0, size, 1.0)
    _, values, V = scipy.linalg.svd(triangle / scale)
    values = np.append(values, np.zeros(V.shape[0] - values.size))
    return np.asarray((V[values <= COUNTS * values[0]] / scale).T)


def _without(equations: Equations, triangle: Array, null: Array) -> SeenSpace:
    """The unknowns without these directions, which stay at the CAD model as far as clusters go."""
    units, clusters = spread(equations), len(equations.minimal)
    strength = np.linalg.norm(triangle, axis=0)
    typical = max(float(np.median(strength[:clusters] * units)), 1e-300)
    further = np.where(strength[clusters:] > 0.0, typical / np.maximum(strength[clusters:], 1e-300), 1.0) / _GIVES_WAY
    every = np.concatenate([units, further])
    directions = null / every[:, None]
    directions = directions / np.maximum(np.linalg.norm(directions, axis=0), 1e-300)
    k = null.shape[1]
    full = scipy.linalg.qr(directions)[0] if k else np.eye(every.size)
    basis = every[:, None] * full[:, k:]
    size = np.linalg.norm(triangle @ basis, axis=0)
    basis = basis / np.where(size > 0.0, size, 1.0)
    apart = full[clusters:, :k]
    held = np.linalg.norm(further[:, None] * np.where(np.abs(apart) > _ROUNDING * _GIVES_WAY, apart, 0.0), axis=1)
    return SeenSpace(equations.start, basis, _orthonormal(directions[:clusters]), units, held)


def _orthonormal(directions: Array) -> Array:
    """Rows that span the columns of `directions`, shape (k, clusters); what touches no cluster is left out."""
    U, values, _ = scipy.linalg.svd(directions, full_matrices=False)
    return np.asarray(U[:, values > _GIVES_WAY].T)


def _drowned(triangle: Array, noise: Array, rows: int) -> Array:
    """Directions in which the noise of the columns alone explains the matrix, shape (s, k)."""
    R = scipy.linalg.qr(triangle, mode="r")[0][: triangle.shape[1]]
    half = scipy.linalg.solve_triangular(R, noise, trans="T")
    share, U = scipy.linalg.eigh(scipy.linalg.solve_triangular(R, half.T, trans="T"))
    limit = 1.0 + _CLEARLY + _DEVIATIONS * np.sqrt(2.0 / rows)
    return np.asarray(scipy.linalg.solve_triangular(R, U[:, share * limit > 1.0]))
