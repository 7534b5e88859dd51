"""The tutorial can be followed: its files, changes, commands and Python in their order, with the output it shows.

Conventions of docs/tutorial.md. A block under a line "`name`:" is that file. "In `file`, `old` becomes `new`." changes
one. In a console block, what stands after `$` runs; what is below is its output, as far as `shown_output.alike` goes.
An exit code that is not 0 is shown by `$ echo $?`. Comments below `# prints:` are the output of a Python block.
"""

import io
import re
import shlex
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from shown_output import alike

from freefloat.cli import app
from freefloat.cli.ending import run_to_its_end

TUTORIAL = (Path(__file__).parent.parent / "docs" / "tutorial.md").read_text()
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CHANGE = re.compile(r"In `(\S+)`,\s+`([^`]+)`\s+becomes\s+`([^`]+)`")
STEP = re.compile(rf"(?:^`(?P<file>\S+)`:\n\n?)?{BLOCK.pattern}|{CHANGE.pattern}", re.DOTALL | re.MULTILINE)


def test_the_tutorial_does_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "tutorial"}
    for step in STEP.finditer(TUTORIAL):
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
                exec(compile(code, "tutorial.md", "exec"), names)
            assert_alike(printed.getvalue(), re.sub(r"^# ?", "", shown, flags=re.MULTILINE), code)
        else:
            assert kind == "console", f"a block of {kind} that is no file: {text[:60]}"
            type_in(text)


def test_nothing_of_the_tutorial_is_left_out():
    """Every block is one of the kinds above, and the steps that a reader must not miss are there."""
    kinds = {kind for kind, _ in BLOCK.findall(TUTORIAL)}
    assert kinds == {"console", "python", "xml"}
    assert TUTORIAL.count("```") == 2 * len(BLOCK.findall(TUTORIAL))
    verbs = set(re.findall(r"^\$ freefloat (\w+)", TUTORIAL, re.MULTILINE))
    assert verbs >= {"inspect", "new", "design", "draw", "simulate", "data", "identify", "validate", "export", "run"}


def test_output_that_differs_is_found():
    assert alike("a 1.02 b\n", "a 1.0 b")
    assert alike("first\nsecond 3\nthird\n", "first\n…\nthird")
    assert not alike("a 1.2 b\n", "a 1.0 b")
    assert not alike("a 1.0 c\n", "a 1.0 b")
    assert not alike("a b\nmore\n", "a b")


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
