"""The law of friction in a joint: what its motor gives for it, and how that changes with the rate.

Written so that it is the same text for numbers in compiled code and for arrays. `robot/drive.py` says what the terms
are; `sign` is that of the rate, or what stands for it near zero.
"""

from __future__ import annotations

import numpy as np


def friction(rate, sign, coulomb, viscous, offset, asymmetric, stribeck, stribeck_rate):  # type: ignore[no-untyped-def]
    """Torque or force of friction at a rate [N m or N]."""
    slow = np.exp(-((rate / stribeck_rate) ** 2))
    return (coulomb + asymmetric * rate + stribeck * slow) * sign + viscous * rate + offset


def friction_slope(rate, sign, slope, coulomb, viscous, offset, asymmetric, stribeck, stribeck_rate):  # type: ignore[no-untyped-def]
    """Its derivative by the rate, `slope` being that of the sign; `offset` has none."""
    slow = np.exp(-((rate / stribeck_rate) ** 2))
    turning = asymmetric - 2.0 * stribeck * slow * rate / stribeck_rate**2
    return (coulomb + asymmetric * rate + stribeck * slow) * slope + turning * sign + viscous
