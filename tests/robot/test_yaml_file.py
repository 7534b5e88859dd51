"""The robot file: what it means, and that it comes back exactly."""

from __future__ import annotations

import json
import math

import numpy as np
import pinocchio as pin
import pytest
from robot.robot_texts import SERVICER
from scipy.spatial.transform import Rotation

from freefloat.files import dump_yaml
from freefloat.robot.drive import Drive
from freefloat.robot.model import Robot
from freefloat.robot.parameters import inertia_matrix
from freefloat.robot.parts import Body, Joint, Point, Wheel
from freefloat.robot.shapes import Capsule, Ellipsoid, Sphere
from freefloat.robot.transform import Transform, cos_sin
from freefloat.robot.yaml_read import json_schema, read_yaml, robot_from_document
from freefloat.robot.yaml_write import robot_document, write_yaml


def body_of(**fields) -> Body:
    """The body that a file with these fields gives; its joint is revolute about z unless given."""
    body = {"name": "b", "parent": "base", "joint": {"name": "j", "kind": "revolute"}} | fields
    document = {"format": "freefloat/robot@1", "robot": "r", "base": {}, "bodies": [body]}
    return robot_from_document(document, "r.yaml").body("b")


# ---------------------------------------------------------------------- what it means


def test_the_servicer_reads_as_it_is_written(read):
    robot = read(SERVICER)
    assert (robot.name, robot.base) == ("servicer", "free")
    assert robot.body_names == ("base", "link1", "link2")
    assert robot.joint_names == ("j1", "j2")
    base, link1 = robot.body("base"), robot.body("link1")
    np.testing.assert_array_equal(base.parameters, [200, 0, 0, 0, 27.33, 0, 16.67, 0, 0, 22.67])
    np.testing.assert_array_equal(link1.placement.R, np.eye(3))
    np.testing.assert_allclose(link1.placement.p, [0.15, 0.10, 0.7], atol=1e-15)
    joint = robot.joint("j1")
    np.testing.assert_allclose(joint.position, np.radians([-100, 100]), rtol=1e-15)
    assert joint.rate == pytest.approx(math.radians(8), rel=1e-15)
    assert (joint.acceleration, joint.torque) == (math.inf, math.inf)
    assert robot.joint("j2").position == (-math.inf, math.inf)
    wheel = robot.wheel("wx")
    assert (wheel.axis.tolist(), wheel.spin_inertia, wheel.max_rate) == ([1, 0, 0], 0.18, 600)
    assert robot.point("tracker").xyz.tolist() == [0.3, 0, 0]
    [capsule] = link1.shapes
    assert (capsule.end.tolist(), capsule.radius) == ([0, 0, 0.2], 0.06)
    assert not robot.gravity.any()


def test_a_base_alone_is_a_robot(read):
    robot = read("format: freefloat/robot@1\nrobot: box\nbase: {name: bus, kind: planar, mass_kg: 3}\n")
    assert (robot.body_names, robot.base, robot.mass) == (("bus",), "planar", 3.0)


def test_gravity_belongs_to_the_base(read):
    text = SERVICER.replace("kind: free", "kind: fixed\n  gravity_m_s2: [0, 0, -9.81]")
    assert read(text).gravity.tolist() == [0, 0, -9.81]


def test_inertia_about_the_centre_of_mass_agrees_with_pinocchio():
    rng = np.random.default_rng(0)
    for _ in range(20):
        mass, com, half = rng.uniform(0.1, 9), rng.normal(size=3), rng.normal(size=(3, 3))
        I = half @ half.T  # noqa: E741
        expected = pin.Inertia(mass, com, I).toDynamicParameters()
        entries = {"xx": I[0, 0], "yy": I[1, 1], "zz": I[2, 2], "xy": I[0, 1], "xz": I[0, 2], "yz": I[1, 2]}
        body = body_of(mass_kg=mass, com_m=com.tolist(), inertia_kgm2=entries)
        np.testing.assert_allclose(body.parameters, expected, rtol=0, atol=1e-13)
        body = body_of(mass_kg=mass, first_moment_kgm=(mass * com).tolist(), inertia_kgm2=entries)
        np.testing.assert_allclose(body.parameters, expected, rtol=0, atol=1e-13)


