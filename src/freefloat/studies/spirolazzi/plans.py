"""N1 and OOS-SIM as plans: motions to be designed within the limits that the thesis states.

M. Spirolazzi, "Free-floating robot inertial parameter identification towards in orbit servicing", master thesis,
Politecnico di Milano, 2022: sections 3.5.1 (solids), 5.3 and 6.4 (limits), Eq. 6.1 (attitude of the base).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.bound.bound import Bound
from freefloat.estimate.problem_data import Nuisances
from freefloat.excitation.limits.attitude import BaseAttitude
from freefloat.excitation.limits.clearance import clearance_limits
from freefloat.excitation.limits.joint import joint_limits
from freefloat.excitation.plan import Plan
from freefloat.robot.model import Robot
from freefloat.robot.shapes import Ellipsoid, Shape, Sphere
from freefloat.studies.catalogue import published
from freefloat.studies.printed import printed_motion
from freefloat.studies.simulated import white_gyro
from freefloat.studies.spirolazzi.cluster_table import SIMPLE, cluster_table, simple_model
from freefloat.studies.spirolazzi.n1 import GYRO_RAD_S, STUDY
from freefloat.studies.spirolazzi.oossim import STUDY as OOSSIM
from freefloat.studies.spirolazzi.printed_flight import KNOWN

BASE_SIZE_M, LOAD_RADIUS_M, CLEARANCE_M = (0.3, 0.5, 0.4), 0.2, 0.05  # OURS: the thesis prints no sizes


def n1_plan(robot: Robot, **changes: Any) -> Plan:
    """Case study N1: white gyro noise as the published table implies, the load known, no prior, stated limits.

    changes: settings of the plan to be other than these.
    """
    motion, solid = printed_motion(STUDY, robot), _with_solids(robot)
    settings = {
        "sensors": (white_gyro(GYRO_RAD_S, published(STUDY)["trajectory"]["rate_Hz"]),),
        "limits": (*joint_limits(robot, motion.channels), *clearance_limits(solid, CLEARANCE_M, [("base", "load")])),
        "known": KNOWN,
        "zero": SIMPLE,
        "prior": None,
        "nuisances": Nuisances.none(),
        "of_model": True,
    }
    return Plan(solid, motion, **(settings | changes))


def oossim_plan(robot: Robot, **changes: Any) -> Plan:
    """The OOS-SIM experiment by condition number, its limits of the base's attitude included; changes: as above."""
    motion, boxes = printed_motion(OOSSIM, robot), published(OOSSIM)["base_attitude_limits_deg"]
    attitude = [BaseAttitude(angle, *np.radians(box).tolist()) for angle, box in boxes.items()]
    limits = (*joint_limits(robot, motion.channels), *attitude)
    settings = {"limits": limits, "known": KNOWN, "zero": SIMPLE, "goal": "condition-number"}
    return Plan(robot, motion, **(settings | changes))


def big_deviations(plan: Plan, bound: Bound) -> Array:
    """Standard deviations of the big clusters of Table 5.3 by a bound of this plan, (24,)."""
    model = simple_model(plan.robot)
    underlying, problem = model.underlying.minimal, plan.problem(plan.shape)
    into = underlying.combine[:, problem.minimal.kept]  # clusters of the problem as underlying parameters
    J = model.jacobian(underlying.values(model.standard(None))) @ into
    sd: Array = np.sqrt(np.diagonal(J @ bound.covariance @ J.T))
    return sd[cluster_table(STUDY).big_places(model.minimal.leaders)]


def _with_solids(robot: Robot) -> Robot:
    """A base ellipsoid and a sphere about the load, as in section 3.5.1."""
    solids: dict[str, Shape] = {
        "base": Ellipsoid(np.zeros(3), np.array(BASE_SIZE_M)),
        "load": Sphere(np.zeros(3), LOAD_RADIUS_M),
    }
    bodies = tuple(replace(body, shapes=(solids[body.name],)) if body.name in solids else body for body in robot.bodies)
    return replace(robot, bodies=bodies)
