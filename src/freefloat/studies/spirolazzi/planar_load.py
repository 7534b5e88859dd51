"""The planar example around eq. 5.6 of M. Spirolazzi's thesis (2022): a known load off its joint's axis.

The thesis takes the load's own share of the momentum for known, though it holds the total mass. Numbers are ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from freefloat.estimate.flight import Flight
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.estimate.recipes import spirolazzi_known_load
from freefloat.estimate.total_mass import mass_of
from freefloat.motion.random_motion import random_trajectory
from freefloat.robot.model import Robot
from freefloat.simulation.simulate import simulate_motion
from freefloat.studies.check import Check

STUDY = "planar_known_load"
DURATION_S, RATE_HZ = 60.0, 5.0


def planar_problem(robot: Robot, gyro_rad_s: float = 0.0, seed: int = 1) -> Problem:
    """A flight at zero momentum, the load known, the CAD model of all else wrong by a tenth."""
    rng = np.random.default_rng(seed)
    motion = random_trajectory(robot, DURATION_S, seed)
    samples = simulate_motion(robot, motion, np.arange(round(DURATION_S * RATE_HZ) + 1) / RATE_HZ)
    w = samples.need("w", "a flight") + gyro_rad_s * rng.normal(size=(len(samples), 3)) * [0.0, 0.0, 1.0]
    noise = {"w": np.full(3, gyro_rad_s)} if gyro_rad_s else {}
    cad = CadSpread().drawn(robot, rng, ("load",))
    return Problem(cad, (Flight(replace(samples, v=None, w=w), noise),), {"load": 0.0}, nuisances=Nuisances.none())


def planar_checks(robot: Robot) -> Iterator[Check]:
    """What the load fixes, though no cluster is known. robot: the one that flies, like `planar_known_load`."""
    found = spirolazzi_known_load(planar_problem(robot))
    yield Check(
        "spirolazzi.planar.total_mass",
        "planar example of eq. 5.6: total mass, found along with all else",
        robot.mass,
        mass_of(found).value,
        "kg",
        tolerance=1e-6,
        comparable=False,
        note="no noise; the robot's numbers are ours. No linear cluster is known, for M_tot is in all of them: the "
        "minimal parameters behind the clusters are solved for",
    )
