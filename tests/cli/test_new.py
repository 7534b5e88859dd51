"""A mission that `freefloat new` writes is designed, flown and identified as it is, whatever the robot."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import yaml
from cli.calling import ended
from excitation.small_mission import ROBOT

import freefloat as ff

BASE, (ARM, TIP) = ROBOT["base"], ROBOT["bodies"]
TURN = {"name": "j1", "kind": "revolute", "axis": [0, 0, 1], "position_deg": [-90, 90], "rate_deg_s": 30}
SLIDE = {"name": "j2", "kind": "prismatic", "axis": [1, 0, 0], "position_m": [0, 0.3], "rate_m_s": 0.05}
BOLTED = {"kind": "fixed", "gravity_m_s2": [0, 0, -9.81], "mass_kg": 20}
WHEELS = [
    {"name": f"w{axis}", "axis": unit, "spin_inertia_kgm2": 1e-3, "max_rate_rad_s": 500}
    for axis, unit in zip("xyz", [[1, 0, 0], [0, 1, 0], [0, 0, 1]], strict=True)
]
FREE = {**ROBOT, "bodies": [ARM]}
ROBOTS = {  # by what is new about each
    "free": FREE,
    "planar": {**ROBOT, "base": {**BASE, "kind": "planar", "wheels": []}, "bodies": [{**ARM, "joint": TURN}]},
    "fixed": {**ROBOT, "base": BOLTED, "bodies": [ARM]},
    "sliding": {**ROBOT, "bodies": [ARM, {**TIP, "joint": SLIDE}]},
    "unlimited": {**ROBOT, "bodies": [{**ARM, "joint": {"name": "j1", "kind": "continuous", "axis": [0, 1, 0]}}]},
}


def worked(folder, name="trial"):
    """Design, simulate and identify the mission with nothing changed but its length; the estimate."""
    mission = folder / f"{name}.yaml"
    mission.write_text(mission.read_text().replace("rate_Hz: 100", "rate_Hz: 10").replace("_s: 60", "_s: 20"))
    for arguments in (
        ("design", mission, "--starts", 1, "--shakes", 0, "--workers", 1, "-o", "motion.json"),
        ("simulate", mission, "--excitation", "motion.json", "--seed", 1, "-o", "flight.parquet"),
        ("identify", mission, "flight.parquet", "-o", "found.json"),
    ):
        code, out, err = ended(arguments, folder)
        assert code == 0, err
        assert out
    return ff.load_estimate(folder / "found.json")


@pytest.mark.parametrize("kind", ROBOTS)
def test_every_kind_of_robot_goes_from_a_new_mission_to_an_estimate(tmp_path, kind):
    (tmp_path / "robot.yaml").write_text(yaml.safe_dump(ROBOTS[kind]))
    code, said, err = ended(["new", "trial", "--urdf", "robot.yaml"], tmp_path)
    assert (code, said.splitlines()[0], err) == (0, "wrote trial.yaml", "")
    assert ("! nothing limits range or rate of j1" in said) == (kind == "unlimited")
    assert ("! nothing is known yet" in said) == (kind != "fixed"), "of the others none has a load"
    assert worked(tmp_path).outcome != "failed"


def test_a_robot_without_joints_is_flown_at_random_predicted_and_run(tmp_path):
    satellite = {**ROBOT, "base": {**BASE, "wheels": WHEELS}, "bodies": []}
    (tmp_path / "robot.yaml").write_text(yaml.safe_dump(satellite))
    code, said, _ = ended(["new", "trial", "--urdf", "robot.yaml"], tmp_path)
    assert (code, said) == (0, "wrote trial.yaml\n"), "the scale is that of the wheels"
    mission = tmp_path / "trial.yaml"
    mission.write_text(mission.read_text().replace("rate_Hz: 100", "rate_Hz: 10").replace("_s: 60", "_s: 20"))
    for arguments in (
        ("simulate", mission, "--seed", 1, "-o", "one.parquet"),
        ("simulate", mission, "--seed", 2, "-o", "two.parquet"),
        ("identify", mission, "one.parquet", "-o", "found.json"),
        ("validate", mission, "found.json", "two.parquet"),
        ("run", mission, "-o", "whole", "--starts", 1, "--shakes", 0, "--workers", 1),
    ):
        code, out, err = ended(arguments, tmp_path)
        assert code == 0, err
    assert " PASS " in out


@pytest.mark.parametrize("change", ["unlimited", "none"])
def test_a_robot_without_joints_that_cannot_move_is_told_so(tmp_path, change):
    wheels = [{**WHEELS[0], "max_rate_rad_s": None}] if change == "unlimited" else []
    base = {**BASE, "wheels": [{k: v for k, v in wheel.items() if v is not None} for wheel in wheels]}
    (tmp_path / "robot.yaml").write_text(yaml.safe_dump({**ROBOT, "base": base, "bodies": []}))
    said = ended(["new", "trial", "--urdf", "robot.yaml"], tmp_path)[1]
    remark, refusal = {
        "unlimited": ("nothing limits the rate of wx: give max_rate_rad_s in", "wheel wx has no largest rate"),
        "none": ("neither joints nor wheels: there is no motion", "nothing of small is to move"),
    }[change]
    assert f" ! {remark}" in said
    code, _, err = ended(["simulate", "trial.yaml"], tmp_path)
    assert (code, refusal in err) == (2, True)


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
def test_a_urdf_is_told_how_its_base_moves(tmp_path, base):
    (tmp_path / "robot.yaml").write_text(yaml.safe_dump(ROBOTS["planar"]))
    robot = ff.load_robot(tmp_path / "robot.yaml")
    robot.save(tmp_path / "mine.urdf")
    text = (tmp_path / "mine.urdf").read_text()
    told = ["new", "trial", "--urdf", "mine.urdf", "--base", base]
    code, said, _ = ended(told, tmp_path)
    assert (code, said.splitlines()[:2]) == (0, ["wrote trial.yaml", "wrote trial_robot.yaml"])
    assert ff.load_mission(tmp_path / "trial.yaml").robot.base == base
    assert (tmp_path / "mine.urdf").read_text() == text
    code, _, err = ended(["new", "trial", "--urdf", "mine.urdf", "--base", base], tmp_path)
    assert (code, err) == (2, "freefloat: trial.yaml: is there already; choose another name or remove it first\n")


@pytest.mark.parametrize("kind", ROBOTS)
def test_the_schema_accepts_what_is_written(tmp_path, kind):
    (tmp_path / "robot.yaml").write_text(yaml.safe_dump(ROBOTS[kind]))
    ended(["new", "trial", "--urdf", "robot.yaml"], tmp_path)
    schema = json.loads(ended(["schema", "mission"], tmp_path)[1])
    checker = jsonschema.Draft202012Validator(schema)
    written = yaml.safe_load((tmp_path / "trial.yaml").read_text())
    assert [f"{error.json_path}: {error.message}" for error in checker.iter_errors(written)] == []
    written["sensors"]["joints"]["noise_rad"] = "little"
    assert not checker.is_valid(written)


@pytest.mark.parametrize("gravity", [None, [0.0, 0.0, -9.81]], ids=["unsaid", "in the robot file"])
def test_an_arm_on_the_ground_is_asked_for_gravity_only_where_nobody_said_it(tmp_path, gravity):
    base = {key: value for key, value in BOLTED.items() if key != "gravity_m_s2"}
    base |= {} if gravity is None else {"gravity_m_s2": gravity}
    (tmp_path / "robot.yaml").write_text(yaml.safe_dump({**ROBOT, "base": base, "bodies": [ARM]}))
    ended(["new", "trial", "--urdf", "robot.yaml"], tmp_path)
    mission = tmp_path / "trial.yaml"
    assert ("\nstance: {gravity_m_s2: [0, 0, -9.80665]}" in mission.read_text()) == (gravity is None)
    np.testing.assert_allclose(ff.load_mission(mission).robot.gravity, gravity or [0.0, 0.0, -9.80665])
    text = mission.read_text()
    mission.write_text("\n".join(line for line in text.splitlines() if not line.startswith("stance")))
    t = np.linspace(0.0, 10.0, 400)
    rows = np.column_stack([t, np.sin(t), np.cos(t)])
    np.savetxt(tmp_path / "arm.csv", rows, delimiter=",", header="t_s,q_j1_rad,tau_j1_Nm", comments="")
    code, _, err = ended(["identify", "trial.yaml", "arm.csv", "--method", "least-squares"], tmp_path)
    asked = "nobody said which way gravity acts"
    assert (asked in err) == (gravity is None)
    assert ("write `stance: {gravity_m_s2: [0, 0, -9.80665]}` in the mission" in err) == (gravity is None)
    assert (code == 2) == (gravity is None)


def test_bodies_that_cannot_exist_are_said_at_once(tmp_path):
    arm = {**ARM, "inertia_kgm2": {"xx": 0.01, "yy": 0.5, "zz": 0.05}}
    (tmp_path / "robot.yaml").write_text(yaml.safe_dump({**ROBOT, "bodies": [arm]}))
    said = ended(["new", "trial", "--urdf", "robot.yaml"], tmp_path)[1]
    assert said.splitlines()[-1] == " ! cannot exist as given: link1; `freefloat inspect` says why"


def test_joints_that_nothing_limits_are_said_where_one_looks_for_limits(tmp_path):
    (tmp_path / "robot.yaml").write_text(yaml.safe_dump(ROBOTS["unlimited"]))
    ended(["new", "trial", "--urdf", "robot.yaml"], tmp_path)
    text = (tmp_path / "trial.yaml").read_text()
    assert "  # Nothing limits the rate of j1: give one in the robot file.\n" in text
    design = ("design", "trial.yaml", "--starts", 1, "--shakes", 0, "--workers", 1)
    assert (
        "nothing limits j1: how far and how fast it may move is not known; give a range" in ended(design, tmp_path)[1]
    )


def test_bodies_without_shapes_are_named_where_one_looks_for_clearance(tmp_path):
    bare = {key: value for key, value in TIP.items() if key != "shape"}
    (tmp_path / "robot.yaml").write_text(yaml.safe_dump({**ROBOT, "bodies": [ARM, bare]}))
    ended(["new", "trial", "--urdf", "robot.yaml"], tmp_path)
    text = (tmp_path / "trial.yaml").read_text()
    assert "  # To have collisions checked (clearance_m), give a `shape` in the robot file to link2.\n" in text
    assert "clearance_m: " not in text


@pytest.mark.parametrize("kind", ["free", "planar", "fixed", "sliding"])
def test_lines_to_uncomment_are_what_a_mission_may_have(tmp_path, kind):
    (tmp_path / "robot.yaml").write_text(yaml.safe_dump(ROBOTS[kind]))
    ended(["new", "trial", "--urdf", "robot.yaml"], tmp_path)
    path = tmp_path / "trial.yaml"
    lines = path.read_text().splitlines()
    first = next((place for place, line in enumerate(lines) if line.startswith("  # limits:")), len(lines))
    assert (first == len(lines)) == (kind == "fixed"), "one joint on the ground: there is nothing to limit beside it"
    for place in range(first, len(lines)):
        if lines[place].startswith("  # "):
            lines[place] = lines[place].replace("  # ", "  ", 1)
    path.write_text("\n".join(lines) + "\n")
    limits = ff.load_mission(path).settings.excitation.limits
    assert limits.clearance_m == (0.05 if kind == "sliding" else None), "a single joint leaves nothing to check"
    assert (limits.base_rate_deg_s is None) == (kind == "fixed")
    assert ff.plan_of(ff.load_mission(path)).limits
    asked = ff.load_mission(path).settings.identify
    assert asked.method == "maximum-likelihood"
    assert (asked.nuisances.external_torque_Nm is None) == (kind not in ("free", "sliding")), (
        "what an orbit does to a free base"
    )


def test_a_mission_is_written_where_its_name_says(tmp_path):
    (tmp_path / "sub").mkdir()
    code, said, _ = ended(["new", Path("sub") / "trial.yml"], tmp_path)
    assert (code, said) == (0, "wrote sub/trial.yml\nwrote sub/servicer.yaml\n")
    assert ff.load_mission(tmp_path / "sub" / "trial.yml").robot.name


def test_an_orbit_is_written_where_one_is_asked_for(tmp_path):
    code, said, _ = ended(["new", "low", "--orbit-altitude-km", "550"], tmp_path)
    assert code == 0
    assert " ! say under `orbit` in low.yaml where the planet is, in base axes where a recording begins\n" in said
    mission = ff.load_mission(tmp_path / "low.yaml")
    assert mission.orbit == ff.dynamics.Orbit(ff.dynamics.earth_orbit_rate(550e3))
    ended(["new", "still"], tmp_path)
    assert ff.load_mission(tmp_path / "still.yaml").orbit is None
    ff.study_robot("gautier_khalil_arm").save(tmp_path / "arm.yaml")
    code, _, said = ended(["new", "bench", "--urdf", "arm.yaml", "--orbit-altitude-km", "550"], tmp_path)
    assert code == 2
    assert "given for a fixed base; allowed: a robot that floats" in said.replace("\n", " ")
    assert not (tmp_path / "bench.yaml").exists()