def test_inertia_about_the_frame_is_taken_as_it_is():
    inertia = {"xx": 3.0, "yy": 4.0, "zz": 5.0, "xz": -0.25, "about": "frame"}
    body = body_of(mass_kg=2.0, com_m=[0.1, 0.2, 0.3], inertia_kgm2=inertia)
    np.testing.assert_array_equal(inertia_matrix(body.parameters), [[3, 0, -0.25], [0, 4, 0], [-0.25, 0, 5]])
    np.testing.assert_array_equal(body.parameters[:4], [2.0, 0.2, 0.4, 0.6])


def test_a_mass_without_inertia_is_a_point():
    body = body_of(mass_kg=2.0, com_m=[0.5, 0, 0])
    np.testing.assert_array_equal(body.parameters, [2, 1, 0, 0, 0, 0, 0.5, 0, 0, 0.5])


def test_a_transform_comes_before_the_dh_row():
    transform = {"xyz_m": [0.1, 0.2, 0.3], "rpy_deg": [10, 20, 30]}
    dh = {"a_m": 0.4, "alpha_deg": 50, "d_m": 0.6, "theta_deg": 70}
    placement = body_of(transform=transform, dh=dh).placement
    first = Transform(Rotation.from_euler("xyz", [10, 20, 30], degrees=True).as_matrix(), [0.1, 0.2, 0.3])
    rotx = Transform(Rotation.from_euler("x", 50, degrees=True).as_matrix())
    rotz = Transform(Rotation.from_euler("z", 70, degrees=True).as_matrix())
    along_x, along_z = Transform(p=[0.4, 0, 0]), Transform(p=[0, 0, 0.6])
    expected = first @ rotx @ along_x @ rotz @ along_z  # Khalil and Kleinfinger
    np.testing.assert_allclose(placement.R, expected.R, atol=1e-15)
    np.testing.assert_allclose(placement.p, expected.p, atol=1e-15)


def test_degrees_radians_and_matrices_say_the_same():
    rpy = [12.5, -33.0, 147.0]
    by_degrees = body_of(transform={"rpy_deg": rpy}).placement.R
    by_radians = body_of(transform={"rpy_rad": np.radians(rpy).tolist()}).placement.R
    by_matrix = body_of(transform={"rotation": by_degrees.tolist()}).placement.R
    np.testing.assert_allclose(by_radians, by_degrees, atol=1e-15)
    np.testing.assert_array_equal(by_matrix, by_degrees)
    dh = body_of(dh={"alpha_deg": 40, "theta_deg": -25, "d_m": 1}).placement
    same = body_of(dh={"alpha_rad": math.radians(40), "theta_rad": math.radians(-25), "d_m": 1}).placement
    np.testing.assert_allclose(same.R, dh.R, atol=1e-15)
    np.testing.assert_allclose(same.p, dh.p, atol=1e-15)


@pytest.mark.parametrize("turns", [-7, -3, -2, -1, 0, 1, 2, 3, 4, 5, 1001])
def test_right_angles_give_whole_numbers(turns):
    for angle in ({"rpy_deg": [90 * turns, 0, -90 * turns]}, {"rpy_rad": [turns % 5 * math.pi / 2] * 3}):
        R = body_of(transform=angle).placement.R
        assert set(np.unique(R)) <= {-1.0, 0.0, 1.0}
        assert not np.signbit(R[R == 0.0]).any()
        np.testing.assert_array_equal(R @ R.T, np.eye(3))
    placement = body_of(dh={"alpha_deg": 90 * turns, "theta_deg": 90 * turns, "d_m": 0.3}).placement
    assert set(np.unique(placement.R)) <= {-1.0, 0.0, 1.0}
    assert set(np.unique(placement.p)) <= {-0.3, 0.0, 0.3}


def test_cosine_and_sine_are_exact_where_paper_is():
    halves = {0: 1.0, 60: 0.5, 90: 0.0, 120: -0.5, 180: -1.0, 240: -0.5, 270: 0.0, 300: 0.5, 360: 1.0}
    for degrees, cosine in halves.items():
        for turn in (-720, 0, 360):
            assert cos_sin(degrees + turn, "deg")[0] == cosine
            assert cos_sin(90 - degrees + turn, "deg")[1] == cosine
    c, s = cos_sin(45, "deg")
    assert c == s
    for degrees in np.linspace(-400, 400, 1603):
        expected = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        np.testing.assert_allclose(cos_sin(degrees, "deg"), expected, atol=2e-15)
        np.testing.assert_allclose(cos_sin(math.radians(degrees), "rad"), expected, atol=1e-15)


