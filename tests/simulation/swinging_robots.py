"""Random robots some joints of which are passive: springs whose frequencies are known, the others held."""

from dataclasses import replace

import numpy as np
from random_trees import random_robot

from freefloat.dynamics.reaction import joint_inertia
from freefloat.motion.fourier import Fourier
from freefloat.robot.spring import Spring


def with_passive(robot, names, frequency_Hz, damping_ratio=0.01):
    """The robot with these joints on springs: each swings at its frequency while the others are held."""
    posture = np.zeros((1, len(robot.joints)))
    felt = dict(zip(robot.joint_names, np.diagonal(joint_inertia(robot, posture)[0]).tolist(), strict=True))
    speeds = dict(zip(names, 2.0 * np.pi * np.broadcast_to(frequency_Hz, len(names)), strict=True))
    springs = {
        name: Spring(speed**2 * felt[name], 2.0 * damping_ratio * speed * felt[name]) for name, speed in speeds.items()
    }
    joints = [replace(body.joint, passive=springs.get(body.joint.name)) for body in robot.bodies[1:]]
    moved = (replace(body, joint=joint) for body, joint in zip(robot.bodies[1:], joints, strict=True))
    return replace(robot, bodies=(robot.bodies[0], *moved))


def swinging(seed, passive=2, bodies=6, **kinds):
    """A branched random robot of which as many joints as said, anywhere, are passive, at 0.3 to 1 Hz."""
    robot = random_robot(seed, bodies=bodies, **{"base": "free", "branched": True, "prismatic": True} | kinds)
    rng = np.random.default_rng([seed, 41])
    names = [robot.joint_names[k] for k in sorted(rng.choice(len(robot.joints), passive, replace=False))]
    return with_passive(robot, names, rng.uniform(0.3, 1.0, passive))


def slow(robot, duration_s, seed, size=0.3):
    """A gentle motion of the driven joints."""
    names = tuple(robot.joint_names[k] for k in robot.driven)
    return Fourier(names, size * np.random.default_rng(seed).normal(size=(4, len(names))), duration_s)
