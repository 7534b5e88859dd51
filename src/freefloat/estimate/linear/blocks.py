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
_FAINT = 1e-9  # of what rows say of an unknown: one block may say all of it, as of an energy at the start


def block_variance(system: LinearSystem, x: Array) -> Array | None:
    """Of each unknown at the solution x, shape (unknowns,); None of rows that are not of forces, or too few."""
    stacks = system.equations.stacks
    of_forces = all(source.name in OF_FORCES for stack in stacks for source in stack.sources)
    if not of_forces or min(len(stack.flight.samples) for stack in stacks) < _FEWEST:
        return None
    rows = []
    for number, (stack, root) in enumerate(zip(stacks, system.roots, strict=True)):
        left = (root @ (stack.right[..., 0] - stack.matrix @ x)[..., None])[..., 0]
        rows.append(Rows("rows", number, left, root @ stack.matrix))
    squares = np.sum([(part.jacobian**2).sum(axis=(0, 1)) for part in rows], axis=0)
    return variance_by_blocks(tuple(rows), np.diag(_FAINT * squares))
