"""Which parameter leads each cluster, so that no coefficient is large.

Clusters are rows that span a space; which columns lead them is a choice. A welcome column that hardly takes part
makes a bad leader: divided by its small coefficient, all others become large, and differences of large numbers say
little. So leaders are taken in order of preference where they take part clearly, and then exchanged: whatever exceeds
the leader of its row by more than a factor of two becomes the leader. Each exchange multiplies the volume of the
leading columns by more than one, so it comes to an end, at a set near the one of largest volume.

Coefficients can only be compared without their dimensions. A first moment counts by the length `typical_length`, an
inertia by its square: for a length that the robot reaches, the clusters of textbooks have no coefficient above two,
and nothing is exchanged.

Reference: S. A. Goreinov et al., "How to find a good submatrix" (2010), on submatrices of maximal volume.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array
from freefloat.robot.model import Robot
from freefloat.robot.parameters import INDEX

Indices = NDArray[np.int64]

# Which parameter stands for a cluster, where there is a choice: the first of these.
PREFERENCE = ("Ixx", "Izz", "Ixy", "Ixz", "Iyz", "Iyy", "mx", "my", "mz", "m")
# Below this part of what shows most, nothing counts. A hundred times rounding, so that what does count is known to some
# digits; and what goes uncounted changes no prediction by 1e-10 of itself, though motion may magnify it: by forty, the
# most that was seen.
SHOWS = 1e-12
LARGEST = 2.0
_CLEARLY = 0.1  # of the largest in its row: from here on a column may lead it
_ROUNDING = 1e-14
_EQUAL = 1e-9  # what is two on paper stays
_POWERS = tuple(0 if name == "m" else 1 if name.startswith("m") else 2 for name in INDEX)  # of length


def typical_length(robot: Robot) -> float:
    """How far the robot reaches [m], all links stretched, up to the next power of two: dividing by it is exact."""
    tree = robot.tree.arrays
    reach = np.zeros(tree.parent.size)
    for body in range(1, reach.size):
        reach[body] = reach[tree.parent[body]] + np.linalg.norm(tree.geometry[body, 30:33])
    longest = float(reach.max())
    return math.ldexp(1.0, math.ceil(math.log2(longest))) if longest > 0.0 else 1.0


def typical_sizes(robot: Robot) -> Array:
    """What to divide each standard parameter by to have a mass [1, m, m^2], shape (10 bodies,)."""
    return np.tile(typical_length(robot) ** np.array(_POWERS), len(robot.body_names))


def without_dimensions(kept: Indices, combine: Array, sizes: Array) -> Array:
    """Coefficients of clusters as they are for parameters divided by `sizes`, shape (c, p)."""
    return combine * sizes / sizes[kept][:, None]


def with_dimensions(kept: Indices, coefficients: Array, sizes: Array) -> Array:
    """The inverse of `without_dimensions`."""
    return coefficients * sizes[kept][:, None] / sizes


def led(rows: Array, preference: ArrayLike) -> tuple[Indices, Array]:
    """Leading columns in ascending order, and the rows that they lead, with the same span as `rows`, (r, p).

    rows: without dimensions, known to `_ROUNDING`. What is smaller than `SHOWS` counts as dependent.
    preference: columns that may lead, the most welcome first.
    """
    rest = np.where(np.abs(rows) < _ROUNDING, 0.0, rows)
    order = np.asarray(preference, dtype=np.int64)
    leader = np.full(len(rest), -1)
    while True:
        without = np.flatnonzero(leader < 0)
        if not np.abs(rest[without][:, order]).max(initial=0.0) > SHOWS:
            break
        for column in order.tolist():
            without = np.flatnonzero(leader < 0)
            row = int(without[np.argmax(np.abs(rest[without, column]))]) if without.size else -1
            if row >= 0 and abs(rest[row, column]) > max(_CLEARLY * np.abs(rest[row, order]).max(), SHOWS):
                _lead(rest, row, column)
                leader[row] = column
    found = np.flatnonzero(leader >= 0)
    return well_led(leader[found], rest[found], order)


def well_led(
    leading: Indices, rows: Array, preference: ArrayLike, kinds: ArrayLike | None = None
) -> tuple[Indices, Array]:
    """Leading columns in ascending order, and their rows, with no coefficient above `LARGEST`.

    leading: a column for each row, (r,). rows: (r, p), without dimensions, the identity on these columns.
    preference: as for `led`; of columns about as large the first is taken.
    kinds: numbers, (p,): a row stays led by the kind of column that it is led by, and its others may be large.
    """
    rows, leader = np.array(rows, dtype=np.float64), np.array(leading, dtype=np.int64)
    order = np.asarray(preference, dtype=np.int64)
    kind = np.zeros(rows.shape[1]) if kinds is None else np.asarray(kinds)
    may_lead = kind[leader][:, None] == kind[order]  # (r, order)
    largest = np.max(np.abs(rows[:, order]) * may_lead, axis=1, initial=0.0)
    while largest.max(initial=0.0) > LARGEST * (1.0 + _EQUAL):
        row = int(np.argmax(largest))
        sizes = np.abs(rows[row, order]) * may_lead[row]
        column = int(order[np.argmax(sizes >= largest[row] / LARGEST)])
        touched = _lead(rows, row, column)
        leader[row] = column
        largest[touched] = np.max(np.abs(rows[touched][:, order]) * may_lead[touched], axis=1)
    ascending = np.argsort(leader)
    return leader[ascending], rows[ascending]


def _lead(rows: Array, row: int, column: int) -> Indices:
    """Let a column lead a row and be in no other, in place; the rows that this changed."""
    rows[row] /= rows[row, column]
    others = rows[:, column].copy()
    others[row] = 0.0
    touched = np.flatnonzero(others)
    if touched.size:
        # What a difference leaves of equal terms goes before it can be divided by something small.
        changed = rows[touched] - np.outer(others[touched], rows[row])
        changed[np.abs(changed) < _ROUNDING] = 0.0
        rows[touched] = changed
    rows[:, column] = 0.0
    rows[row, column] = 1.0
    return np.append(touched, row)
