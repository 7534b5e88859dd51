"""The dual-arm robot of Naveen, Shah and Misra as a task for interval designs."""

from dataclasses import replace

import numpy as np

from freefloat.excitation.planned_motion import Conditions
from freefloat.excitation.procedures.interval_task import IntervalTask
from freefloat.excitation.rows.momentum import MomentumRows
from freefloat.motion.limits import limits_of
from freefloat.regressor.model import Momentum
from freefloat.studies import published, study_robot

PUBLISHED = published("naveen_dual_arm")
FLOWN = PUBLISHED["excitation"]
BOX = np.pi  # rad, either way, of every joint: ours, the article prints none


def published_seeds():
    """Starts and ranges of joints, then wheels, shape (2, 9) [rad]."""
    joints, wheels = FLOWN["joints"], FLOWN["wheels"]
    start = [*np.deg2rad(joints["start_deg"]), *[wheels["start_rad"]] * 3]
    return np.array([start, [*np.deg2rad(joints["range_deg"]), *[wheels["range_rad"]] * 3]])


def naveen_task(study, **settings):
    """Peak rates of Table 3 as limits, base-frame rows, unscaled columns."""
    robot = study_robot(study)
    limits = limits_of(robot, (*robot.joint_names, *(wheel.name for wheel in robot.wheels)))
    reach = np.where(np.arange(9) < 6, BOX, np.inf)
    limits = replace(limits, lowest=-reach, highest=reach, rate=2.0 * published_seeds()[1] / FLOWN["interval_s"])
    conditions = Conditions(robot)
    return IntervalTask(MomentumRows(Momentum(robot), conditions), conditions, limits, **settings)
