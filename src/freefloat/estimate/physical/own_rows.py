"""A fit of rows of one's own by bodies that can exist, near those of a CAD model.

    minimise sum_i w_i (A_i phi + E_i e - b_i)^2 + weight d^2(phi),

phi the standard parameters, e what else is unknown (friction, say), d the distance from the CAD model
(`regularisers.py`), every body one that can exist. Some of e may be kept from being negative.

Where no weight is given the data choose it. Blocks of rows are left out in turn and predicted by the fit to the others.
The strongest weight is taken whose error of prediction is worse than the least by no more than the standard error of
that difference over the blocks (the rule of one standard error: L. Breiman, J. Friedman, R. Olshen, C. Stone,
"Classification and regression trees", 1984). Blocks, because errors of neighbouring rows are alike; the strongest,
because data hardly tell weak ones from none, and bodies that nothing holds end up anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array
from freefloat.errors import ShapeError
from freefloat.estimate.one_thread import one_blas_thread
from freefloat.estimate.physical.bounds import Bound
from freefloat.estimate.physical.pseudo_inertia_program import (
    AT_LIMIT,
    Cones,
    Coordinates,
    NotSolved,
    cad_coordinates,
    cones_of,
    frames,
)
from freefloat.estimate.physical.regularisers import (
    Distance,
    InvalidTradeOff,
    Regulariser,
    TradeOff,
    mass_rows,
    nothing_fits,
    relative_spread,
    with_masses,
)
from freefloat.estimate.prior import CadSpread
from freefloat.robot.parameters import PER_BODY

_DECADES = 10.0 ** np.arange(-2.0, 5.0)  # weights that are tried, over the variance of a row
_LEAST = 1e-6  # spread of a parameter over its body's mass and size
_FINER = 10.0 ** np.array([0.25, 0.5, 0.75])


@dataclass(frozen=True, eq=False)
class PhysicalFit:
    """Bodies that can exist, fitted to rows.

    parameters: shape (10 bodies,). extra: of the further columns, shape (e,).
    residual: root of the mean weighted square of what is left. weight: of the distance from the CAD model, as given or
    chosen. distance: from it, d. at_limit: bodies whose pseudo-inertia is all but singular.
    tried: weights that were tried and the mean weighted square of predicted rows, shape (k, 2); none if it was given.
    """

    parameters: Array
    extra: Array
    residual: float
    weight: float
    distance: float
    at_limit: tuple[str, ...]
    tried: Array


def physical_fit(
    A: ArrayLike,
    b: ArrayLike,
    *,
    prior: ArrayLike,
    spread: CadSpread | None = None,
    weights: ArrayLike | None = None,
    extra: ArrayLike | None = None,
    not_negative: Sequence[int] = (),
    bodies: Sequence[str] | None = None,
    regulariser: Regulariser = "euclidean",
    weight: float | Literal["auto"] = "auto",
    mass_factor: float | None = None,
    total_mass: float | tuple[float | None, float | None] | None = None,
    inside: Mapping[str, Bound] | None = None,
    blocks: int | ArrayLike = 8,
) -> PhysicalFit:
    """The bodies that can exist and fit rows A phi + extra e = b best, near those of a CAD model.

    A: shape (rows, 10 bodies), body after body m, mx, my, mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about its frame's origin.
    b: shape (rows,).
    prior: standard parameters in the CAD model, shape (10 bodies,). spread: how far it is trusted.
    weights: one over the variance of each row, shape (rows,); one unless given.
    extra: columns of what else is unknown, shape (rows, e); not_negative: numbers of those that cannot be negative.
    bodies: their names; body1, body2, … unless given.
    regulariser, weight, total_mass, inside: as for `TradeOff`; weight "auto": chosen by blocks left out.
    mass_factor: by which masses differ from the CAD model's at most.
    blocks: how many blocks of neighbouring rows, or the number of the block of each row, shape (rows,).
    """
    phi, rows = np.asarray(prior, float), _Rows.of(A, b, weights, extra)
    names = tuple(bodies or (f"body{number + 1}" for number in range(phi.size // PER_BODY)))
    count = rows.extra.shape[1]
    _refuse_other_sizes(rows, phi, names, not_negative)
    if weight == 0.0:
        raise InvalidTradeOff(
            "weight is 0, which leaves bodies open that the rows do not show; allowed: a positive one"
        )
    asked = TradeOff(regulariser, 1.0 if weight == "auto" else weight, mass_factor, total_mass, inside or {})
    covariance = (spread or CadSpread()).of_parameters(phi, names)
    F = frames(phi)
    coordinates = cad_coordinates(F, phi, covariance, np.arange(phi.size), _LEAST)
    size = np.linalg.norm(rows.extra, axis=0)
    scale = 1.0 / np.where(size > 0.0, size, 1.0)
    cones = cones_of(names, F, coordinates, range(len(names)), asked.inside).with_columns(count)
    wide = Coordinates(phi, np.pad(coordinates.root, ((0, 0), (0, count))))
    cones = _within(cones, wide, asked, phi.size + np.arange(count)[list(not_negative)])
    distance = Distance(regulariser, cones, phi.size, relative_spread(covariance, F[:, 3, 3] ** 2))
    B = np.hstack([rows.A @ coordinates.root, rows.extra * scale])
    right, tried = rows.b - rows.A @ phi, np.zeros((0, 2))
    with one_blas_thread():
        if weight == "auto":
            weight, tried = weight_by_blocks(B, right, distance, cones, blocks)
        x = distance.nearest(*_reduced(B, right), weight, cones)
    if x is None:
        raise NotSolved(nothing_fits(asked, asked.mass_factor))
    left = float(np.linalg.norm(B @ x - right) / np.sqrt(max(len(right), 1)))
    at_limit = tuple(np.array(names)[cones.smallest(x) < AT_LIMIT].tolist())
    fitted = phi + coordinates.root @ x[: phi.size]
    away = float(np.sqrt(max(distance.squared(x), 0.0)))
    return PhysicalFit(fitted, scale * x[phi.size :], left, float(weight), away, at_limit, tried)


def _within(cones: Cones, wide: Coordinates, asked: TradeOff, not_negative: NDArray[np.int64]) -> Cones:
    """Cones with what is known of masses, and of entries of x that are not negative."""
    cones = with_masses(cones, wide, asked)
    if asked.mass_factor is not None:
        cones = cones.with_room(*mass_rows(wide, asked.mass_factor, range(wide.origin.size // PER_BODY)))
    kept = np.eye(wide.root.shape[1])[not_negative]
    return cones.with_room(np.zeros(len(kept)), kept)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Weighted rows A phi + extra e = b."""

    A: Array
    b: Array
    extra: Array

    @classmethod
    def of(cls, A: ArrayLike, b: ArrayLike, weights: ArrayLike | None, extra: ArrayLike | None) -> _Rows:
        A, b = np.asarray(A, float), np.asarray(b, float)
        E = np.zeros((len(b), 0)) if extra is None else np.asarray(extra, float)
        w = np.ones(len(b)) if weights is None else np.asarray(weights, float)
        if A.ndim != 2 or b.ndim != 1 or E.ndim != 2 or not len(A) == len(b) == len(E) == len(w) or w.ndim != 1:
            raise ShapeError(
                f"A, b, extra and weights must have shapes (rows, k), (rows,), (rows, e) and (rows,), found {A.shape}, "
                f"{b.shape}, {E.shape} and {w.shape}"
            )
        if not all(np.isfinite(each).all() for each in (A, b, E, w)) or (w < 0.0).any():
            raise ShapeError("A, b, extra or weights hold numbers that are not finite, or a negative weight")
        root = np.sqrt(w)
        return cls(root[:, None] * A, root * b, root[:, None] * E)


