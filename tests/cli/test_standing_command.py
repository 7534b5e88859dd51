"""A robot that stands, by mission and command line: designed, flown, identified and validated without joint torques."""

import json

import numpy as np
import pytest
from calling import ended
from command_run import run
from standing_mission import MISSION, write_standing_mission

import freefloat as ff

SELECTED = MISSION.replace("{harmonics: 3}", "{kind: selection, motions: 2, draws: 2, harmonics: 3}")
QUICK = ("--starts", "1", "--workers", "1", "--shakes", "0")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A mission, a motion for it, and what its sensors recorded of two flights."""
    folder = tmp_path_factory.mktemp("standing")
    mission = write_standing_mission(folder, SELECTED)
    run("design", mission, "-o", folder / "motion.json")
    for seed in (0, 1):
        run(
            "simulate",
            mission,
            "--excitation",
            folder / "motion.json",
            "--seed",
            seed,
            "-o",
            folder / f"{seed}.parquet",
        )
    return folder


def test_it_is_identified_from_joints_and_wrench_alone(folder):
    said = run("identify", folder / "mission.yaml", folder / "0.parquet", "-o", folder / "estimate.json").stdout
    assert "29 clusters of base-wrench · good" in said
    estimate, mission = ff.load_estimate(folder / "estimate.json"), ff.load_mission(folder / "mission.yaml")
    true = estimate.minimal.values(mission.robot.parameters)
    assert (np.abs(estimate.values - true) < 4.0 * estimate.sd).all()
    assert "m_foot" in estimate.names
    said = run("validate", folder / "mission.yaml", folder / "estimate.json", folder / "1.parquet").stdout
    assert "PASS  base wrench predicted to" in said


def test_a_recording_is_what_was_there_before(folder):
    mission, plans = ff.load_mission(folder / "mission.yaml"), []
    for earlier in ([ff.excitation.load_motion(folder / "motion.json")], [ff.load_recording(folder / "0.parquet")]):
        plans.append(ff.plan_of(mission, earlier=earlier))
    motion = ff.excitation.load_motion(folder / "motion.json")
    designed, recorded = (plan.condition_number(motion) for plan in plans)
    assert recorded == pytest.approx(designed, rel=1e-3)
    alone = ff.plan_of(mission).condition_number(motion)
    assert designed == pytest.approx(alone, rel=1e-9)  # the same rows twice


def test_the_command_takes_recordings_and_refuses_what_is_none(folder):
    mission = folder / "mission.yaml"
    run("design", mission, "--earlier", folder / "0.parquet", "-o", folder / "next.json", "--quiet")
    first, after = (
        json.loads((folder / name).read_text())["condition_number"] for name in ("motion.json", "next.json")
    )
    assert after <= 1.001 * first
    code, _, said = ended(["design", mission, "--earlier", folder / "stander.yaml", "-o", folder / "no.json"])
    assert code == 2
    assert said.startswith("freefloat: ")
    assert not (folder / "no.json").exists()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("body: foot", "body: feet", "stance.body: no body named 'feet'"),
        ("[[0.1, 0.05, -0.07], [0.1, -0.05, -0.07], [", "[[", "support_polygon_m"),
        ("-9.81]", "0]", "fixed base and no gravity; allowed: a fixed base with gravity"),
        ("support_polygon_m", "centre_of_mass_disc_m: 0.01 #", "has centre_of_mass_disc_m but no support_polygon_m"),
        ("{harmonics: 3}", "{kind: choice}", "excitation.shape.kind is 'choice'; allowed: fourier, bspline"),
    ],
)
def test_what_does_not_stand_is_refused_in_a_sentence(tmp_path, old, new, words):
    path = write_standing_mission(tmp_path, MISSION.replace(old, new))
    code, _, said = ended(["design", path, "-o", tmp_path / "no.json", *QUICK])
    assert code == 2
    assert words in said
    assert not (tmp_path / "no.json").exists()


@pytest.mark.slow
def test_a_search_keeps_it_standing(tmp_path):
    disc = MISSION.replace("    clearance_m", "    centre_of_mass_disc_m: 0.03\n    clearance_m")
    mission = ff.load_mission(write_standing_mission(tmp_path, disc))
    found = ff.design(mission, starts=1, shakes=0, workers=1)
    names = {margin.limit for margin in found.margins}
    assert {"centre of mass inside its support", "zero-moment point inside its support"} <= names
    assert "centre of mass in its disc" in names
    assert found.feasible
    assert found.condition_number < 400.0
