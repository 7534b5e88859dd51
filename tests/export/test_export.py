"""Estimates as files: other programs load them and see the motion that was identified here."""

import os
from dataclasses import replace

import casadi
import mujoco
import numpy as np
import pytest
from agreement import assert_agree
from estimate.estimates_made import estimate_of, wrong_cad
from estimate.in_pinocchio import FullRobot
from random_trees import ROBOTS, random_robot, random_samples
from robot.urdf_loaders import load_in_mujoco, load_in_pinocchio

from freefloat.errors import FileError
from freefloat.estimate.physical.regularisers import TradeOff
from freefloat.export.export import NotExported, export_controller, export_robot, export_urdf
from freefloat.export.floating_model import FloatingModel
from freefloat.robot.load import load_robot
from freefloat.robot.parts import Body, Joint
from freefloat.robot.physicality import check_physicality
from freefloat.robot.urdf_read import read_urdf
from freefloat.robot.urdf_write import write_urdf
from freefloat.studies.catalogue import study_robot

TOLERANCE = 1e-8
FREE = [replace(robot, base="free", gravity=np.zeros(3)) for robot in ROBOTS if 3 <= len(robot.bodies) <= 11][:10]
every_robot = pytest.mark.parametrize("robot", FREE, ids=lambda robot: robot.name)


def found_by(robot, seed=1):
    """An exact estimate of the robot by somebody with a wrong CAD model that can exist, and who has fixed bodies."""
    share = 1.0
    while check_physicality(cad := wrong_cad(robot, seed, share)):
        share *= 0.5
    return estimate_of(robot, cad)


def base_motion(H, dq, wheels):
    """Base twist (n, 6) without momentum, from mass matrices (n, 6 + joints, 6 + joints); wheels: momentum (n, 6)."""
    momentum = np.einsum("kij,kj->ki", H[:, :6, 6:], dq) + wheels
    return -np.linalg.solve(H[:, :6, :6], momentum[..., None])[..., 0]


def wheel_momentum(robot, samples):
    turning = (samples.wheel_rates * robot.wheel_inertias) @ robot.wheel_axes
    return np.hstack([np.zeros((len(samples), 3)), turning])


def masses_in_mujoco(model, robot, q):
    """Mass matrices of base twist (in base axes, the base at the origin) and the robot's joints."""
    data, found = mujoco.MjData(model), []
    order = np.r_[np.arange(6), [model.joint(name).dofadr[0] for name in robot.joint_names]]
    for each in q:
        data.qpos[:7] = 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
        for name, position in zip(robot.joint_names, each, strict=True):
            data.joint(name).qpos[0] = position
        mujoco.mj_forward(model, data)
        H = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, H)
        found.append(H[np.ix_(order, order)])
    return np.array(found)


@every_robot
def test_an_exported_urdf_moves_its_base_in_pinocchio_as_the_estimate_does_here(robot, tmp_path):
    estimate, samples = found_by(robot), random_samples(robot, 4, 1)
    export_robot(estimate, tmp_path / "robot.urdf")
    model = load_in_pinocchio((tmp_path / "robot.urdf").read_text())
    H = FullRobot(robot, model).mass_matrix(samples.q)
    theirs = base_motion(H, samples.dq, wheel_momentum(robot, samples))
    assert_agree(FloatingModel(estimate).base_reaction(samples).value, theirs, TOLERANCE, floor=1e-3)


@every_robot
def test_an_exported_urdf_moves_its_base_in_mujoco_as_the_estimate_does_here(robot, tmp_path):
    estimate, samples = found_by(robot), random_samples(robot, 4, 2)
    export_robot(estimate, tmp_path / "robot.urdf")
    model = load_in_mujoco((tmp_path / "robot.urdf").read_text())
    assert model is not None, "MuJoCo refuses the file"
    H = masses_in_mujoco(model, robot, samples.q)
    theirs = base_motion(H, samples.dq, wheel_momentum(robot, samples))
    assert_agree(FloatingModel(estimate).base_reaction(samples).value, theirs, TOLERANCE, floor=1e-3)


@every_robot
def test_an_exported_robot_has_the_identified_clusters_and_says_what_is_the_priors(robot, tmp_path):
    estimate = found_by(robot)
    exported = export_robot(estimate, tmp_path / "robot.yaml")
    loaded = load_robot(tmp_path / "robot.yaml")
    size = np.maximum(np.abs(estimate.values), 1e-3 * np.abs(estimate.values).max())
    assert np.abs((estimate.minimal.values(loaded.parameters) - estimate.values) / size).max() < 1e-9
    assert exported.warnings == ()
    mostly = np.array(robot.parameter_names)[exported.physical.prior_share > 0.5]
    assert 0 < mostly.size < robot.parameters.size
    assert exported.notes[0].endswith(f"the CAD model's, and so are mostly: {', '.join(mostly)}")
    assert exported.paths == (tmp_path / "robot.yaml",)


def test_a_users_own_urdf_is_kept_but_for_its_inertias(tmp_path):
    robot = random_robot(3, bodies=6, base="free", fixed_bodies=True)
    source = tmp_path / "own.urdf"
    write_urdf(replace(robot, points=()), source)
    source.write_text(source.read_text().replace("<robot", "<!-- ours -->\n<robot", 1))
    truth = read_urdf(source, "free")
    estimate = found_by(truth)
    export_urdf(estimate, source, tmp_path / "found.urdf")
    text = (tmp_path / "found.urdf").read_text()
    assert "<!-- ours -->" in text
    assert [line for line in text.splitlines() if "<joint" in line] == [
        line for line in source.read_text().splitlines() if "<joint" in line
    ]
    loaded = read_urdf(tmp_path / "found.urdf", "free")
    np.testing.assert_allclose(estimate.minimal.values(loaded.parameters), estimate.values, rtol=1e-9, atol=1e-9)


