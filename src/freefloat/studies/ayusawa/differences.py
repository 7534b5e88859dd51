"""The exact gradient of the condition number, and what it is measured against: difference quotients.

Ayusawa et al. (ICRA 2017), section IV.B, compare their gradient with a numerical one of step 1e-6 and give the error
and the times of both; whether differences were forward or central they do not say. Nothing but this comparison uses
them.
"""

from __future__ import annotations

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.goals.condition_number import ayusawa_gradient
from freefloat.excitation.solver.objective import GoalOnRows

STEP = 1e-6


def condition_number(on_rows: GoalOnRows, coefficients: Array) -> float:
    """Of the rows that a motion's coefficients give; singular values by numpy."""
    sigma = np.linalg.svd(on_rows.matrix(coefficients), compute_uv=False)
    return float(sigma[0] / sigma[-1])


def exact_gradient(on_rows: GoalOnRows, coefficients: Array) -> Array:
    """Equation 17 and all of the way back, in the coefficients' shape; singular values by numpy."""
    samples = on_rows.conditions.samples(on_rows.channels, on_rows.linear.motion(coefficients))
    filled = on_rows.rows.fill(samples)
    sigma: Array = np.asarray(np.linalg.svd(filled.matrix, compute_uv=False), np.float64)
    slope = filled.pull_back(ayusawa_gradient(filled.matrix, sigma))
    return slope.by_coefficients(on_rows.conditions.robot, on_rows.channels, on_rows.linear)


def differences(on_rows: GoalOnRows, coefficients: Array, central: bool) -> Array:
    """Of the condition number by all coefficients, in their shape, forward or central."""
    found = np.empty(coefficients.size)
    here = 0.0 if central else condition_number(on_rows, coefficients)
    for index, direction in enumerate(np.eye(coefficients.size).reshape(-1, *coefficients.shape)):
        ahead = condition_number(on_rows, coefficients + STEP * direction)
        behind = condition_number(on_rows, coefficients - STEP * direction) if central else here
        found[index] = (ahead - behind) / (2.0 * STEP if central else STEP)
    return found.reshape(coefficients.shape)
