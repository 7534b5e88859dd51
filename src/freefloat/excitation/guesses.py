"""Robots that a guess may stand for: every body changed as a whole, so that it can still exist.

A body's pseudo-inertia J (P. M. Wensing, S. Kim, J.-J. E. Slotine, "Linear matrix inequalities for physically
consistent inertial parameter identification", 2018) becomes L J L^T: its mass changes, its centre of mass moves, its
inertia is stretched, yet it stays that of some distribution of mass.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY, parameters_from_pseudo_inertia, pseudo_inertia
from freefloat.robot.selection import select_parameters

_DRAWS = 100  # of a body of which some parameters are known
_ROUNDING = 1e-12  # of the largest eigenvalue


def drawn_guesses(
    robot: Robot, count: int, spread: float = 0.2, seed: int = 0, known: tuple[str, ...] = ()
) -> tuple[Robot, ...]:
    """Robots like this one, drawn for a seed.

    spread: standard deviation of a mass over itself; radii of gyration and places of centres of mass vary by half of
    it. known: selectors of parameters that stay as they are. A body of which only some are known is drawn again until
    it can exist; it stays as it is if it never does.
    """
    if count < 1 or not spread > 0.0:
        raise ValueError(f"count is {count} and spread {spread:g}; allowed: 1 or more, and more than zero")
    kept = select_parameters(robot, known)
    return tuple(_drawn(robot, spread, np.random.default_rng([seed, number]), kept) for number in range(count))


def _drawn(robot: Robot, spread: float, rng: np.random.Generator, kept: NDArray[np.int64]) -> Robot:
    known = np.zeros(robot.parameters.size, dtype=bool)
    known[kept] = True
    bodies = zip(robot.parameters.reshape(-1, PER_BODY), known.reshape(-1, PER_BODY), strict=True)
    return robot.with_parameters(np.concatenate([_changed(phi, fixed, spread, rng) for phi, fixed in bodies]))


def _changed(phi: Array, fixed: NDArray[np.bool_], spread: float, rng: np.random.Generator) -> Array:
    """One body's parameters: what is fixed as it was, the others drawn."""
    if fixed.all():
        return phi
    for _ in range(_DRAWS):
        changed = np.where(fixed, phi, _stretched(phi, spread, rng))
        if not fixed.any() or _can_exist(changed):
            return changed
    return phi


def _can_exist(phi: Array) -> bool:
    lengths = np.linalg.eigvalsh(pseudo_inertia(phi))
    return bool(lengths[0] >= -_ROUNDING * abs(lengths[-1]))


def _stretched(phi: Array, spread: float, rng: np.random.Generator) -> Array:
    """One body's parameters after a random linear map of its mass distribution."""
    mass, shape = np.exp(spread * rng.normal()), 0.5 * spread * rng.normal(size=(3, 3))
    moved = 0.5 * spread * rng.normal(size=3)
    if not phi[0] > 0.0:
        return phi
    J = pseudo_inertia(phi)
    radius = np.sqrt(max(float(np.trace(J[:3, :3])), 0.0) / phi[0])
    L = np.eye(4)
    L[:3, :3] += shape
    L[:3, 3] = moved * radius
    return parameters_from_pseudo_inertia(mass * (L @ J @ L.T))
