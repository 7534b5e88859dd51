"""Energy: one row per sample, linear in the standard parameters.

Kinetic and potential energy, and friction as the work it takes; after Gautier, Khalil, "Exciting
trajectories for the identification of base inertial parameters of robots" (IJRR 1992).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.dynamics import kernels
from freefloat.dynamics.mass_centre import first_moment_adjoint, first_moment_regressor
from freefloat.dynamics.samples import Samples
from freefloat.errors import ShapeError
from freefloat.robot.model import Robot
from freefloat.robot.rotations import rotations


def kinetic_energy_regressor(robot: Robot, samples: Samples) -> Array:
    """Kinetic energy without wheels: rows of shape (n, 10 bodies) [J per parameter]."""
    samples.check(robot)
    v, w = samples.base_twist(robot, "kinetic energy")
    Y = np.empty((len(samples), robot.parameters.size))
    kernels.kinetic_energy(robot.tree.arrays, samples.q, samples.need("dq", "kinetic energy"), v, w, Y)
    return Y


def potential_energy_regressor(robot: Robot, samples: Samples) -> Array:
    """Potential energy in the robot's gravity, zero level at the inertial origin: rows (n, 10 bodies).

    For a fixed base, base frame and inertial frame are one; else attitude and position are needed.
    """
    if not robot.gravity.any():
        return np.zeros((len(samples), robot.parameters.size))
    Y = first_moment_regressor(robot, samples)
    rows: Array = -np.einsum("ki,kij->kj", _gravity_in_base(robot, samples), Y)
    if robot.base != "fixed":
        rows[:, ::10] -= (samples.need("position", "potential energy") @ robot.gravity)[:, None]
    return rows


def energy_adjoint(robot: Robot, samples: Samples, Z: ArrayLike) -> tuple[Array, Array, Array, Array]:
    """Gradients of sum(Z * Y), Y the rows of kinetic and potential energy, with respect to q, dq, v, w.

    Z: shape (n, 10 bodies). Attitude and position, on which potential energy of a moving base depends, are held.
    """
    samples.check(robot)
    v, w = samples.base_twist(robot, "kinetic energy")
    dq, weights = samples.need("dq", "kinetic energy"), np.ascontiguousarray(Z, dtype=np.float64)
    if weights.shape != (len(samples), robot.parameters.size):
        raise ShapeError(f"Z must have shape {(len(samples), robot.parameters.size)}, found {weights.shape}")
    gq, gdq, gv, gw = (np.empty_like(array) for array in (dq, dq, v, w))
    kernels.kinetic_energy_adjoint(robot.tree.arrays, samples.q, dq, v, w, weights, gq, gdq, gv, gw)
    if robot.gravity.any():
        down = -_gravity_in_base(robot, samples)
        gq += first_moment_adjoint(robot, samples.q, down[:, :, None] * weights[:, None, :])
    return gq, gdq, gv, gw


def friction_energy_regressor(robot: Robot, samples: Samples) -> Array:
    """Work lost since the first sample per unit of Coulomb, then viscous friction: (n, 2 joints).

    The integrals of |dq| and dq^2 by the trapezoidal rule over the samples' times.
    """
    dq, t = samples.need("dq", "friction"), samples.need("t", "friction")
    rate = np.hstack([np.abs(dq), dq**2])
    work = np.zeros_like(rate)
    np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff(t)[:, None], axis=0, out=work[1:])
    return work


def wheel_energy_regressor(robot: Robot, samples: Samples) -> Array:
    """Kinetic energy that the wheels' spin adds, per unit of spin inertia: (n, wheels)."""
    samples.check(robot)
    _, w = samples.base_twist(robot, "the wheels' energy")
    rates = samples.need("wheel_rates", "the wheels' energy") if robot.wheels else np.zeros((len(samples), 0))
    return rates * (w @ robot.wheel_axes.T) + 0.5 * rates**2


def _gravity_in_base(robot: Robot, samples: Samples) -> Array:
    """Gravity in base axes, shape (n, 3)."""
    if robot.base == "fixed":
        return np.broadcast_to(robot.gravity, (len(samples), 3))
    R_IB = rotations(samples.need("attitude", "potential energy"))
    return np.einsum("i,kil->kl", robot.gravity, R_IB)
