"""A robot that stands: its tree hung from the body that is on the ground, which becomes its fixed base.

Between that body and the old base every joint is turned about: what was its parent moves on it, by the same coordinate
about the opposite axis. The bodies there get frames of their own, at that joint; what is known of them is said in
these. All other bodies keep their frames.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InvalidRobot
from freefloat.robot.drive import Drive
from freefloat.robot.model import Robot
from freefloat.robot.parameters import seen_from
from freefloat.robot.parts import Body, Joint
from freefloat.robot.shapes import Capsule, Ellipsoid, Shape, Sphere
from freefloat.robot.transform import Transform


def standing_on(robot: Robot, name: str, gravity: ArrayLike) -> Robot:
    """The same robot on a fixed base, which is the body of this name; its coordinates keep names and signs.

    gravity: in the frame of that body, shape (3,) [m/s^2].
    """
    chain = [robot.body(name)]  # from what stands to what was the base
    while (parent := chain[-1].parent) is not None:
        chain.append(robot.body(parent))
    if len(chain) > 1 and robot.wheels:
        wheels = ", ".join(wheel.name for wheel in robot.wheels)
        raise InvalidRobot(f"body {name!r}", f"stands, but wheels sit in the base ({wheels}); allowed: the base itself")
    back = {body.name: Transform() for body in robot.bodies}  # old frames in the new ones
    back |= {parent.name: child.placement.inverse() for child, parent in pairwise(chain)}
    turned = [_without_parent(chain[0])]
    turned += [_turned_about(child, parent, back) for child, parent in pairwise(chain)]
    outer = [each for each in robot.bodies if each.name not in {body.name for body in chain}]
    placed = [replace(each, placement=back[each.parent] @ each.placement) for each in outer if each.parent is not None]
    points = [replace(each, xyz=back[each.body].R @ each.xyz + back[each.body].p) for each in robot.points]
    return replace(
        robot, bodies=(*turned, *placed), base="fixed", gravity=np.asarray(gravity, float), points=tuple(points)
    )


def _without_parent(body: Body) -> Body:
    return replace(body, parent=None, joint=None, placement=Transform())


def _turned_about(child: Body, parent: Body, back: dict[str, Transform]) -> Body:
    """What was the parent, on the joint of what was the child."""
    assert child.joint is not None
    own = back[parent.name]
    return replace(
        parent,
        parent=child.name,
        joint=replace(child.joint, axis=-child.joint.axis, drive=_rotor_beyond(child.joint)),
        placement=back[child.name],
        parameters=seen_from(own, parent.parameters),
        shapes=tuple(_seen_from(own, shape) for shape in parent.shapes),
    )


def _rotor_beyond(joint: Joint) -> Drive:
    """The drive of a joint whose rotor sits in the body that the joint now moves, as if it sat in what carries it.

    Spinning about -a there, at rate g r to a body that turns itself by r, it has the energy of one behind a gear of
    2 - g, whose inertia the joint feels as 1 - 2 / g of the rotor's; where the joint slides, behind one of -g.
    """
    drive, g = joint.drive, joint.drive.gear_ratio
    if not drive.rotor or math.isinf(g):
        return drive
    if joint.kind == "prismatic":
        return replace(drive, gear_ratio=-g)
    if 0.0 < g <= 2.0:
        raise InvalidRobot(
            f"joint {joint.name!r}",
            f"gear_ratio is {g:g}, and its rotor then sits beyond it, which takes a ratio above 2 or below 0",
        )
    return replace(drive, rotor=drive.rotor * (1.0 - 2.0 / g), gear_ratio=2.0 - g)


def _seen_from(frame: Transform, shape: Shape) -> Shape:
    """A shape in frame A of one given in frame B, which is placed so in A."""
    if isinstance(shape, Capsule):
        return replace(shape, start=frame.p + frame.R @ shape.start, end=frame.p + frame.R @ shape.end)
    centre = frame.p + frame.R @ shape.centre
    if isinstance(shape, Ellipsoid):
        return replace(shape, centre=centre, rotation=frame.R @ shape.rotation)
    assert isinstance(shape, Sphere)
    return replace(shape, centre=centre)
