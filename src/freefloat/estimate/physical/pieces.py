"""Parameters of moving bodies back into the bodies they are made of, so that each of these can exist.

A moving body is one piece of all that is fixed together. Data show only the sum, and the body that carries the
others takes the change (`Robot.with_parameters`). Where that would leave it impossible (less mass than nothing, say),
the whole piece is stretched instead: its parts are all made heavier by one factor and moved by one affine map,
x -> A x + t, that takes the piece from what it was to what it is. Parts that exist stay so.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.linalg

from freefloat.arrays import Array
from freefloat.robot.model import Robot
from freefloat.robot.parameters import (
    PER_BODY,
    can_exist,
    com_of,
    parameters_from_pseudo_inertia,
    pseudo_inertia,
    seen_from,
)
from freefloat.robot.parts import Body
from freefloat.robot.physicality import RELATIVE_ROUNDING


def with_physical_pieces(robot: Robot, parameters: Array) -> Robot:
    """The robot with these parameters of its moving bodies, (10 bodies,); where they can exist, so can all parts."""
    before = robot.parameters
    bodies = {body.name: body for body in robot.bodies}
    for index in range(len(robot.body_names)):
        block = slice(PER_BODY * index, PER_BODY * (index + 1))
        change = parameters[block] - before[block]
        parts = [body for body in robot.bodies if robot.tree.carried[body.name][0] == index]
        taker = _taker(parts)
        inverse = robot.tree.carried[taker.name][1].inverse()
        taken = taker.parameters + seen_from(inverse, change)
        if len(parts) == 1 or can_exist(taken) or not change.any():
            bodies[taker.name] = replace(taker, parameters=taken)
        else:
            bodies |= _stretched(robot, parts, before[block], parameters[block])
    return replace(robot, bodies=tuple(bodies.values()))


def _taker(parts: list[Body]) -> Body:
    """The body that carries the others, or the heaviest if that is a mere frame."""
    return parts[0] if parts[0].parameters[0] > 0.0 else max(parts, key=lambda body: float(body.parameters[0]))


def _may_exist(phi: Array) -> bool:
    """Whether a part exists, or is a point, a rod, a sheet or a mere frame: those can be stretched too."""
    J = pseudo_inertia(phi)
    return bool(np.linalg.eigvalsh(J)[0] >= -RELATIVE_ROUNDING * np.trace(J))


def _stretched(robot: Robot, parts: list[Body], before: Array, after: Array) -> dict[str, Body]:
    """The parts of a piece, moved and weighted alike so that their sum is `after`."""
    placements = [robot.tree.carried[body.name][1] for body in parts]
    if not can_exist(before) or not all(_may_exist(body.parameters) for body in parts):  # all of it in one body
        whole = dict.fromkeys((body.name for body in parts), np.zeros(PER_BODY))
        taker = parts.index(_taker(parts))
        whole[parts[taker].name] = seen_from(placements[taker].inverse(), after)
        return {body.name: replace(body, parameters=whole[body.name]) for body in parts}
    G, stretched = _affine(before, after), {}
    for body, placement in zip(parts, placements, strict=True):
        J = G @ pseudo_inertia(seen_from(placement, body.parameters)) @ G.T
        phi = seen_from(placement.inverse(), parameters_from_pseudo_inertia(J))
        stretched[body.name] = replace(body, parameters=phi)
    return stretched


def _affine(before: Array, after: Array) -> Array:
    """G with G J(before) G^T = J(after), the square root of a factor times [[A, t], [0, 1]], A symmetric."""
    S, S_after = _second_moments(before), _second_moments(after)
    root = np.real(scipy.linalg.sqrtm(S))
    inverse = np.linalg.inv(root)
    A = inverse @ np.real(scipy.linalg.sqrtm(root @ S_after @ root)) @ inverse
    G = np.eye(4)
    G[:3, :3], G[:3, 3] = A, com_of(after) - A @ com_of(before)
    return np.asarray(np.sqrt(after[0] / before[0]) * G)


def _second_moments(phi: Array) -> Array:
    """About the centre of mass, over the mass, (3, 3) [m^2]."""
    J = pseudo_inertia(phi) / phi[0]
    return J[:3, :3] - np.outer(J[:3, 3], J[:3, 3])
