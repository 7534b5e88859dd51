"""Every verb over a mission whose robot carries a panel on a spring: it works, or one sentence says why not."""

import json

import pytest
import yaml
from campaign.tiny_mission import LIMITS, TINY, TINY_ROBOT
from cli.calling import ended

import freefloat as ff
from freefloat.estimate.method_names import METHOD_HOMES, RECIPES

PANEL = {
    "name": "panel",
    "xyz_m": [0, 0.3, 0],
    "axis": [1, 0, 0],
    "mass_kg": 2,
    "com_m": [0, 0.5, 0],
    "inertia_kgm2": {"xx": 0.2, "yy": 0.05, "zz": 0.2},
    "frequency_Hz": 0.3,
    "damping_ratio": 0.02,
}
LOCKED = "panel_hinge locked; its swing is not counted"
SEARCHED = "searched with panel_hinge locked; what is predicted is for the robot that swings"
MODES = "modes of this robot"
WORK = [  # in this order: (what is typed, what is said)
    ("inspect robot.yaml", "spring of panel_hinge"),
    ("inspect robot.yaml --model momentum", "clusters"),
    ("draw tiny.yaml -o drawn.yaml", "wrote drawn.yaml"),
    ("simulate tiny.yaml -o flight.parquet", "wrote flight.parquet"),
    ("simulate tiny.yaml --robot drawn.yaml --seed 2 -o unseen.parquet", "wrote unseen.parquet"),
    ("simulate tiny.yaml --seed 3 -o again.parquet", "wrote again.parquet"),
    ("data flight.parquet", "gyro_x_rad_s"),
    ("identify tiny.yaml flight.parquet -o found.json", MODES),
    ("identify tiny.yaml flight.parquet --json", "stiffness of panel_hinge"),
    ("identify tiny.yaml flight.parquet --method physically-consistent", MODES),
    ("identify tiny.yaml flight.parquet --history 2", "from s"),
    ("validate tiny.yaml found.json unseen.parquet", "of unseen motion"),
    ("validate tiny.yaml found.json --random 2", LOCKED),
    ("mass found.json", "total mass"),
    ("target tiny.yaml flight.parquet --body link1", "link1"),
    ("change tiny.yaml again.parquet --before flight.parquet --on link1", "change"),
    (
        "export found.json --robot found.yaml --mjcf found.xml -o found.urdf",
        "stiffness of panel_hinge, which is",
    ),
    ("export found.json --controller found.c", "wrote found.h"),
    ("export found.json --controller found.casadi", "wrote found.casadi"),
    ("export found.json --free-flying matrices.json", "what springs give, -k q - d dq, is left out: panel_hinge k ="),
    ("export found.json --modes modes.json --at j1=0.3", "wrote modes.json"),
    ("sweep tiny.yaml --over panel.mass_kg=1:2:2", LOCKED),
    ("perturb known.yaml --draws 2", LOCKED),
    ("front points.yaml --weights 0 --starts 1", LOCKED),
    ("design free.yaml --starts 1 --shakes 0 -o motion.json", SEARCHED),
]
SLOW = [
    ("run free.yaml -o whole --starts 1", "report"),
    ("report whole", "whole/report.html"),
    ("campaign tiny.yaml --runs 2 -o many --workers 1", "2"),
]
TAKE_ALL = {"maximum-likelihood", "physically-consistent", "base-only"}  # methods that follow the swing


def swinging_folder(folder):
    robot = {**TINY_ROBOT, "appendages": [PANEL]}
    (folder / "robot.yaml").write_text(yaml.safe_dump(robot))
    designed = {name: section for name, section in TINY.items() if name != "trajectory"}
    shape = {"shape": {"kind": "points", "points": 24}, "duration_s": 10}
    joint = {"joints": {**TINY["sensors"]["joints"]}, "torques": {"kind": "torque", "noise_Nm": 1e-3, "rate_Hz": 4}}
    known = {"base": {"relative_sd": 0.0}, "panel": {"relative_sd": 0.0}}
    for name, mission in (
        ("tiny", TINY),
        ("known", {**TINY, "known": known}),
        ("free", {**designed, "excitation": {"shape": {"harmonics": 1}, "duration_s": 10, "limits": LIMITS}}),
        ("points", {**designed, "sensors": joint, "known": known, "excitation": shape}),
    ):
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(mission))


def check(typed, said, folder):
    code, out, err = ended(typed.split(), folder)
    assert code in (0, 1, None), err
    assert said in " ".join((out + err).split())
    assert "check the encoder" not in out


def test_verbs_take_robots_that_swing(tmp_path):
    """One after the other, with the files of those before."""
    swinging_folder(tmp_path)
    for typed, said in WORK:
        check(typed, said, tmp_path)
    estimate, robot = ff.load_estimate(tmp_path / "found.json"), ff.load_robot(tmp_path / "found.yaml")
    (spring,) = robot.springs
    assert spring.stiffness == pytest.approx(estimate.value("stiffness of panel_hinge")[0], rel=1e-12)
    assert spring.damping == pytest.approx(estimate.value("damping of panel_hinge")[0], rel=1e-12)
    assert f'stiffness="{spring.stiffness!r}"' in (tmp_path / "found.xml").read_text()
    assert json.loads((tmp_path / "motion.json").read_text())["locked"] == ["panel_hinge"]
    designed = ff.load_excitation(tmp_path / "motion.json")
    assert designed.locked == ("panel_hinge",)
    assert {each.name for each in designed.predictions} == set(estimate.names)
    assert [each.name for each in designed.sheet.swings] == ["panel_hinge"]


@pytest.mark.slow
def test_all_at_once_too(tmp_path):
    swinging_folder(tmp_path)
    for typed, said in SLOW:
        check(typed, said, tmp_path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """With a flight of a robot that swings."""
    made = tmp_path_factory.mktemp("swinging")
    swinging_folder(made)
    check("simulate tiny.yaml -o flight.parquet", "wrote flight.parquet", made)
    return made


@pytest.mark.parametrize("method", sorted({*METHOD_HOMES, *RECIPES} - TAKE_ALL))
def test_methods_that_need_every_joint_measured_refuse(method, folder):
    before = sorted(folder.iterdir())
    code, out, err = ended(["identify", "tiny.yaml", "flight.parquet", "--method", method, "-o", "no.json"], folder)
    assert code == 2
    assert not out
    (sentence,) = err.strip().splitlines()
    assert "panel_hinge" in sentence
    assert "allowed: maximum-likelihood" in sentence
    assert sorted(folder.iterdir()) == before
