"""Help teaches: verbs in the order of work, what goes in and comes out, and lines that can be typed as they are."""

import re
import shlex
import shutil

import pytest
import yaml
from cli.calling import ended
from excitation.small_mission import MISSION, ROBOT
from rich.text import Text
from typer.main import get_command

import freefloat as ff
from freefloat.cli import app
from freefloat.cli.examples import EXAMPLES

VERBS = [each.callback.__name__ for each in app.registered_commands]
LINES = [(verb, line) for verb, lines in EXAMPLES.items() for line in lines]
SLOW = (
    "design trial.yaml -o",
    "front",
    "sweep",
    "run",
    "report",
    "campaign",
    "reproduce",
)  # of which options are looked at


def typed(line):
    """Arguments of a line, without where the shell sends its output."""
    program, *arguments = shlex.split(line.partition(" > ")[0])
    assert program == "freefloat"
    return arguments


def test_verbs_are_in_the_order_of_work(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, said, _ = ended(["--help"])
    assert code == 0
    panels = re.findall(r"─ ([A-Z][a-z ]+?) ─", said)
    assert panels == ["Options", "Start", "Experiment", "Answer", "All at once", "Many"]
    places = [re.search(rf"│ {verb} ", said).start() for verb in VERBS]
    assert places == sorted(places)
    assert max(map(len, said.splitlines())) <= 80
    for words in ("First steps:", "freefloat new trial\n", "Exit codes:", "1  the result is bad", "130  interrupted"):
        assert words in re.sub(r" +\n", "\n", said)


def test_no_arguments_are_a_question_for_help():
    code, said, err = ended([])
    assert (code, err) == (0, "")
    assert "Usage: freefloat" in said


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_ends_in_lines_to_try(verb, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, said, _ = ended([verb, "--help"])
    assert code == 0
    assert "--json" in said
    assert "--quiet" in said or verb == "schema"
    for line in EXAMPLES[verb]:
        assert f"$ {line}\n" in re.sub(r" +\n", "\n", said), "on one line of 80"
    assert max(map(len, said.splitlines())) <= 80
    assert all(ord(letter) < 0x1F000 for letter in said), "no pictures"
    assert re.search(r"^ (In|Out)\b.*:", said, re.MULTILINE), "what goes in and comes out"


@pytest.mark.parametrize(("verb", "line"), LINES, ids=[line for _, line in LINES])
def test_lines_to_try_have_options_that_there_are(verb, line):
    command = get_command(app)
    name, *arguments = typed(line)
    assert name == verb
    command.commands[verb].make_context(verb, arguments)  # which refuses what it does not know


@pytest.mark.parametrize("verb", VERBS)
def test_nothing_of_a_help_is_taken_for_markup(verb):
    for each in get_command(app).commands[verb].params:
        said = getattr(each, "help", None) or ""
        assert Text.from_markup(said).plain == said, "a unit such as [m] would not be shown"


def test_every_verb_has_lines_to_try():
    assert list(EXAMPLES) == VERBS


def test_lines_to_try_work_one_after_the_other(tmp_path):
    arm, load = ROBOT["bodies"]
    robot = {**ROBOT, "robot": "servicer", "bodies": [arm, {**load, "name": "load"}]}
    for _, line in LINES:
        arguments = typed(line)
        if any(line.startswith(f"freefloat {slow}") for slow in SLOW):
            continue
        if arguments[0] == "new" and "--urdf" in arguments:
            (tmp_path / "robot.yaml").write_text(yaml.safe_dump(robot))
            ff.load_robot(tmp_path / "robot.yaml").save(tmp_path / "my.urdf")
        code, said, err = ended(arguments, tmp_path)
        assert code == 0, (line, err)
        assert said
        if line == "freefloat new trial":  # of which a smaller one is worked with
            (tmp_path / "servicer.yaml").write_text(yaml.safe_dump(robot))
            mission = {**MISSION, "robot": "servicer.yaml", "known": {"load": {"relative_sd": 0.002}}}
            (tmp_path / "trial.yaml").write_text(yaml.safe_dump(mission))
        if (tmp_path / "quick.json").exists():
            shutil.copy(tmp_path / "quick.json", tmp_path / "motion.json")
    for name in ("mine.yaml", "flown.yaml", "flight.html", "found.json", "page.html", "identified.urdf", "found.h"):
        assert (tmp_path / name).stat().st_size, name
