from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from robot.urdf_loaders import load_in_mujoco, load_in_pinocchio, parameters_in_mujoco, parameters_in_pinocchio

from freefloat.errors import FileError
from freefloat.robot.parameters import parameters_from_com
from freefloat.robot.parts import Body, Joint
from freefloat.robot.transform import Transform
from freefloat.robot.urdf_read import read_urdf
from freefloat.robot.urdf_update import update_urdf

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "robots"
SHARED_URDFS = sorted(SHARED.glob("*/*.urdf"))

OWN = """<?xml version="1.0"?>
<!-- a <link name="arm"> in a comment -->
<robot name="Küche" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <material name="a > b"/>
  <gazebo><link name="arm"><inertial><mass value="99"/></inertial></link></gazebo>
  <link name='bus' note="mass value='3' > 2">
    <visual><origin xyz="9 9 9"/><geometry><sphere radius="1"/></geometry></visual>
    <inertial>  <!-- <mass value="1"/> -->
      <origin rpy = "0.1 0.2 0.3"  xyz='0.5 0 0'/>
      <mass
         value = ' 4 '></mass>
      <inertia ixx="1" ixy="0" ixz="0.0" iyy="1.10" iyz="0" izz="1.2" />
    </inertial>
    <self_collide><![CDATA[<mass value="7"/>]]></self_collide>
  </link>
  <link name="arm">
    <inertial><mass value="2"/><inertia izz="3" ixx="1" iyy="2.5"/></inertial>
  </link>
  <link name="hand" />
  <link name="eye">
    <visual/>
  </link>
  <joint name="shoulder" type="revolute"><parent link="bus"/><child link="arm"/><axis xyz="0 0 1"/></joint>
  <joint name="wrist" type="prismatic"><parent link="arm"/><child link="hand"/><origin xyz="1 0 0"/></joint>
  <joint name="weld" type="fixed"><parent link="hand"/><child link="eye"/></joint>
</robot>
<!-- the end -->
"""


def some_inertia(seed=0):
    rng = np.random.default_rng(seed)
    spread = rng.normal(size=(3, 6))
    second = spread @ spread.T
    return parameters_from_com(rng.uniform(1, 2), rng.normal(size=3), np.trace(second) * np.eye(3) - second)


def changed(robot, **parameters):
    bodies = (replace(b, parameters=parameters.get(b.name, b.parameters)) for b in robot.bodies)
    return replace(robot, bodies=tuple(bodies))


def scaled(robot, factor):
    return changed(robot, **{body.name: factor * body.parameters for body in robot.bodies})


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source.urdf"
    path.write_bytes(OWN.encode())
    return path


def updated(source, robot):
    target = source.with_name("target.urdf")
    update_urdf(source, robot, target)
    return target


def assert_same_parameters(path, robot, rtol=1e-14):
    again = read_urdf(path, robot.base)
    for body in robot.bodies:
        found, wanted = again.body(body.name).parameters, body.parameters
        np.testing.assert_allclose(found, wanted, rtol=0, atol=rtol * max(abs(wanted).max(), 1e-300))


# ---------------------------------------------------------------------- nothing else is touched


def test_an_unchanged_robot_gives_the_same_bytes(source):
    assert updated(source, read_urdf(source)).read_bytes() == source.read_bytes()


def test_only_the_values_that_change_are_replaced(source):
    robot = read_urdf(source)
    heavier = robot.body("bus").parameters + parameters_from_com(1.0, [0.5, 0, 0], np.zeros((3, 3)))
    after = updated(source, changed(robot, bus=heavier)).read_bytes().decode()
    assert after == OWN.replace("value = ' 4 '", "value = '5.0'")


