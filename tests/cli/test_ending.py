"""How commands end: exit codes, what is said to whom, and that nothing is half-written."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
import yaml
from campaign.tiny_mission import write_tiny_mission
from cli.calling import ended
from excitation.points_mission import write_points_mission
from validation.unseen_flights import scaled

import freefloat as ff
from freefloat.campaign import running
from freefloat.cli import app
from freefloat.cli.ending import ExitCode
from freefloat.data.recording import Recording
from freefloat.excitation import finding
from freefloat.mission import flying, identifying
from freefloat.studies import reproducing as studies
from freefloat.studies.check import Check, Study

FLOWN = ("tiny.yaml", "flight.parquet")
QUICK = ("--starts", 1, "--shakes", 0, "--workers", 1)
GOOD = {  # every verb that says something, so that it is done; -o files are what it may write
    "new": ("new", "{}"),
    "inspect": ("inspect", "robot.yaml"),
    "draw": ("draw", "tiny.yaml", "-o", "{}.yaml"),
    "design": ("design", "tiny.yaml", *QUICK, "-o", "{}.json"),
    "front": ("front", "arm.yaml", "--weights", "0.5", "--starts", 1),
    "perturb": ("perturb", "arm.yaml", "--draws", 2, "--model", "torque"),
    "sweep": ("sweep", "tiny.yaml", "--over", "link1.mass_kg=1:2:2", "--excitation", "motion.json"),
    "simulate": ("simulate", "tiny.yaml", "-o", "{}.parquet"),
    "data": ("data", "flight.parquet"),
    "identify": ("identify", *FLOWN),
    "validate": ("validate", "tiny.yaml", "e.json", "unseen.parquet"),
    "mass": ("mass", "--force-N", 10, "--duration-s", 2, "--velocity-change-m-s", 0.1),
    "target": ("target", *FLOWN, "--on", "link1"),
    "change": ("change", *FLOWN, "--before", "unseen.parquet", "--on", "link1"),
    "export": ("export", "e.json", "--robot", "{}.yaml"),
    "run": ("run", "tiny.yaml", "-o", "{}.run"),
    "report": ("report", "made.run", "-o", "{}.html"),
    "campaign": ("campaign", "tiny.yaml", "--runs", 1, "--workers", 1, "-o", "{}"),
    "reproduce": ("reproduce", "naveen"),
}
HELD = Study("naveen", "A title", (Check("x.a", "an angle", 2.0, 1.5, "rad", "lower"),), 1.0)
BROKEN = replace(HELD, checks=(Check("x.a", "an angle", 2.0, 2.5, "rad", "lower"),))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A mission of one joint with a motion, flights and an estimate."""
    place = tmp_path_factory.mktemp("ending")
    mission = write_tiny_mission(place)
    write_points_mission(place)
    (place / "motion.json").write_text(json.dumps(yaml.safe_load(mission.read_text())["trajectory"]))
    for arguments in (
        ("simulate", "tiny.yaml", "--seed", 1, "-o", "flight.parquet"),
        ("simulate", "tiny.yaml", "--seed", 2, "-o", "unseen.parquet"),
        ("identify", *FLOWN, "-o", "e.json"),
        ("run", "tiny.yaml", "-o", "made.run"),
    ):
        assert ended((*arguments, "--quiet"), place) == (0, "", "")
    return place


@pytest.fixture(autouse=True)
def study_at_once(monkeypatch):
    monkeypatch.setattr(studies, "reproduce", lambda *_, **__: iter([HELD]))


def called(verb, name):
    return [str(each).format(name) for each in GOOD[verb]]


# ---------------------------------------------------------------------- done: 0


@pytest.mark.parametrize("verb", GOOD)
def test_what_is_done_says_so_in_words(folder, verb):
    code, out, err = ended(called(verb, f"{verb}_words"), folder)
    assert (code, "\x1b" in out + err) == (0, False)
    assert out


@pytest.mark.parametrize("verb", GOOD)
def test_quiet_is_nothing_at_all(folder, verb):
    assert ended([*called(verb, f"{verb}_quiet"), "--quiet"], folder) == (0, "", "")


