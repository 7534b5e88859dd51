"""What parameters and springs do to the modes of a robot: derivatives of frequencies and damping ratios.

A damped mode of small motion (`about_rest.py`) is s^2 M v + s D v + K v = 0, with v over base and passive joints, the
frequency |s| / 2 pi and the damping ratio -Re s / |s|. Matrices are symmetric, so that

    ds = -v^T (s^2 dM + s dD + dK) v / v^T (2 s M + D) v,

which needs no derivative of v (P. Lancaster, "On eigenvalues of matrices dependent on a parameter", Numerische
Mathematik 6, 1964). M v is inverse dynamics at rest, hence linear in the standard parameters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array, read_only
from freefloat.dynamics import kernels
from freefloat.dynamics.about_rest import SmallMotion, small_motion
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.model import Robot

_REAL = 1e-9  # of an eigenvalue's size: what hardly turns back is no mode


@dataclass(frozen=True, slots=True, eq=False)
class ModeSlopes:
    """Damped modes, slowest first, and how they change.

    frequency_Hz, damping_ratio: (k,). joint: number of the passive joint that moves most, among these, (k,).
    frequency_by_parameters, damping_by_parameters: of frequency over itself and of the damping ratio, (k, 10 bodies).
    frequency_by_springs, damping_by_springs: of the same by stiffness, then damping of passive joints, (k, 2 passive).
    """

    frequency_Hz: Array
    damping_ratio: Array
    joint: Array
    frequency_by_parameters: Array
    damping_by_parameters: Array
    frequency_by_springs: Array
    damping_by_springs: Array


def mode_slopes(robot: Robot) -> ModeSlopes:
    """Of a robot that floats without weight, all joints at zero, driven ones locked."""
    model = small_motion(robot)
    s, u = _eigenvalues(model)
    v = np.concatenate([model.base_follows @ u, u])
    per = np.einsum("xk,xk->k", v, 2.0 * s * (model.M @ v) + model.D @ v)
    by_parameters = -(s**2 / per)[:, None] * inertia_by_parameters(robot, v)
    by_springs = -np.concatenate([u**2, s * u**2]).T / per[:, None]
    size = np.abs(s)
    ratio = -s.real / size
    found = []
    for ds in (by_parameters, by_springs):
        growth = (s.conj()[:, None] * ds).real / size[:, None] ** 2
        found.append((growth, -ds.real / size[:, None] - ratio[:, None] * growth))
    (frequency, damping), (frequency_k, damping_k) = found
    joint = np.abs(u).argmax(axis=0)
    return ModeSlopes(size / (2.0 * np.pi), ratio, joint, frequency, damping, frequency_k, damping_k)


def _eigenvalues(model: SmallMotion) -> tuple[Array, Array]:
    """Of the modes that swing, slowest first: s (k,), and what passive joints do (passive, k)."""
    b = model.base_rows.size
    p = len(model.coordinates) - b
    step = np.zeros((2 * p, 2 * p))
    step[:p, p:] = np.eye(p)
    step[p:] = -np.linalg.solve(model.felt, np.hstack([model.K[b:, b:], model.D[b:, b:]]))
    s, vectors = np.linalg.eig(step)
    swings = np.flatnonzero(s.imag > _REAL * np.abs(s).max(initial=0.0))
    order = swings[np.argsort(np.abs(s[swings]))]
    return s[order], vectors[:p, order]


def inertia_by_parameters(robot: Robot, v: Array) -> Array:
    """v^T dM v of shapes v, (coordinates of small motion, k), by standard parameters, (k, 10 bodies); complex."""
    base = allowed_rows(robot)
    b, k, joints = base.size, v.shape[1], len(robot.joints)
    whole = np.zeros((k, 6 + joints), dtype=complex)
    whole[:, base], whole[:, 6 + robot.passive] = v[:b].T, v[b:].T
    still, Y = read_only(np.zeros((2 * k, 3))), np.empty((2 * k, 6 + joints, robot.parameters.size))
    both = np.concatenate([whole.real, whole.imag])
    moved = (np.ascontiguousarray(both[:, part]) for part in (slice(6, None), slice(3), slice(3, 6)))
    ddq, linear, angular = moved
    kernels.torque(robot.tree.arrays, np.zeros_like(ddq), np.zeros_like(ddq), ddq, still, still, linear, angular, Y)
    return np.asarray(np.einsum("kr,krp->kp", whole, Y[:k] + 1j * Y[k:]))
