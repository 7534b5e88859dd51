"""Small motion of a robot that swings as a state space, for scipy.signal, python-control and the like.

    x = (y, y'),   x' = A x + B f,   y = C x + D f

with y and f those of `SmallMotion`: the base's shift and turn, then passive joints; forces and torques on them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array, frozen_array
from freefloat.dynamics.about_rest import SmallMotion
from freefloat.frozen import Content


@dataclass(frozen=True, slots=True, eq=False)
class StateSpace(Content):
    """A, B, C, D of n coordinates: shape (2 n, 2 n), (2 n, n), (n, 2 n), (n, n).

    coordinates: names of y, and of what f acts on. `scipy.signal.StateSpace(*space.matrices)` takes them.
    """

    coordinates: tuple[str, ...]
    A: Array
    B: Array
    C: Array
    D: Array

    @property
    def matrices(self) -> tuple[Array, Array, Array, Array]:
        """A, B, C, D."""
        return self.A, self.B, self.C, self.D


def state_space(model: SmallMotion) -> StateSpace:
    """The state space of small motion; its rates are C A x."""
    n = len(model.coordinates)
    none, one = np.zeros((n, n)), np.eye(n)
    by_force = np.linalg.solve(model.M, np.hstack([-model.K, -model.D, one]))
    A = np.vstack([np.hstack([none, one]), by_force[:, : 2 * n]])
    B, C = np.vstack([none, by_force[:, 2 * n :]]), np.hstack([one, none])
    frozen = (frozen_array(each, each.shape) for each in (A, B, C, none))
    return StateSpace(model.coordinates, *frozen)
