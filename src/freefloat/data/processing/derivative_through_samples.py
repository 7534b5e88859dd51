"""Derivatives of the quintic spline through all samples: for values that are already smooth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from freefloat.data.processing.resampling import spline_through
from freefloat.data.processing.spectrum import columns_of
from freefloat.motion.trajectory import Motion


@dataclass(frozen=True, slots=True)
class ThroughSamples:
    """A spline that leaves nothing out, noise neither."""

    def motion(self, t: ArrayLike, values: ArrayLike, onto: ArrayLike | None = None) -> Motion:
        """Position, rate and acceleration of values, (n, k) at times t, at the times `onto` (t unless given)."""
        times, x = np.asarray(t, float), columns_of(values)
        target = np.clip(times if onto is None else np.asarray(onto, float), times[0], times[-1])
        spline = spline_through(times, x)
        return Motion(target, *(np.asarray(spline(target, order), float) for order in range(3)))
