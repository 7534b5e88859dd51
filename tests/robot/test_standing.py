"""A tree hung from another body is the same robot: every body's mass is where it was, seen from what stands."""

from dataclasses import replace

import numpy as np
import pytest
from geared import driven
from random_trees import random_robot, random_unit

from freefloat.dynamics import kernels
from freefloat.dynamics.rotors import rotor_columns
from freefloat.dynamics.samples import Samples
from freefloat.errors import InvalidRobot, UnknownName
from freefloat.robot.drive import Drive
from freefloat.robot.parameters import seen_from
from freefloat.robot.shapes import Capsule, Ellipsoid, Sphere
from freefloat.robot.standing import standing_on
from freefloat.robot.transform import Transform, rotation_about

DOWN = np.array([0.0, 0.0, -9.81])


def poses(robot, q):
    """Of all bodies in the base frame, by name; q by name of the joint."""
    found = {}
    for body in robot.bodies:
        if body.parent is None:
            found[body.name] = Transform()
            continue
        joint, moved = body.joint, Transform()
        if joint.kind == "prismatic":
            moved = Transform(p=q[joint.name] * joint.axis)
        elif joint.moves:
            moved = Transform(R=rotation_about(joint.axis, q[joint.name]))
        found[body.name] = found[body.parent] @ body.placement @ moved
    return found


def with_solids(robot):
    rng = np.random.default_rng(5)
    solids = [Capsule(*rng.normal(size=(2, 3)), 0.1), Sphere(rng.normal(size=3), 0.2)]
    solids.append(Ellipsoid(rng.normal(size=3), np.array([0.1, 0.2, 0.3]), rotation_about(random_unit(rng), 1.0)))
    return replace(robot, bodies=tuple(replace(body, shapes=tuple(solids)) for body in robot.bodies))


def places(robot, q):
    """What each body is, in the base frame: parameters, shapes' points and axes, the tool."""
    seen = poses(robot, q)
    found = {body.name: [seen_from(seen[body.name], body.parameters)] for body in robot.bodies}
    for body in robot.bodies:
        R, p = seen[body.name].R, seen[body.name].p
        for shape in body.shapes:
            ends = [shape.start, shape.end] if isinstance(shape, Capsule) else [shape.centre]
            found[body.name] += [p + R @ end for end in ends]
            if isinstance(shape, Ellipsoid):
                found[body.name].append((R @ shape.rotation).ravel())
    tool = robot.points[0]
    found[tool.body].append(seen[tool.body].p + seen[tool.body].R @ tool.xyz)
    return {name: np.concatenate(parts) for name, parts in found.items()}


@pytest.mark.parametrize("seed", range(6))
def test_every_body_is_where_it_was(seed):
    robot = with_solids(random_robot(seed, bodies=9, base="free", fixed_bodies=seed % 2 == 1))
    rng = np.random.default_rng(seed)
    q = {joint.name: float(rng.uniform(-1.0, 1.0)) for joint in robot.joints}
    for foot in (robot.bodies[0].name, robot.bodies[4].name, robot.bodies[-1].name):
        stood = standing_on(robot, foot, DOWN)
        assert (stood.base, stood.bodies[0].name, stood.mass) == ("fixed", foot, pytest.approx(robot.mass))
        assert sorted(stood.joint_names) == sorted(robot.joint_names)
        from_foot = poses(robot, q)[foot].inverse()
        # the same bodies, seen from the foot: hang the old base on it by a rigid joint
        expected = places(_on(robot, from_foot), q)
        for name, values in places(stood, q).items():
            assert np.allclose(values, expected[name], atol=1e-12 * max(1.0, np.abs(values).max()) * 1e2)


def _on(robot, placement):
    """The robot with its old base placed so in a frame without mass."""
    from freefloat.robot.parts import Body, Joint

    base = replace(robot.bodies[0], parent="ground", joint=Joint("weld", "fixed"), placement=placement)
    return replace(robot, bodies=(Body("ground"), base, *robot.bodies[1:]), wheels=())


def test_what_stands_must_be_a_body_and_wheels_stay_in_the_base():
    robot = random_robot(1, bodies=5, base="free", wheels=2)
    with pytest.raises(UnknownName, match="no body named 'foot'"):
        standing_on(robot, "foot", DOWN)
    with pytest.raises(InvalidRobot, match="wheels sit in the base"):
        standing_on(robot, robot.bodies[-1].name, DOWN)
    assert standing_on(robot, "base", DOWN).wheels == robot.wheels


def rotor_energy(robot, q, dq, w):
    """Of the rotors' spin, the base turning with w, by what starting it asks for."""
    afloat = replace(robot, base="free", gravity=np.zeros(3))
    rest = np.zeros((1, 3))
    started = Samples(q[None], dq=np.zeros((1, q.size)), ddq=dq[None], v=rest, w=rest, dv=rest, dw=w[None])
    loads = rotor_columns(afloat, started)[0] @ [joint.drive.rotor for joint in robot.joints]
    return 0.5 * (loads[3:6] @ w + loads[6:] @ dq)


@pytest.mark.parametrize("seed", range(4))
def test_rotors_spin_as_they_did(seed):
    robot = driven(random_robot(seed, bodies=7, base="free", prismatic=True), seed)
    rng = np.random.default_rng(seed)
    q, dq = rng.normal(size=(2, len(robot.joints)))
    foot = robot.bodies[-1].name
    stood = standing_on(robot, foot, DOWN)
    order = [robot.joint_names.index(name) for name in stood.joint_names]
    still = np.zeros((1, 3))
    turning = kernels.sweep(robot.tree.arrays, q[None], dq[None], still, still)[3]
    w = -turning[0, robot.body_names.index(foot)]  # so that the foot does not turn
    assert rotor_energy(stood, q[order], dq[order], np.zeros(3)) == pytest.approx(
        rotor_energy(robot, q, dq, w), rel=1e-12
    )
    for joint in stood.joints:
        own = robot.joint(joint.name).drive
        assert replace(joint.drive, rotor=own.rotor, gear_ratio=own.gear_ratio) == own


def test_a_rotor_that_turns_little_faster_than_its_joint_is_refused():
    robot = random_robot(1, bodies=2, base="free", prismatic=False).with_drives([Drive(rotor=1.0, gear_ratio=1.5)])
    with pytest.raises(InvalidRobot, match=r"gear_ratio is 1.5, and its rotor then sits beyond it"):
        standing_on(robot, robot.bodies[1].name, DOWN)
