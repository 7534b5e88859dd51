"""The ten standard inertial parameters of a body: their one order, and what can be made of them.

    phi = (m, mx, my, mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz)

m [kg]; first moments m c [kg m]; inertia matrix entries [kg m^2] about the *origin of the body frame*,
in the body frame (Ixy is the matrix entry, minus the integral of x y). This is Pinocchio's order. Every
other program's and every paper's order is mapped to it by name, here or in the reader concerned.

The pseudo-inertia J = [[Sigma, m c], [(m c)^T, m]], Sigma = tr(I)/2 E - I, is positive definite exactly
for bodies that can exist: Wensing, Kim, Slotine, "Linear matrix inequalities for physically consistent
inertial parameter identification" (RA-L 2018).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.robot.transform import Transform, skew

PARAMETER_NAMES = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
INDEX = {name: position for position, name in enumerate(PARAMETER_NAMES)}
PER_BODY = len(PARAMETER_NAMES)

_ROWS = np.array([0, 0, 1, 0, 1, 2])  # matrix entries of Ixx, Ixy, Iyy, Ixz, Iyz, Izz
_COLUMNS = np.array([0, 1, 1, 2, 2, 2])


def parameter_names(bodies: Sequence[str]) -> tuple[str, ...]:
    """Names of the stacked parameters, `Ixx_<body>`, ten per body."""
    return tuple(f"{parameter}_{body}" for body in bodies for parameter in PARAMETER_NAMES)


def inertia_entries(matrix: ArrayLike) -> Array:
    """The six entries (Ixx, Ixy, Iyy, Ixz, Iyz, Izz) of a symmetric (3, 3) matrix, shape (6,)."""
    return np.asarray(matrix, float)[_ROWS, _COLUMNS]


def inertia_matrix(phi: ArrayLike) -> Array:
    """Inertia about the frame origin, shape (3, 3), from the ten parameters [kg m^2]."""
    matrix = np.empty((3, 3))
    matrix[_ROWS, _COLUMNS] = matrix[_COLUMNS, _ROWS] = np.asarray(phi, float)[4:]
    return matrix


def parameters_from_com(mass: float, com: ArrayLike, inertia_com: ArrayLike) -> Array:
    """Ten parameters from mass [kg], centre of mass [m] and inertia about it [kg m^2], shape (10,)."""
    c = np.asarray(com, float)
    about_origin = np.asarray(inertia_com, float) - mass * (skew(c) @ skew(c))
    return np.concatenate([[mass], mass * c, inertia_entries(about_origin)])


def com_of(phi: ArrayLike) -> Array:
    """Centre of mass in the body frame [m], shape (3,); zero for a massless body."""
    phi = np.asarray(phi, float)
    return phi[1:4] / phi[0] if phi[0] != 0.0 else np.zeros(3)


def inertia_about_com(phi: ArrayLike) -> Array:
    """Inertia about the centre of mass, axes of the body frame, shape (3, 3) [kg m^2]."""
    c = com_of(phi)
    return inertia_matrix(phi) + np.asarray(phi, float)[0] * (skew(c) @ skew(c))


def seen_from(placement: Transform, phi: ArrayLike) -> Array:
    """Parameters in frame A of a body given in frame B, with `placement` of B in A, shape (10,)."""
    phi = np.asarray(phi, float)
    R, p = placement.R, placement.p
    first = R @ phi[1:4]
    # |p + R r|^2 E - (p + R r)(p + R r)^T, integrated over the body
    mixed = 2.0 * (p @ first) * np.eye(3) - np.outer(p, first) - np.outer(first, p)
    inertia = R @ inertia_matrix(phi) @ R.T + mixed - phi[0] * (skew(p) @ skew(p))
    return np.concatenate([[phi[0]], first + phi[0] * p, inertia_entries(inertia)])


def pseudo_inertia(phi: ArrayLike) -> Array:
    """The 4 x 4 pseudo-inertia J(phi), linear in phi."""
    phi = np.asarray(phi, float)
    inertia = inertia_matrix(phi)
    J = np.empty((4, 4))
    J[:3, :3] = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    J[:3, 3] = J[3, :3] = phi[1:4]
    J[3, 3] = phi[0]
    return J


def can_exist(phi: ArrayLike) -> bool:
    """Whether a body has these ten parameters: its pseudo-inertia is positive definite."""
    return bool(np.linalg.eigvalsh(pseudo_inertia(phi))[0] > 0.0)


def parameters_from_pseudo_inertia(J: ArrayLike) -> Array:
    """The ten parameters of a 4 x 4 pseudo-inertia, shape (10,)."""
    J = np.asarray(J, float)
    inertia = np.trace(J[:3, :3]) * np.eye(3) - J[:3, :3]
    return np.concatenate([[J[3, 3]], J[:3, 3], inertia_entries(inertia)])
