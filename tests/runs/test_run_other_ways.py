"""Runs that are not the usual one: of recorded flights, given motions, fixed bases, robots without a known load."""

import json
from dataclasses import replace

import numpy as np
import pytest
import yaml
from excitation.small_mission import ROBOT, write_small_mission
from report.small_run import SENSORS, shared_run
from typer.testing import CliRunner

import freefloat as ff
from freefloat.cli import app
from freefloat.data.origin import Origin
from freefloat.errors import FreefloatError
from freefloat.estimate.prior import CadSpread
from freefloat.mission.flying import fly
from freefloat.mission.mission_file import InvalidMission
from freefloat.motion.fourier import Fourier
from freefloat.report.sections.provenance import provenance
from freefloat.report.sections.verdict import verdict
from freefloat.report.shown_motion import shown_motion
from freefloat.runs.run_steps import STEPS

QUICK = {"starts": 1, "seed": 3, "shakes": 0, "workers": 1}


@pytest.fixture(scope="module")
def made():
    return shared_run()[0]


def as_recorded(recording):
    """The same as if it came from the real robot: nobody knows how it was made."""
    return replace(recording, origin=Origin())


def refused(*arguments):
    result = CliRunner().invoke(app, [str(each) for each in ("run", *arguments)])
    assert result.exception is not None
    return str(result.exception)


# ---------------------------------------------------------------------- recorded flights


def test_a_recorded_flight_is_identified_predicted_and_reported(made, tmp_path):
    as_recorded(made.flight).save(tmp_path / "real.csv")
    made.unseen.save(tmp_path / "other.parquet")  # whose commanded motion is known
    folder = tmp_path / "real.run"
    arguments = ["--recording", tmp_path / "real.csv", "--unseen", tmp_path / "other.parquet"]
    arguments += ["--excitation", made.directory / "excitation.json", "-o", folder, "--json", "--quiet"]
    result = CliRunner().invoke(app, [str(each) for each in ("run", made.mission.path, *arguments)])
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    run = ff.load_run(folder)
    assert set(document["seconds"]) == {"read", "identify", "validate", "export", "report"}
    assert list(run.flights) == ["real.parquet"]
    assert list(run.unseen_flights) == ["other.parquet"]
    assert run.truth is None
    assert not (folder / "flown.yaml").exists()
    assert np.allclose(run.estimate.values, made.estimate.values, rtol=1e-6, atol=1e-9)
    assert run.validation.verdict == made.validation.verdict
    assert run.excitation.predictions == made.excitation.predictions
    assert "off by" not in document["numbers"][0]["more"]


def test_without_an_unseen_recording_it_is_said_that_nothing_was_tested(made, tmp_path):
    run = ff.run(made.mission, tmp_path / "r", recordings=as_recorded(made.flight))
    assert run.excitation is None
    assert run.validation is None
    told = verdict(run)
    assert told["state"] == "doubtful"
    assert "has not been tested on motion that it has not seen" in told["sentence"]
    assert told["headlines"][2].more == "not tested on unseen motion"
    assert "has not been tested" in run.report.read_text()
    again = ff.load_run(tmp_path / "r")
    assert again.unseen is None
    assert provenance(again)["commands"][0] == (
        "freefloat run mission.yaml --recording recordings/flight.parquet -o again.run"
    )


def test_the_scene_of_a_recorded_flight_is_the_motion_that_was_measured(made, tmp_path):
    run = ff.run(made.mission, tmp_path / "r", recordings=as_recorded(made.flight))
    shown, flown = shown_motion(run), fly(made.mission, made.excitation, robot=made.truth)
    turned = [2.0 * np.arccos(np.abs(np.einsum("ni,i->n", each.attitude, each.attitude[0])).clip(0.0, 1.0))
              for each in (shown, flown)]  # fmt: skip
    at = np.interp(shown.t, flown.t, turned[1])
    assert turned[1].max() > 0.05
    assert np.abs(turned[0] - at).max() < 0.02 * turned[1].max()
    x = np.column_stack([np.interp(shown.t, flown.t, column) for column in flown.position.T])
    assert np.abs(shown.position - shown.position[0] - x + x[0]).max() < 0.1 * np.ptp(x, axis=0).max()


def test_recordings_keep_their_names_and_what_the_mission_says_of_them(made, tmp_path):
    mission = ff.load_mission(
        write_small_mission(tmp_path, sensors=SENSORS, identify={"without": {"free.csv": ["link2"]}})
    )
    flights = {"a/x.parquet": as_recorded(made.flight), "b/x.parquet": as_recorded(made.unseen)}
    light = as_recorded(ff.simulate(made.mission, made.excitation, seed=9))
    run = ff.run(mission, tmp_path / "r", recordings={**flights, "free.csv": light})
    assert run.manifest.recordings == ("recordings/x.parquet", "recordings/x_2.parquet", "recordings/free.parquet")
    assert run.mission.settings.identify.without == {"free.parquet": ["link2"]}
    ff.run(mission, tmp_path / "r", recordings={"free.csv": light})
    assert [each.name for each in (tmp_path / "r" / "recordings").iterdir()] == ["free.parquet"]


def test_truth_is_told_only_where_it_is_known(made, tmp_path):
    def page(flight, truth=None):
        ff.write_report(
            tmp_path / "r.html", made.mission, flight, made.estimate, excitation=made.excitation, truth=truth
        )
        return (tmp_path / "r.html").read_text()

    held = "95 % hold the true value"
    assert held not in page(made.flight), "it was another robot that flew"
    assert held in page(made.flight, made.truth)
    assert held in page(ff.simulate(made.mission, made.excitation, seed=4))
    assert held not in page(as_recorded(made.flight))


