"""Least squares over bodies that can exist, with or without entropy: what Clarabel is given.

    minimise |B x - b|^2 + sum_b w_b (tr(G_b S_b) - log det S_b),     S_b = offset_b + slope_b x,

with S_b >= LEAST E, room + room_slope x >= 0 and gap + gap_slope x = 0. The squares are those of y = R x - Q^T b,
where B = Q R: so nothing is squared before the solver sees it. A logarithm of a determinant is a largest sum,

    log det S = max sum_i log Z_ii     over lower triangular Z with [[S, Z], [Z^T, diag(Z)]] >= 0

(Ben-Tal, Nemirovski, "Lectures on Modern Convex Optimization", 2001), and log Z_ii >= t_i is an exponential cone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
from scipy import sparse

from freefloat.arrays import Array
from freefloat.estimate.physical.pseudo_inertia_program import LEAST, Cones

_ACCURACY = 1e-10
_ITERATIONS = 200
_SIDE, _TRIANGLE = 4, 10
_LOWER = [(i, j) for j in range(_SIDE) for i in range(j, _SIDE)]  # entries of Z
_DIAGONAL = [_LOWER.index((i, i)) for i in range(_SIDE)]
_PER_BODY = _TRIANGLE + _SIDE  # Z and t


@dataclass(frozen=True, slots=True, eq=False)
class Entropy:
    """w (b,) and G (b, 4, 4) of the bodies of cones."""

    weight: Array
    inverse: Array


def minimise(B: Array, b: Array, cones: Cones, entropy: Entropy | None = None) -> Array | None:
    """The x of the least sum in the cones; None if there is none, or none with an inside. B: shape (rows, k)."""
    Q, R = scipy.linalg.qr(B, mode="economic")
    # The solver stops at an absolute gap, best that of the misfit itself; but large numbers may lead it astray.
    for size in np.unique(np.maximum(np.abs(R).max(initial=0.0) ** np.array([0.0, 0.5, 1.0]), 1.0)):
        found = _solved(R / size, Q.T @ b / size, cones, entropy, 1.0 / size**2)
        if found is not None:
            return found
    return None


def _solved(R: Array, right: Array, cones: Cones, entropy: Entropy | None, scale: float) -> Array | None:
    import clarabel

    rows, k = R.shape
    auxiliary = _PER_BODY * len(cones.bodies) if entropy else 0
    square = np.concatenate([np.zeros(k), np.full(rows, 2.0), np.zeros(auxiliary)])
    linear = np.zeros(square.size)
    if entropy:
        linear[:k] = scale * np.einsum("b,bij,bijk->k", entropy.weight, entropy.inverse, cones.slope)
        last = linear[k + rows :].reshape(-1, _PER_BODY)
        last[:, _TRIANGLE:] = -scale * entropy.weight[:, None]
    parts = [(sparse.hstack([R, -sparse.eye(rows)]), right, clarabel.ZeroConeT(rows)), *_plain(cones, clarabel)]
    parts += [(-_triangle(slope), _triangle(offset - LEAST * np.eye(_SIDE)), clarabel.PSDTriangleConeT(_SIDE))
              for offset, slope in zip(cones.offset, cones.slope, strict=True)]  # fmt: skip
    if entropy:
        parts += _log_determinants(cones, k + rows, clarabel)
    matrices = [_widened(matrix, square.size) for matrix, _, _ in parts]
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_iter = False, _ITERATIONS
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = _ACCURACY
    solver = clarabel.DefaultSolver(
        sparse.diags(square, format="csc"),
        linear,
        sparse.csc_matrix(sparse.vstack(matrices)),
        np.concatenate([values for _, values, _ in parts]),
        [cone for _, _, cone in parts],
        settings,
    )
    solution = solver.solve()
    if solution.status not in (clarabel.SolverStatus.Solved, clarabel.SolverStatus.AlmostSolved):
        return None
    found = np.asarray(solution.x, float)[:k]
    return found if cones.hold(found) else None


def _plain(cones: Cones, clarabel: Any) -> list[tuple[Any, Array, Any]]:
    """Equalities and inequalities of single sums."""
    parts = []
    if cones.gap.size:
        parts.append((-cones.gap_slope, cones.gap, clarabel.ZeroConeT(cones.gap.size)))
    if cones.room.size:
        parts.append((-cones.room_slope, cones.room, clarabel.NonnegativeConeT(cones.room.size)))
    return parts


def _log_determinants(cones: Cones, first: int, clarabel: Any) -> list[tuple[Any, Array, Any]]:
    """The two kinds of cones of each body's Z and t, which stand behind the `first` unknowns."""
    parts = []
    for body, (offset, slope) in enumerate(zip(cones.offset, cones.slope, strict=True)):
        start = first + _PER_BODY * body
        whole = np.zeros((2 * _SIDE, 2 * _SIDE, start + _PER_BODY))
        whole[:_SIDE, :_SIDE, : slope.shape[2]] = slope
        for column, (i, j) in enumerate(_LOWER):
            whole[i, _SIDE + j, start + column] = 1.0
        for i, column in enumerate(_DIAGONAL):
            whole[_SIDE + i, _SIDE + i, start + column] = 1.0
        constant = np.zeros((2 * _SIDE, 2 * _SIDE))
        constant[:_SIDE, :_SIDE] = offset
        parts.append((-_triangle(whole), _triangle(constant), clarabel.PSDTriangleConeT(2 * _SIDE)))
        for i, column in enumerate(_DIAGONAL):
            logarithm = np.zeros((3, start + _PER_BODY))
            logarithm[0, start + _TRIANGLE + i], logarithm[2, start + column] = -1.0, -1.0
            parts.append((logarithm, np.array([0.0, 1.0, 0.0]), clarabel.ExponentialConeT()))
    return parts


def _triangle(matrix: Array) -> Array:
    """Upper triangle of symmetric matrices column by column, entries off the diagonal times root 2, (n, n, ...)."""
    columns, rows = np.tril_indices(len(matrix))
    factor = np.where(rows == columns, 1.0, np.sqrt(2.0))
    return np.asarray((matrix[rows, columns].T * factor).T)


def _widened(matrix: Any, width: int) -> Any:
    """The matrix, sparse, with columns of zeros behind it."""
    own = sparse.csc_matrix(matrix)
    return sparse.hstack([own, sparse.csc_matrix((own.shape[0], width - own.shape[1]))], format="csc")
