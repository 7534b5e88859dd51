"""Friction and rotors beside bodies that were moved: what is best for an estimate's bodies is not for others.

Where bodies change from an estimate's, the torques that they need change by Y dphi. What of this looks like friction or
a rotor, the drives take: sizes x of the unknown terms of each joint minimise |F x - (F x_estimated - Y dphi)|^2 at the
instants of the flights, those that cannot be negative kept from it. What the estimate leaves of the torques is
orthogonal to F, so this is the fit to the torques themselves with the bodies held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import lsq_linear

from freefloat.arrays import Array
from freefloat.dynamics.torque import torque_regressor
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import Quantity
from freefloat.estimate.estimated_drives import drive_columns, estimated_drives, found_terms
from freefloat.robot.drive import DRIVE_TERMS, NOT_NEGATIVE, Drive, drive_name
from freefloat.robot.model import Robot
from freefloat.robot.selection import select_parameters


def drives_beside(estimate: Estimate, parameters: Array) -> tuple[Drive, ...]:
    """Drives of the joints of an estimate's robot beside bodies with these standard parameters, (10 bodies,)."""
    drives, robot = list(estimated_drives(estimate)), estimate.robot
    found = {quantity.name: quantity.value for quantity in estimate.nuisances}
    used = [flight for flight in estimate.flights if flight.motion.ddq is not None]
    if robot.base != "fixed" or not used:
        return tuple(drives)
    motions, moved, more = [flight.motion for flight in used], estimate.parameters - parameters, list[Array]()
    for flight in used:
        there = np.ones(moved.size)
        there[select_parameters(robot, flight.without)] = 0.0
        more.append(torque_regressor(robot, flight.motion)[:, 6:] @ (moved * there))
    for place, joint in enumerate(robot.joints):
        terms = found_terms(estimate, place)
        if terms:
            F = np.vstack([drive_columns(estimate, motion, place) for motion in motions])
            sizes = np.array([found[drive_name(term, joint.name)] for term in terms])
            least = np.array([0.0 if term in NOT_NEGATIVE else -np.inf for term in terms])
            change = np.concatenate([each[:, place] for each in more])
            best = lsq_linear(F, F @ sizes + change, (least, np.inf)).x
            drives[place] = replace(drives[place], **dict(zip(terms, best.tolist(), strict=True)))
    return tuple(drives)


def with_sizes(nuisances: Sequence[Quantity], robot: Robot) -> tuple[Quantity, ...]:
    """Nuisances of an estimate with the sizes that terms of drives have in a robot."""
    sizes = {drive_name(term, joint.name): getattr(joint.drive, term) for joint in robot.joints for term in DRIVE_TERMS}
    return tuple(replace(each, value=sizes.get(each.name, each.value)) for each in nuisances)
