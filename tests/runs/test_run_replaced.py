"""A run in the directory of an earlier one: nothing is lost if it is stopped, nothing is touched if it is refused."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from excitation.small_mission import MISSION, write_small_mission
from report.small_run import SENSORS, shared_run
from typer.testing import CliRunner

import freefloat as ff
from freefloat.cli import app
from freefloat.data.origin import Origin
from freefloat.data.recording import Recording
from freefloat.errors import FreefloatError
from freefloat.mission import run_preparation
from freefloat.mission.mission_file import InvalidMission
from freefloat.mission.run_manifest import read_manifest, sha256
from freefloat.runs import running


@pytest.fixture(scope="module")
def made():
    return shared_run()[0]


def real(recording):
    return replace(recording, origin=Origin())


def interrupt(*arguments, **options):
    raise KeyboardInterrupt


def stop(monkeypatch, place, name, work):
    with monkeypatch.context() as patched:
        patched.setattr(place, name, interrupt)
        with pytest.raises(KeyboardInterrupt):
            work()


def listed(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_recordings_that_are_read_from_the_directory_outlive_a_run_that_is_stopped(made, tmp_path, monkeypatch):
    folder = tmp_path / "x.run"
    ff.run(made.mission, folder, recordings={"flight.csv": real(made.flight)})
    path = folder / "recordings" / "flight.parquet"
    before = path.read_bytes()

    def again():
        ff.run(ff.load_mission(folder / "mission.yaml"), folder, recordings={path.name: ff.load_recording(path)})

    for place, name in ((Recording, "save"), (run_preparation, "_remove"), (running, "identify")):
        stop(monkeypatch, place, name, again)
        assert path.read_bytes() == before
    again()
    assert np.array_equal(ff.load_run(folder).flight["gyro"].values, made.flight["gyro"].values)


def test_a_flight_of_the_desk_is_copied_before_it_is_removed(made, tmp_path, monkeypatch):
    folder = tmp_path / "x.run"
    shutil.copytree(made.directory, folder)
    flight = ff.load_recording(folder / "flight.parquet")

    def brought():
        ff.run(made.mission, folder, recordings={"flight.parquet": flight}, motion=made.excitation)

    stop(monkeypatch, Recording, "save", brought)
    assert (folder / "flight.parquet").exists()
    stop(monkeypatch, running, "_given", brought)
    assert not (folder / "flight.parquet").exists()
    assert (folder / "recordings" / "flight.parquet").exists()
    assert (folder / "excitation.json").exists(), "it may be the one that was read"


def test_recordings_that_change_places_are_never_both_in_memory_only(made, tmp_path, monkeypatch):
    folder = tmp_path / "x.run"
    ff.run(made.mission, folder, recordings={"a": real(made.flight)}, unseen={"b": real(made.unseen)})
    paths = [folder / "recordings" / "a.parquet", folder / "unseen" / "b.parquet"]
    paths[1] = paths[1].rename(folder / "unseen" / "a.parquet")
    first, second = (ff.load_recording(path) for path in paths)
    write, count = Recording.save, []

    def once(recording, path):
        if count:
            raise KeyboardInterrupt
        count.append(write(recording, path))

    monkeypatch.setattr(Recording, "save", once)
    with pytest.raises(KeyboardInterrupt):
        ff.run(made.mission, folder, recordings={"unseen/a.parquet": second}, unseen={"recordings/a.parquet": first})
    there = {ff.load_recording(path).sha256 for path in folder.rglob("*.parquet")}
    assert {first.sha256, second.sha256} <= there


def test_what_is_left_of_two_runs_that_were_stopped_is_removed_by_the_third(made, tmp_path, monkeypatch):
    folder = tmp_path / "x.run"
    for name in ("a", "b"):
        stop(
            monkeypatch,
            run_preparation,
            "_remove",
            lambda name=name: ff.run(made.mission, folder, recordings={f"{name}.csv": real(made.flight)}),
        )
    assert "recordings/a.parquet" in read_manifest(folder).stale
    run = ff.run(made.mission, folder, recordings={"c.csv": real(made.flight)})
    assert [each.name for each in (folder / "recordings").iterdir()] == ["c.parquet"]
    assert run.manifest.stale == ()


def refusals(made, folder):
    """Missions and options that cannot be run, with the words that say why."""
    goal = {**MISSION["excitation"], "goal": "condition-number"}
    flight, motion = {"a.csv": real(made.flight)}, {"motion": made.excitation}
    unnamed = {"identify": {"without": {"x.csv": ["link2"]}}}
    robot = made.mission.robot
    heavy = replace(made.mission, robot=robot.with_parameters(2.0 * robot.parameters))
    fast = replace(made.mission, settings=made.mission.settings.model_copy(update={"momentum": "unknown"}))
    encoders = {name: each for name, each in SENSORS.items() if name != "joints"}
    return {
        "no sensors": ({"sensors": {}, "excitation": goal}, {}, "has no sensors"),
        "no sensors, flown": ({"sensors": {}}, motion, "has no sensors"),
        "no encoder": ({"sensors": encoders}, motion, "no sensor of the mission is an encoder"),
        "without": (unnamed, motion, r"no recording is called 'x\.csv'; there are: flight\.parquet, unseen\.parquet"),
        "without, recorded": (unnamed, {"recordings": flight}, r"no recording is called 'x\.csv'; there are: a\.csv"),
        "plan": ({"excitation": {**MISSION["excitation"], "home": {"j9": 0.1}}}, {}, "excitation.home names 'j9'"),
        "robot": (heavy, motion, "the robot of mission 'small' and of its file differ"),
        "settings": (fast, motion, "the settings of mission 'small' and of its file differ"),
        "seed": ({}, {"recordings": flight, "seed": 3}, "seed is given, but the flights are recorded"),
        "fly": ({}, {"recordings": flight, "fly": "cad", "starts": 2}, "fly, starts are given, but the flights are"),
        "shakes": ({}, {**motion, "shakes": 0}, "shakes is given, but the motion is given by a file"),
        "workers": ({}, {**motion, "workers": 1}, "workers is given, but the motion is given by a file"),
    }


NAMES = ("no sensors", "no sensors, flown", "no encoder", "without", "without, recorded", "plan", "robot", "settings")


@pytest.mark.parametrize("name", [*NAMES, "seed", "fly", "shakes", "workers"])
def test_a_run_that_is_refused_leaves_the_earlier_one_as_it_is(made, tmp_path, name):
    changes, options, words = refusals(made, tmp_path)[name]
    shutil.copytree(made.directory, tmp_path / "x.run")
    before, told = listed(tmp_path / "x.run"), []
    mission = changes
    if isinstance(changes, dict):
        mission = ff.load_mission(write_small_mission(tmp_path, **{"sensors": SENSORS, **changes}))
    with pytest.raises(FreefloatError, match=words):
        ff.run(mission, tmp_path / "x.run", watch=told.append, **options)
    assert not told
    assert listed(tmp_path / "x.run") == before


def test_a_mission_whose_own_motion_is_flown_has_no_search(made, tmp_path):
    made.excitation.trajectory.save(tmp_path / "motion.json")
    mission = ff.load_mission(write_small_mission(tmp_path, sensors=SENSORS, trajectory="motion.json"))
    with pytest.raises(InvalidMission, match="starts is given, but the motion is given by the mission"):
        ff.run(mission, tmp_path / "r", starts=2)


def test_hashes_do_not_stop_at_a_size(tmp_path):
    path = tmp_path / "long"
    with open(path, "wb") as file:
        file.truncate(2**30 + 1)  # a hole: it takes no room
    assert len(sha256(path)) == 64
    with pytest.raises(FreefloatError, match=r"nothing: cannot be read: No such file"):
        sha256(tmp_path / "nothing")


def test_a_finished_run_is_replaced_only_if_asked_for(tmp_path, made):
    """By the command line, where a directory is easily named twice."""
    folder = tmp_path / "x.run"
    shutil.copytree(made.directory, folder)
    before = listed(folder)
    result = CliRunner().invoke(app, ["run", str(folder / "mission.yaml"), "-o", str(folder)])
    assert "holds a finished run; allowed: another directory, or --again" in str(result.exception)
    assert before == listed(folder)
    result = CliRunner().invoke(app, ["run", str(folder)])
    assert "is a run; allowed: a mission file (`freefloat report` shows a run)" in str(result.exception)
