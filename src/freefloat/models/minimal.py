"""Minimal parameters: the combinations of parameters ("clusters") that a measured quantity reveals.

A regressor Y over p parameters that has only c independent columns is

    Y phi = Y[:, kept] (combine phi),      combine of shape (c, p), identity on the kept columns,

and `combine phi` are the clusters. The choice of kept columns is a convention; the space that the
clusters span is not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array
from freefloat.errors import ShapeError
from freefloat.frozen import Content
from freefloat.models.formula import formula


@dataclass(frozen=True, slots=True, eq=False)
class MinimalParameters(Content):
    """Independent clusters of named parameters.

    names: of the p parameters the clusters are made of.
    kept: column that stands for each cluster, shape (c,).
    combine: clusters = combine @ parameters, shape (c, p).
    gap: ratio of the last singular value that counts to the first that does not; infinite for a closed form.
    """

    names: tuple[str, ...]
    kept: NDArray[np.int64]
    combine: Array
    gap: float = np.inf

    def __post_init__(self) -> None:
        combine = np.array(self.combine, dtype=np.float64)
        kept = np.array(self.kept, dtype=np.int64)
        if combine.shape != (kept.size, len(self.names)):
            raise ShapeError(f"combine must have shape {(kept.size, len(self.names))}, found {combine.shape}")
        for field, array in (("kept", kept), ("combine", combine)):
            array.setflags(write=False)
            object.__setattr__(self, field, array)

    def __len__(self) -> int:
        return int(self.kept.size)

    @property
    def leaders(self) -> tuple[str, ...]:
        """Name of the kept parameter of each cluster: a short name for it."""
        return tuple(self.names[column] for column in self.kept)

    @property
    def formulas(self) -> tuple[str, ...]:
        """Each cluster as a formula a person reads and `parse_formula` reads back."""
        return tuple(formula(row, self.names) for row in self.combine)

    @property
    def never(self) -> tuple[str, ...]:
        """Parameters that are part of no cluster: no motion will ever show them."""
        used = np.abs(self.combine).sum(axis=0)
        return tuple(name for name, weight in zip(self.names, used, strict=True) if not weight)

    def values(self, parameters: ArrayLike) -> Array:
        """Clusters of given parameters, shape (c,); parameters (p,) or (..., p)."""
        return np.asarray(parameters, float) @ self.combine.T

    def reduce(self, Y: Array) -> Array:
        """The columns of a regressor that multiply the clusters, shape (..., c)."""
        return Y[..., self.kept]
