"""The law of friction in a joint: what its motor gives for it, and how that changes with the rate.

Plain expressions, the same for numbers in compiled code and for arrays. `robot/drive.py` says what the terms are;
`sign` is that of the rate, or what stands for it near zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def friction(rate: Any, sign: Any, terms: Any) -> Any:
    """Torque or force of friction at a rate [N m or N]; terms: `FRICTION_TERMS` in order, then the Stribeck rate."""
    coulomb, viscous, offset, asymmetric, stribeck, stribeck_rate = terms
    slow = np.exp(-((rate / stribeck_rate) ** 2))
    return (coulomb + asymmetric * rate + stribeck * slow) * sign + viscous * rate + offset


def friction_slope(rate: Any, sign: Any, sign_slope: Any, terms: Any) -> Any:
    """Its derivative by the rate, `sign_slope` being that of the sign."""
    coulomb, viscous, _, asymmetric, stribeck, stribeck_rate = terms
    slow = np.exp(-((rate / stribeck_rate) ** 2))
    turning = asymmetric - 2.0 * stribeck * slow * rate / stribeck_rate**2
    return (coulomb + asymmetric * rate + stribeck * slow) * sign_slope + turning * sign + viscous
