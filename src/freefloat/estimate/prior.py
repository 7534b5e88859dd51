"""What a CAD model says before any data: standard parameters with a spread, one body independent of another.

Mass, centre of mass and inertia about it are taken to err independently; the spread of the ten standard
parameters follows by their exact derivatives, so that an error of the mass moves first moments and inertias
along with it. The spread of clusters is that of the parameters they are made of.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from freefloat.regressor.selection import select_parameters
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY, com_of, inertia_about_com, inertia_entries
from freefloat.robot.transform import Array

_EXACT = 1e-18  # variance of what the spread leaves as it is
_LEAST = 1e-9  # of the largest body: a body without mass still gets a spread


@dataclass(frozen=True, slots=True)
class CadSpread:
    """How far a CAD model is trusted, as standard deviations.

    mass: of a body's mass. com: of its centre of mass along each axis, over its radius of gyration.
    inertia: of each entry of the inertia about the centre of mass, over the mean principal moment.
    """

    mass: float = 0.1
    com: float = 0.1
    inertia: float = 0.1

    def covariance(self, robot: Robot) -> Array:
        """Covariance of all standard parameters, block by block, shape (10 bodies, 10 bodies)."""
        parameters = robot.parameters.reshape(-1, PER_BODY)
        heaviest = max(float(parameters[:, 0].max()), 1e-300)
        covariance = np.zeros((parameters.size, parameters.size))
        for body, phi in enumerate(parameters):
            block = slice(PER_BODY * body, PER_BODY * (body + 1))
            root = self._root(phi, heaviest)
            covariance[block, block] = root @ root.T
        return covariance

    def drawn(self, robot: Robot, rng: np.random.Generator, settled: Iterable[str] = ()) -> Robot:
        """A robot as far from this one as the spread says, but for what is settled: selectors of parameters."""
        size = robot.parameters.size
        root = np.linalg.cholesky(self.covariance(robot) + _EXACT * np.eye(size))
        moved = root @ rng.normal(size=size)
        moved[select_parameters(robot, tuple(settled))] = 0.0
        return robot.with_parameters(robot.parameters + moved)

    def _root(self, phi: Array, heaviest: float) -> Array:
        """Derivative of one body's parameters by mass, centre and inertia, each times its spread, (10, 10)."""
        mass = max(float(phi[0]), _LEAST * heaviest)
        c, moment = com_of(phi), max(float(np.trace(inertia_about_com(phi))) / 3.0, _LEAST * mass)
        reach = np.sqrt(1.5 * moment / mass)  # radius of gyration about an axis through the centre, on average
        root = np.zeros((PER_BODY, PER_BODY))
        root[0, 0] = 1.0
        root[1:4, 0] = c
        root[4:, 0] = inertia_entries((c @ c) * np.eye(3) - np.outer(c, c))
        root[:, 0] *= self.mass * mass
        for axis in range(3):
            e = np.eye(3)[axis]
            root[1:4, 1 + axis] = mass * e
            shifted = 2.0 * c[axis] * np.eye(3) - np.outer(c, e) - np.outer(e, c)
            root[4:, 1 + axis] = mass * inertia_entries(shifted)
        root[:, 1:4] *= self.com * reach
        root[4:, 4:] = self.inertia * moment * np.eye(6)
        return root
