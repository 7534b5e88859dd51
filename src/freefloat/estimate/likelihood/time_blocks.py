"""How far an estimate moves when a block of time is left out: what its uncertainty is where residuals are not noise.

Where what is left is larger or longer-lived than the sensors' noise, the inverse of the information promises too much.
The residuals themselves then say how much: each flight is cut into blocks of time, the estimate without block b is

    p - d_b,      d_b = (N - J_b^T J_b)^-1 J_b^T r_b,

and the variance of p is (B - 1) / B times the sum of the squares of d_b about their mean (the jackknife; R. G. Miller,
Biometrika 61, 1974), taken for blocks because residuals within one are not independent (H. R. Kunsch, Annals of
Statistics 17, 1989). With B blocks it is known to B - 1 degrees of freedom, which Student's distribution allows for.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import norm, t

from freefloat.arrays import Array
from freefloat.estimate.likelihood.likelihood import Rows

BLOCKS, _FEWEST = 24, 6  # of all flights together; of each
_CONFIDENCE = 0.975
_SINGULAR = 1e-13


def variance_by_blocks(rows: tuple[Rows, ...], assumed: Array) -> Array:
    """Variance of each unknown, (unknowns,), as blocks of time show it.

    rows: residuals and their derivatives by all unknowns. assumed: information before the data, (unknowns, unknowns).
    """
    blocks = list(_blocks(rows))
    information = assumed + sum(N for N, _ in blocks)
    moved = np.stack([_solved(information - N, g) for N, g in blocks])
    count = len(moved)
    student = float(t.isf(1.0 - _CONFIDENCE, count - 1) / norm.isf(1.0 - _CONFIDENCE))
    return np.asarray(student**2 * (count - 1) * moved.var(axis=0))


def _blocks(rows: tuple[Rows, ...]) -> Iterator[tuple[Array, Array]]:
    """J^T J and J^T r of each block."""
    flights = dict.fromkeys(part.flight for part in rows)
    each = max(_FEWEST, BLOCKS // len(flights))
    for flight in flights:
        own = [part for part in rows if part.flight == flight]
        for block in range(each):
            cuts = [(part, slice(*(len(part.values) * (block + end) // each for end in (0, 1)))) for part in own]
            J = np.concatenate([part.jacobian[at].reshape(-1, part.jacobian.shape[2]) for part, at in cuts])
            r = np.concatenate([part.values[at].reshape(-1) for part, at in cuts])
            yield J.T @ J, J.T @ r


def _solved(N: Array, g: Array) -> Array:
    """N^-1 g, with nothing in directions that this block alone determines: what it says of them stays in doubt."""
    scale = 1.0 / np.sqrt(np.maximum(np.diagonal(N), 1e-300))
    values, vectors = np.linalg.eigh(N * np.outer(scale, scale))
    kept = values > _SINGULAR * len(values) * values[-1]
    return np.asarray(scale * (vectors[:, kept] @ ((vectors[:, kept].T @ (scale * g)) / values[kept])))