def test_limits_are_read_in_whichever_unit_fits_the_joint():
    degrees = {"position_deg": [-90, 45], "rate_deg_s": 10, "acceleration_deg_s2": 20, "torque_Nm": 5}
    radians = {
        "position_rad": [-math.pi / 2, math.pi / 4],
        "rate_rad_s": math.radians(10),
        "acceleration_rad_s2": math.radians(20),
        "torque_Nm": 5,
    }
    metres = {"position_m": [0, 0.5], "rate_m_s": 0.1, "acceleration_m_s2": 0.2, "force_N": 7}
    joints = [
        body_of(joint={"name": "j", "kind": kind} | limits).joint
        for kind, limits in (("revolute", degrees), ("revolute", radians), ("prismatic", metres))
    ]
    limits = [(*joint.position, joint.rate, joint.acceleration, joint.torque) for joint in joints]
    np.testing.assert_allclose(limits[0], limits[1], rtol=1e-15)
    assert limits[2] == (0, 0.5, 0.1, 0.2, 7)


def test_a_limit_may_be_open_on_one_side():
    for low in (None, -math.inf):
        joint = {"name": "j", "kind": "revolute", "position_deg": [low, 180], "rate_rad_s": math.inf}
        read = body_of(joint=joint).joint
        assert read.position == (-math.inf, math.pi)
        assert read.rate == math.inf


def test_an_axis_need_not_have_unit_length():
    assert body_of(joint={"name": "j", "kind": "continuous", "axis": [0, 3, 4]}).joint.axis.tolist() == [
        0,
        0.6,
        0.8,
    ]


