"""The front page's example runs and prints what it says."""

import re
from pathlib import Path

README = (Path(__file__).parent.parent / "README.md").read_text()


def test_the_front_example_prints_what_the_readme_says(capsys):
    code, printed = re.search(r"```python\n(.*?)```\s+It prints\s+```\n(.*?)```", README, re.DOTALL).groups()
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == printed
