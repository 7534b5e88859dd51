"""Which intervals of a motion are worth flying.

Step 2 of B. Naveen, S. V. Shah, A. K. Misra, "Momentum model-based minimal parameter identification of a space robot",
Journal of Guidance, Control, and Dynamics, 2019, Algorithm 1.

The first intervals are kept until the matrix has more rows than columns. A later one is kept if with it

    1) more singular values are significant, i.e. larger than `share` of the largest, or
    2) the condition number is less, or
    3) as many singular values are significant, as long as that has not happened more than `patience` times running.

As printed, "more" and "less" compare with the first intervals for ever, since the reference values are never updated;
then everything is kept. The updated rule compares with what has been kept so far, and counts for 3) since the last gain
by 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array

SHARE = 1.0 / 300.0
PATIENCE = 5


@dataclass(frozen=True, slots=True, eq=False)
class IntervalRecord:
    """What each interval shows alone, and with all before it; the article's figure 4. All of shape (intervals,)."""

    significant_alone: NDArray[np.int64]
    condition_alone: Array
    significant_so_far: NDArray[np.int64]
    condition_so_far: Array


def interval_record(blocks: Array, share: float = SHARE) -> IntervalRecord:
    """Of the matrices of the intervals, shape (intervals, m, columns)."""
    alone = [_quality(_triangle(block), share) for block in blocks]
    joined, R = [], blocks[0][:0]
    for block in blocks:
        R = _triangle(np.vstack([R, block]))
        joined.append(_quality(R, share))
    counts, conditions = (np.array([[pair[which] for pair in each] for each in (alone, joined)]) for which in (0, 1))
    return IntervalRecord(counts[0].astype(np.int64), conditions[0], counts[1].astype(np.int64), conditions[1])


def prune_as_printed(blocks: Array, patience: int = PATIENCE, share: float = SHARE) -> NDArray[np.int64]:
    """Numbers of the intervals that Algorithm 1 keeps as it is printed, of blocks (intervals, m, columns)."""
    kept, R = _first_intervals(blocks)
    significant_before, condition_before = _quality(R, share)
    unchanged = 0
    for index in range(len(kept), len(blocks)):
        joined = _triangle(np.vstack([R, blocks[index]]))
        significant, condition = _quality(joined, share)
        waiting = significant == significant_before and unchanged <= patience
        if significant > significant_before or condition < condition_before or waiting:
            kept.append(index)
            R = joined
            unchanged = unchanged + 1 if waiting else 0
        else:
            unchanged = 0
    return np.array(kept, dtype=np.int64)


def prune(blocks: Array, patience: int = PATIENCE, share: float = SHARE) -> NDArray[np.int64]:
    """Numbers of the intervals that the updated rule keeps, of blocks (intervals, m, columns)."""
    kept, R = _first_intervals(blocks)
    significant_before, condition_before = _quality(R, share)
    unchanged = 0
    for index in range(len(kept), len(blocks)):
        joined = _triangle(np.vstack([R, blocks[index]]))
        significant, condition = _quality(joined, share)
        more, waiting = significant > significant_before, significant == significant_before and unchanged < patience
        if more or condition < condition_before or waiting:
            kept.append(index)
            R, significant_before, condition_before = joined, significant, condition
            unchanged = 0 if more else unchanged + 1
    return np.array(kept, dtype=np.int64)


def _first_intervals(blocks: Array) -> tuple[list[int], Array]:
    """As many as have more rows than columns, and the triangle of their QR decomposition."""
    _, rows, columns = blocks.shape
    count = min(columns // rows + 1, len(blocks))
    return list(range(count)), _triangle(blocks[:count].reshape(-1, columns))


def _triangle(matrix: Array) -> Array:
    """A matrix of the same singular values with no more rows than columns."""
    return np.asarray(np.linalg.qr(matrix, mode="r"), np.float64)


def _quality(R: Array, share: float) -> tuple[int, float]:
    """Number of significant singular values, and the condition number; infinite with too few rows."""
    sigma = np.linalg.svd(R, compute_uv=False)
    full = sigma.size == R.shape[1] and sigma[-1] > 0.0
    return int((sigma > share * sigma[0]).sum()), float(sigma[0] / sigma[-1]) if full else np.inf
