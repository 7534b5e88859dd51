"""What noise of the measured rates adds, on average, to the normal equations.

Rows that are linear in the rates read (G + sum_c e_c G_c) x = b + sum_c e_c b_c when channel c errs by e_c. Of the
products that least squares forms, those of two errors do not average out:

    E[G^T W G] = G_0^T W G_0 + sum_c sd_c^2 G_c^T W G_c,    likewise for G^T W b

which draws every estimate that ignores it towards zero, however many samples there are. Errors in variables: e.g.
W. A. Fuller, "Measurement error models", Wiley, 1987.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.rows.equations import Equations


def rate_noise(equations: Equations, roots: Sequence[Array]) -> Array:
    """Sum of sd^2 [G_c, b_c]^T W [G_c, b_c] over channels and samples.

    roots: W = root^T root, shape (n, rows, rows), one a flight. Returned: shape (u + 1 + known, u + 1 + known) for u
    unknowns; after the right-hand side come its derivatives by uncertain known values.
    """
    u, further = equations.matrix.shape[1], equations.stacks[0].right.shape[2]
    total = np.zeros((u + further, u + further))
    for stack, root in zip(equations.stacks, roots, strict=True):
        for channel, unit in stack.units():
            added = root @ np.concatenate([unit.matrix, unit.right], axis=2)
            flat = channel.sd * added.reshape(-1, u + further)
            total += flat.T @ flat
    return total
