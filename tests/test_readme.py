"""The examples of the front page run and print what it says, and what it names is there."""

import re
import shlex
from pathlib import Path

import pytest
import typer
import yaml
from cli.calling import ended
from excitation.small_mission import ROBOT
from shown_output import alike

import freefloat as ff
from freefloat.cli import app
from freefloat.cli.new import write_new_mission

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```\s+It prints\s+```\n(.*?)```", README, re.DOTALL)


def test_no_example_is_left_out():
    assert len(EXAMPLES) == README.count("```python") == 2


@pytest.mark.parametrize(("code", "printed"), EXAMPLES)
def test_each_example_prints_what_the_readme_says(code, printed, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_new_mission("trial", None)
    exec(compile(code, "README.md", "exec"), {})
    found = capsys.readouterr().out
    assert alike(found, printed) if "design" in code else found == printed  # a search ends where rounding leads it


def test_links_lead_somewhere():
    links = re.findall(r"\]\(([^)#]+)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_table_lists_every_verb():
    verbs = {command.name or command.callback.__name__ for command in app.registered_commands}
    table = README.partition("## The verbs")[2].partition("\n\n")[2].partition("\n\n")[0]
    listed = {verb for line in table.splitlines() for verb in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert listed == verbs


def typed(heading):
    """Commands below a heading, as words."""
    block = README.partition(f"## {heading}\n")[2].partition("```\n")[2].partition("```")[0]
    return [shlex.split(line, comments=True) for line in block.splitlines()]


def done(words):
    """Run a command of freefloat where this process is, a search as short as it can be; what it prints."""
    quick = ("--starts", "1", "--shakes", "0", "--workers", "1") if words == ["freefloat", "run", "trial.yaml"] else ()
    code, out, err = ended([*words[1:], *quick])
    assert code == 0, f"{words}: {err}"
    return out


def shorten(mission):
    """Less of the same, so that it takes seconds."""
    path = Path(mission)
    path.write_text(path.read_text().replace("rate_Hz: 100", "rate_Hz: 10").replace("_s: 60", "_s: 20"))


def test_what_is_typed_to_use_it_does_all_of_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    install, new, run, more = typed("Use it")
    assert install == ["pip", "install", "."]
    assert "wrote trial.yaml" in done(new)
    shorten("trial.yaml")
    assert "trial.run/report.html" in done(run)
    assert Path("trial.run/report.html").is_file()
    assert "identify" in done(more)


def test_what_is_typed_for_own_data_identifies_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("robot.yaml").write_text(yaml.safe_dump(ROBOT))
    ff.load_robot("robot.yaml").save("my.urdf")
    new, look, run = typed("Your own data")
    assert "wrote mine.yaml" in done(new)
    edited = Path("mine.yaml").read_text().replace("known: {}", "known: {link2: {relative_sd: 0.002}}")
    Path("mine.yaml").write_text(edited)  # as the comment of the first line says
    mission = ff.load_mission("mine.yaml")
    command = ff.random_motion(mission, seed=1)
    command.save("command.json")
    ff.simulate(mission, command, seed=1).save("flight.csv")
    ff.simulate(mission, ff.random_motion(mission, seed=2), seed=2).save("other.csv")
    assert "gyro_x_rad_s" in done(look)
    assert done(run).startswith(" PASS  ")
    assert ff.load_estimate("mine.run/estimate.json").outcome == "good"


@pytest.mark.parametrize("line", re.findall(r"^freefloat (\w+ .*)$", README, re.MULTILINE))
def test_commands_are_understood(line):
    """Verbs and options are there; nothing is run."""
    verb, *arguments = shlex.split(line, comments=True)
    typer.main.get_command(app).commands[verb].make_context(verb, arguments)
