"""The integral of samples over time, exact for smooth signals to the sixth order of the step."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import make_interp_spline

from freefloat.arrays import Array

_DEGREE = 5


def integral(values: Array, t: Array) -> Array:
    """Integral since the first sample of the quintic spline through values (n, ...) at times t (n,), (n, ...)."""
    if t.size < 2:
        return np.zeros_like(values)
    spline = make_interp_spline(t, values, k=min(_DEGREE, t.size - 1))
    since = spline.antiderivative()(t)
    return np.asarray(since - since[0])
