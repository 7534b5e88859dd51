"""The command line answers at once: nothing heavy is imported before it is needed, and shells complete names."""

import json
import os
import subprocess
import sys

import pytest

from freefloat.cli.options import STUDIES
from freefloat.studies.reproducing import TITLES

HEAVY = ("numpy", "numba", "scipy", "polars", "plotly", "cvxpy", "yaml", "jinja2")
REPORT = "import json; print(json.dumps(sorted(sys.modules)))"


def imported(code):
    """Modules that are there once the code has run."""
    result = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\n{REPORT}"], capture_output=True, text=True, check=True
    )
    return set(json.loads(result.stdout.splitlines()[-1]))


def completed(*words):
    """What a shell is offered for the last word."""
    asked = {"_FREEFLOAT_COMPLETE": "complete_bash", "COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    command = [sys.executable, "-m", "freefloat"]
    result = subprocess.run(command, env={**os.environ, **asked}, capture_output=True, text=True, check=True)
    return result.stdout.split()


def test_freefloat_itself_imports_nothing():
    there = imported("import freefloat")
    assert not there & {*HEAVY, "pydantic", "typer", "rich"}


def test_the_commands_import_nothing_heavy():
    there = imported("import freefloat.cli")
    assert not there & {*HEAVY, "pydantic", "rich"}, "rich is for help and tables"


@pytest.mark.parametrize("arguments", [["--help"], ["identify", "--help"], ["--version"], ["identfy"]])
def test_help_and_wrong_usage_import_nothing_heavy(arguments):
    call = f"sys.argv = ['freefloat', *{arguments}]\nfrom freefloat.cli import main\n"
    there = imported(f"{call}try:\n    main()\nexcept SystemExit:\n    pass")
    assert "freefloat.cli" in there
    assert not there & set(HEAVY)


def test_verbs_options_and_values_are_completed():
    assert completed("freefloat", "iden") == ["identify"]
    assert completed("freefloat", "identify", "--met") == ["--method"]
    assert completed("freefloat", "identify", "--method", "max") == ["maximum-likelihood"]
    assert completed("freefloat", "campaign", "--methods", "kalman,inp") == ["kalman,input-error"]
    assert completed("freefloat", "reproduce", "chr") == ["christidi"]
    assert completed("freefloat", "inspect", "--model", "angular") == ["angular-momentum"]
    assert completed("freefloat", "inspect", "serv") == [], "files are the shell's own"


def test_names_that_are_completed_are_those_that_there_are():
    assert (*TITLES, "all") == STUDIES


def test_a_shell_is_given_its_script():
    asked = {**os.environ, "_FREEFLOAT_COMPLETE": "source_bash"}
    command = [sys.executable, "-m", "freefloat"]
    script = subprocess.run(command, env=asked, capture_output=True, text=True, check=True).stdout
    assert "complete -o default -F _freefloat_completion freefloat" in script