def test_the_axes_of_the_inertial_origin_are_kept(source):
    robot = changed(read_urdf(source), bus=some_inertia())
    target = updated(source, robot)
    assert 'rpy = "0.1 0.2 0.3"' in target.read_text()
    assert_same_parameters(target, robot)
    before, after = OWN.splitlines(), target.read_text().splitlines()
    differing = [index for index, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    assert differing == [8, 10, 11]  # origin, mass, inertia of the bus


def test_missing_attributes_and_elements_are_added_in_their_place(source):
    robot = changed(read_urdf(source), arm=np.array([2.0, 0, 4, 0, 10, 0.5, 3, 0, 0, 12]))
    target = updated(source, robot)
    line = (
        '    <inertial><mass value="2"/><inertia izz="4.0" ixx="2.0" iyy="3.0" ixy="0.5"/>'
        '<origin xyz="0.0 2.0 0.0"/></inertial>'
    )
    assert line in target.read_text().splitlines()
    assert_same_parameters(target, robot)


def test_missing_inertials_are_added_in_the_indentation_of_the_file(source):
    phi = parameters_from_com(2.0, [1, 0, 0], np.diag([3.0, 4.0, 5.0]))
    robot = changed(read_urdf(source), hand=phi, eye=phi)
    target = updated(source, robot)
    added = """    <inertial>
      <origin xyz="1.0 0.0 0.0"/>
      <mass value="2.0"/>
      <inertia ixx="3.0" ixy="0.0" ixz="0.0" iyy="4.0" iyz="0.0" izz="5.0"/>
    </inertial>
"""
    expected = OWN.replace('<link name="hand" />\n', f'<link name="hand">\n{added}  </link>\n')
    assert target.read_text() == expected.replace("    <visual/>\n  </link>", f"    <visual/>\n{added}  </link>")
    assert_same_parameters(target, robot)


@pytest.mark.parametrize(
    ("link", "added"),
    [
        ('<link name="a"/>', '<link name="a">{}</link>'),
        ('<link name="a"></link>', '<link name="a">{}</link>'),
        ('<link name="a"><visual/></link>', '<link name="a"><visual/>{}</link>'),
        ('<link name="a"><inertial/></link>', None),
        ("<link name='a'><inertial>\n</inertial></link>", None),
        ('<link name="a"><inertial><mass value="1"/>\n    </inertial></link>', None),
    ],
)
def test_a_file_on_one_line_stays_on_one_line(tmp_path, link, added):
    path = tmp_path / "source.urdf"
    path.write_text(f'<robot name="r">{link}</robot>')
    robot = changed(read_urdf(path), a=some_inertia())
    target = updated(path, robot)
    assert_same_parameters(target, robot)
    after = target.read_text()
    assert after.count("\n") == link.count("\n")
    if added is not None:
        start, end = added.split("{}")
        assert f"{start}<inertial><origin " in after
        assert f"/></inertial>{end}" in after


@pytest.mark.parametrize("indent", ["\t", "    "])
def test_tabs_and_wide_indents_are_followed(tmp_path, indent):
    path = tmp_path / "source.urdf"
    path.write_text(f'<robot name="r">\n{indent}<link name="a"/>\n</robot>\n')
    lines = updated(path, changed(read_urdf(path), a=some_inertia())).read_text().splitlines()
    assert lines[2] == f"{2 * indent}<inertial>"
    assert lines[3].startswith(f"{3 * indent}<origin ")
    assert lines[6:] == [f"{2 * indent}</inertial>", f"{indent}</link>", "</robot>"]


def test_line_ends_of_windows_are_followed(tmp_path):
    path = tmp_path / "source.urdf"
    path.write_bytes(OWN.replace("\n", "\r\n").encode())
    robot = changed(read_urdf(path), bus=some_inertia(0), hand=some_inertia(1))
    target = updated(path, robot)
    assert_same_parameters(target, robot)
    after = target.read_bytes()
    assert after.count(b"\r\n") == after.count(b"\n") == after.count(b"\r") > OWN.count("\n")


@pytest.mark.parametrize("encoding", ["utf-8", "utf8", "utf-8-sig", "iso-8859-1", "latin1"])
def test_text_before_the_values_may_be_in_any_usual_encoding(tmp_path, encoding):
    path, declared = tmp_path / "source.urdf", encoding.removesuffix("-sig")
    text = OWN.replace('version="1.0"', f'version="1.0" encoding="{declared}"').replace("hand", "Händ")
    path.write_bytes(text.encode(encoding))
    robot = changed(read_urdf(path), bus=some_inertia(0), Händ=some_inertia(1))
    target = updated(path, robot)
    assert_same_parameters(target, robot)
    assert target.read_bytes().startswith(text.encode(encoding)[: text.index("value = ") // 2])


def test_a_default_namespace_and_a_prefix_are_kept(tmp_path):
    path = tmp_path / "source.urdf"
    for text in (
        '<robot xmlns="http://www.ros.org" name="r"><link name="a"/></robot>',
        '<u:robot xmlns:u="http://www.ros.org" name="r"><u:link name="a"/></u:robot>',
    ):
        path.write_text(text)
        robot = changed(read_urdf(path), a=some_inertia())
        assert_same_parameters(updated(path, robot), robot)


def test_the_file_may_be_updated_in_place(source):
    robot = scaled(read_urdf(source), 1.7)
    update_urdf(source, robot, source)
    assert_same_parameters(source, robot)
    before = source.read_bytes()
    update_urdf(source, read_urdf(source), source)
    assert source.read_bytes() == before


# ---------------------------------------------------------------------- what is written


def test_the_moving_body_takes_the_change_and_what_is_fixed_to_it_keeps_its_values(source):
    robot = read_urdf(source)
    phi = robot.parameters.copy()
    phi[20:30] += some_inertia()  # the hand, which carries the eye
    target = updated(source, robot.with_parameters(phi))
    again = read_urdf(target)
    np.testing.assert_allclose(again.parameters, phi, rtol=1e-13, atol=1e-14)
    assert not again.body("eye").parameters.any()


def test_values_return_to_the_last_digit(source):
    rng = np.random.default_rng(0)
    robot = read_urdf(source)
    for seed in range(20):
        new = changed(robot, bus=some_inertia(seed), arm=rng.uniform(1, 2) * some_inertia(seed + 99))
        assert_same_parameters(updated(source, new), new, rtol=4e-15)


def test_a_body_that_loses_all_its_mass_keeps_its_inertia(source):
    robot = changed(read_urdf(source), bus=np.array([0.0, 0, 0, 0, 1, 0.1, 2, 0, 0, 2]))
    assert_same_parameters(updated(source, robot), robot)


# ---------------------------------------------------------------------- what is refused


def refusal(source, robot):
    before = source.read_bytes()
    with pytest.raises(FileError) as caught:
        updated(source, robot)
    assert source.read_bytes() == before
    assert not source.with_name("target.urdf").exists()
    sentence = str(caught.value)
    assert sentence.startswith(f"{source}: ")
    assert "\n" not in sentence
    return sentence


def test_another_robot_is_refused(source):
    robot = read_urdf(source)
    more = replace(robot, bodies=(*robot.bodies, Body("tail", "bus", Joint("t"))))
    assert "body 'tail': is not in this file" in refusal(source, more)
    assert "link 'eye': is not in the robot" in refusal(source, replace(robot, bodies=robot.bodies[:-1]))


@pytest.mark.parametrize(
    "change",
    [
        {"parent": "bus"},
        {"placement": Transform(p=[1, 0, 1e-6])},
        {"placement": Transform.from_rpy([1, 0, 0], [0, 0, 1e-6])},
        {"joint": Joint("wrist", "prismatic", [0, 1, 0])},
        {"joint": Joint("wrist", "revolute", [1, 0, 0])},
        {"joint": Joint("wrist", "fixed")},
    ],
)
def test_another_geometry_is_refused(source, change):
    robot = read_urdf(source)
    bodies = tuple(replace(b, **change) if b.name == "hand" else b for b in robot.bodies)
    assert "link 'hand'" in refusal(source, replace(robot, bodies=bodies))


def test_other_limits_and_joint_names_are_not_another_geometry(source):
    robot = read_urdf(source)
    arm = replace(robot.body("arm"), joint=Joint("elbow", "continuous", [0, 0, 1], rate=2.0))
    bodies = tuple(arm if body.name == "arm" else body for body in robot.bodies)
    assert updated(source, replace(robot, bodies=bodies)).read_bytes() == source.read_bytes()


def test_first_moments_without_mass_are_refused(source):
    robot = changed(read_urdf(source), arm=np.array([0.0, 1, 0, 0, 1, 0, 1, 0, 0, 1]))
    assert "link 'arm': has first moments but no mass" in refusal(source, robot)


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_encodings_that_cannot_be_edited_are_refused(tmp_path, encoding):
    path = tmp_path / "source.urdf"
    text = f'<?xml version="1.0" encoding="{encoding}"?><robot name="r"><link name="a"/></robot>'
    path.write_bytes(text.encode(encoding))
    assert f"its text is {encoding}" in refusal(path, read_urdf(path))


# ---------------------------------------------------------------------- other people's files

shared = pytest.mark.skipif(not SHARED_URDFS, reason="shared robots are not beside this repository")
each_shared = pytest.mark.parametrize("path", SHARED_URDFS or [SHARED], ids=lambda path: path.stem)


@shared
@each_shared
def test_shared_files_come_back_byte_for_byte(path, tmp_path):
    update_urdf(path, read_urdf(path), tmp_path / "same.urdf")
    assert (tmp_path / "same.urdf").read_bytes() == path.read_bytes()


@shared
@each_shared
def test_shared_files_with_other_inertias_load_wherever_the_original_does(path, tmp_path):
    robot = scaled(read_urdf(path), 1.1)
    update_urdf(path, robot, tmp_path / "other.urdf")
    assert_same_parameters(tmp_path / "other.urdf", robot)
    before, after = path.read_text(), (tmp_path / "other.urdf").read_text()
    if load_in_pinocchio(before) is not None:
        found, rows = parameters_in_pinocchio(load_in_pinocchio(after)), robot.parameters.reshape(-1, 10)
        for name, phi in zip(("root_joint", *robot.joint_names), rows, strict=True):
            np.testing.assert_allclose(found[name], phi, rtol=0, atol=1e-12 * abs(phi).max())
    if load_in_mujoco(before) is not None:
        found = parameters_in_mujoco(load_in_mujoco(after))
        for body in robot.bodies:
            phi = body.parameters
            np.testing.assert_allclose(found[body.name], phi, rtol=0, atol=1e-12 * abs(phi).max())


def loaded(robot):
    """With a load on the last body, and one of that."""
    last, tilt = robot.bodies[-1].name, Transform.from_rpy([0.1, 0.2, 0.3], [0.4, 0.5, 0.6])
    load = Body("load", last, Joint("grip", "fixed"), tilt, some_inertia(3))
    lamp = Body("lamp & eye", "load", Joint("screws", "fixed"), tilt, some_inertia(4))
    return replace(robot, bodies=(*robot.bodies, load, lamp))


def test_a_load_that_the_file_lacks_is_left_out(source):
    target, robot = source.with_name("target.urdf"), loaded(read_urdf(source))
    assert update_urdf(source, robot, target, "leave-out") == ("load", "lamp & eye")
    assert target.read_bytes() == source.read_bytes()


@pytest.mark.parametrize("one_line", [False, True])
def test_a_load_that_the_file_lacks_is_added_at_its_end(source, one_line):
    if one_line:
        source.write_bytes(b" ".join(source.read_bytes().split()))
    target, robot = source.with_name("target.urdf"), loaded(read_urdf(source))
    assert update_urdf(source, robot, target, "add") == ("load", "lamp & eye")
    assert target.read_bytes().startswith(source.read_bytes().rpartition(b"</robot>")[0].rstrip())
    np.testing.assert_allclose(read_urdf(target).parameters, robot.parameters, rtol=1e-12, atol=1e-15)
    assert [body.name for body in read_urdf(target).bodies[-2:]] == ["load", "lamp & eye"]


def test_a_body_that_moves_is_no_load(source):
    robot = read_urdf(source)
    more = replace(robot, bodies=(*robot.bodies, Body("tail", "bus", Joint("t"))))
    for lacking in ("leave-out", "add"):
        with pytest.raises(FileError, match="body 'tail': is not in this file"):
            update_urdf(source, more, source.with_name("target.urdf"), lacking)
