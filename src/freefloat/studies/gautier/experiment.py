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
from scipy.optimize import brentq

from freefloat.arrays import Array
from freefloat.excitation.goals.condition_number import true_condition_number
from freefloat.excitation.perturbed_rows import Perturbation, What, perturbation
from freefloat.excitation.procedures.optimum_points import OptimumPoints, PointsTask
from freefloat.excitation.rows.energy import EnergyDesignRows
from freefloat.models.formula import parse_formula
from freefloat.models.model import Energy
from freefloat.motion.limits import Limits, limits_of
from freefloat.robot.model import Robot
from freefloat.studies.catalogue import published

STUDY = "gautier_khalil_arm"
ACCELERATION_RAD_S2 = 20.0  # OURS, of the path through optimum points
NOISES: dict[str, What] = {"energy": "right", "state": "regressor", "both": "both"}  # what is printed as noisy
SAMPLES = 10  # random sequences of which Table 2 prints the mean
_DRAWN_FOR_ONE = 5  # random sets, of which one is taken


def arm_limits(robot: Robot, acceleration_rad_s2: float = ACCELERATION_RAD_S2) -> Limits:
    """45 degrees either way, 0.88 rad/s; random points do without an acceleration limit."""
    box = published(STUDY)["computed"]["limits"]
    return boxed(robot, box["position_deg"], box["rate_rad_s"], acceleration_rad_s2)


def boxed(
    robot: Robot, position_deg: float | Array, rate_rad_s: float | Array, acceleration_rad_s2: float = np.inf
) -> Limits:
    """Limits of all joints, or of each, shape (joints,); positions either way."""
    ones = np.ones(len(robot.joints))
    reach = np.radians(position_deg) * ones
    return replace(
        limits_of(robot, robot.joint_names),
        lowest=-reach,
        highest=reach,
        rate=rate_rad_s * ones,
        acceleration=acceleration_rad_s2 * ones,
    )


def points_problem(robot: Robot) -> tuple[EnergyDesignRows, Limits]:
    """Rows and limits of optimum points."""
    return EnergyDesignRows(Energy(robot)), arm_limits(robot)


@dataclass(frozen=True, eq=False)
class Arm:
    """The robot, and what may be done with points (q, dq) anywhere in its box: x of shape (2, r + 1, joints).

    box: positions either way [deg] and rates [rad/s], of all joints or each, as usual unless given.
    by_sines: whether random points are normal numbers x through the change of variables of section 4.2, sin^2 x of the
    range and sin x of the rate; else uniform.
    """

    robot: Robot
    box: tuple[float | Array, float | Array] | None = None
    by_sines: bool = False

    @cached_property
    def task(self) -> PointsTask:
        """Points as numbers between -1 and 1, up to the limits of position and rate."""
        limits = arm_limits(self.robot, np.inf) if self.box is None else boxed(self.robot, *self.box)
        return PointsTask(EnergyDesignRows(Energy(self.robot)), limits)

    @cached_property
    def base_parameters(self) -> Array:
        """X, shape (15,)."""
        return Energy(self.robot).values()

    @cached_property
    def printed_of_ours(self) -> Array:
        """The printed base parameters as combinations of our clusters, shape (15, 15)."""
        minimal, entries = Energy(self.robot).minimal, published(STUDY)["parameters"]["base"]["entries"]
        return np.array([parse_formula(entry["form"], minimal.names) for entry in entries])[:, minimal.kept]

    def placed(self, found: OptimumPoints) -> Array:
        """Optimum points as numbers between -1 and 1."""
        return np.asarray((np.stack([found.positions, found.rates]) - self.task.centre) / self.task.scale)

    def random_points(self, r: int, rng: np.random.Generator) -> Array:
        """Anywhere within the box."""
        shape = (2, r + 1, len(self.robot.joints))
        if not self.by_sines:
            return rng.uniform(-1.0, 1.0, shape)
        q, dq = np.sin(rng.normal(size=shape))
        return np.stack([2.0 * q**2 - 1.0, dq])

    def random_sets(self, r: int, count: int, condition_number: float) -> list[Array]:
        """So many sets of random points, those of five times as many that come nearest to a condition number."""
        rng = np.random.default_rng(r)
        drawn = [self.random_points(r, rng) for _ in range(_DRAWN_FOR_ONE * count)]
        apart = [abs(np.log(true_condition_number(self.task.matrix(x)) / condition_number)) for x in drawn]
        return [drawn[k] for k in np.argsort(apart)[:count]]

    def worse_sets(self, x: Array, count: int, condition_number: float) -> list[Array]:
        """So many sets of points between x and random ones that have a condition number, larger than that of x."""
        rng = np.random.default_rng(0)
        found = list[Array]()
        while len(found) < count:
            away = self.random_points(x.shape[1] - 1, rng) - x

            def apart(share: float, away: Array = away) -> float:
                return float(np.log(true_condition_number(self.task.matrix(x + share * away)) / condition_number))

            if apart(1.0) > 0.0:
                found.append(x + brentq(apart, 0.0, 1.0, xtol=1e-4) * away)
        return found

    def perturbed(self, points: list[Array], level: float, seed: int, what: What, share: float = 1.0) -> Perturbation:
        """Least squares with noise on the energy, on the state (q, dq), or on both, a draw for each of the points.

        level: k, standard deviations are k/4 of the largest energy difference, of the joints' range, of their rate.
        share: of the noise of positions that is there, all of it in the article.
        """
        samples = {id(x): self.task.samples(x) for x in points}
        spread = np.stack([2.0 * share * self.task.scale[0, 0], self.task.scale[1, 0]])  # of the range, of the rate
        return perturbation(self.task.rows, [samples[id(x)] for x in points], spread, what, level, seed)

    def deviations(self, x: Array, level: float) -> Array:
        """Standard deviations of the printed parameters with noise on the energy, shape (15,)."""
        W = self.task.matrix(x)
        share = level * float(published(STUDY)["noise"]["deviation_per_level"])
        triangle = np.asarray(np.linalg.qr(W, mode="r"), float)
        root = np.linalg.solve(triangle.T, self.printed_of_ours.T)  # its square is T (W^T W)^-1 T^T
        return share * np.abs(W @ self.base_parameters).max() * np.linalg.norm(root, axis=0)


def ends_and_means(arm: Arm, r: int, draws: int) -> tuple[Array, Array, Array]:
    """Smallest, mean and largest condition numbers of r rows of ten random sequences, shape (draws / 10,) each."""
    rng = np.random.default_rng(r)
    values = [true_condition_number(arm.task.matrix(arm.random_points(r, rng))) for _ in range(draws)]
    tens = np.reshape(values, (-1, SAMPLES))
    return tens.min(axis=1), tens.mean(axis=1), tens.max(axis=1)
