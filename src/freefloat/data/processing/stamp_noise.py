"""What noise of time stamps does to readings: a quantity that changes is read as it was at another instant."""

from __future__ import annotations

import numpy as np

from freefloat.arrays import Array

_CLEAR = 50.0  # times the variance of noise: changes by which a rate is known well


def with_stamp_noise(sd: Array, stamp_sd_s: float, t: Array, values: Array) -> Array:
    """Standard deviations of readings, shape (k,), with what noise of their stamps adds.

    sd: without it. stamp_sd_s: of a stamp [s]. t, values: the readings, shape (n,) [s] and (n, k).
    """
    return np.hypot(sd, stamp_sd_s * rms_rate(t, values, sd)) if stamp_sd_s else sd


def rms_rate(t: Array, values: Array, sd: Array) -> Array:
    """Root mean square rates of k quantities that were read with white noise sd (k,), shape (k,).

    From changes over as many readings as it takes until they stand clear of noise, whose share is taken off.
    """
    found, unclear = np.zeros(values.shape[1]), np.ones(values.shape[1], dtype=bool)
    apart = 1
    while unclear.any() and apart < t.size:
        changes, over = values[apart:] - values[:-apart], (t[apart:] - t[:-apart])[:, None]
        mean_square = (changes**2).mean(axis=0)
        rate = np.sqrt(np.maximum(((changes**2 - 2.0 * sd**2) / over**2).mean(axis=0), 0.0))
        found = np.where(unclear, rate, found)
        unclear &= mean_square < _CLEAR * 2.0 * sd**2
        apart *= 2
    return found
