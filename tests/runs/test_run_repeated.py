"""A run repeats: by the lines that its page gives, and after an interrupt."""

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
from freefloat.mission.run_commands import repeating
from freefloat.runs import running
from freefloat.runs.run_steps import STEPS


@pytest.fixture(scope="module")
def made():
    return shared_run()[0]


def execute(run, folder, monkeypatch, keep=()):
    """All lines of a run's provenance, from a directory with nothing but what it was made from; that directory."""
    folder.mkdir()
    for name in ("mission.yaml", run.manifest.robot, *keep):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(run.directory / name, folder / name)
    monkeypatch.chdir(folder)
    for line in repeating(run):
        program, *arguments = shlex.split(line)
        result = CliRunner().invoke(app, [*arguments, "--quiet"])
        assert program == "freefloat"
        assert result.exit_code == 0, f"{line}: {result.output} {result.exception}"
    return folder


def same(run, folder):
    again = ff.load_estimate(folder / "estimate.json")
    assert again.names == run.estimate.names
    assert np.allclose(again.values, run.estimate.values, rtol=1e-9, atol=1e-12)
    assert np.allclose(again.covariance, run.estimate.covariance, rtol=1e-6, atol=1e-15)
    return True


def test_the_lines_of_a_run_repeat_it(made, tmp_path, monkeypatch):
    assert [line.split()[1] for line in repeating(made)] == [
        "run",
        "draw",
        "design",
        "simulate",
        "simulate",
        "identify",
        "validate",
        "export",
    ]
    folder = execute(made, tmp_path / "a", monkeypatch)
    assert same(made, folder)
    assert same(made, folder / "again.run")
    for name in ("flown.yaml", "again.run/flown.yaml"):
        assert np.array_equal(ff.load_robot(folder / name).parameters, made.truth.parameters)
    before = (made.directory / "flown.yaml").read_bytes()
    assert (folder / "flown.yaml").read_bytes() == before
    verdicts = [ff.load_validation(each / "validation.json").verdict for each in (folder, made.directory)]
    assert verdicts[0] == verdicts[1]


def test_the_lines_of_a_given_motion_and_of_the_cad_model_repeat_it(made, tmp_path, monkeypatch):
    made.excitation.trajectory.save(tmp_path / "motion.json")
    mission = ff.load_mission(write_small_mission(tmp_path, sensors=SENSORS, trajectory="motion.json"))
    run = ff.run(mission, tmp_path / "given.run", seed=3, fly="cad")
    assert np.array_equal(run.truth.parameters, run.mission.robot.parameters)
    assert run.excitation.how.solver == "given by the mission"
    lines = repeating(run)
    assert not any("design" in line or "draw" in line for line in lines)
    assert "--fly cad" in lines[0]
    folder = execute(run, tmp_path / "a", monkeypatch, keep=["unseen_motion.json"])
    assert same(run, folder)
    assert same(run, folder / "again.run")


def test_what_was_designed_is_kept_when_a_run_is_interrupted_later(made, tmp_path, monkeypatch):
    mission = ff.load_mission(write_small_mission(tmp_path, sensors=SENSORS))
    given = {"starts": 1, "seed": 3, "shakes": 0, "workers": 1}

    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(running, "identify", interrupt)
        patched.setattr(running, "design", lambda *a, **o: made.excitation)
        with pytest.raises(KeyboardInterrupt):
            ff.run(mission, tmp_path / "r", **given)
    assert json.loads((tmp_path / "r" / "run.json").read_text())["finished"] is False
    monkeypatch.setattr(running, "design", interrupt)
    for name, other in (("seed", 4), ("starts", 2), ("shakes", 1)):
        shutil.copytree(tmp_path / "r", tmp_path / name)
        with pytest.raises(KeyboardInterrupt):  # another run: it designs anew
            ff.run(mission, tmp_path / name, **{**given, name: other})
    told = []
    run = ff.run(mission, tmp_path / "r", watch=told.append, **given)
    assert same(made, run.directory)
    assert [each.said for each in told if each.step == "design"] == ["kept from the run that did not end"]
    assert [step.name for step in run.steps] == list(STEPS), "in the order in which they were done"
    assert np.array_equal(ff.load_run(run.directory).estimate.values, run.estimate.values)


def test_an_interrupted_design_goes_on_with_the_best_so_far(made, tmp_path, monkeypatch):
    mission = ff.load_mission(write_small_mission(tmp_path, sensors=SENSORS))
    best = replace(made.excitation, how=replace(made.excitation.how, interrupted=True))
    monkeypatch.setattr(running, "design", lambda *arguments, **options: best)
    told = []
    run = ff.run(mission, tmp_path / "r", starts=1, seed=3, watch=told.append)
    assert any("goes on" in each.said for each in told)
    assert any("interrupted" in note for note in run.manifest.notes)
    lines = repeating(run)
    assert not any(line.startswith("freefloat design") for line in lines)
    assert "--excitation excitation.json" in lines[0]


def test_an_interrupt_is_one_line_and_exit_code_130(tmp_path, monkeypatch):
    path = write_small_mission(tmp_path)

    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "design", interrupt)
    result = CliRunner().invoke(app, ["run", str(path), "-o", str(tmp_path / "r"), "--quiet"])
    assert result.exit_code == 130
    assert result.stderr.splitlines() == [
        f"freefloat: interrupted; {tmp_path / 'r'} is not finished: run the same again"
    ]
    result = CliRunner().invoke(app, ["report", str(tmp_path / "r")])
    assert "not finished" in str(result.exception)