def test_an_impossible_estimate_is_exported_as_the_nearest_possible_robot_if_forced(tmp_path):
    estimate = estimate_of(study_robot("naveen_dual_arm"))
    with pytest.raises(NotExported, match=r"no robot that can exist has these values: the nearest is"):
        export_robot(estimate, tmp_path / "nearest.urdf")
    assert not (tmp_path / "nearest.urdf").exists()
    exported = export_robot(estimate, tmp_path / "nearest.urdf", force=True)
    assert exported.warnings[0].startswith("no physical robot explains these data")
    assert load_in_mujoco((tmp_path / "nearest.urdf").read_text()) is not None
    assert check_physicality(exported.physical.robot) == ()


def test_code_for_a_controller_is_written_by_the_ending_of_its_name(tmp_path):
    robot = random_robot(4, bodies=4, base="free")
    estimate, samples = estimate_of(robot), random_samples(robot, 1, 1)
    exported = export_controller(estimate, tmp_path / "my-arm.c")
    assert [path.name for path in exported.paths] == ["my-arm.c", "my_arm.h"]
    assert '#include "my_arm.h"' in exported.paths[0].read_text()
    assert "void my_arm_mass_matrix(" in exported.paths[1].read_text()
    export_controller(estimate, tmp_path / "arm.casadi")
    H, c = casadi.Function.load(str(tmp_path / "arm.casadi"))(samples.q[0], samples.dq[0], np.zeros(6))
    assert_agree(H.full()[None], FloatingModel(estimate).mass_matrix(samples.q).value, 1e-9, floor=1e-6)
    assert c.shape == (6 + len(robot.joints), 1)


@pytest.mark.parametrize("name", ["a.urdf", "a.yaml", "a.c", "a.casadi"])
def test_whatever_is_exported_says_first_what_the_estimate_says(name, tmp_path):
    said = {"outcome": "doubtful", "warnings": ("a sensor is late",)}
    estimate = estimate_of(study_robot("naveen_dual_arm"), **said)  # which cannot exist: there is a warning of its own
    write = {".urdf": export_robot, ".yaml": export_robot}
    exported = write.get(name[1:], export_controller)(estimate, tmp_path / name, force=True)
    assert exported.warnings[:2] == ("the outcome of the estimate is 'doubtful'", "a sensor is late")
    assert len(exported.warnings) == len(set(exported.warnings))
    assert (len(exported.warnings) > 2) == (exported.physical is not None)


def test_names_that_say_nothing_we_write_are_refused(tmp_path):
    estimate = estimate_of(random_robot(4, bodies=3, base="free"))
    with pytest.raises(FileError, match=r"allowed: \.c, \.casadi"):
        export_controller(estimate, tmp_path / "arm.py")
    with pytest.raises(FileError, match=r"allowed: \.yaml, \.yml, \.json, \.urdf"):
        export_robot(estimate, tmp_path / "arm.xacro")


@pytest.mark.parametrize(
    "write",
    [
        lambda estimate, folder: export_robot(estimate, folder / "a.urdf"),
        lambda estimate, folder: export_robot(estimate, folder / "a.yaml"),
        lambda estimate, folder: export_controller(estimate, folder / "a.c"),
        lambda estimate, folder: export_controller(estimate, folder / "a.casadi"),
    ],
)
def test_a_failed_write_leaves_what_was_there(write, tmp_path, monkeypatch):
    estimate = estimate_of(random_robot(4, bodies=3, base="free"))
    for name in ("a.urdf", "a.yaml", "a.c", "a.h", "a.casadi"):
        (tmp_path / name).write_text("before")

    def refuse(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(FileError, match="disk is full"):
        write(estimate, tmp_path)
    assert {file.read_text() for file in tmp_path.iterdir()} == {"before"}


def test_a_load_that_the_users_urdf_lacks_is_left_out_or_added_and_said(tmp_path):
    bare = random_robot(3, bodies=3, base="free", prismatic=False)
    write_urdf(replace(bare, points=()), tmp_path / "mine.urdf")
    own = read_urdf(tmp_path / "mine.urdf")
    load = Body("load", own.bodies[-1].name, Joint("grip", "fixed"), parameters=0.2 * own.bodies[-1].parameters)
    estimate = estimate_of(replace(own, bodies=(*own.bodies, load)))
    for lacking, said, bodies in (("leave-out", "left out", 3), ("add", "added to it", 4)):
        made = export_urdf(estimate, tmp_path / "mine.urdf", tmp_path / "new.urdf", lacking=lacking)
        assert made.notes[-1].endswith(f"lacks load, which the estimate's robot has: {said}")
        assert len(read_urdf(tmp_path / "new.urdf").bodies) == bodies
    with pytest.raises(FileError, match="body 'load': is not in this file"):
        export_urdf(estimate, tmp_path / "mine.urdf", tmp_path / "new.urdf", lacking="refuse")


def test_a_total_mass_that_is_known_is_that_of_the_file(tmp_path):
    robot = random_robot(12, bodies=4, base="fixed", prismatic=False)
    known = TradeOff(total_mass=1.05 * robot.mass)
    export_robot(estimate_of(robot, relative=0.1), tmp_path / "heavier.yaml", trade_off=known)
    assert load_robot(tmp_path / "heavier.yaml").mass == pytest.approx(1.05 * robot.mass, rel=1e-6)
