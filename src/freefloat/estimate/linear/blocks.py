"""Variance of a linear fit as blocks of time show it, for rows of torques, whose residuals last.

Friction that is not what the model says, gears that bend and filters leave residuals that are no noise, however well
sensors are known: the jackknife over blocks of time (`likelihood/time_blocks.py`) needs to know nothing of them.
"""

from __future__ import annotations

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.likelihood.likelihood import Rows
from freefloat.estimate.likelihood.time_blocks import variance_by_blocks
from freefloat.estimate.linear.system import LinearSystem
from freefloat.models.names import OF_FORCES

_FEWEST = 60  # samples of a flight that are cut into blocks
_ROUNDING = 1e-13  # of the largest variance
_FAINT = 1e-9  # of what rows say of an unknown: one block may say all of it, as of an energy at the start


def beyond_noise(system: LinearSystem, x: Array, covariance: Array) -> Array | None:
    """Covariance that blocks show beyond that of noise, both (unknowns, unknowns), at the solution x.

    None of rows that are not of forces, or too few. Blocks say it along principal directions of the noise's covariance;
    unknowns stay correlated as noise has them, so that what rows show well is still weighed so.
    """
    stacks = system.equations.stacks
    of_forces = all(source.name in OF_FORCES for stack in stacks for source in stack.sources)
    if not of_forces or min(len(stack.flight.samples) for stack in stacks) < _FEWEST:
        return None
    root, rows = _principal(covariance), list[Rows]()
    for number, (stack, weight) in enumerate(zip(stacks, system.roots, strict=True)):
        left = (weight @ (stack.right[..., 0] - stack.matrix @ x)[..., None])[..., 0]
        rows.append(Rows("rows", number, left, weight @ (stack.matrix @ root)))
    squares = np.sum([(part.jacobian**2).sum(axis=(0, 1)) for part in rows], axis=0)
    wider = variance_by_blocks(tuple(rows), np.diag(_FAINT * squares))
    added = root**2 @ np.maximum(wider - 1.0, 0.0)
    factor = np.sqrt(1.0 + added / np.maximum(np.diagonal(covariance), 1e-300))
    return covariance * (np.outer(factor, factor) - 1.0)


def _principal(covariance: Array) -> Array:
    """A root C = T T^T whose columns are principal directions, of unknowns in units of their spread, (unknowns, k)."""
    sd = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    scale = np.where(sd > 0.0, sd, 1.0)
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    kept = values > _ROUNDING * max(float(values[-1]), 1e-300)
    return np.asarray(scale[:, None] * vectors[:, kept] * np.sqrt(values[kept]))
