"""The experiment of Gautier and Khalil: energy differences between points, random or optimum, with noise as printed.

M. Gautier, W. Khalil, "Exciting trajectories for the identification of base inertial parameters of robots",
International Journal of Robotics Research 11(4), 1992, section 6. Their limits are not printed, and their optimum
points only as figures: limits and points are ours. The limits give random points nearly the condition numbers of
Table 2, as many others would.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.goals.condition_number import true_condition_number
from freefloat.excitation.procedures.optimum_points import OptimumPoints, PointsTask
from freefloat.excitation.rows.energy import EnergyDesignRows
from freefloat.models.model import Energy
from freefloat.motion.limits import Limits, limits_of
from freefloat.robot.model import Robot
from freefloat.studies.catalogue import published

STUDY = "gautier_khalil_arm"
ACCELERATION_RAD_S2 = 20.0  # OURS, of the path through optimum points
_DRAWN_FOR_ONE = 5  # random sets, of which one is taken


def arm_limits(robot: Robot, acceleration_rad_s2: float = ACCELERATION_RAD_S2) -> Limits:
    """45 degrees either way, 0.88 rad/s; random points do without an acceleration limit."""
    box, ones = published(STUDY)["computed"]["limits"], np.ones(len(robot.joints))
    reach = np.radians(box["position_deg"]) * ones
    return replace(
        limits_of(robot, robot.joint_names),
        lowest=-reach,
        highest=reach,
        rate=box["rate_rad_s"] * ones,
        acceleration=acceleration_rad_s2 * ones,
    )


def points_problem(robot: Robot) -> tuple[EnergyDesignRows, Limits]:
    """Rows and limits of optimum points."""
    return EnergyDesignRows(Energy(robot)), arm_limits(robot)


@dataclass(frozen=True, slots=True)
class Perturbed:
    """Relative sizes of perturbations and of the error they cause, by draw, shape (draws,) each.

    energy: |dY| / |Y|. regressor: |dW| / |W|, 2-norm. parameters: |dX| / |X|.
    """

    energy: Array
    regressor: Array
    parameters: Array


@dataclass(frozen=True, eq=False)
class Arm:
    """The robot, and what may be done with points (q, dq) anywhere in its box: x of shape (2, r + 1, joints)."""

    robot: Robot

    @cached_property
    def task(self) -> PointsTask:
        """Points as numbers between -1 and 1, up to the limits of position and rate."""
        return PointsTask(EnergyDesignRows(Energy(self.robot)), arm_limits(self.robot, np.inf))

    @cached_property
    def base_parameters(self) -> Array:
        """X, shape (15,)."""
        return Energy(self.robot).values()

    def placed(self, found: OptimumPoints) -> Array:
        """Optimum points as numbers between -1 and 1."""
        return np.asarray((np.stack([found.positions, found.rates]) - self.task.centre) / self.task.scale)

    def random_points(self, r: int, rng: np.random.Generator) -> Array:
        """Uniform within the box."""
        return rng.uniform(-1.0, 1.0, (2, r + 1, len(self.robot.joints)))

    def random_sets(self, r: int, count: int, condition_number: float) -> list[Array]:
        """So many sets of random points, those of five times as many that come nearest to a condition number."""
        rng = np.random.default_rng(r)
        drawn = [self.random_points(r, rng) for _ in range(_DRAWN_FOR_ONE * count)]
        apart = [abs(np.log(true_condition_number(self.task.matrix(x)) / condition_number)) for x in drawn]
        return [drawn[k] for k in np.argsort(apart)[:count]]

    def perturbed(self, points: list[Array], level: float, seed: int, energy: bool, state: bool) -> Perturbed:
        """Least squares with noise on the energy, on the state (q, dq), or on both, a draw for each of the points.

        level: k, standard deviations are k/4 of the largest energy difference, of the joints' range, of their rate.
        """
        share = level * float(published(STUDY)["noise"]["deviation_per_level"])
        rng, task, X = np.random.default_rng(seed), self.task, self.base_parameters
        on_state = np.array([2.0, 1.0])[:, None, None]  # of half the range, of the largest rate
        found = []
        for x in points:
            W = task.matrix(x)
            Y = W @ X
            dY = energy * share * np.abs(Y).max() * rng.normal(size=Y.size)
            seen = task.matrix(x + state * share * on_state * rng.normal(size=x.shape))
            estimate = np.linalg.lstsq(seen, Y + dY)[0]
            sizes = np.linalg.norm(dY) / np.linalg.norm(Y), np.linalg.norm(seen - W, 2) / np.linalg.norm(W, 2)
            error = np.linalg.norm(estimate - X) / np.linalg.norm(X)
            found.append([*sizes, error])
        return Perturbed(*np.array(found).T)