def test_every_shape_is_read():
    shapes = [
        {"sphere": {"centre_m": [1, 2, 3], "radius_m": 4}},
        {"ellipsoid": {"semi_axes_m": [1, 2, 3], "rpy_deg": [0, 0, 90]}},
    ]
    sphere, ellipsoid = body_of(shape=shapes).shapes
    assert (sphere.centre.tolist(), sphere.radius) == ([1, 2, 3], 4)
    assert ellipsoid.rotation.tolist() == [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    assert (ellipsoid.centre.tolist(), ellipsoid.semi_axes.tolist()) == ([0, 0, 0], [1, 2, 3])


def test_bodies_may_come_in_any_order(read):
    robot = read(SERVICER)
    document = robot_document(robot)
    document["bodies"].reverse()
    assert robot_from_document(document, "r").body_names == robot.body_names


def test_a_drive_is_in_the_units_of_its_joint():
    turning = body_of(
        joint={
            "name": "j",
            "kind": "revolute",
            "drive": {
                "coulomb_Nm": 1.2,
                "viscous_Nms_rad": 3,
                "offset_Nm": 0.1,
                "asymmetric_Nms_rad": -0.2,
                "stribeck_Nm": 0.4,
                "stribeck_rate_rad_s": 0.05,
                "rotor_kgm2": 0.9,
                "gear_ratio": -100,
            },
        }
    )
    assert turning.joint.drive == Drive(1.2, 3.0, 0.1, -0.2, 0.4, 0.05, 0.9, -100.0)
    sliding = body_of(
        joint={
            "name": "j",
            "kind": "prismatic",
            "drive": {"coulomb_N": 1.2, "viscous_Ns_m": 3, "rotor_kg": 0.9, "gear_ratio_rad_m": 600},
        }
    )
    assert sliding.joint.drive == Drive(coulomb=1.2, viscous=3.0, rotor=0.9, gear_ratio=600.0)
    assert body_of().joint.drive == Drive()


def test_a_separate_body_keeps_its_parameters(read):
    text = SERVICER.replace("kind: prismatic", "kind: fixed")
    assert read(text).body_names == ("base", "link1")
    assert read(text + "separate: [link2]\n").body_names == ("base", "link1", "link2")


# ---------------------------------------------------------------------- there and back


def random_robot(seed: int) -> Robot:
    """A robot with everything a file can hold, numbers without a short decimal form included."""
    rng = np.random.default_rng(seed)
    kinds = ["revolute", "continuous", "prismatic", "fixed"]
    bodies = [Body("bus" if seed % 2 else "base", parameters=[5.0, *rng.normal(size=9)])]
    for index in range(rng.integers(0, 7)):
        joint = Joint(
            name=f"j{index}",
            kind=str(rng.choice(kinds)),
            axis=[0, 0, 1] if index % 3 == 0 else rng.normal(size=3),
        )
        bodies.append(
            Body(
                name=f"link{index}",
                parent=bodies[rng.integers(len(bodies))].name,
                joint=_limited(joint, rng),
                placement=Transform(Rotation.random(random_state=rng).as_matrix(), rng.normal(size=3)),
                parameters=np.zeros(10) if index == 4 else [rng.uniform(), *rng.normal(size=9)],
                shapes=(
                    Sphere(rng.normal(size=3), rng.uniform(0.1, 1)),
                    Capsule(rng.normal(size=3), rng.normal(size=3), rng.uniform(0.1, 1)),
                    Ellipsoid(
                        rng.normal(size=3),
                        rng.uniform(0.1, 1, 3),
                        Rotation.random(random_state=rng).as_matrix(),
                    ),
                )[: rng.integers(4)],
            )
        )
    return Robot(
        name=f"robot {seed}",
        bodies=tuple(bodies),
        base=("free", "planar", "fixed")[seed % 3],
        gravity=rng.normal(size=3) * (seed % 2),
        wheels=tuple(Wheel(f"w{n}", rng.normal(size=3), rng.uniform(0.1, 1), (3.3, math.inf)[n]) for n in range(2)),
        points=(
            Point("no", bodies[-1].name, rng.normal(size=3)),
            Point("1e5", bodies[0].name, rng.normal(size=3)),
        ),
        separate=frozenset(body.name for body in bodies[1:] if body.joint.kind == "fixed" and seed % 2),
    )


def _limited(joint: Joint, rng: np.random.Generator) -> Joint:
    if joint.kind == "fixed":
        return joint
    low, high = sorted(rng.normal(size=2))
    position = [(low, high), (-math.inf, high), (-math.inf, math.inf)][rng.integers(3)]
    if joint.kind == "continuous":
        position = (-math.inf, math.inf)
    rate, acceleration, torque = rng.choice([rng.uniform(0.1, 9), math.inf], size=3)
    return Joint(joint.name, joint.kind, joint.axis, position, rate, acceleration, torque, _drive(rng))


def _drive(rng: np.random.Generator) -> Drive:
    sizes = rng.uniform(0.1, 2.0, 3) * rng.integers(0, 2, 3)
    others = rng.normal(size=3) * rng.integers(0, 2)
    ratio = rng.choice([math.inf, -80.0, 101.5])
    return Drive(sizes[0], sizes[1], *others, rng.choice([0.1, 0.03]), sizes[2], float(ratio))


def told(robot: Robot) -> object:
    """All that a robot is, as plain data to compare bit by bit."""

    def plain(thing):
        if isinstance(thing, np.ndarray):
            return thing.tolist()
        if isinstance(thing, tuple | list):
            return [plain(each) for each in thing]
        if hasattr(thing, "__dataclass_fields__"):
            return [
                type(thing).__name__,
                *(plain(getattr(thing, name)) for name in thing.__dataclass_fields__),
            ]
        return sorted(thing) if isinstance(thing, frozenset) else thing

    return plain(robot)


@pytest.mark.parametrize("seed", range(12))
def test_a_robot_comes_back_to_the_last_bit(tmp_path, seed):
    robot = random_robot(seed)
    write_yaml(robot, tmp_path / "robot.yaml")
    assert told(read_yaml(tmp_path / "robot.yaml")) == told(robot)


@pytest.mark.parametrize("seed", range(12))
def test_a_robot_document_is_plain_json(seed):
    robot = random_robot(seed)
    text = json.dumps(robot_document(robot), allow_nan=False)
    assert told(robot_from_document(json.loads(text), "estimate.json")) == told(robot)


def test_a_read_file_written_again_is_the_same_robot(read):
    robot = read(SERVICER)
    assert told(read(dump_yaml(robot_document(robot)))) == told(robot)


def test_what_is_default_is_not_written():
    bodies = (Body("base"), Body("flange", "base", Joint("f", "fixed")))
    assert robot_document(Robot("r", bodies)) == {
        "format": "freefloat/robot@1",
        "robot": "r",
        "base": {"kind": "free"},
        "bodies": [{"name": "flange", "parent": "base", "joint": {"name": "f", "kind": "fixed"}}],
    }


def test_the_schema_describes_every_field_and_is_json():
    schema = json.loads(json.dumps(json_schema()))
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert set(schema["required"]) == {"format", "robot", "base"}
    for section in (schema, *schema["$defs"].values()):
        assert section["additionalProperties"] is False
        for name, field in section["properties"].items():
            assert "description" in field or "$ref" in field or "anyOf" in field, name
