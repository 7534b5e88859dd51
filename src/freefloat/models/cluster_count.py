"""How many clusters angular momentum about the centre of mass has, without listing one of them.

Every column of that model is made of vectors that are fixed in a body: with u and v two such vectors, seen from the
base and turning with their bodies, it is a sum of

    u x dv/dt + v x du/dt.

A product of first moments has the two unit vectors of its moments, a first moment its unit vector and the origin of its
body, and an inertia two vectors of one body. The vectors form a space V: three of the base and, as the axis of a joint
is fixed in both its bodies, two more per revolute joint; a sliding joint adds its displacement. So d = 3 + 2 nR + nP.

On a free base the map from Sym²(V) to columns loses nothing. A part that turns with the last joint of a branch goes
with the first harmonic of its angle, e^{iq}, if it is a product w u of u perpendicular to the joint's axis and w in the
rest of V; the base's turning shows w u^T + u w^T of it, which is zero only if w is. Products of two vectors
perpendicular to that axis go with e^{2iq}, e^{-2iq}, and one with the joint's rate alone. What is left does not turn
with the joint, and so on down to the base; displacements are told apart by their degree in the same way. Hence
columns are as independent as their matrices A in Sym²(V). Products of first moments that span r of the d dimensions
give r (r + 1) / 2, and the few other columns count as far as their A lie outside of those. With nothing declared zero
r = d, and the number is d (d + 1) / 2 for every tree: (n + 2)(2n + 3) for n revolute joints.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.robot.model import Robot
from freefloat.robot.parameters import INDEX, PER_BODY, inertia_matrix
from freefloat.robot.tree import PRISMATIC, REVOLUTE

_COUNTS = 1e-9  # singular value, over the largest of columns of length one, of a direction that counts


def count_clusters(robot: Robot, inertias: NDArray[np.int64], moments: NDArray[np.int64]) -> int:
    """Number of independent columns of a robot on a free base, of products of moments, moments and inertias.

    inertias, moments: standard parameters that candidates are made of, as column numbers; the mass of a sliding body
        counts among the moments.
    """
    turning, origins = _vectors(robot)
    sizes = origins.shape[1]
    body, parameter = np.divmod(moments, PER_BODY)
    is_mass = parameter == INDEX["m"]
    axis = np.clip(parameter - INDEX["mx"], 0, 2)
    spans = np.where(is_mass[:, None], origins[body], turning[body, :, axis])  # (moments, d)
    values, directions = np.linalg.svd(spans)[1:] if len(spans) else (np.zeros(0), np.eye(sizes))
    seen = int((values > _COUNTS * values.max(initial=0.0)).sum())
    products = seen * (seen + 1) // 2
    outside = directions[seen:]  # (d - r, d)
    if not len(outside):
        return products
    partner = np.where(is_mass[:, None], 0.5 * origins[body], origins[body])
    linear = [_outside(outside, vector[:, None], other[:, None]) for vector, other in zip(spans, partner, strict=True)]
    linear += [_inertia_outside(outside, turning[column // PER_BODY], column % PER_BODY) for column in inertias]
    return products + _rank(np.array(linear).reshape(len(linear), outside.size))


def _vectors(robot: Robot) -> tuple[Array, Array]:
    """Unit vectors of every body's frame, (bodies, d, 3), and its origin [m], (bodies, d), in a basis of V."""
    tree = robot.tree.arrays
    count, dimensions = tree.parent.size, 3 + int((2 * (tree.kind == REVOLUTE) + (tree.kind == PRISMATIC)).sum())
    turning, origins = np.zeros((count, dimensions, 3)), np.zeros((count, dimensions))
    turning[0, :3] = np.eye(3)
    following = 3
    for body in range(1, count):
        parent, geometry = turning[tree.parent[body]], tree.geometry[body]
        turn, axis = geometry[:27].reshape(3, 3, 3), geometry[27:30]
        R = turn[0] + turn[2]  # at q = 0
        origins[body] = origins[tree.parent[body]] + parent @ geometry[30:33]
        turning[body] = parent @ R
        if tree.kind[body] == REVOLUTE:
            along = R.T @ axis
            turning[body] = np.outer(parent @ axis, along)
            turning[body, following : following + 2] = scipy.linalg.null_space(along[None]).T
            following += 2
        elif tree.kind[body] == PRISMATIC:
            origins[body, following] = 1.0
            following += 1
    return turning, origins


def _outside(outside: Array, first: Array, second: Array) -> Array:
    """What of A = first second^T + second first^T, each (d, k), lies outside of the products, (d - r, d).

    In units of the size of A, so that rounding is known as such.
    """
    size = np.linalg.norm(first) * np.linalg.norm(second)
    return ((outside @ first) @ second.T + (outside @ second) @ first.T) / (size or 1.0)


def _inertia_outside(outside: Array, frame: Array, parameter: int) -> Array:
    """Likewise of an inertia. The vectors u, v of one body have the inertia 2 (u . v) - u v^T - v u^T."""
    inertia = inertia_matrix(np.eye(PER_BODY)[parameter])
    return _outside(outside, frame, frame @ (0.5 * np.trace(inertia) * np.eye(3) - inertia) / 2.0)


def _rank(rows: Array) -> int:
    """Number of independent rows, each counted by its direction alone."""
    lengths = np.linalg.norm(rows, axis=1)
    there = lengths > _COUNTS
    if not there.any():
        return 0
    values = scipy.linalg.svdvals(rows[there] / lengths[there, None])
    return int((values > _COUNTS * values[0]).sum())
