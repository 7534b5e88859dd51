import codecs
import math
from pathlib import Path

import numpy as np
import pytest

from freefloat.errors import FileError
from freefloat.robot.model import Robot
from freefloat.robot.parameters import com_of, inertia_about_com, pseudo_inertia
from freefloat.robot.shapes import Capsule, Ellipsoid, Sphere
from freefloat.robot.transform import rotation_from_rpy
from freefloat.robot.urdf_read import read_urdf

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "robots"
SHARED_FILES = sorted(path for path in SHARED.glob("*/*") if path.is_file())

HEAVY = """
  <inertial>
    <origin xyz="0.1 -0.2 0.3" rpy="0.4 0.5 0.6"/>
    <mass value="7"/>
    <inertia ixx="0.5" ixy="0.01" ixz="-0.02" iyy="0.6" iyz="0.03" izz="0.7"/>
  </inertial>"""


def two_links(joint="", link="", kind="revolute"):
    """A bus and an arm, with more inside the arm's joint or link."""
    return f"""<?xml version="1.0"?>
<robot name="servicer">
  <link name="bus">{HEAVY}</link>
  <link name="arm">{link}</link>
  <joint name="shoulder" type="{kind}"><parent link="bus"/><child link="arm"/>{joint}</joint>
</robot>"""


@pytest.fixture
def read(tmp_path):
    def read_text(text, base=None):
        path = tmp_path / "robot.urdf"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_urdf(path, base)

    return read_text


def sentence_of(read, source):
    """The one sentence with which a file is refused; None if it is read."""
    try:
        assert isinstance(read(source), Robot)
    except FileError as error:
        sentence = str(error)
    else:
        return None
    assert sentence.startswith(str(source) if isinstance(source, Path) else "")
    assert "\n" not in sentence
    return sentence


def refusal(read, text):
    sentence = sentence_of(read, text)
    assert sentence is not None
    assert "robot.urdf: " in sentence
    return sentence


# ---------------------------------------------------------------------- what a file means


def test_the_inertia_is_about_the_centre_of_mass_in_the_axes_of_its_origin(read):
    phi = read(two_links()).body("bus").parameters
    R = rotation_from_rpy([0.4, 0.5, 0.6])
    given = np.array([[0.5, 0.01, -0.02], [0.01, 0.6, 0.03], [-0.02, 0.03, 0.7]])
    assert phi[0] == 7.0
    np.testing.assert_allclose(com_of(phi), [0.1, -0.2, 0.3], rtol=1e-15)
    np.testing.assert_allclose(inertia_about_com(phi), R @ given @ R.T, rtol=1e-13)


def test_a_joint_is_placed_and_limited_as_written(read):
    joint = """<origin xyz=" 1  2 3 " rpy="0.1 0.2 0.3"/><axis xyz="0 0 2"/>
      <limit lower="-1" upper="2" velocity="0.5" effort="30" acceleration="4"/>"""
    arm = read(two_links(joint)).body("arm")
    np.testing.assert_array_equal(arm.placement.p, [1, 2, 3])
    np.testing.assert_array_equal(arm.placement.R, rotation_from_rpy([0.1, 0.2, 0.3]))
    np.testing.assert_array_equal(arm.joint.axis, [0, 0, 1])
    assert (arm.joint.position, arm.joint.rate, arm.joint.torque) == ((-1.0, 2.0), 0.5, 30.0)
    assert arm.joint.acceleration == 4.0


def test_bodies_follow_the_joints_of_the_file_with_parents_first(read):
    text = """<robot name="r"><link name="tip"/><link name="left"/><link name="base"/><link name="right"/>
      <joint name="a" type="continuous"><parent link="right"/><child link="tip"/></joint>
      <joint name="b" type="continuous"><parent link="base"/><child link="right"/></joint>
      <joint name="c" type="continuous"><parent link="base"/><child link="left"/></joint></robot>"""
    assert [body.name for body in read(text).bodies] == ["base", "right", "tip", "left"]


