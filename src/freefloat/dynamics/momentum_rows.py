"""Momentum: six rows per sample, linear in the standard parameters.

    K(q, dq, v, w) phi + wheels = (linear momentum, angular momentum about the base origin), base frame

after Naveen, Shah, Misra, "Momentum model-based minimal parameter identification of a space robot"
(J. Guidance, Control, and Dynamics 2019), in the base frame, where attitude and position do not enter.
A planar base has the same six rows; those along z, about x and about y are not conserved there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array, read_only
from freefloat.dynamics import kernels
from freefloat.dynamics.samples import Samples
from freefloat.errors import ShapeError
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY

Columns = NDArray[np.int64]


def momentum_regressor(robot: Robot, samples: Samples, columns: ArrayLike | None = None) -> Array:
    """K, shape (n, 6, 10 bodies), or (n, 6, c) for c chosen columns."""
    samples.check(robot)
    v, w = samples.base_twist(robot, "momentum")
    state = (robot.tree.arrays, samples.q, samples.need("dq", "momentum"), v, w)
    if columns is None:
        K = np.empty((len(samples), 6, robot.parameters.size))
        kernels.forward(*state, K)
        return K
    chosen = chosen_columns(robot, columns)
    K = np.empty((len(samples), 6, chosen.size))
    kernels.forward_columns(*state, chosen, K)
    return K


def momentum_gram(
    robot: Robot,
    samples: Samples,
    columns: ArrayLike | None = None,
    extra: ArrayLike | None = None,
    weight: ArrayLike | None = None,
) -> Array:
    """Sum over samples of Y^T W Y, Y = [K, extra], shape (c + e, c + e), without storing K.

    extra: further columns (wheels, a right-hand side), shape (n, 6, e).
    weight: W, shape (6, 6) or (n, 6, 6), symmetric; the identity unless given.
    """
    samples.check(robot)
    n = len(samples)
    v, w = samples.base_twist(robot, "momentum")
    further = np.zeros((n, 6, 0)) if extra is None else np.ascontiguousarray(extra, dtype=np.float64)
    W = np.ascontiguousarray(np.eye(6) if weight is None else weight, dtype=np.float64)
    W = W[None] if W.ndim == 2 else W
    if further.shape[:2] != (n, 6):
        raise ShapeError(f"extra must have shape ({n}, 6, e), found {further.shape}")
    if W.shape not in ((1, 6, 6), (n, 6, 6)):
        raise ShapeError(f"weight must have shape (6, 6) or ({n}, 6, 6), found {W.shape}")
    chosen = chosen_columns(robot, np.arange(robot.parameters.size) if columns is None else columns)
    dq = samples.need("dq", "momentum")
    gram: Array = kernels.gram(robot.tree.arrays, samples.q, dq, v, w, chosen, further, W)
    return gram


def momentum_adjoint(robot: Robot, samples: Samples, Z: ArrayLike) -> tuple[Array, Array, Array, Array]:
    """Gradients of sum(Z * K), Z (n, 6, 10 bodies), with respect to q, dq, v, w, in these shapes."""
    samples.check(robot)
    v, w = samples.base_twist(robot, "momentum")
    weights = np.ascontiguousarray(Z, dtype=np.float64)
    if weights.shape != (len(samples), 6, robot.parameters.size):
        raise ShapeError(f"Z must have shape {(len(samples), 6, robot.parameters.size)}, found {weights.shape}")
    gq, gdq, gv, gw = (np.zeros_like(array) for array in (samples.q, samples.q, v, w))
    kernels.adjoint(robot.tree.arrays, samples.q, samples.need("dq", "momentum"), v, w, weights, gq, gdq, gv, gw)
    return gq, gdq, gv, gw


def momentum_matrix(robot: Robot, q: ArrayLike, parameters: ArrayLike | None = None) -> Array:
    """A = [A_b, A_q], shape (n, 6, 6 + joints): momentum = A_b (v, w) + A_q dq, in the base frame.

    parameters: standard parameters to use instead of the robot's own, shape (10 bodies,).
    """
    positions = read_only(q)
    Samples(positions).check(robot)
    phi = read_only(robot.parameters if parameters is None else parameters).reshape(-1, PER_BODY)
    A = np.empty((positions.shape[0], 6, 6 + positions.shape[1]))
    kernels.locked(robot.tree.arrays, positions, phi, A)
    return A


def wheel_columns(robot: Robot, samples: Samples) -> Array:
    """Momentum of each wheel per unit of spin inertia, shape (n, 6, wheels)."""
    samples.check(robot)
    columns = np.zeros((len(samples), 6, len(robot.wheels)))
    if robot.wheels:
        rates = samples.need("wheel_rates", "the wheels' momentum")
        columns[:, 3:] = robot.wheel_axes.T * rates[:, None, :]
    return columns


def wheel_momentum(robot: Robot, rates: Array, inertias: Array | None = None) -> Array:
    """Angular momentum of wheels at rates relative to the base (..., wheels), base frame, shape (..., 3).

    inertias: spin inertias, (wheels,) [kg m^2]; those of the robot unless given.
    """
    return (rates * (robot.wheel_inertias if inertias is None else inertias)) @ robot.wheel_axes


def spin_momentum(robot: Robot, samples: Samples) -> Array:
    """Angular momentum of the wheels' rates in the samples, base frame, shape (n, 3); zero without wheels."""
    if not robot.wheels:
        return np.zeros((len(samples), 3))
    return wheel_momentum(robot, samples.need("wheel_rates", "the wheels' momentum"))


def momentum_by_wheel_rates(robot: Robot, inertias: Array | None = None) -> Array:
    """Angular momentum of each wheel per unit of its rate, base frame, shape (3, wheels); inertias: as above."""
    return robot.wheel_axes.T * (robot.wheel_inertias if inertias is None else inertias)


def momentum(robot: Robot, samples: Samples) -> Array:
    """Momentum of robot and wheels, linear then angular about the base origin, base frame, shape (n, 6)."""
    return momentum_regressor(robot, samples) @ robot.parameters + (
        wheel_columns(robot, samples) @ robot.wheel_inertias
    )


def chosen_columns(robot: Robot, columns: ArrayLike) -> Columns:
    """Column numbers as an integer array, each within 0 to 10 bodies - 1."""
    chosen = np.ascontiguousarray(columns, dtype=np.int64)
    if chosen.ndim != 1 or (chosen.size and not 0 <= chosen.min() <= chosen.max() < robot.parameters.size):
        raise ShapeError(f"columns must be numbers from 0 to {robot.parameters.size - 1}")
    return chosen
