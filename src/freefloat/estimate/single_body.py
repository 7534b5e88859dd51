"""A body without joints about its centre of mass: where that is, and the inertia there, with their intervals."""

from __future__ import annotations

import numpy as np

from freefloat.arrays import AXES, Array
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import Quantity
from freefloat.estimate.prior import known_covariance
from freefloat.models.model import NotApplicable
from freefloat.robot.parameters import inertia_about_com, inertia_entries

_ENTRIES = ("Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")


def about_centre(estimate: Estimate) -> tuple[Quantity, ...]:
    """Centre of mass in the base frame [m] and inertia about it, base axes [kg m^2].

    Standard deviations are those of the clusters carried over to first order, that of a known mass included.
    """
    if estimate.robot.parameters.size != 10 or not estimate.is_standard:
        raise NotApplicable(f"{estimate.robot.name} has several bodies: only one has a centre of mass that stays")
    phi = estimate.parameters
    J, kept = _slopes(phi), estimate.minimal.kept
    covariance = known_covariance(estimate.robot, estimate.known)
    covariance[np.ix_(kept, kept)] += estimate.covariance
    sd = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", J, covariance, J), 0.0))
    leads = np.zeros(10, dtype=bool)
    leads[kept[estimate.open]] = True
    sd = np.where((np.abs(J[:, leads]) > 0.0).any(axis=1), np.inf, sd)
    values = np.concatenate([phi[1:4] / phi[0], inertia_entries(inertia_about_com(phi))])
    names = (*(f"centre of mass {axis}" for axis in AXES), *(f"{name} about it" for name in _ENTRIES))
    units = ("m",) * 3 + ("kg m^2",) * 6
    return tuple(
        Quantity(name, float(value), float(spread), unit)
        for name, value, spread, unit in zip(names, values, sd, units, strict=True)
    )


def _slopes(phi: Array) -> Array:
    """Derivatives of centre and inertia about it by the ten parameters, shape (9, 10)."""
    m, s = phi[0], phi[1:4]
    J = np.zeros((9, 10))
    J[:3, 0], J[:3, 1:4] = -s / m**2, np.eye(3) / m
    J[3:, 0] = inertia_entries((s @ s) * np.eye(3) - np.outer(s, s)) / m**2
    for axis, unit in enumerate(np.eye(3)):
        by_moment = 2.0 * s[axis] * np.eye(3) - np.outer(unit, s) - np.outer(s, unit)
        J[3:, 1 + axis] = -inertia_entries(by_moment) / m
    J[3:, 4:] = np.eye(6)
    return J