def weight_by_blocks(
    B: Array, right: Array, distance: Distance, cones: Cones, blocks: int | ArrayLike
) -> tuple[float, Array]:
    """The weight that predicts blocks of rows best by the rule of one standard error, and what was tried, (k, 2)."""
    cut = _blocks(len(right), blocks)
    factors = [_factor(np.column_stack([B[rows], right[rows]])) for rows in cut]
    sizes = np.array([len(rows) for rows in cut], float)
    variance = float(np.linalg.norm(_best(_factor(np.vstack(factors)))) ** 2 / max(len(right) - B.shape[1], 1))
    if variance <= np.finfo(float).eps ** 2 * float(right @ right + 1e-300):
        return float(_DECADES[0] * max(variance, np.finfo(float).tiny ** 0.25)), np.zeros((0, 2))
    errors = {weight: _held_out(factors, distance, cones, weight) / sizes for weight in variance * _DECADES}
    coarse = _strongest(errors)
    errors |= {weight: _held_out(factors, distance, cones, weight) / sizes for weight in coarse * _FINER}
    tried = np.array(sorted((weight, error.mean()) for weight, error in errors.items()))
    return _strongest(errors), tried


def _strongest(errors: Mapping[float, Array]) -> float:
    """The strongest weight whose error is worse than the least by no more than a standard error of the difference."""
    least = min(errors.values(), key=lambda error: float(error.mean()))
    more = {weight: error - least for weight, error in errors.items()}
    root = np.sqrt(least.size)
    return float(max(weight for weight, each in more.items() if each.mean() <= each.std(ddof=1) / root))


