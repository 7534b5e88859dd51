"""The documentation is true: links lead somewhere, blocks run or load, commands parse, what it names exists.

Conventions of docs/*.md. A `python` block runs, in the order of its page and beside a new mission `trial.yaml`; one
with a title is a file to be written, and only has to be Python. A `yaml` block is a file that loads; without `format`
it is part of a mission. Lines after `$ ` are typed in a shell.
"""

import json
import re
import runpy
import shlex
import sys
import unicodedata
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import get_args

import pytest
import typer
import yaml

import freefloat
from freefloat.cli import app
from freefloat.cli.new import write_new_mission
from freefloat.data.bag_mapping import KINDS, load_bag_mapping
from freefloat.data.repair import REPAIRS
from freefloat.estimate import recipes
from freefloat.estimate.method_names import RECIPES
from freefloat.estimate.methods import METHODS
from freefloat.excitation.goals.names import GoalName
from freefloat.files import YamlDocument, validate
from freefloat.mission.mission_file import load_mission
from freefloat.mission.sections import MissionSection
from freefloat.models.names import ModelName
from freefloat.plain_yaml import parse_yaml
from freefloat.robot.load import load_robot
from freefloat.sensors.quantities import QUANTITIES
from freefloat.studies.check import Check, Study
from freefloat.studies.reproducing import TITLES

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md"))
TESTED_ELSEWHERE = {"tutorial.md", "arm.md", "swings.md"}  # their blocks follow on one another
BLOCK = re.compile(r"^( *)```(\w*)(.*?)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
VERBS = typer.main.get_command(app)

FILES = {
    "mission": load_mission,
    "bag-mapping": load_bag_mapping,
    "robot": load_robot,
}


def named(path):
    return str(path.relative_to(DOCS))


def page(name):
    return (DOCS / name).read_text()


def blocks(path, language):
    """Text of all blocks of a language, less their indentation, and what else stands in their first line."""
    for indent, found, title, text in BLOCK.findall(path.read_text()):
        if found == language:
            yield re.sub(rf"^{indent}", "", text, flags=re.MULTILINE), title.strip()


def prose(path):
    return BLOCK.sub("", path.read_text())


def table(text, heading):
    """Rows of the table whose first column has this heading, cell by cell."""
    lines = text.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def in_code(cell):
    return re.findall(r"`([^`]+)`", cell)


# ---------------------------------------------------------------------- pages


def anchors(path):
    for heading in re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE):
        given = re.search(r"\{ #([\w-]+) \}", heading)
        plain = unicodedata.normalize("NFKD", heading.replace("`", "")).encode("ascii", "ignore").decode()
        yield given[1] if given else re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_links_lead_to_pages_and_headings_that_exist(path):
    for link in LINK.findall(prose(path)):
        if link.startswith(("https://", "http://")):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.is_file(), link
        assert target.is_relative_to(DOCS), f"{link} leaves the site"
        assert not anchor or anchor in set(anchors(target)), link


def listed(entry):
    if isinstance(entry, str):
        return [entry]
    return [name for each in (entry.values() if isinstance(entry, dict) else entry) for name in listed(each)]


def test_every_page_is_in_the_contents_once():
    nav = listed(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"])
    assert sorted(nav) == sorted(named(path) for path in PAGES)


def test_every_public_name_is_in_the_reference_once():
    asked = [name for path in sorted((DOCS / "reference").glob("*.md")) for name in re.findall(
        r"^::: freefloat\.([\w.]+)$", path.read_text(), re.MULTILINE)]  # fmt: skip
    spaces = {name: getattr(freefloat, name) for name in freefloat.__all__}
    spaces = {name: thing for name, thing in spaces.items() if isinstance(thing, ModuleType)}
    own = set(freefloat.__all__) - {"__version__", *spaces}
    assert sorted(asked) == sorted([*own, *(f"{name}.{each}" for name, of in spaces.items() for each in of.__all__)])


# ---------------------------------------------------------------------- blocks


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in PAGES
        if path.name not in TESTED_ELSEWHERE and any(not title for _, title in blocks(path, "python"))
    ],
    ids=named,
)
def test_python_blocks_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_new_mission("trial", None)
    names = {"__name__": "docs"}
    for code, title in blocks(path, "python"):
        if not title:
            exec(compile(code, path.name, "exec"), names)


