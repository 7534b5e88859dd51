"""Centre of mass and base velocity: three rows per sample, linear in the standard parameters.

    s(q) = Y phi              total first moment about the base origin; the centre of mass is s / M
    v0   = v_cm + W (phi / M) base velocity from the linear momentum, W = -K_linear(q, dq, 0, w)

all in the base frame; after Christidi-Loumpasefski, Papadopoulos, "On the parameter identification of
free-flying space manipulator systems" (Robotics and Autonomous Systems 2022).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from freefloat.regressor import kernels
from freefloat.regressor.momentum import momentum_regressor
from freefloat.regressor.samples import Samples
from freefloat.robot.model import Robot
from freefloat.robot.transform import Array


def first_moment_regressor(robot: Robot, samples: Samples) -> Array:
    """Total first moment about the base origin, base frame: rows (n, 3, 10 bodies)."""
    samples.check(robot)
    Y = np.empty((len(samples), 3, robot.parameters.size))
    kernels.first_moment(robot.tree.arrays, samples.q, Y)
    return Y


def centre_of_mass(robot: Robot, samples: Samples) -> Array:
    """Centre of mass in the base frame [m], shape (n, 3)."""
    return first_moment_regressor(robot, samples) @ robot.parameters / robot.mass


def base_velocity_regressor(robot: Robot, samples: Samples) -> Array:
    """W, shape (n, 3, 10 bodies), with v0 = v_cm + W (phi / M); v in the samples is not used."""
    still = replace(samples, v=np.zeros((len(samples), 3)))
    return -momentum_regressor(robot, still)[:, :3]
