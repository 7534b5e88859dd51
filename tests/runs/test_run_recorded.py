"""Runs of flights that were brought: their own motion, their bodies, where they came from; estimates that failed."""

import json
import shlex
import shutil
from dataclasses import replace

import numpy as np
import pytest
from excitation.small_mission import write_small_mission
from report.small_run import SENSORS, shared_run
from typer.testing import CliRunner

import freefloat as ff
from freefloat.cli import app
from freefloat.data.origin import Origin
from freefloat.mission.mission_file import InvalidMission
from freefloat.mission.run_commands import repeating
from freefloat.mission.run_manifest import sha256
from freefloat.report.shown_motion import shown_motion
from freefloat.runs import running


@pytest.fixture(scope="module")
def made():
    return shared_run()[0]


def real(recording):
    return replace(recording, origin=Origin())


def shell(*arguments):
    return CliRunner().invoke(app, [str(each) for each in arguments])


def off(run, motion, robot):
    """By how much the motion that is drawn differs from another [rad]."""
    shown = shown_motion(run)
    t = np.clip(shown.t, 0.0, motion.duration_s)
    return np.abs(shown.q - motion.samples(robot, t).q).max()


# ---------------------------------------------------------------------- whose motion it is


@pytest.mark.parametrize("given", [False, True])
def test_a_flight_of_another_motion_than_the_commanded_is_told_as_it_was_flown(made, tmp_path, given):
    """Where the motion is given it is what the joints are compared with, but it is not drawn either."""
    own = {} if given else {"trajectory": "motion.json"}
    made.excitation.trajectory.save(tmp_path / "motion.json")
    mission = ff.load_mission(write_small_mission(tmp_path, sensors=SENSORS, **own))
    other = ff.random_motion(mission, 8)
    flight = ff.simulate(mission, other, seed=1)
    motion = made.excitation.trajectory if given else None
    alone = ff.identify(mission, {"flight.parquet": flight}, motion=motion)
    run = ff.run(mission, tmp_path / "r", recordings={"flight.parquet": flight}, motion=motion)
    assert np.array_equal(run.estimate.values, alone.values)
    for each in (run, ff.load_run(run.directory)):
        assert off(each, other, mission.robot) < 1e-3 < 0.1 < off(each, made.excitation.trajectory, mission.robot)
        assert (each.motion is not None) is given
    if not given:
        assert run.excitation is None, "what the mission's motion would tell is not told: it was not flown"


def test_the_missions_own_motion_is_told_of_where_it_was_flown(made, tmp_path):
    made.excitation.trajectory.save(tmp_path / "motion.json")
    mission = ff.load_mission(write_small_mission(tmp_path, sensors=SENSORS, trajectory="motion.json"))
    flight = ff.simulate(mission, seed=1)
    run = ff.run(mission, tmp_path / "r", recordings={"flight.parquet": flight})
    assert run.excitation.how.solver == "given by the mission"
    noise = SENSORS["joints"]["noise_rad"]
    assert off(run, mission.trajectory, mission.robot) < noise, "as measured, which is nearer than one reading"


# ---------------------------------------------------------------------- bodies that were not there


def bare(mission):
    """The mission flown without its second link's mass."""
    phi = np.array(mission.robot.parameters)
    phi[-10:] *= 1e-9
    return mission.robot.with_parameters(phi)


def test_a_body_that_was_not_there_in_what_is_predicted(made, tmp_path, monkeypatch):
    without = {"unseen.csv": ["link2"]}
    mission = ff.load_mission(write_small_mission(tmp_path, sensors=SENSORS, identify={"without": without}))
    light = real(ff.simulate(mission, ff.random_motion(mission, 5), seed=5, robot=bare(mission)))
    named = {"a.csv": real(made.flight), "b/unseen.csv": real(made.unseen)}
    run = ff.run(mission, tmp_path / "r", recordings=named, unseen={"unseen.csv": light})
    assert run.manifest.unseen == ("unseen/unseen_2.parquet",)
    assert run.mission.settings.identify.without == {"unseen_2.parquet": ["link2"]}
    origin = run.estimate.origin["recordings"]
    assert [each["without"] for each in origin] == [[], []], "all of what was identified had it"
    assert any("also about unseen_2.parquet" in note for note in run.estimate.notes)
    said = ff.load_mission(write_small_mission(tmp_path, sensors=SENSORS, identify={"without": {"other": ["link2"]}}))
    assert run.validation.verdict == ff.validate(mission, run.estimate, {"unseen.csv": light}).verdict
    full = ff.validate(said, run.estimate, {"unseen.csv": light})
    assert full.verdict == "fail", "it matters"
    monkeypatch.chdir(run.directory)
    for line in repeating(run):
        result = shell(*shlex.split(line)[1:], "--quiet")
        assert result.exit_code in (0, 1), f"{line}: {result.output} {result.exception}"


