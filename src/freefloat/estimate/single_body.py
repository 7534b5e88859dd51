"""Bodies of a robot without joints, each about its centre of mass: where that is, and the inertia there.

Several are told apart where recordings were made without some of them: a payload from what carries it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import AXES, Array
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import Quantity
from freefloat.estimate.prior import known_covariance
from freefloat.models.model import NotApplicable
from freefloat.robot.parameters import inertia_about_com, inertia_entries

_ENTRIES = ("Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")


def has_centres(estimate: Estimate) -> bool:
    """Whether nothing moves against anything, and clusters are parameters of one body each."""
    alone = not np.any(np.count_nonzero(estimate.minimal.combine, axis=1) > 1)
    return not estimate.robot.joints and estimate.is_standard and alone


def about_centre(estimate: Estimate) -> tuple[Quantity, ...]:
    """Of each body, centre of mass in its frame [m] and inertia about it, axes of that frame [kg m^2].

    Standard deviations are those of the clusters carried over to first order, that of a known mass included.
    """
    if not has_centres(estimate):
        raise NotApplicable(f"of {estimate.robot.name} the data do not tell bodies apart, or some move against others")
    covariance, kept = known_covariance(estimate.robot, estimate.known), estimate.minimal.kept
    covariance[np.ix_(kept, kept)] += estimate.covariance
    leads = np.zeros(len(covariance), dtype=bool)
    leads[kept[estimate.open]] = True
    bodies = estimate.robot.tree.names
    return tuple(
        quantity
        for body, ten in zip(bodies, np.split(np.arange(leads.size), len(bodies)), strict=True)
        for quantity in body_about_centre(
            f" of {body}" if len(bodies) > 1 else "", estimate.parameters[ten], covariance[np.ix_(ten, ten)], leads[ten]
        )
    )


def body_about_centre(whose: str, phi: Array, covariance: Array, is_open: NDArray[np.bool_]) -> list[Quantity]:
    """Centre of mass and inertia about it, from ten standard parameters with their covariance, (10,) and (10, 10).

    whose: is added to the names. is_open: parameters that the data leave open, (10,); what needs one is open too.
    """
    J = _slopes(phi)
    sd = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", J, covariance, J), 0.0))
    sd = np.where((np.abs(J[:, is_open]) > 0.0).any(axis=1), np.inf, sd)
    values = np.concatenate([phi[1:4] / phi[0], inertia_entries(inertia_about_com(phi))])
    names = (*(f"centre of mass {axis}{whose}" for axis in AXES), *(f"{name} about it{whose}" for name in _ENTRIES))
    units = ("m",) * 3 + ("kg m^2",) * 6
    return [
        Quantity(name, float(value), float(spread), unit)
        for name, value, spread, unit in zip(names, values, sd, units, strict=True)
    ]


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