def test_collision_solids_become_shapes_and_meshes_do_not(read):
    solids = """
      <visual><geometry><sphere radius="9"/></geometry></visual>
      <collision><origin xyz="1 0 0"/><geometry><sphere radius="0.5"/></geometry></collision>
      <collision><origin xyz="0 1 0" rpy="0 1.5707963267948966 0"/>
        <geometry><cylinder radius="0.1" length="4"/></geometry></collision>
      <collision><geometry><box size="2 4 6"/></geometry></collision>
      <collision><geometry><mesh filename="nowhere.stl"/></geometry></collision>
      <collision/>"""
    sphere, capsule, ellipsoid = read(two_links(link=solids)).body("arm").shapes
    assert isinstance(sphere, Sphere)
    assert sphere.radius == 0.5
    np.testing.assert_array_equal(sphere.centre, [1, 0, 0])
    assert isinstance(capsule, Capsule)
    np.testing.assert_allclose([capsule.start, capsule.end], [[-2, 1, 0], [2, 1, 0]], atol=1e-15)
    assert isinstance(ellipsoid, Ellipsoid)
    corner = np.array([1.0, 2.0, 3.0]) / ellipsoid.semi_axes
    assert corner @ corner == pytest.approx(1.0)  # the corners of the box lie on the ellipsoid


# ---------------------------------------------------------------------- how the base moves


def rooted(root, kind, joint=""):
    return f"""<robot name="r"><link name="{root}"/><link name="bus">{HEAVY}</link>
      <joint name="root" type="{kind}"><parent link="{root}"/><child link="bus"/>{joint}</joint></robot>"""


@pytest.mark.parametrize(
    ("text", "base", "first"),
    [
        (two_links(), "free", "bus"),
        (rooted("world", "floating"), "free", "bus"),
        (rooted("anything", "floating"), "free", "bus"),
        (rooted("world", "planar"), "planar", "bus"),
        (rooted("world", "planar", '<axis xyz="0 0 1"/>'), "planar", "bus"),
        (rooted("world", "fixed"), "fixed", "world"),
        (rooted("base_footprint", "fixed"), "free", "base_footprint"),
    ],
)
def test_a_massless_root_says_how_the_base_moves(read, text, base, first):
    robot = read(text)
    assert (robot.base, robot.bodies[0].name) == (base, first)


@pytest.mark.parametrize("kind", ["free", "planar", "fixed"])
def test_the_caller_may_say_how_the_base_moves(read, kind):
    assert read(rooted("world", "floating"), base=kind).base == kind


def test_a_base_joint_anywhere_else_is_refused(read):
    assert "joint 'shoulder'" in refusal(read, two_links(kind="floating"))
    sentence = refusal(read, rooted("world", "planar", '<axis xyz="1 0 0"/>'))
    assert "its axis must be 0 0 1" in sentence


# ---------------------------------------------------------------------- defects that are read


def test_a_joint_without_limits_has_none_and_turns_about_x_by_default(read):
    joint = read(two_links()).joint("shoulder")
    np.testing.assert_array_equal(joint.axis, [1, 0, 0])
    assert joint.position == (-math.inf, math.inf)
    assert joint.rate == joint.torque == joint.acceleration == math.inf


@pytest.mark.parametrize(
    ("limit", "position", "rate", "torque"),
    [
        ('velocity="0" effort="0" lower="-1" upper="1"', (-1.0, 1.0), math.inf, math.inf),
        ('velocity="2" effort="3"', (-math.inf, math.inf), 2.0, 3.0),
        ('lower="0" upper="0" velocity="0" effort="0"', (-math.inf, math.inf), math.inf, math.inf),
        ('lower="0" upper="0" velocity="1" effort="1"', (0.0, 0.0), 1.0, 1.0),
        ('lower="-1e9" upper="1e12" velocity="1e9" effort="2e9"', (-math.inf, math.inf), math.inf, math.inf),
        ('upper="2" velocity="1" effort="1"', (0.0, 2.0), 1.0, 1.0),
    ],
)
def test_zero_missing_and_enormous_limits_are_none(read, limit, position, rate, torque):
    joint = read(two_links(f"<limit {limit}/>")).joint("shoulder")
    assert (joint.position, joint.rate, joint.torque) == (position, rate, torque)


def test_a_continuous_joint_has_no_range(read):
    joint = read(two_links('<limit lower="0" upper="1" velocity="1" effort="1"/>', kind="continuous")).joints[0]
    assert joint.position == (-math.inf, math.inf)


def test_massless_links_and_zero_inertias_are_read(read):
    empty = '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'
    for link in ("", empty, "<inertial/>", '<inertial><origin xyz="1 2 3"/></inertial>'):
        np.testing.assert_array_equal(read(two_links(link=link)).body("arm").parameters, np.zeros(10))
    point = '<inertial><origin xyz="0 2 0"/><mass value=" 3 "/></inertial>'
    phi = read(two_links(link=point)).body("arm").parameters
    np.testing.assert_array_equal(phi, [3, 0, 6, 0, 12, 0, 0, 0, 0, 12])


