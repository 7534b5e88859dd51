"""Arrays of numbers and the names of axes, written once for all rooms."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.errors import ShapeError

Array = NDArray[np.float64]


AXES = ("x", "y", "z")


def frozen_array(values: ArrayLike, shape: tuple[int, ...]) -> Array:
    """A read-only copy of `values` with exactly this shape."""
    array = np.array(values, dtype=np.float64)
    if array.shape != shape:
        raise ShapeError(f"expected an array of shape {shape}, found {array.shape}")
    array.setflags(write=False)
    return array


def read_only(values: ArrayLike) -> Array:
    """The values as a contiguous array that cannot be written: kernels are compiled once, for such inputs."""
    array = np.ascontiguousarray(values, dtype=np.float64).view()
    array.setflags(write=False)
    return array
