import math
from dataclasses import replace

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from robot.urdf_loaders import load_in_mujoco, load_in_pinocchio, parameters_in_mujoco, parameters_in_pinocchio

from freefloat.errors import FileError, InvalidRobot
from freefloat.robot.model import Robot
from freefloat.robot.parameters import parameters_from_com
from freefloat.robot.parts import Body, Joint, Point, Wheel
from freefloat.robot.shapes import Capsule, Ellipsoid, Sphere
from freefloat.robot.transform import Transform, rotation_about
from freefloat.robot.urdf_read import read_urdf
from freefloat.robot.urdf_write import urdf_text, write_urdf

SEEDS = range(5)


def random_parameters(rng, size=1.0):
    """A body that can exist: twelve points of mass."""
    points, masses = size * rng.normal(size=(12, 3)), rng.uniform(0.1, 1.0, 12)
    com = masses @ points / masses.sum()
    arms = points - com
    second = (arms.T * masses) @ arms
    return parameters_from_com(masses.sum(), com, np.trace(second) * np.eye(3) - second)


def random_placement(rng):
    return Transform.from_rpy(rng.normal(size=3), rng.uniform(-3, 3, 3))


def random_robot(seed, wheels=3):
    """A branching tree with skew axes, all kinds of joints, wheels, a point and shapes."""
    rng = np.random.default_rng(seed)
    bodies = [Body("base", parameters=random_parameters(rng, 3.0), shapes=(Sphere(rng.normal(size=3), 0.5),))]
    for index in range(7):
        kind = "fixed" if index == 2 else rng.choice(["revolute", "continuous", "prismatic"])
        limits = (-rng.uniform(), rng.uniform()) if kind in ("revolute", "prismatic") else (-math.inf, math.inf)
        joint = Joint(f"j{index}", str(kind), rng.normal(size=3), limits, rng.uniform(), rng.uniform())
        parent = bodies[rng.integers(len(bodies))].name
        shapes = (
            Capsule(rng.normal(size=3), rng.normal(size=3), 0.1),
            Ellipsoid(rng.normal(size=3), rng.uniform(1, 2, 3), random_placement(rng).R),
        )
        phi = random_parameters(rng)
        bodies.append(Body(f"b{index}", parent, joint, random_placement(rng), phi, shapes))
    spinning = [Wheel(f"w{index}", rng.normal(size=3), rng.uniform(0.1, 1.0), 50.0) for index in range(wheels)]
    return Robot(f"tree {seed}", tuple(bodies), wheels=tuple(spinning), points=(Point("tip", "b6", [1, 2, 3]),))


def frames_of(robot, q):
    """Where every body is when the base is at the origin."""
    position, frames = dict(zip(robot.joint_names, q, strict=True)), {}
    for body in robot.bodies:
        if body.parent is None:
            frames[body.name] = Transform()
            continue
        value = position.get(body.joint.name, 0.0)
        if body.joint.kind == "prismatic":
            motion = Transform(p=value * body.joint.axis)
        else:
            motion = Transform(rotation_about(body.joint.axis, value))
        frames[body.name] = frames[body.parent] @ body.placement @ motion
    return frames


def read_back(robot, tmp_path):
    write_urdf(robot, tmp_path / "robot.urdf")
    return read_urdf(tmp_path / "robot.urdf")


# ---------------------------------------------------------------------- round trip


@pytest.mark.parametrize("seed", SEEDS)
def test_a_written_robot_is_read_back_the_same(seed, tmp_path):
    robot = replace(random_robot(seed, wheels=0), points=())
    again = read_back(robot, tmp_path)
    assert (again.name, again.base) == (robot.name, robot.base)
    assert [(b.name, b.parent) for b in again.bodies] == [(b.name, b.parent) for b in robot.bodies]
    np.testing.assert_allclose(again.parameters, robot.parameters, rtol=1e-12, atol=1e-13)
    for one, other in zip(again.tree.arrays, robot.tree.arrays, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-14)
    for name in robot.joint_names:
        one, other = again.joint(name), robot.joint(name)
        assert (one.kind, one.position) == (other.kind, other.position)
        assert (one.rate, one.acceleration, one.torque) == (other.rate, other.acceleration, other.torque)


@pytest.mark.parametrize("seed", SEEDS)
def test_shapes_come_back_as_they_were(seed, tmp_path):
    robot = random_robot(seed, wheels=0)
    again = read_back(robot, tmp_path)
    for body in robot.bodies:
        for one, other in zip(again.body(body.name).shapes, body.shapes, strict=True):
            assert type(one) is type(other)
            for field in one.__dataclass_fields__:
                np.testing.assert_allclose(getattr(one, field), getattr(other, field), atol=1e-14)


