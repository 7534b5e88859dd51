"""The examples of the front page run and print what it says."""

import re
from pathlib import Path

import pytest

from freefloat.command_line.template import write_new_mission

README = (Path(__file__).parent.parent / "README.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```\s+It prints\s+```\n(.*?)```", README, re.DOTALL)


def test_no_example_is_left_out():
    assert len(EXAMPLES) == README.count("```python") == 2


@pytest.mark.parametrize(("code", "printed"), EXAMPLES)
def test_each_example_prints_what_the_readme_says(code, printed, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_new_mission("trial", None)
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == printed
