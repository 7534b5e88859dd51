"""Every script in examples/ runs, and what it prints of the robot is true."""

import re
import runpy
import sys
from pathlib import Path

import pytest

import freefloat as ff

EXAMPLES = Path(__file__).parent.parent / "examples"
SAYS = {  # by script: what a reader must see
    "own_urdf": ("PASS  base rate predicted", "Izz_bus", "identified.urdf"),
    "recorded_csv": ("q_j7_deg,gyro_x_deg_s", "gyro: 3001 samples at 50 Hz, 0 gaps", "good; residual "),
    "ros2_bag": ("q: j1, j2, j3, 1501 samples", "good; residual 1.0", "Izz_base"),
    "planar_table": ("motion in a plane shows 7 clusters", "PASS  base attitude predicted"),
    "fixed_arm_torque": ("Izz_forearm", "bodies that cannot exist: 0"),
}
ESTIMATE = re.compile(r"found (\S+) ± (\S+), true (\S+)")
ROW = re.compile(r"^[mI]\w+ +\S+ +(\S+) +(\S+) +\S+ +(\S+)$", re.MULTILINE)
FAR = 2.0  # half-widths of a 95 % interval: a chance of one in ten thousand


@pytest.mark.parametrize("name", SAYS)
def test_example(name, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [f"{name}.py", str(tmp_path / "out")])
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    for text in SAYS[name]:
        assert text in printed
    found = [tuple(map(float, each)) for each in (*ESTIMATE.findall(printed), *ROW.findall(printed))]
    assert len(found) >= 3
    assert [each for each in found if abs(each[0] - each[2]) > FAR * each[1]] == []
    assert {path.name for path in tmp_path.iterdir()} <= {"out"}, "written where it was not told to"
    if name == "own_urdf":
        assert_only_inertias_changed(tmp_path / "out" / "cubesat.urdf", tmp_path / "out" / "identified.urdf")


def test_every_example_is_run_and_listed():
    scripts = {path.stem for path in EXAMPLES.glob("*.py")}
    listed = set(re.findall(r"\[(\w+)\.py\]", (EXAMPLES / "README.md").read_text()))
    assert scripts == set(SAYS) == listed


def assert_only_inertias_changed(before, after):
    """A URDF whose other parts stay as they were has new inertias that can exist."""
    given, identified = ff.load_robot(before), ff.load_robot(after)
    assert identified.joint_names == given.joint_names
    assert identified.body("bus").parameters[0] != given.body("bus").parameters[0]
    assert not ff.robot.check_physicality(identified)
