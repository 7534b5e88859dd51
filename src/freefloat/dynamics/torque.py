"""Inverse dynamics: wrench on the base and joint torques, linear in the standard parameters.

    (base wrench, joint torques) = Y(q, dq, ddq, v, w, dv, dw) phi + friction, rotors, wheels

The base wrench is force and moment about the base origin, base frame; gravity counts as an acceleration
of the base. After Atkeson, An, Hollerbach (IJRR 1986); base rows alone: Ayusawa, Venture, Nakamura
(IJRR 2014).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array, read_only
from freefloat.dynamics import kernels, torque_adjoint_kernels
from freefloat.dynamics.samples import Samples
from freefloat.errors import ShapeError
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.rotations import rotations


def torque_regressor(robot: Robot, samples: Samples) -> Array:
    """Y, shape (n, 6 + joints, 10 bodies): six base rows, then a row per joint."""
    samples.check(robot)
    v, w = samples.base_twist(robot, "inverse dynamics")
    acceleration, dw = _base_acceleration(robot, samples, v, w)
    dq, ddq = samples.need("dq", "inverse dynamics"), samples.need("ddq", "inverse dynamics")
    Y = np.empty((len(samples), 6 + samples.q.shape[1], robot.parameters.size))
    kernels.torque(robot.tree.arrays, samples.q, dq, ddq, v, w, acceleration, dw, Y)
    return Y


class TorqueSlope(NamedTuple):
    """Derivative of one number by a motion at n instants, each in that quantity's shape; attitude is held."""

    q: Array
    dq: Array
    ddq: Array
    v: Array
    w: Array
    dv: Array
    dw: Array


def torque_adjoint(
    robot: Robot, samples: Samples, Z: ArrayLike, rows: ArrayLike | None = None, columns: ArrayLike | None = None
) -> TorqueSlope:
    """Gradients of sum(Z * Y[:, rows][:, :, columns]), Y the regressor; Z of the shape (n, len(rows), len(columns)).

    rows, columns: numbers of those that Z has; all unless given.
    """
    samples.check(robot)
    row, row_count = _places(6 + samples.q.shape[1], rows)
    column, column_count = _places(robot.parameters.size, columns)
    weights = np.ascontiguousarray(Z, dtype=np.float64)
    expected = (len(samples), row_count, column_count)
    if weights.shape != expected:
        raise ShapeError(f"Z must have shape {expected}, found {weights.shape}")
    motion, found = _swept(robot, samples)
    torque_adjoint_kernels.torque_adjoint(robot.tree.arrays, *motion, weights, row, column, *found)
    return _with_base_velocity(robot, samples, found)


def inverse_dynamics_adjoint(robot: Robot, samples: Samples, weight: ArrayLike) -> TorqueSlope:
    """Gradients of sum(weight * Y phi), weight (n, 6 + joints): of base wrench and torques without wheels."""
    samples.check(robot)
    weights = np.ascontiguousarray(weight, dtype=np.float64)
    expected = (len(samples), 6 + samples.q.shape[1])
    if weights.shape != expected:
        raise ShapeError(f"weight must have shape {expected}, found {weights.shape}")
    motion, found = _swept(robot, samples)
    phi = robot.parameters.reshape(-1, PER_BODY)
    torque_adjoint_kernels.inverse_dynamics_adjoint(robot.tree.arrays, phi, *motion, weights, *found)
    return _with_base_velocity(robot, samples, found)


def joint_torque_slopes(robot: Robot, samples: Samples, parameters: ArrayLike) -> Array:
    """Derivatives of joint torques by positions, rates and accelerations of joints, shape (3, n, joints, joints).

    Torques are those without friction; parameters: as for `inverse_dynamics`.
    """
    samples.check(robot)
    n, joints = samples.q.shape
    motion, found = _swept(robot, samples)
    phi, slopes = read_only(parameters).reshape(-1, PER_BODY), np.empty((3, n, joints, joints))
    for joint in range(joints):
        weight = np.zeros((n, 6 + joints))
        weight[:, 6 + joint] = 1.0
        torque_adjoint_kernels.inverse_dynamics_adjoint(robot.tree.arrays, phi, *motion, weight, *found)
        slopes[0, :, joint], slopes[1, :, joint], slopes[2, :, joint] = found[:3]
    return slopes


def friction_columns(samples: Samples) -> Array:
    """Torque per unit of Coulomb, then viscous friction, then rotor inertia: (n, 6 + joints, 3 joints)."""
    dq, ddq = samples.need("dq", "friction"), samples.need("ddq", "rotor inertia")
    n, joints = dq.shape
    columns = np.zeros((n, 6 + joints, 3 * joints))
    for group, values in enumerate((np.sign(dq), dq, ddq)):
        index = np.arange(joints)
        columns[:, 6 + index, group * joints + index] = values
    return columns


