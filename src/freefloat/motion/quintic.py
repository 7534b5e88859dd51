"""Polynomials of degree five by their values, rates and accelerations at both ends.

Time is normalised to s = t / duration in [0, 1], where the coefficients are whole and half numbers: the form
of M. Gautier, W. Khalil, "Exciting trajectories for the identification of base inertial parameters of
robots", 1992, eq. 28, with accelerations added.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array

ENDS = 6  # position, rate, acceleration at the start, then at the end

# Powers of s down, ends across.
_POWERS = np.array(
    [
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.5, 0.0, 0.0, 0.0],
        [-10.0, -6.0, -1.5, 10.0, -4.0, 0.5],
        [15.0, 8.0, 1.5, -15.0, 7.0, -1.0],
        [-6.0, -3.0, -0.5, 6.0, -3.0, 0.5],
    ]
)
_DERIVATIVES = tuple(np.polynomial.polynomial.polyder(_POWERS, order) for order in range(ENDS))


def quintic_basis(s: Array, order: int, duration: ArrayLike) -> Array:
    """What each end contributes to the derivative of this order in time, shape (n, 6).

    s: normalised time in [0, 1], shape (n,). duration: [s], one, or one per sample.
    """
    length = np.broadcast_to(np.asarray(duration, float), s.shape)
    in_s = np.vander(s, ENDS - order, increasing=True) @ _DERIVATIVES[order]
    return in_s * end_scales(length) / length[:, None] ** order


def quintic_polynomials(ends: Array, lengths: Array) -> Array:
    """Coefficients of 1, s, ..., s^5, shape (pieces, 6, channels), from ends of that shape and lengths [s]."""
    scaled: Array = ends * end_scales(lengths)[:, :, None]
    return np.einsum("pe,ien->ipn", _POWERS, scaled)


def end_scales(lengths: Array) -> Array:
    """Powers of the length that turn rates and accelerations per second into those per s, shape (n, 6)."""
    return np.stack([lengths**power for power in (0, 1, 2, 0, 1, 2)], axis=1)
