"""Centre of mass within a region of the base frame: a disc that a standing robot needs, or a box.

With the base at rest the linear momentum is M times the rate of the centre of mass, so the derivative of the centre
of mass by joint positions is A_q / M, the linear rows of the momentum matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import AXES, Array
from freefloat.dynamics.mass_centre import centre_of_mass
from freefloat.dynamics.momentum_rows import momentum_matrix
from freefloat.excitation.limits.ball import BallLimit
from freefloat.excitation.limits.box import BoxLimit
from freefloat.excitation.planned_motion import PlannedMotion
from freefloat.motion.trajectory import InvalidTrajectory


@dataclass(frozen=True, eq=False)
class CentreOfMassDisc(BallLimit):
    """The centre of mass within `highest` [m] of a line along `up` through `centre` [m], base frame.

    centre: x and y, or all three coordinates. up: unit vector, z unless given.
    """

    centre: tuple[float, ...] = (0.0, 0.0)
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    name = "centre of mass in its disc"
    unit = "m"

    def vectors(self, motion: PlannedMotion) -> Array:
        """From the disc's centre, shape (n, 3) [m]."""
        centre = np.zeros(3)
        centre[: len(self.centre)] = self.centre
        return (centre_of_mass(motion.robot, motion.samples) - centre) @ self._across

    @property
    def _across(self) -> Array:
        """Projection along `up`, shape (3, 3)."""
        return np.eye(3) - np.outer(self.up, self.up)

    def slopes(self, motion: PlannedMotion, at: NDArray[np.int64], weights: Array) -> Array:
        """Of the weighted centre of mass, shape (len(at), k * channels)."""
        across = weights @ self._across
        return motion.chain(at, position=np.einsum("ni,nij->nj", across, mass_centre_by_positions(motion, at)))


@dataclass(frozen=True, eq=False)
class CentreOfMassBox(BoxLimit):
    """lowest <= one coordinate of the centre of mass in the base frame <= highest [m]; of: x, y or z."""

    title = "centre of mass along {}"
    unit: str = "m"

    def __post_init__(self) -> None:
        if self.of not in AXES:
            raise InvalidTrajectory(f"axis of the centre of mass is {self.of!r}; allowed: {', '.join(AXES)}")
        super().__post_init__()

    def values(self, motion: PlannedMotion) -> Array:
        """The coordinate at every instant, shape (n,) [m]."""
        return centre_of_mass(motion.robot, motion.samples)[:, AXES.index(self.of)]

    def slopes(self, motion: PlannedMotion, at: NDArray[np.int64]) -> Array:
        """Of the coordinate, shape (len(at), k * channels)."""
        return motion.chain(at, position=mass_centre_by_positions(motion, at)[:, AXES.index(self.of)])


def mass_centre_by_positions(motion: PlannedMotion, at: NDArray[np.int64]) -> Array:
    """Derivative of the centre of mass by joint positions, shape (len(at), 3, joints)."""
    return momentum_matrix(motion.robot, motion.samples.q[at])[:, :3, 6:] / motion.robot.mass