def wheel_wrench_columns(robot: Robot, samples: Samples) -> Array:
    """Base wrench that the wheels' spin needs, per unit of spin inertia: (n, 6 + joints, wheels)."""
    samples.check(robot)
    _, w = samples.base_twist(robot, "the wheels' torque")
    columns = np.zeros((len(samples), 6 + samples.q.shape[1], len(robot.wheels)))
    if robot.wheels:
        rates = samples.need("wheel_rates", "the wheels' torque")
        rises = samples.need("wheel_accelerations", "the wheels' torque")
        gyroscopic = np.cross(w[:, None, :], robot.wheel_axes[None])  # (n, wheels, 3)
        turning = robot.wheel_axes[None] * rises[..., None] + gyroscopic * rates[..., None]
        columns[:, 3:6] = turning.transpose(0, 2, 1)
    return columns


def inverse_dynamics(robot: Robot, samples: Samples, parameters: ArrayLike | None = None) -> Array:
    """Base wrench and joint torques of robot and wheels, without friction, shape (n, 6 + joints).

    parameters: standard parameters in place of the robot's, (10 bodies,), which need not be those of any body.
    """
    samples.check(robot)
    v, w = samples.base_twist(robot, "inverse dynamics")
    acceleration, dw = _base_acceleration(robot, samples, v, w)
    dq, ddq = samples.need("dq", "inverse dynamics"), samples.need("ddq", "inverse dynamics")
    tau = np.empty((len(samples), 6 + samples.q.shape[1]))
    phi = read_only(robot.parameters if parameters is None else parameters).reshape(-1, PER_BODY)
    kernels.inverse_dynamics(robot.tree.arrays, phi, samples.q, dq, ddq, v, w, acceleration, dw, tau)
    return tau + wheel_wrench_columns(robot, samples) @ robot.wheel_inertias


def mass_matrix(robot: Robot, q: ArrayLike) -> Array:
    """Mass matrix of base twist and joints, shape (n, 6 + joints, 6 + joints)."""
    positions = read_only(q)
    Samples(positions).check(robot)
    size = 6 + positions.shape[1]
    H = np.empty((positions.shape[0], size, size))
    kernels.mass_matrix(robot.tree.arrays, positions, robot.parameters.reshape(-1, PER_BODY), H)
    return H


def _places(count: int, chosen: ArrayLike | None) -> tuple[NDArray[np.int64], int]:
    """Where each of `count` rows or columns stands among the chosen ones, or -1, and how many are chosen."""
    if chosen is None:
        return np.arange(count), count
    numbers = np.asarray(chosen, dtype=np.int64)
    places = np.full(count, -1, dtype=np.int64)
    places[numbers] = np.arange(numbers.size)
    return places, numbers.size


def _swept(robot: Robot, samples: Samples) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """What the reverse sweeps read, and room for gradients by q, dq, ddq, w, acceleration and dw."""
    v, w = samples.base_twist(robot, "inverse dynamics")
    dq, ddq = samples.need("dq", "inverse dynamics"), samples.need("ddq", "inverse dynamics")
    R, p, _, turning, a = kernels.sweep(robot.tree.arrays, samples.q, dq, v, w)
    found = tuple(np.empty_like(array) for array in (dq, dq, dq, w, w, w))
    return (R, p, turning, a, dq, ddq, *_base_acceleration(robot, samples, v, w)), found


def _with_base_velocity(robot: Robot, samples: Samples, found: tuple[Array, ...]) -> TorqueSlope:
    """The acceleration of the base origin is dv + w x v: its gradient belongs to dv, w and v."""
    gq, gdq, gddq, gw, gacceleration, gdw = found
    v, w = samples.base_twist(robot, "inverse dynamics")
    gv = np.cross(gacceleration, w)
    return TorqueSlope(gq, gdq, gddq, gv, gw + np.cross(v, gacceleration), gacceleration, gdw)


def _base_acceleration(robot: Robot, samples: Samples, v: Array, w: Array) -> tuple[Array, Array]:
    """Acceleration of the base origin less gravity, and angular acceleration, base frame, (n, 3) each."""
    if robot.base == "fixed":
        still = np.zeros((len(samples), 3))
        return read_only(still - robot.gravity), read_only(still)
    dv, dw = samples.need("dv", "inverse dynamics"), samples.need("dw", "inverse dynamics")
    acceleration = dv + np.cross(w, v)  # v is given by components in a turning frame
    if robot.gravity.any():
        R_IB = rotations(samples.need("attitude", "gravity on a moving base"))
        acceleration = acceleration - R_IB.transpose(0, 2, 1) @ robot.gravity
    return read_only(acceleration), dw
