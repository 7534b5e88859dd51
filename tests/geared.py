"""Robots with drives, and the same robots with their rotors as bodies of their own: an authority for their spin."""

from dataclasses import replace

import numpy as np

from freefloat.dynamics.samples import Samples
from freefloat.robot.drive import Drive
from freefloat.robot.parameters import inertia_entries
from freefloat.robot.parts import Body, Joint
from freefloat.robot.transform import Transform


def driven(robot, seed, geared=True):
    """The robot with drives that have every term; every third gear has no ratio."""
    rng = np.random.default_rng([seed, 19])
    drives = [
        Drive(
            coulomb=rng.uniform(0.1, 2.0),
            viscous=rng.uniform(0.1, 3.0),
            offset=rng.normal(),
            asymmetric=0.2 * rng.normal(),
            stribeck=rng.normal(),
            stribeck_rate=rng.uniform(0.1, 0.5),
            rotor=rng.uniform(0.1, 2.0),
            gear_ratio=rng.choice([-1.0, 1.0]) * rng.uniform(2.0, 9.0) if geared and index % 3 else np.inf,
        )
        for index in range(len(robot.joints))
    ]
    return robot.with_drives(drives)


def with_rotors_as_bodies(robot):
    """Every rotor that spins as a body on a joint of its own.

    What a rotor weighs while it is held is taken out of the body that carries it, so that the sum stays.
    """
    bodies, rotors = {body.name: body for body in robot.bodies}, []
    for body in robot.bodies:
        if body.joint is None or not body.joint.moves or not np.isfinite(body.joint.drive.gear_ratio):
            continue
        drive, axis = body.joint.drive, body.placement.R @ body.joint.axis
        spinning = drive.rotor / drive.gear_ratio**2 * np.outer(axis, axis)
        inertia = np.concatenate([[0.1, 0.0, 0.0, 0.0], inertia_entries(spinning)])
        carrier = bodies[body.parent]
        bodies[body.parent] = replace(carrier, parameters=carrier.parameters - inertia)
        joint = Joint(f"{body.joint.name} rotor", "continuous", axis)
        rotors.append(Body(f"{body.name} rotor", body.parent, joint, Transform(), inertia))
    return replace(robot, bodies=(*bodies.values(), *rotors))


def geared_samples(robot, whole, samples):
    """The same motion with rotors that turn as their gears say."""
    ratio = {f"{joint.name} rotor": joint.drive.gear_ratio for joint in robot.joints}
    own = [name.removesuffix(" rotor") for name in whole.joint_names]
    index = [robot.joint_names.index(name) for name in own]
    scale = np.array([ratio.get(name, 1.0) for name in whole.joint_names])
    given = {name: getattr(samples, name)[:, index] * scale for name in ("q", "dq", "ddq")}
    rest = {name: getattr(samples, name) for name in ("v", "w", "dv", "dw", "attitude", "position", "wheel_rates")}
    return Samples(**given, **rest, wheel_accelerations=samples.wheel_accelerations)


def at_the_joints(robot, whole, loads):
    """Loads (n, 6 + joints and rotors) as base wrench and torques of the joints that turn the rotors too."""
    found = np.zeros((len(loads), 6 + len(robot.joints)))
    found[:, :6] = loads[:, :6]
    for column, name in enumerate(whole.joint_names):
        joint = robot.joint_names.index(name.removesuffix(" rotor"))
        scale = robot.joints[joint].drive.gear_ratio if name.endswith(" rotor") else 1.0
        found[:, 6 + joint] += scale * loads[:, 6 + column]
    return found
