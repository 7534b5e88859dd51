"""What a joint carries: all bodies beyond it, as one piece while every other joint is at zero."""

from __future__ import annotations

import numpy as np

from freefloat.arrays import Array
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY, inertia_matrix, seen_from
from freefloat.robot.transform import Transform

_ROUNDING = 1e-12


def carried_parameters(robot: Robot, name: str) -> Array:
    """Standard parameters of all that the joint of this name carries, in its body's frame, shape (10,)."""
    carrying = next(body for body in robot.bodies if body.joint is not None and body.joint.name == name)
    placed, whole = {carrying.name: Transform()}, np.zeros(PER_BODY)
    for body in robot.bodies:  # parents first
        if body.parent in placed and body.name != carrying.name:
            placed[body.name] = placed[body.parent] @ body.placement
        if body.name in placed:
            whole += seen_from(placed[body.name], body.parameters)
    return whole


def carried_inertia(robot: Robot, name: str) -> float:
    """Inertia about its axis of all that a joint carries [kg m^2], or, where it slides, the mass [kg].

    Zero where nothing is left of it but rounding.
    """
    joint, whole = robot.joint(name), carried_parameters(robot, name)
    if joint.kind == "prismatic":
        return float(whole[0])
    matrix = inertia_matrix(whole)
    about = float(joint.axis @ matrix @ joint.axis)
    return about if about > _ROUNDING * float(np.trace(matrix)) else 0.0
