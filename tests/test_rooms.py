"""The rooms of the house: each imports only earlier ones, and nothing inside a room goes in circles."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import freefloat

PACKAGE = Path(freefloat.__file__).parent
BELOW = ("arrays", "compile_stamp", "errors", "exact_json", "files", "frozen", "plain_yaml", "public_names")
ROOMS = (
    "robot",
    "dynamics",
    "models",
    "motion",
    "sensors",
    "data",
    "simulation",
    "estimate",
    "excitation",
    "validation",
    "export",
    "mission",
    "report",
    "runs",
    "campaign",
    "studies",
    "cli",
)


def modules():
    """Every module of the package by its dotted name, with its text."""
    found = {}
    for file in PACKAGE.rglob("*.py"):
        parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = file.read_text()
    return found


def imports(text, known):
    """The modules of the package that a text imports: in whatever form, for type checkers only, inside functions."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            named = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in known else node.module for name in named if name.startswith("freefloat"))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("freefloat"))


def import_graph(texts):
    return {name: set(imports(text, texts)) - {name, "freefloat"} for name, text in texts.items()}


def place(module):
    """Of a module's room in the order of the rooms; below all of them, -1."""
    room = module.split(".")[1]
    return -1 if room in BELOW else ROOMS.index(room)


def later_rooms(graph):
    return {
        (module, other)
        for module, others in graph.items()
        if "." in module and module != "freefloat.__main__"
        for other in others
        if place(other) > place(module)
    }


def between_parts(graph, room):
    """What the parts of a room, its folders and its files, import of each other."""
    parts = {}
    for module, others in graph.items():
        names = module.split(".")
        if len(names) > 2 and names[1] == room:
            theirs = {other.split(".")[2] for other in others if other.startswith(f"freefloat.{room}.")}
            parts.setdefault(names[2], set()).update(theirs - {names[2]})
    return parts


def circle(graph):
    """One circle of a graph, None if there is none."""
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        return error.args[1]
    return None


GRAPH = import_graph(modules())


def test_every_folder_is_a_room():
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.rglob("*.py"))}
    assert folders == set(ROOMS)


def test_each_room_imports_only_earlier_ones():
    assert not later_rooms(GRAPH)


def test_no_module_imports_itself_by_way_of_others():
    assert circle(GRAPH) is None


@pytest.mark.parametrize("room", ROOMS)
def test_the_parts_of_a_room_do_not_import_each_other_in_circles(room):
    assert circle(between_parts(GRAPH, room)) is None


def test_planted_violations_are_seen():
    texts = {
        "freefloat.robot.model": "from freefloat.motion import fourier",
        "freefloat.motion.fourier": "def f():\n    import freefloat.robot.model",
        "freefloat.estimate.problem": "from freefloat.estimate.rows.energy import Energy",
        "freefloat.estimate.rows.energy": "",
        "freefloat.estimate.rows.torque": "from freefloat.estimate import problem",
    }
    graph = import_graph(texts)
    assert later_rooms(graph) == {("freefloat.robot.model", "freefloat.motion.fourier")}
    assert set(circle(graph)) == {"freefloat.robot.model", "freefloat.motion.fourier"}
    assert set(circle(between_parts(graph, "estimate"))) == {"problem", "rows"}
