"""The linear view of a problem: rows of one or several models, stacked.

    matrix [clusters, nuisances] = right + noise
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from freefloat.regressor.minimal import MinimalParameters
from freefloat.robot.transform import Array

if TYPE_CHECKING:
    from freefloat.estimate.problem import ModelName, Problem

_COUNTS = 1e-10  # of the largest singular value of the scaled matrix


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The rows of one model in one flight, one after another sample by sample.

    model: its name. flight: number of the flight. rows: where they are in the stack.
    per_sample: rows per sample.
    """

    model: str
    flight: int
    rows: slice
    per_sample: int


@dataclass(frozen=True, eq=False)
class Equations:
    """Stacked rows.

    minimal: the clusters, which are the first columns; nuisances: names of the columns after them.
    matrix: shape (rows, columns). right: shape (rows,).
    sd: of the error of each row, shape (rows,), as the sensors have it; one where nothing is known of them.
    blocks: which rows are which.
    """

    minimal: MinimalParameters
    nuisances: tuple[str, ...]
    matrix: Array
    right: Array
    sd: Array
    blocks: tuple[Block, ...]

    @cached_property
    def scale(self) -> Array:
        """Norm of each column of the weighted matrix, one for columns that are zero, shape (columns,)."""
        size = np.linalg.norm(self.weighted, axis=0)
        return np.where(size > 0.0, size, 1.0)

    @cached_property
    def weighted(self) -> Array:
        """The matrix, each row over its standard deviation, shape (rows, columns)."""
        return self.matrix / self.sd[:, None]

    @cached_property
    def singular_values(self) -> Array:
        """Of the weighted matrix with columns of unit norm, the largest first."""
        return np.asarray(scipy.linalg.svdvals(self.weighted / self.scale))

    @property
    def rank(self) -> int:
        """How many columns are independent."""
        return int((self.singular_values > _COUNTS * self.singular_values[0]).sum())

    @property
    def condition(self) -> float:
        """Condition number of the matrix as it is, without weights or scaling."""
        values = scipy.linalg.svdvals(self.matrix)
        return float(values[0] / values[-1]) if values[-1] > 0.0 else np.inf

    @property
    def zero_columns(self) -> NDArray[np.bool_]:
        """Columns that the data never touch, shape (columns,)."""
        return np.asarray(~self.matrix.any(axis=0))


def stack_equations(problem: Problem, models: tuple[ModelName, ...]) -> Equations:
    """The rows of these models in all flights of a problem."""
    raise NotImplementedError