@pytest.mark.parametrize(
    ("joint", "kind"),
    [
        (Joint("j"), "continuous"),
        (Joint("j", rate=2.0), "continuous"),
        (Joint("j", "continuous", position=(-1.0, 1.0)), "revolute"),
        (Joint("j", position=(-math.inf, 1.0), torque=5.0), "revolute"),
        (Joint("j", position=(0.0, 0.0)), "revolute"),
        (Joint("j", "prismatic"), "prismatic"),
        (Joint("j", "prismatic", acceleration=0.5), "prismatic"),
        (Joint("j", "fixed"), "fixed"),
    ],
)
def test_limits_that_are_not_there_do_not_come_back(joint, kind, tmp_path):
    phi = parameters_from_com(1.0, np.zeros(3), np.eye(3))
    robot = Robot("r", (Body("base", parameters=phi), Body("arm", "base", joint, parameters=phi)))
    again = read_back(robot, tmp_path).joint("j")
    assert again.kind == kind
    assert (again.position, again.rate) == (joint.position, joint.rate)
    assert (again.acceleration, again.torque) == (joint.acceleration, joint.torque)
    assert load_in_pinocchio(urdf_text(robot)) is not None
    if joint.position[0] < joint.position[1]:  # MuJoCo passes over an empty range, and leaves a log file
        assert load_in_mujoco(urdf_text(robot)) is not None


def test_points_become_massless_links_with_names_of_their_own(tmp_path):
    points = (Point("tip", "base", [1, 2, 3]), Point("base", "base", [4, 5, 6]))
    robot = Robot("r", (Body("base", parameters=parameters_from_com(1, np.zeros(3), np.eye(3))),), points=points)
    again = read_back(robot, tmp_path)
    assert [body.name for body in again.bodies] == ["base", "tip", "base_"]
    np.testing.assert_array_equal(again.body("base_").placement.p, [4, 5, 6])
    np.testing.assert_array_equal(again.parameters, robot.parameters)


def test_a_capsule_of_no_length_is_a_sphere(tmp_path):
    capsule = Capsule(np.ones(3), np.ones(3), 0.2)
    (shape,) = read_back(Robot("r", (Body("base", shapes=(capsule,)),)), tmp_path).body("base").shapes
    assert isinstance(shape, Sphere)


def test_any_name_is_written_safely(tmp_path):
    robot = Robot("<&\"'>\n Küche", (Body("a<b>&\"'ü"),))
    again = read_back(robot, tmp_path)
    assert (again.name, again.bodies[0].name) == (robot.name, robot.bodies[0].name)


def test_first_moments_without_mass_are_refused():
    robot = Robot("r", (Body("base", parameters=[0, 1, 0, 0, 0, 0, 0, 0, 0, 0]),))
    with pytest.raises(InvalidRobot, match="body 'base'"):
        urdf_text(robot)


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(FileError, match=r"robot\.urdf"):
        write_urdf(Robot("r", (Body("base"),)), tmp_path / "nowhere" / "robot.urdf")


# ---------------------------------------------------------------------- in other programs