def test_recordings_without_names_are_not_those_that_the_mission_speaks_of(made, tmp_path):
    said = {"without": {"before.csv": ["link2"]}}
    mission = ff.load_mission(write_small_mission(tmp_path, sensors=SENSORS, identify=said))
    for work in (
        lambda: ff.identify(mission, made.flight),
        lambda: ff.validate(mission, made.estimate, [made.unseen]),
    ):
        with pytest.raises(InvalidMission, match=r"identify\.without: no recording is called 'before\.csv'"):
            work()


# ---------------------------------------------------------------------- estimates that failed


def test_a_failed_estimate_is_not_exported_and_all_lines_repeat(made, tmp_path, monkeypatch):
    found = running.identify
    monkeypatch.setattr(running, "identify", lambda *a, **o: replace(found(*a, **o), outcome="failed"))
    brought = {"recordings": real(made.flight), "unseen": real(made.unseen)}
    run = ff.run(made.mission, tmp_path / "r", **brought)
    assert not (run.directory / "identified.urdf").exists()
    assert any(note.startswith("not exported: the estimate failed") for note in run.manifest.notes)
    assert "not exported: the estimate failed" in run.report.read_text()
    monkeypatch.undo()
    monkeypatch.chdir(run.directory)
    assert [line.split()[1] for line in repeating(run)] == ["run", "identify", "validate"]
    assert shell("export", "estimate.json", "-o", "x.urdf").exit_code != 0
    for line in repeating(run)[1:]:
        assert shell(*shlex.split(line)[1:], "--quiet").exit_code in (0, 1), line


# ---------------------------------------------------------------------- where they came from


def test_the_files_that_were_delivered_are_in_the_provenance(made, tmp_path):
    path = tmp_path / "delivered.csv"
    real(made.flight).save(path)
    lines = path.read_text().splitlines(keepends=True)
    first = next(place for place, line in enumerate(lines) if line[:1].isdigit())
    lines[first + 3], lines[first + 4] = lines[first + 4], lines[first + 3]
    path.write_text("".join(lines))
    result = shell(
        "run", made.mission.path, "--recording", path, "--repair", "sort", "-o", tmp_path / "r", "--quiet", "--json"
    )
    assert result.exit_code == 0, f"{result.output} {result.exception}"
    run = ff.load_run(tmp_path / "r")
    (brought,) = run.manifest.brought
    assert (brought.name, brought.file) == ("recordings/delivered.parquet", "delivered.csv")
    assert brought.hashes == {"delivered.csv": sha256(path)}
    assert brought.notes, "what was repaired"
    page = run.report.read_text()
    assert "Recordings as brought" in page
    for text in ("delivered.csv", sha256(path)):
        assert text in page
    shutil.move(tmp_path / "r" / "recordings" / "delivered.parquet", tmp_path / "later.parquet")
    later = ff.run(made.mission, tmp_path / "q", recordings={"later": ff.load_recording(tmp_path / "later.parquet")})
    assert later.manifest.brought[0].hashes == brought.hashes, "also through a copy"
    assert not made.manifest.brought
    ff.write_report(tmp_path / "r.html", run.mission, run.flights, run.estimate)
    assert sha256(path) in (tmp_path / "r.html").read_text()


# ---------------------------------------------------------------------- the shell


@pytest.mark.parametrize("option", ["--fly cad", "--seed 1", "--starts 2", "--shakes 1", "--workers 1"])
def test_options_that_would_do_nothing_are_refused(made, tmp_path, option):
    flight = made.directory / "flight.parquet"
    result = shell("run", made.mission.path, "--recording", flight, *option.split(), "-o", tmp_path / "r")
    name = option.split()[0].removeprefix("--")
    assert f"{name} is given, but the flights are recorded" in str(result.exception)
    assert not (tmp_path / "r").exists()


def test_numbers_are_there_for_programs(made, tmp_path):
    result = shell("report", made.directory, "-o", tmp_path / "r.html", "--json", "--quiet")
    inertia, mass, prediction = json.loads(result.stdout)["numbers"]
    assert inertia["value"] == f"±{100.0 * inertia['relative_half_width']:.2g} %"
    assert mass["more"].startswith(f"{mass['total_mass_kg']:.4g} kg")
    assert mass["value"] == f"±{100.0 * mass['relative_half_width']:.2g} %"
    assert prediction["value"] == f"{prediction['ratio']:.2f} × noise"
    assert prediction["ratio"] == made.validation.ratio(made.validation.channels[0].channel)
    for number, name in ((inertia, "ratio"), (mass, "condition_number"), (prediction, "relative_half_width")):
        assert number[name] is None


def test_a_report_of_nothing_is_refused(made, tmp_path):
    with pytest.raises(InvalidMission, match="no recording to report of"):
        ff.write_report(tmp_path / "r.html", made.mission, {}, made.estimate)


def test_a_page_is_not_written_over_what_it_is_made_from(made):
    for name in ("robot.yaml", "flight.parquet", "estimate.json", "run.json"):
        result = shell("report", made.directory, "-o", made.directory / name)
        assert "is read by this command, and would be overwritten" in str(result.exception)