@pytest.mark.parametrize("verb", GOOD)
def test_json_is_one_document_and_with_quiet_nothing_else(folder, verb):
    code, out, err = ended([*called(verb, f"{verb}_json"), "--json", "--quiet"], folder)
    assert (code, err) == (0, "")
    assert json.loads(out)
    code, out, _ = ended([*called(verb, f"{verb}_json_aside"), "--json"], folder)
    assert json.loads(out), "progress and remarks are elsewhere"


def test_every_verb_is_tried():
    verbs = {each.callback.__name__ for each in app.registered_commands}
    assert verbs == {*GOOD, "schema"}
    assert json.loads(ended(["schema", "mission", "--json"])[1]) == json.loads(ended(["schema", "mission"])[1])


@pytest.mark.parametrize("arguments", ["inspect robot.yaml", "inspect robot.yaml --json", "schema mission", "--help"])
def test_whoever_has_seen_enough_of_the_output_ends_nothing_badly(folder, arguments):
    """As in `freefloat inspect robot.yaml | head -1`: the reader is gone before all is written."""
    here, there = os.pipe()
    os.close(here)
    command = [sys.executable, "-m", "freefloat", *arguments.split()]
    with os.fdopen(there, "w") as unread:
        done = subprocess.run(command, cwd=folder, stdout=unread, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("found", [[HELD], [HELD, HELD]])
def test_figures_are_a_list_however_many_studies_were_asked_for(tmp_path, monkeypatch, found):
    monkeypatch.setattr(studies, "reproduce", lambda *_, **__: iter(found))
    code, out, _ = ended(["reproduce", "naveen", "--json", "-o", "figures.json"], tmp_path)
    assert code == 0
    assert json.loads(out) == [study.document() for study in found]
    assert (tmp_path / "figures.json").read_text() == out


# ---------------------------------------------------------------------- a bad result: 1


def test_an_estimate_that_fails_is_a_bad_result(folder, monkeypatch):
    identify = identifying.identify
    monkeypatch.setattr(
        identifying, "identify", lambda *given: replace(identify(*given), outcome="failed", warnings=("no end",))
    )
    code, out, _ = ended(["identify", *FLOWN], folder)
    assert code == ExitCode.BAD_RESULT
    assert "no end" in out
    assert ended(["identify", *FLOWN, "--quiet"], folder) == (1, "", "")


def test_an_estimate_that_does_not_predict_is_a_bad_result(folder):
    scaled(ff.load_estimate(folder / "e.json"), "Iyy_base", 1.5).save(folder / "wrong.json")
    code, out, err = ended(["validate", "tiny.yaml", "wrong.json", "unseen.parquet"], folder)
    assert (code, err) == (1, "")
    assert out.startswith(" FAIL  ")


def test_no_motion_within_the_limits_is_a_bad_result(folder):
    mission = yaml.safe_load((folder / "tiny.yaml").read_text())
    turning = {**mission, "flight": {"wheel_rates_rad_s": {"wx": 300}}}  # against the wheel, whatever the joint does
    (folder / "tight.yaml").write_text(yaml.safe_dump(turning))
    before = set(folder.iterdir())
    code, out, err = ended(["design", "tight.yaml", *QUICK], folder)
    assert (code, out) == (1, "")
    assert err.splitlines()[-1].startswith("freefloat: no motion was found that keeps ")
    assert set(folder.iterdir()) == before


def test_a_campaign_without_one_good_run_is_a_bad_result(folder, monkeypatch):
    def failed(*given, **options):
        found = ran(*given, **options)
        summary = found.summary()
        methods = tuple(replace(each, outcomes={"failed": 1}) for each in summary.settings[0].methods)
        bad = replace(summary, settings=(replace(summary.settings[0], methods=methods),))
        return SimpleNamespace(
            runs=found.runs, manifest=found.manifest, interrupted=False, directory=found.directory, summary=lambda: bad
        )

    ran = running.run_campaign
    monkeypatch.setattr(running, "run_campaign", failed)
    assert ended([*called("campaign", "failed"), "--quiet"], folder) == (1, "", "")


def test_a_figure_that_does_not_hold_is_a_bad_result(tmp_path, monkeypatch):
    monkeypatch.setattr(studies, "reproduce", lambda *_, **__: iter([HELD, BROKEN]))
    code, out, _ = ended(["reproduce", "all", "-o", "figures.json"], tmp_path)
    assert code == ExitCode.BAD_RESULT
    assert "0 of 1 figures hold" in out
    assert len(json.loads((tmp_path / "figures.json").read_text())) == 2


# ---------------------------------------------------------------------- bad input: 2 (see also test_wrong_ways.py)


def test_a_full_disk_is_one_sentence(folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "flight.parquet")

    monkeypatch.setattr("freefloat.files._replace", full)
    code, out, err = ended(["simulate", "tiny.yaml", "-o", "full.parquet", "--quiet"], folder)
    assert (code, out, err) == (2, "", "freefloat: full.parquet: cannot be written: no space left on device\n")


def test_an_output_that_takes_nothing_is_one_sentence(folder):
    command = [sys.executable, "-m", "freefloat", "inspect", str(folder / "robot.yaml"), "--json"]
    with open("/dev/full", "w") as full:
        failed = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert failed.returncode == ExitCode.BAD_INPUT
    assert failed.stderr == "freefloat: standard output: cannot be read or written: no space left on device\n"


def test_too_little_memory_is_one_sentence(folder, monkeypatch):
    monkeypatch.setattr(flying, "fly", lambda *_: (_ for _ in ()).throw(MemoryError))
    code, out, err = ended(["simulate", "tiny.yaml", "-o", "x.parquet"], folder)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "there is not enough memory" in err


# ---------------------------------------------------------------------- a fault of ours: 70


def faulty(*_):
    raise KeyError("never mind")


def test_a_fault_of_ours_is_said_to_be_ours(folder, monkeypatch):
    monkeypatch.setattr(flying, "fly", faulty)
    code, out, err = ended(["simulate", "tiny.yaml", "-o", "x.parquet"], folder)
    assert (code, out) == (ExitCode.FAULT, "")
    assert err == (
        "freefloat: this is a fault of freefloat, not of your files: KeyError: 'never mind'; please report it with the "
        "output of `freefloat --traceback ...`, the same command\n"
    )


def test_where_a_fault_is_can_be_asked_for(folder, monkeypatch):
    monkeypatch.setattr(flying, "fly", faulty)
    with pytest.raises(KeyError, match="never mind"):
        ended(["--traceback", "simulate", "tiny.yaml", "-o", "x.parquet"], folder)


# ---------------------------------------------------------------------- interrupted: 130


@pytest.mark.parametrize("runs", [1, 3])
def test_an_interrupt_is_one_line_and_nothing_is_half_written(folder, monkeypatch, runs):
    wrote = Recording.save

    def interrupted(recording, path):
        if runs == 1 or path.name == "run_00001.parquet":
            raise KeyboardInterrupt
        wrote(recording, path)

    monkeypatch.setattr(Recording, "save", interrupted)
    before = set(folder.iterdir())
    target = "cut.parquet" if runs == 1 else "cut"
    result = ended(["simulate", "tiny.yaml", "--runs", runs, "-o", target, "--quiet"], folder)
    assert result == (ExitCode.INTERRUPTED, "", "freefloat: interrupted\n")
    assert set(folder.iterdir()) == before


def test_a_design_interrupted_before_it_has_found_anything_says_so(folder, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(finding, "search", interrupted)
    code, out, err = ended([*called("design", "cut"), "--quiet"], folder)
    assert (code, out) == (ExitCode.INTERRUPTED, "")
    assert err == "freefloat: the search was interrupted before a motion within all limits was found\n"
    assert not (folder / "cut.json").exists()


# ---------------------------------------------------------------------- to whom it is said


def test_logs_have_no_control_characters_whatever_the_environment_claims(folder):
    claims = {"FORCE_COLOR": "1", "TTY_COMPATIBLE": "1", "GITHUB_ACTIONS": "true", "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "freefloat", *called("design", "log")]
    result = subprocess.run(
        command, cwd=folder, env={**os.environ, **claims}, capture_output=True, text=True, check=True
    )
    assert re.search(r"^1/1 searches   .+\n$", result.stderr, re.MULTILINE), "a plain line for each search"
    assert "\x1b" not in result.stderr