@pytest.mark.parametrize("seed", SEEDS)
def test_pinocchio_loads_the_same_inertias_and_frames(seed):
    robot = random_robot(seed, wheels=0)
    model = load_in_pinocchio(urdf_text(robot))
    found = parameters_in_pinocchio(model)
    rows = zip(("root_joint", *robot.joint_names), robot.parameters.reshape(-1, 10), strict=True)
    for name, phi in rows:
        np.testing.assert_allclose(found[name], phi, rtol=0, atol=1e-12 * abs(phi).max())
    q = np.random.default_rng(seed).normal(size=len(robot.joints))
    data, configuration = model.createData(), pin.neutral(model)
    for name, value in zip(robot.joint_names, q, strict=True):
        joint = model.joints[model.getJointId(name)]
        configuration[joint.idx_q : joint.idx_q + joint.nq] = (
            [value] if joint.nq == 1 else [math.cos(value), math.sin(value)]
        )
    pin.framesForwardKinematics(model, data, configuration)
    for name, frame in frames_of(robot, q).items():
        placed = data.oMf[model.getFrameId(name, pin.FrameType.BODY)]
        np.testing.assert_allclose(placed.rotation, frame.R, atol=1e-12)
        np.testing.assert_allclose(placed.translation, frame.p, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_mujoco_loads_the_same_inertias_and_frames(seed):
    robot = random_robot(seed, wheels=0)
    model = load_in_mujoco(urdf_text(robot))
    found = parameters_in_mujoco(model)
    for body in robot.bodies:
        phi = body.parameters
        np.testing.assert_allclose(found[body.name], phi, rtol=0, atol=1e-12 * abs(phi).max())
    q, data = np.random.default_rng(seed).normal(size=len(robot.joints)), mujoco.MjData(model)
    for name, value in zip(robot.joint_names, q, strict=True):
        data.joint(name).qpos = value
    mujoco.mj_kinematics(model, data)
    for name, frame in frames_of(robot, q).items():
        np.testing.assert_allclose(data.body(name).xpos, frame.p, atol=1e-12)
        np.testing.assert_allclose(data.body(name).xmat.reshape(3, 3), frame.R, atol=1e-12)


# ---------------------------------------------------------------------- reaction wheels


def momentum(robot, turning):
    """Linear and angular momentum about the centre of mass, at a seeded state and these wheel rates."""
    model = load_in_pinocchio(urdf_text(robot))
    rng, data = np.random.default_rng(7), model.createData()
    velocity, configuration = np.zeros(model.nv), pin.neutral(model)
    velocity[:6] = rng.normal(size=6)
    for name in robot.joint_names:
        velocity[model.joints[model.getJointId(name)].idx_v] = rng.normal()
    for name, rate in turning.items():
        velocity[model.joints[model.getJointId(f"{name}_joint")].idx_v] = rate
    return pin.computeCentroidalMomentum(model, data, configuration, velocity).vector


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wheel_at_rest_changes_nothing_and_a_turning_one_adds_its_spin(seed):
    robot = random_robot(seed)
    without = momentum(replace(robot, wheels=()), {})
    np.testing.assert_allclose(momentum(robot, {}), without, atol=1e-12 * abs(without).max())
    rates = {"w0": 30.0, "w1": -20.0, "w2": 11.0}
    spin = sum(w.spin_inertia * rates[w.name] * w.axis for w in robot.wheels)
    expected = without + np.concatenate([np.zeros(3), spin])
    np.testing.assert_allclose(momentum(robot, rates), expected, atol=1e-12 * abs(expected).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_wheels_load_in_mujoco_with_their_spin_inertia(seed):
    robot = random_robot(seed)
    model = load_in_mujoco(urdf_text(robot))
    found = parameters_in_mujoco(model)
    for wheel in robot.wheels:
        assert found[wheel.name][9] == pytest.approx(wheel.spin_inertia, rel=1e-10)
    assert model.body_subtreemass[1] == pytest.approx(robot.mass, rel=1e-12)


def satellite(spin_inertia, inertia=(1.0, 1.0, 1.0), mass=10.0, axis=(0, 0, 1)):
    phi = parameters_from_com(mass, [0.3, 0.2, -0.5], np.diag(inertia))
    return Robot("r", (Body("bus", parameters=phi),), wheels=(Wheel("w", axis, spin_inertia),))


def test_a_wheel_that_barely_fits_is_still_written():
    # Across its axis a wheel needs J/2 of second moment in each direction; this bus has 0.5 in each.
    assert load_in_mujoco(urdf_text(satellite(0.99))) is not None
    assert load_in_mujoco(urdf_text(satellite(0.99, axis=(1, 2, 3)))) is not None
    with pytest.raises(InvalidRobot, match="'bus': is too small for its reaction wheels"):
        urdf_text(satellite(1.01))


def test_wheels_of_a_base_that_cannot_exist_anyway_are_written_and_their_sum_is_the_base(tmp_path):
    for robot in (
        satellite(0.2, inertia=(0.0, 0.0, 0.3)),
        satellite(0.2, inertia=(0.0, 0.0, 0.0)),
        satellite(0.2, mass=0.0),
        Robot("r", (Body("bus"),), wheels=(Wheel("w", [0, 0, 1], 0.2),)),
    ):
        again = read_back(robot, tmp_path)
        whole = replace(again, bodies=tuple(_welded(body) for body in again.bodies))
        np.testing.assert_allclose(whole.parameters, robot.parameters, atol=1e-14)


def _welded(body):
    return body if body.joint is None else replace(body, joint=Joint(body.joint.name, "fixed"))


def test_the_wheels_of_a_massless_root_are_taken_out_of_what_it_carries(tmp_path):
    phi = parameters_from_com(10.0, [0.1, 0.0, 0.0], np.eye(3))
    weld = Joint("weld", "fixed")
    bus = Body("bus", "root", weld, Transform.from_rpy([1, 2, 3], [0.1, 0.2, 0.3]), phi)
    robot = Robot("r", (Body("root"), bus), wheels=(Wheel("w", [0, 1, 0], 0.1),))
    again = read_back(robot, tmp_path)
    assert again.body("w").parent == "bus"
    axis = again.body("bus").placement.R @ again.body("w").placement.R @ again.body("w").joint.axis
    np.testing.assert_allclose(axis, [0, 1, 0], atol=1e-15)
    assert load_in_mujoco(urdf_text(robot)) is not None


def test_a_wheel_named_like_a_body_gets_another_name(tmp_path):
    robot = satellite(0.1)
    robot = replace(robot, wheels=(replace(robot.wheels[0], name="bus"),))
    assert [body.name for body in read_back(robot, tmp_path).bodies] == ["bus", "bus_"]
