"""The folders are the flow of data: each stage knows only the earlier ones."""

import ast
from pathlib import Path

import pytest

import freefloat

PACKAGE = Path(freefloat.__file__).parent
STAGES = ["robot", "regressor", "motion", "experiment", "estimate", "excitation", "validation", "report"]
SHELLS = ["mission", "campaign", "command_line", "studies"]


def imported_parts(source):
    """Every part of every freefloat module that a source imports, in whatever form."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        else:
            continue
        for module in modules:
            if module.split(".")[0] == "freefloat":
                yield set(module.split(".")[1:])


def later_stages_in(source, stage):
    later = {*STAGES[STAGES.index(stage) + 1 :], *SHELLS}
    return set().union(*(parts & later for parts in imported_parts(source)), set())


@pytest.mark.parametrize("stage", [stage for stage in STAGES if (PACKAGE / stage).exists()])
def test_each_stage_imports_only_earlier_stages(stage):
    for file in (PACKAGE / stage).rglob("*.py"):
        assert not later_stages_in(file.read_text(), stage), file


def test_a_planted_violation_is_seen():
    assert later_stages_in("from freefloat.regressor.momentum import momentum", "robot") == {"regressor"}
    assert later_stages_in("import freefloat.motion.fourier", "regressor") == {"motion"}
    assert later_stages_in("from freefloat.robot.model import Robot", "regressor") == set()


def test_errors_and_files_are_below_all_stages():
    for name in ("errors.py", "exact_json.py", "files.py", "plain_yaml.py"):
        for parts in imported_parts((PACKAGE / name).read_text()):
            assert not parts & {*STAGES, *SHELLS}, name
