"""The public surface is explicit and documented; importing costs nothing."""

import ast
import inspect
import re
import subprocess
import sys
from operator import attrgetter
from pathlib import Path
from types import ModuleType

import pytest
import yaml

import freefloat

ROOT = Path(__file__).parent.parent
PACKAGE = Path(freefloat.__file__).parent
THINGS = {name: getattr(freefloat, name) for name in freefloat.__all__}
SPACES = {name: thing for name, thing in THINGS.items() if isinstance(thing, ModuleType)}
PLACES = {"freefloat": sorted(set(THINGS) - set(SPACES))} | {name: of.__all__ for name, of in SPACES.items()}


def modules_of(folder):
    """Names that imports of modules write into a package: those of its modules and folders."""
    folders = {path.name for path in folder.iterdir() if path.is_dir() and (path / "__init__.py").is_file()}
    return folders | {path.stem for path in folder.glob("*.py")} - {"__init__"}


def imported_names(text, packages):
    """What a text imports from one of the packages."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module in packages:
            yield from ((node.module, alias.name) for alias in node.names)


@pytest.mark.parametrize("place", PLACES)
def test_every_public_name_exists_and_is_documented(place):
    for name in PLACES[place]:
        thing = getattr(SPACES.get(place, freefloat), name)
        if callable(thing):
            assert thing.__doc__, name


def test_what_most_programs_need_is_at_the_top_and_not_much_more():
    assert 50 <= len(PLACES["freefloat"]) <= 70


def test_every_name_has_one_place():
    names = [name for place in PLACES.values() for name in place]
    assert sorted(names) == sorted(set(names))


def test_no_module_hides_a_public_name():
    """A module that is imported becomes an attribute of its package, in place of what was there."""
    assert not set(PLACES["freefloat"]) & modules_of(PACKAGE)
    for room in SPACES:
        assert not set(PLACES[room]) & modules_of(PACKAGE / room), room
    assert "momentum_rows" in modules_of(PACKAGE / "dynamics"), "or the test sees nothing"


def test_names_that_differ_by_a_capital_are_those_of_what_makes_what():
    for place, names in PLACES.items():
        for small in (name for name in names if name.islower() and name.title().replace("_", "") in names):
            maker = getattr(SPACES.get(place, freefloat), small)
            assert inspect.signature(maker).return_annotation == small.title().replace("_", ""), small


def test_internal_code_imports_from_where_a_thing_is_written():
    packages = {"freefloat", *(f"freefloat.{room}" for room in SPACES)}
    for path in PACKAGE.rglob("*.py"):
        for package, name in imported_names(path.read_text(), packages):
            folder = PACKAGE.joinpath(*package.split(".")[1:])
            assert name in (*modules_of(folder), "__version__"), f"{path}: {name} of {package}"
    assert list(imported_names("from freefloat.estimate import Kalman", packages)) == [("freefloat.estimate", "Kalman")]


def test_importing_is_free_and_has_no_side_effects():
    spaces = "; ".join(f"freefloat.{room}" for room in SPACES)
    code = f"import sys, freefloat; {spaces}; assert not {{'numpy', 'numba', 'pydantic'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_new_names_in_the_changelog_exist():
    rows = re.findall(r"^\| `ff\.[^|]*\| `ff\.([\w.]+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert len(rows) > 100
    for name in rows:
        assert attrgetter(name)(freefloat) is not None


def test_version_changelog_and_citation_agree():
    assert f"## {freefloat.__version__}" in (ROOT / "CHANGELOG.md").read_text()
    assert f'version = "{freefloat.__version__}"' in (ROOT / "pyproject.toml").read_text()
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert str(citation["version"]) == freefloat.__version__
    assert citation["cff-version"] == "1.2.0"
    assert citation["license"] == "Apache-2.0"
