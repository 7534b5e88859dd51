"""Minimal parameters by numbers: which columns of a stacked regressor are independent.

For everything the closed form does not cover: rows left out, locked joints, zero momentum, products of parameters,
further columns such as rotors. Columns are taken greedily in a fixed order of preference, so the same robot always
gives the same clusters, and exchanged where others would be large multiples of them (`leaders.py`); the singular values
must show a clear gap. Parameters declared zero or known need no sampled rows: the clusters of all parameters say which
are left (`regrouped`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.errors import FreefloatError
from freefloat.models.formula import clean_coefficients
from freefloat.models.leaders import PREFERENCE, Indices, led, well_led, with_dimensions
from freefloat.models.minimal import MinimalParameters
from freefloat.robot.parameters import INDEX, PER_BODY

CLEAR_GAP = 1e4
_NEGLIGIBLE_COLUMN = 1e-11
_COUNTS = 1e-9
_CLEARLY = (1e-3, 1e-5, 10 * _COUNTS)  # a preferred column that is nearly dependent would cost digits
_DIGITS = 13  # what least squares leaves of a coefficient; more is rounding


class UnclearRank(FreefloatError):
    """The singular values fall without a gap, so that nobody can say how many clusters there are."""

    def __init__(self, values: Array, rank: int) -> None:
        self.singular_values, self.rank = values, rank
        below = values[rank] if rank < values.size else 0.0
        super().__init__(
            f"no clear gap in the singular values: number {rank} is {values[rank - 1]:.2g} of the largest, the "
            f"next {below:.2g}; give more or richer states, or declare what is known to be zero"
        )


def independent_columns(
    Y: Array,
    names: Sequence[str],
    preference: ArrayLike | None = None,
    sizes: Array | None = None,
    kinds: ArrayLike | None = None,
) -> MinimalParameters:
    """Clusters of a stacked regressor Y (rows, p) over p named parameters.

    preference: all column numbers, the most welcome first; by default as they come.
    sizes: by which parameters are compared, (p,); by default by the lengths of their columns.
    kinds: numbers, (p,): parameters take each other's place in front of a cluster only if theirs are equal.
    """
    order = np.arange(Y.shape[1]) if preference is None else np.asarray(preference, np.int64)
    size = np.linalg.norm(Y, axis=0)
    order = order[size[order] > _NEGLIGIBLE_COLUMN * max(size.max(initial=0.0), 1e-300)]
    scaled = Y[:, order] / size[order]
    rank, gap = _clear_rank(scaled)
    chosen = _first_independent(scaled, rank)
    if chosen.size < rank:
        values = scipy.linalg.svdvals(scaled)
        raise UnclearRank(values / values[0], rank)
    combine = np.zeros((rank, Y.shape[1]))
    solution = _in_terms_of(chosen, scaled)
    weight = np.ones(order.size) if sizes is None else sizes[order] * size[order]
    compared = solution * weight / weight[chosen][:, None]
    led_well, _ = well_led(chosen, compared, np.arange(order.size), None if kinds is None else np.asarray(kinds)[order])
    if not np.array_equal(led_well, chosen):
        chosen, solution = led_well, _in_terms_of(led_well, scaled)
    kept = order[chosen]
    combine[:, order] = solution * size[order] / size[kept][:, None]
    ascending = np.argsort(kept)
    combine = clean_coefficients(np.round(combine[ascending], _DIGITS))
    return MinimalParameters(tuple(names), kept[ascending], combine, gap)


def _in_terms_of(chosen: Indices, columns: Array) -> Array:
    """What to multiply the chosen columns by to have all of them, shape (chosen, columns)."""
    if not chosen.size:
        return np.zeros((0, columns.shape[1]))
    solution = np.asarray(scipy.linalg.lstsq(columns[:, chosen], columns)[0], dtype=np.float64)
    solution[:, chosen] = np.eye(chosen.size)
    return solution


def regrouped(coefficients: Array, names: Sequence[str], preference: ArrayLike, sizes: Array) -> MinimalParameters:
    """Clusters of p named parameters whose rows of coefficients are known to rounding: no gap is asked for.

    coefficients: without dimensions, those of parameters divided by `sizes` (p,), shape (rows, p).
    preference: all column numbers, the most welcome first.
    """
    kept, rows = led(coefficients, preference)
    rows[np.abs(rows) < 10.0**-_DIGITS] = 0.0
    rounding = with_dimensions(kept, np.full(rows.shape, 10.0**-_DIGITS), sizes)
    unit = 10.0 ** np.floor(np.log10(np.minimum(rounding, 10.0**-_DIGITS)))
    combine = np.round(with_dimensions(kept, rows, sizes) / unit) * unit
    return MinimalParameters(tuple(names), kept, clean_coefficients(combine, 2.0 * unit))


def standard_preference(bodies: int) -> Indices:
    """Column numbers of the standard parameters: all of the base, then link by link what usually remains."""
    base = np.arange(PER_BODY)
    links = [PER_BODY * body + INDEX[name] for name in PREFERENCE for body in range(1, bodies)]
    return np.concatenate([base, np.array(links, dtype=np.int64)])


def _clear_rank(scaled: Array) -> tuple[int, float]:
    if not scaled.size:
        return 0, np.inf
    values = scipy.linalg.svdvals(scaled)
    values = values / values[0]
    rank = int((values > _COUNTS).sum())
    if rank == values.size:
        gap = values[-1] / np.finfo(float).eps
    else:
        gap = values[rank - 1] / max(values[rank], np.finfo(float).eps)
    if gap < CLEAR_GAP:
        raise UnclearRank(values, rank)
    return rank, float(gap)


def _first_independent(scaled: Array, rank: int) -> Indices:
    """Positions of `rank` independent columns, first come first: those that are clearly so, then others."""
    basis, chosen = np.zeros((scaled.shape[0], 0)), list[int]()
    for clear in _CLEARLY:
        for column in range(scaled.shape[1]):
            if len(chosen) == rank:
                return np.array(sorted(chosen), dtype=np.int64)
            rest = scaled[:, column]
            for _ in range(2):  # twice is enough to be orthogonal to the last digit
                rest = rest - basis @ (basis.T @ rest)
            length = float(np.linalg.norm(rest))
            if length > clear:
                basis = np.column_stack([basis, rest / length])
                chosen.append(column)
    return np.array(sorted(chosen), dtype=np.int64)