def test_an_inertia_without_mass_is_kept_whatever_its_centre_of_mass(read):
    link = """<inertial><origin xyz="-0.1 0 0.07"/><mass value="0.0"/>
      <inertia ixx="0.05" ixy="0" ixz="0" iyy="0.06" iyz="0" izz="0.03"/></inertial>"""
    phi = read(two_links(link=link)).body("arm").parameters
    np.testing.assert_array_equal(phi, [0, 0, 0, 0, 0.05, 0, 0.06, 0, 0, 0.03])


def test_an_impossible_inertia_is_read_as_it_stands(read):
    # A link-frame inertia stored as one about the centre of mass: 0.2 + 0.3 < 4.
    link = """<inertial><mass value="20"/>
      <inertia ixx="0.2" ixy="0" ixz="0" iyy="0.3" iyz="0" izz="4"/></inertial>"""
    phi = read(two_links(link=link)).body("arm").parameters
    assert np.linalg.eigvalsh(pseudo_inertia(phi))[0] < 0.0


def test_bodies_on_dummy_fixed_joints_move_with_their_carrier(read):
    text = f"""<robot name="r"><link name="bus">{HEAVY}</link><link name="mount"/>
      <link name="arm">{HEAVY}</link>
      <joint name="weld" type="fixed"><parent link="bus"/><child link="mount"/><axis xyz="0 0 0"/></joint>
      <joint name="turn" type="revolute"><parent link="mount"/><child link="arm"/></joint></robot>"""
    robot = read(text)
    assert [body.name for body in robot.bodies] == ["bus", "mount", "arm"]
    assert robot.body_names == ("bus", "arm")
    assert robot.joint_names == ("turn",)


@pytest.mark.parametrize(
    "attributes",
    ['xmlns:xacro="http://www.ros.org/wiki/xacro"', 'xmlns="http://www.ros.org"', 'version="1.0"'],
)
def test_namespaces_that_are_only_declared_do_not_matter(read, attributes):
    text = two_links().replace("<robot", f"<robot {attributes}")
    assert read(text).body("bus").parameters[0] == 7.0


def test_elements_of_other_programs_are_passed_over(read):
    extra = """<material name="grey"><color rgba="1 1 1 1"/></material>
      <transmission name="t"><joint name="no"/></transmission>
      <gazebo reference="bus"><link name="bus"/></gazebo>
      <link xmlns="other" name="bus"/></robot>"""
    assert len(read(two_links().replace("</robot>", extra)).bodies) == 2


def test_a_robot_without_a_name_gets_that_of_its_file(read):
    assert read('<robot><link name="bus"/></robot>').name == "robot"


