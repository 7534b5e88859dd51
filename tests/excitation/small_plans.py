"""A small robot and plans for its motion that are found in a second."""

import numpy as np

from freefloat.excitation.limits.joint import joint_limits
from freefloat.excitation.plan import Plan
from freefloat.motion.fourier import Fourier
from freefloat.robot.model import Robot
from freefloat.robot.parameters import parameters_from_com
from freefloat.robot.parts import Body, Joint, Wheel
from freefloat.robot.transform import Transform
from freefloat.sensors.kinds import make_sensor

SENSORS = (
    make_sensor("gyro", {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": 0.01, "rate_Hz": 10}),
    make_sensor("joints", {"kind": "encoder", "noise_rad": 2.5e-5, "rate_Hz": 10}),
)


def body(name, parent, joint, xyz, mass, com, inertia):
    tensor = np.diag(inertia) + 0.05 * min(inertia) * (np.ones((3, 3)) - np.eye(3))
    parameters = parameters_from_com(mass, np.array(com), tensor)
    return Body(name, parent, joint, Transform(np.eye(3), np.array(xyz)), parameters)


def small_robot(reach=1.2, rate=0.25):
    """A base of 60 kg with a wheel and two joints about odd axes."""
    base = body("base", None, None, (0.0, 0.0, 0.0), 60.0, (0.01, -0.02, 0.03), (6.0, 7.0, 5.0))
    limits = {"position": (-reach, reach), "rate": rate}
    first = Joint("j1", "revolute", np.array([0.3, 1.0, 0.2]), **limits)
    second = Joint("j2", "revolute", np.array([1.0, -0.1, 0.4]), **limits)
    return Robot(
        "small",
        (
            base,
            body("link", "base", first, (0.3, 0.1, 0.4), 8.0, (0.2, 0.05, 0.3), (0.4, 0.5, 0.3)),
            body("load", "link", second, (0.1, 0.0, 0.6), 12.0, (0.1, 0.2, -0.2), (0.9, 0.7, 0.6)),
        ),
        base="free",
        wheels=(Wheel("wx", np.array([1.0, 0.0, 0.0]), 0.05, 300.0),),
    )


def small_plan(**changes):
    """Thirty seconds, two harmonics, gyro and encoders; the load is known."""
    robot = changes.pop("robot", None) or small_robot()
    shape = changes.pop("shape", None) or Fourier(robot.joint_names, np.zeros((4, 2)), 30.0)
    settings = {"sensors": SENSORS, "limits": joint_limits(robot, shape.channels), "known": {"load": 0.01}}
    return Plan(robot, shape, **(settings | changes))
