"""A robot whose passive joints are locked: what motions are designed for.

A design says what driven joints do. How passive joints swing meanwhile depends on springs that are known least of all,
so that the motion is planned for the robot that does not give way.
"""

from __future__ import annotations

from dataclasses import replace

from freefloat.robot.model import Robot
from freefloat.robot.parts import Body


def locked(robot: Robot) -> Robot:
    """The same robot with its passive joints fixed where their springs rest.

    What they carried keeps parameters of its own, so that all names that a mission may say of it stay valid.
    """
    if not robot.passive.size:
        return robot
    held = {body.name for body in robot.bodies if body.joint is not None and body.joint.passive is not None}
    bodies = tuple(_fixed(body) if body.name in held else body for body in robot.bodies)
    return replace(robot, bodies=bodies, separate=robot.separate | held)


def _fixed(body: Body) -> Body:
    assert body.joint is not None
    return replace(body, joint=replace(body.joint, kind="fixed", passive=None))
