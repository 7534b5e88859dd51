"""The examples of the front page run and print what it says, and what it names is there."""

import re
import shlex
from pathlib import Path

import pytest
import typer
from shown_output import alike

from freefloat.command_line import app
from freefloat.command_line.template import write_new_mission

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


@pytest.mark.parametrize("line", re.findall(r"^freefloat (\w+ .*)$", README, re.MULTILINE))
def test_commands_are_understood(line):
    """Verbs and options are there; nothing is run."""
    verb, *arguments = shlex.split(line, comments=True)
    typer.main.get_command(app).commands[verb].make_context(verb, arguments)