@pytest.mark.parametrize("encoding", ["utf-8", "utf8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_names_survive_every_usual_encoding(read, encoding):
    declared = encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{declared}"?>\r\n<robot name="Küche"><link name="bus"/></robot>'
    assert read(codecs.encode(text, encoding)).name == "Küche"


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("<robot><link name='a'/>", ["line 1, column 24", "no element found"]),
        ("", ["not well-formed"]),
        ("<sdf version='1.6'/>", ["<sdf>", "<robot>"]),
        ("<robot name='r'/>", ["no <link>"]),
        ("<robot><link/></robot>", ["<link>", "no name"]),
        ("<robot><link name='a'/><link name='b'/></robot>", ["'a', 'b'"]),
        ("<robot><link name='a'/><link name='a'/></robot>", ["link 'a'", "given twice"]),
        (
            "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:macro name='m'/></robot>",
            ["<xacro:macro>", "run xacro"],
        ),
        ("<?xml version='1.0' encoding='klingon'?><robot/>", ["encoding", "klingon"]),
        ("<?xml version='1.0' encoding='shift_jis'?><robot/>", ["encoding"]),
        (two_links('<mimic joint="other"/>'), ["joint 'shoulder'", "<mimic>"]),
        (two_links(kind="ball"), ["joint 'shoulder'", "'ball'", "revolute"]),
        (two_links(kind=""), ["joint 'shoulder'", "type is ''"]),
        (two_links('<axis xyz="0 0 0"/>'), ["joint 'shoulder'", "axis"]),
        (two_links('<axis xyz="0 1"/>'), ["joint 'shoulder'", "<axis xyz>", "three numbers"]),
        (two_links('<axis xyz="0 1 ${side}"/>'), ["joint 'shoulder'", "'${side}'"]),
        (two_links('<origin xyz="0 0 nan"/>'), ["joint 'shoulder'", "<origin xyz>", "'nan'"]),
        (two_links('<origin xyz="0 0 1_0"/>'), ["joint 'shoulder'", "'1_0'"]),
        (two_links('<origin quat_xyzw="0 0 0 1"/>'), ["joint 'shoulder'", "rpy"]),
        (two_links('<limit lower="1" upper="-1"/>'), ["joint 'shoulder'", "1.0 to -1.0"]),
        (two_links('<limit velocity="-1"/>'), ["joint 'shoulder'", "rate limit is -1.0"]),
        (two_links('<limit effort="inf"/>'), ["joint 'shoulder'", "<limit effort>", "'inf'"]),
        (two_links(link='<inertial><mass value="-1"/></inertial>'), ["body 'arm'", "mass is -1.0 kg"]),
        (two_links(link='<inertial><mass value="1 kg"/></inertial>'), ["link 'arm'", "'1 kg'"]),
        (two_links(link="<inertial><mass/></inertial>"), ["link 'arm'", "<mass> has no value"]),
        (two_links(link='<inertial><inertia ixx="1"/></inertial>'), ["link 'arm'", "<inertia> has no iyy"]),
        (
            two_links(link='<inertial><origin xyz="1e200 0 0"/><mass value="1e200"/></inertial>'),
            ["body 'arm'", "not a finite number"],
        ),
        (
            two_links(link='<collision><geometry><sphere radius="0"/></geometry></collision>'),
            ["link 'arm'", "<sphere>", "radius is 0.0 m"],
        ),
        (
            two_links(link='<collision><geometry><box size="1 1"/></geometry></collision>'),
            ["link 'arm'", "<box size>", "three numbers"],
        ),
        (two_links().replace('<parent link="bus"/>', ""), ["joint 'shoulder'", "<parent link>"]),
        (two_links().replace('<parent link="bus"/>', '<parent link="gone"/>'), ["'shoulder'", "'gone'"]),
        (two_links().replace('<child link="arm"/>', '<child link="gone"/>'), ["'shoulder'", "child 'gone'"]),
        (two_links().replace('<child link="arm"/>', '<child link="bus"/>'), ["bodies", "cycle"]),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(read, text, parts):
    sentence = refusal(read, text)
    for part in parts:
        assert part in sentence


def joined(*ends):
    names = sorted({name for pair in ends for name in pair})
    links = "".join(f'<link name="{name}"/>' for name in names)
    joints = "".join(
        f'<joint name="{a}{b}" type="fixed"><parent link="{a}"/><child link="{b}"/></joint>' for a, b in ends
    )
    return f"<robot>{links}{joints}</robot>"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (joined("ab", "ac", "bd", "cd"), "link 'd': joints 'bd' and 'cd' both carry it"),
        (joined("ab", "bc", "ca"), "form a cycle"),
        (joined("ab", "cd", "dc"), "form a cycle and never reach the base: d, c"),
        (joined("ab", "ab"), "given twice"),
    ],
)
def test_only_trees_are_robots(read, text, part):
    assert part in refusal(read, text)


def test_entities_and_document_types_are_refused_before_they_grow(read, tmp_path):
    (tmp_path / "secret").write_text("secret")
    lol = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(12))
    for declarations in (f'<!ENTITY e0 "x">{lol}', f'<!ENTITY e12 SYSTEM "{tmp_path}/secret">', ""):
        text = f'<!DOCTYPE robot [{declarations}]><robot name="&#65;"><link name="a"/></robot>'
        assert "document type" in refusal(read, text)


def test_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(FileError, match=r"nowhere\.urdf"):
        read_urdf(tmp_path / "nowhere.urdf")


def test_damaged_files_are_read_or_refused_but_never_crash(read):
    whole = two_links('<origin xyz="1 2 3"/><limit lower="-1" upper="1" velocity="1" effort="1"/>', HEAVY).encode()
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(rng.integers(1, 4)):
            start = rng.integers(len(damaged))
            damaged[start : start + rng.integers(4)] = bytes(rng.integers(256, size=rng.integers(3), dtype=np.uint8))
        refused += sentence_of(read, bytes(damaged)) is not None
    assert refused > 100


# ---------------------------------------------------------------------- other people's files


@pytest.mark.skipif(not SHARED_FILES, reason="shared robots are not beside this repository")
@pytest.mark.parametrize("path", SHARED_FILES or [SHARED], ids=lambda path: path.name)
def test_every_shared_file_is_read_or_refused_in_one_sentence(path):
    from freefloat.robot.load import load_robot

    assert (sentence_of(load_robot, path) is None) == (path.suffix == ".urdf")
