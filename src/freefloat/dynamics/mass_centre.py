"""Centre of mass and base velocity: three rows per sample, linear in the standard parameters.

    s(q) = Y phi              total first moment about the base origin; the centre of mass is s / M
    v0   = v_cm + W (phi / M) base velocity from the linear momentum, W = -K_linear(q, dq, 0, w)

all in the base frame; after Christidi-Loumpasefski, Papadopoulos, "On the parameter identification of
free-flying space manipulator systems" (Robotics and Autonomous Systems 2022).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array, read_only
from freefloat.dynamics import kernels
from freefloat.dynamics.momentum_rows import momentum_regressor
from freefloat.dynamics.samples import Samples
from freefloat.robot.model import Robot


def first_moment_regressor(robot: Robot, samples: Samples) -> Array:
    """Total first moment about the base origin, base frame: rows (n, 3, 10 bodies)."""
    samples.check(robot)
    Y = np.empty((len(samples), 3, robot.parameters.size))
    kernels.first_moment(robot.tree.arrays, samples.q, Y)
    return Y


def first_moment_adjoint(robot: Robot, q: ArrayLike, Z: ArrayLike) -> Array:
    """Gradient of sum(Z * Y), Z (n, 3, 10 bodies), Y the first-moment regressor, by joint positions q (n, joints).

    A locked robot that turns at unit rate about e has the linear momentum e x s: turning about x shows s_y and s_z,
    turning about y shows s_x, so the momentum's reverse sweep serves.
    """
    positions, weights = np.asarray(q, float), np.asarray(Z, float)
    n, joints = positions.shape
    twice, still = read_only(np.vstack([positions] * 2)), read_only(np.zeros((2 * n, joints)))
    turning = read_only(np.repeat([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], n, axis=0))
    momentum = np.zeros((2 * n, 6, robot.parameters.size))
    momentum[:n, 2], momentum[:n, 1], momentum[n:, 2] = weights[:, 1], -weights[:, 2], -weights[:, 0]
    gq, gdq, gv, gw = (np.empty_like(array) for array in (twice, twice, turning, turning))
    rest = read_only(np.zeros_like(turning))
    kernels.adjoint(robot.tree.arrays, twice, still, rest, turning, momentum, gq, gdq, gv, gw)
    return gq[:n] + gq[n:]


def centre_of_mass(robot: Robot, samples: Samples) -> Array:
    """Centre of mass in the base frame [m], shape (n, 3)."""
    return first_moment_regressor(robot, samples) @ robot.parameters / robot.mass


def base_velocity_regressor(robot: Robot, samples: Samples) -> Array:
    """W, shape (n, 3, 10 bodies), with v0 = v_cm + W (phi / M); v in the samples is not used."""
    still = replace(samples, v=np.zeros((len(samples), 3)))
    return -momentum_regressor(robot, still)[:, :3]
