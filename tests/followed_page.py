"""A page of the documentation as a reader follows it: its files, changes, commands and Python, in their order.

A block under a line "`name`:" is that file. "In `file`, `old` becomes `new`." changes one. In a console block, what
stands after `$` runs; what is below is its output, as far as `shown_output.alike` goes. An exit code that is not 0 is
shown by `$ echo $?`. Comments below `# prints:` are the output of a Python block. A `yaml` block that is no file is
part of a mission, and is read elsewhere (`test_docs.py`).
"""

import io
import re
import shlex
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from shown_output import alike

from freefloat.cli import app
from freefloat.cli.ending import run_to_its_end
from freefloat.cli.progress.waiting import Waiting

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CHANGE = re.compile(r"In `(\S+)`,\s+`([^`]+)`\s+becomes\s+`([^`]+)`")
STEP = re.compile(rf"(?:^`(?P<file>\S+)`:\n\n?)?{BLOCK.pattern}|{CHANGE.pattern}", re.DOTALL | re.MULTILINE)


def page(name):
    """The text of a page of docs/."""
    return (Path(__file__).parent.parent / "docs" / name).read_text()


def follow(text, name):
    """Do what a page says, in the folder that is the current one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Waiting, "between_s", 3600.0)  # what is said while kernels are compiled is on no page
        _take_steps(text, name)


def _take_steps(text, name):
    names = {"__name__": name}
    for step in STEP.finditer(text):
        file, kind, text, changed, old, new = step.groups()
        if changed:
            before = Path(changed).read_text()
            assert before.count(old) == 1, f"{old!r} is {before.count(old)} times in {changed}"
            Path(changed).write_text(before.replace(old, new))
        elif file:
            Path(file).write_text(text)
        elif kind == "python":
            code, _, shown = text.partition("\n# prints:\n")
            printed = io.StringIO()
            with redirect_stdout(printed):
                exec(compile(code, name, "exec"), names)
            assert_alike(printed.getvalue(), re.sub(r"^# ?", "", shown, flags=re.MULTILINE), code)
        elif kind != "yaml":
            assert kind == "console", f"a block of {kind} that is no file: {text[:60]}"
            type_in(text)


def kinds_of_blocks(text):
    """Languages of the blocks of a page, each of which must be one that is followed."""
    assert text.count("```") == 2 * len(BLOCK.findall(text))
    return {kind for kind, _ in BLOCK.findall(text)}


def verbs_of(text):
    """The verbs that a page has its reader type."""
    return set(re.findall(r"^\$ freefloat (\w+)", text, re.MULTILINE))


def type_in(text):
    """The commands of a console block, each with the output and exit code that the text shows."""
    code = 0
    for line, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
        if line == "echo $?":
            assert code == int(shown), f"the command before ended with {code}, the text says {shown}"
            code = 0
            continue
        assert code == 0, f"the command before {line!r} ended with exit code {code}"
        code, printed = ended(shlex.split(line))
        assert_alike(printed, shown, f"$ {line}")
    assert code == 0, f"{line!r} ended with exit code {code}"


def ended(words):
    """Exit code and output of a command; those of freefloat run in this process, where everything is compiled."""
    if words[0] != "freefloat":
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        code = run_to_its_end(app, words[1:])
    return code, printed.getvalue()


def assert_alike(printed, shown, what):
    assert alike(printed, shown), f"{what}\nprinted\n{printed}\nthe text shows\n{shown}"