def _held_out(factors: Sequence[Array], distance: Distance, cones: Cones, weight: float) -> Array:
    """Squares of the rows of each block, predicted from the others, shape (blocks,)."""
    errors = []
    for number, own in enumerate(factors):
        others = _factor(np.vstack([each for k, each in enumerate(factors) if k != number]))
        x = distance.nearest(others[:, :-1], others[:, -1], weight, cones)
        errors.append(np.inf if x is None else float(np.linalg.norm(own[:, :-1] @ x - own[:, -1]) ** 2))
    if not np.isfinite(errors).all():
        raise NotSolved("a fit to all blocks of rows but one did not succeed; allowed: a weight of one's own")
    return np.array(errors)


def _blocks(count: int, blocks: int | ArrayLike) -> list[NDArray[np.int64]]:
    """Numbers of the rows of each block."""
    if np.ndim(blocks) == 0:
        cut = list(np.array_split(np.arange(count), int(np.asarray(blocks))))
    else:
        label = np.asarray(blocks)
        if label.shape != (count,):
            raise ShapeError(f"blocks must be a number or have shape ({count},), found {label.shape}")
        cut = [np.flatnonzero(label == each) for each in np.unique(label)]
    if len(cut) < 2 or not all(len(rows) for rows in cut):
        raise InvalidTradeOff(f"there are {len(cut)} blocks of {count} rows; allowed: two or more, each with rows")
    return cut


def _reduced(B: Array, right: Array) -> tuple[Array, Array]:
    """Fewer rows of the same squares, but for a constant."""
    R = _factor(np.column_stack([B, right]))
    return R[:, :-1], R[:, -1]


def _factor(rows: Array) -> Array:
    """Triangular, with the same squares."""
    return np.asarray(scipy.linalg.qr(rows, mode="r")[0][: rows.shape[1]])


def _best(factor: Array) -> Array:
    """What is left of the last column by the others."""
    found = scipy.linalg.lstsq(factor[:, :-1], factor[:, -1])[0]
    return np.asarray(factor[:, :-1] @ found - factor[:, -1])


def _refuse_other_sizes(rows: _Rows, phi: Array, names: Sequence[str], not_negative: Sequence[int]) -> None:
    count = rows.extra.shape[1]
    if any(not 0 <= number < count for number in not_negative):
        raise ShapeError(f"not_negative is {tuple(not_negative)}; allowed: numbers of the {count} columns of extra")
    if phi.ndim != 1 or phi.size % PER_BODY or not np.isfinite(phi).all():
        raise ShapeError(f"prior must have shape (10 bodies,) and finite numbers, found {phi.shape}")
    if rows.A.shape[1] != phi.size or len(names) != phi.size // PER_BODY:
        raise ShapeError(
            f"A has {rows.A.shape[1]} columns and there are {len(names)} names; for a prior of {phi.size} parameters "
            f"allowed: {phi.size} and {phi.size // PER_BODY}"
        )