def test_wrong_ways_to_give_recordings(made, tmp_path):
    flight, mission = made.directory / "flight.parquet", made.mission.path
    assert "--unseen: is for recorded flights" in refused(mission, "--unseen", flight, "-o", tmp_path / "r")
    assert "--repair: is for recorded flights" in refused(mission, "--repair", "sort", "-o", tmp_path / "r")
    assert "is given twice" in refused(mission, "--recording", flight, "--unseen", flight, "-o", tmp_path / "r")
    assert "nothing.csv" in refused(mission, "--recording", tmp_path / "nothing.csv", "-o", tmp_path / "r")
    assert "robot.yaml" in refused(mission, "--excitation", made.directory / "robot.yaml", "-o", tmp_path / "r")
    assert not (tmp_path / "r").exists(), "nothing is half-written"
    wheel = Fourier(("wy",), np.zeros((4, 1)), 20.0)
    with pytest.raises(FreefloatError, match="wy"):
        ff.run(made.mission, tmp_path / "r", motion=wheel)
    with pytest.raises(InvalidMission, match="none to identify"):
        ff.run(made.mission, tmp_path / "r", unseen=made.unseen)
    with pytest.raises(InvalidMission, match="no recording to identify"):
        ff.run(made.mission, tmp_path / "r", recordings={})
    with pytest.raises(InvalidMission, match="fly is 'me'; allowed: drawn, cad"):
        ff.run(made.mission, tmp_path / "r", fly="me")
    assert not (tmp_path / "r").exists()


# ---------------------------------------------------------------------- given motions


def test_an_earlier_design_or_a_motion_is_flown_without_a_search(made, tmp_path):
    run = ff.run(made.mission, tmp_path / "r", seed=3, motion=made.excitation)
    assert np.allclose(run.estimate.values, made.estimate.values, rtol=1e-9, atol=1e-12)
    assert [step.name for step in run.steps][:3] == ["draw", "describe", "simulate"]
    path = tmp_path / "motion.json"
    made.excitation.trajectory.save(path)
    again = ff.run(made.mission, tmp_path / "q", seed=3, motion=ff.load_trajectory(path))
    told = again.excitation
    assert told.how.solver == "given by a file"
    assert np.allclose([p.sd for p in told.predictions], [p.sd for p in made.excitation.predictions], rtol=1e-6)
    assert np.allclose([m.slack for m in told.margins], [m.slack for m in made.excitation.margins], atol=1e-6)
    assert "--trajectory motion.json" in provenance(ff.load_run(again.directory))["commands"][0]
    assert "given by a file" in again.report.read_text()


def test_a_given_motion_beyond_its_limits_is_flown_and_told_of(made, tmp_path):
    fast = made.excitation.trajectory.with_coefficients(3.0 * made.excitation.trajectory.coefficients)
    run = ff.run(made.mission, tmp_path / "r", seed=3, motion=fast)
    assert not run.excitation.feasible
    assert run.excitation.warnings[0].startswith("the motion goes beyond: ")


# ---------------------------------------------------------------------- other robots, and the verdict


def test_an_arm_on_a_fixed_base_from_its_urdf(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robot.yaml").write_text(yaml.safe_dump(ROBOT))
    ff.load_robot(tmp_path / "robot.yaml").save(tmp_path / "free.urdf")
    made = CliRunner().invoke(app, ["new", "arm", "--urdf", "free.urdf", "--base", "fixed"])
    assert made.exit_code == 0, made.output
    text = (tmp_path / "arm.yaml").read_text().replace("duration_s: 60", "duration_s: 20")
    (tmp_path / "arm.yaml").write_text(text.replace("rate_Hz: 100", "rate_Hz: 20"))
    monkeypatch.setenv("FORCE_COLOR", "1")
    result = CliRunner().invoke(app, ["run", "arm.yaml", "--starts", "1", "--shakes", "0", "--json"])
    assert result.exit_code == 0, result.output
    assert result.stderr.count("✓") == len(STEPS)
    assert "\x1b" not in result.stderr, "a log is plain text"
    run = ff.load_run(tmp_path / "arm.run")
    assert run.estimate.model == "torque"
    assert run.validation is not None
    assert [each["about"] for each in json.loads(result.stdout)["numbers"]] == [
        "clusters",
        "condition number",
        "prediction",
    ]
    true = run.estimate.minimal.values(run.truth.parameters)
    assert (np.abs(run.estimate.values - true) < 4.0 * run.estimate.sd).all()


def test_without_anything_known_the_scale_is_the_cad_models_and_that_is_said(made, tmp_path):
    mission = ff.load_mission(write_small_mission(tmp_path, known={}))
    run = ff.run(mission, tmp_path / "r", seed=3, motion=made.excitation)
    told = verdict(run)
    assert told["state"] == "doubtful"
    assert "nothing known fixes the common scale" in told["sentence"]


def test_an_estimate_that_is_the_prior_does_not_pass(made):
    assert verdict(made)["state"] == "pass"
    estimate = made.estimate
    spread = CadSpread().covariance(estimate.robot)
    combine = estimate.minimal.combine
    dull = replace(estimate, covariance=0.9 * combine @ spread @ combine.T)
    told = verdict(replace(made, estimate=dull))
    assert told["state"] == "doubtful"
    assert "hardly better known than from the CAD model alone" in told["sentence"]


def test_the_state_is_the_worst_of_what_is_said(made):
    for outcome, said, state in (
        ("doubtful", "pass", "doubtful"),
        ("good", "doubtful", "doubtful"),
        ("failed", "pass", "fail"),
        ("good", "fail", "fail"),
        ("doubtful", "fail", "fail"),
    ):
        estimate = replace(made.estimate, outcome=outcome)
        validation = replace(made.validation, verdict=said)
        assert verdict(replace(made, estimate=estimate, validation=validation))["state"] == state