def test_files_to_be_written_are_python():
    files = [(code, title) for path in PAGES for code, title in blocks(path, "python") if title]
    assert len(files) == 5
    for code, title in files:
        compile(code, title, "exec")


@pytest.mark.parametrize("path", [path for path in PAGES if any(blocks(path, "yaml"))], ids=named)
def test_yaml_blocks_load(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_new_mission("trial", None)
    for text, _ in blocks(path, "yaml"):
        if "format:" in text and path.name in TESTED_ELSEWHERE:
            continue  # a file among others
        if "format:" in text:
            kind = re.search(r"format: freefloat/([a-z-]+)@1", text)[1]
            Path("block.yaml").write_text(text)
            FILES[kind]("block.yaml")
        else:
            whole = {"format": "freefloat/mission@1", "mission": "block", "robot": "servicer.yaml"}
            validate(MissionSection, YamlDocument(named(path), whole | parse_yaml(named(path), text).data))


# ---------------------------------------------------------------------- commands


def typed(path):
    """Commands of a page: what stands after `$ ` in blocks, lines that end in a backslash put together."""
    for language in ("", "console"):
        for text, _ in blocks(path, language):
            yield from re.findall(r"^\$ (freefloat .+)$", text.replace("\\\n", " "), re.MULTILINE)


def parsed(line):
    """Parse a command as the shell and the command line would, without running it."""
    words = shlex.split(line, comments=True)[1:]
    group = VERBS.make_context("freefloat", list(words), resilient_parsing=True)
    name, verb, rest = VERBS.resolve_command(group, words)
    assert verb is not None, f"no such verb: {name or words[0]}"
    return verb.make_context(name, rest, parent=group)


COMMANDS = [(named(path), line) for path in PAGES for line in typed(path)]
IN_TABLE = [
    ("choosing.md", command)
    for row in table(page("choosing.md"), "sensors on board")
    for command in in_code(row[3])
]  # fmt: skip


@pytest.mark.parametrize(("where", "line"), [*COMMANDS, *dict.fromkeys(IN_TABLE)])
def test_commands_parse(where, line):
    parsed(line)


def test_commands_that_are_wrong_do_not_parse():
    assert len(COMMANDS) > 20
    for line in ("freefloat identify trial.yaml", "freefloat data a.csv --mend sort", "freefloat weigh a.yaml"):
        with pytest.raises(Exception, match=r"(?i)missing|no such"):
            parsed(line)


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_verbs_and_options_in_running_text_exist(path):
    for line in re.findall(r"`freefloat ([a-z]+\b[^`\n]*)`", prose(path)):
        verb, *words = line.split()
        command = VERBS.get_command(None, verb)
        assert command is not None, line
        options = {option for parameter in command.params for option in parameter.opts}
        assert {word.split("=")[0] for word in words if word.startswith("--")} <= options, line


# ---------------------------------------------------------------------- what tables name


def test_the_decision_table_names_models_and_methods_that_exist_and_all_of_them():
    rows = table(page("choosing.md"), "sensors on board")
    assert all(len(row) == 6 and all(row) for row in rows)
    models = {name for row in rows for name in in_code(row[2])[1:]}
    methods = {in_code(row[2])[0] for row in rows}
    assert models == set(get_args(ModelName))
    functions = methods - set(METHODS)
    assert methods >= set(METHODS)
    assert functions <= set(freefloat.estimate.__all__)
    published = {name for name, thing in vars(recipes).items() if getattr(thing, "__module__", "") == recipes.__name__}
    assert functions | {name.replace("-", "_") for name in RECIPES} >= published & set(freefloat.estimate.__all__)


def test_a_method_in_the_decision_table_is_the_one_of_its_command():
    for row in table(page("choosing.md"), "sensors on board"):
        method, commands = in_code(row[2])[0], in_code(row[3])
        assert commands
        if method in METHODS and method not in ("maximum-likelihood", "weighted"):
            assert f"--method {method}" in commands[0]
        if method not in METHODS:
            assert commands[0].split()[1] in ("target", "change", "mass")


def test_tables_of_the_guides_are_complete():
    assert {name for row in table(page("excitation.md"), "`goal`") for name in in_code(row[0])} == set(
        get_args(GoalName)
    )
    assert {name for row in table(page("your_data.md"), "repair") for name in in_code(row[0])} == set(REPAIRS)
    assert {name for row in table(page("your_data.md"), "quantity") for name in in_code(row[0])} == set(QUANTITIES)
    assert {name for row in table(page("your_data.md"), "kind") for name in in_code(row[0])} == set(KINDS)
    assert {row[0] for row in table(page("studies.md"), "study")} == set(TITLES)
    assert {name for row in table(page("theory/models.md"), "model") for name in in_code(row[0])} == set(
        get_args(ModelName)
    )
    explained = set(re.findall(r"^## .+ \{ #([\w-]+) \}$", page("theory/estimators.md"), re.MULTILINE))
    assert explained == set(METHODS) - set(RECIPES) | {"published"}
    assert {name for row in table(page("theory/estimators.md"), "recipe") for name in in_code(row[0])} == set(RECIPES)


def test_units_of_recordings_are_those_that_are_read():
    for row in table(page("your_data.md"), "quantity"):
        units = {unit for name in in_code(row[0]) for unit in QUANTITIES[name].units}
        said = set(in_code(row[1])) - {*in_code(row[0]), "_x", "_y", "_z", "_w"}
        assert said == units, row


def test_files_that_pages_name_exist():
    for path in PAGES:
        for name in re.findall(r"`((?:tests|src|docs)/[\w/.]+\.(?:py|md|yaml|toml))`", prose(path)):
            assert (ROOT / name).is_file() or name in NOT_YET, f"{named(path)}: {name}"


@pytest.fixture
def hook(monkeypatch):
    """The hook that makes tables; what it has of mkdocs, which tests do without, is an exception."""
    monkeypatch.setitem(sys.modules, "mkdocs", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "mkdocs.exceptions", SimpleNamespace(PluginError=LookupError))
    return runpy.run_path(str(DOCS / "hooks" / "built_tables.py"))


@pytest.mark.parametrize("text", [None, "", '{"checks": [', "\0"])
def test_a_study_that_was_not_run_to_its_end_is_one_sentence(hook, tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    Path("build/studies").mkdir(parents=True)
    if text is not None:
        Path("build/studies/naveen.json").write_text(text)
    with pytest.raises(LookupError, match=r"build/studies/naveen\.json is .*`make docs`"):
        hook["studies_table"]()


def test_a_table_of_figures_hides_nothing(hook):
    near = Check("a", "angle", 0.0, 2.327e-5, "rad", tolerance=2.3271e-5)
    apart = [Check("b", "mass", 1.0, ours, "kg", "lower", 0.0333, comparable=False) for ours in (1.01, 1.02, 1.5)]
    document = Study("naveen", "A title", (near, *apart), 1.0).document()
    made = hook["study_section"](document | {"date": "today", "version": "0"})
    assert "1 of 1 figures that can be compared hold; in brackets: 3, of which 2 hold." in made
    assert "±2.327e-05 | yes" in made, "what is allowed is as exact as what was found"
    assert "≤\u00a0+3.33\u00a0% | (no)" in made
    assert "\n3 reproduced, 0 better, 1 not reproduced.\n" in made


def test_figures_of_all_studies_are_counted_together(hook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("build/studies").mkdir(parents=True)
    lower = Check("a", "mass", 2.0, 1.0, "kg", "lower")
    for name in TITLES:
        document = Study(name, "A title", (lower,), 1.0).document() | {"date": "today", "version": "0"}
        Path(f"build/studies/{name}.json").write_text(json.dumps(document))
    together = f"Of all studies together: 0 reproduced, {len(TITLES)} better, 0 not reproduced."
    assert hook["studies_table"]().endswith(together)


NOT_YET = {title.removeprefix('title="').removesuffix('"') for path in PAGES for _, title in blocks(path, "python")}
