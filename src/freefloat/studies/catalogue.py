"""The published robots, experiments and printed numbers, by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from freefloat.errors import FreefloatError
from freefloat.files import check_format, did_you_mean, load_yaml
from freefloat.robot.load import load_robot
from freefloat.robot.model import Robot

if TYPE_CHECKING:
    from freefloat.mission.mission_file import Mission

_FOLDER = Path(__file__).parent
_PUBLISHED = "_published"
_MISSION = "_mission"


class UnknownStudy(FreefloatError):
    """A name that is not a study; the sentence lists those there are."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        self.name, self.known = name, known
        super().__init__(f"no study named {name!r}{did_you_mean(name, known)}; there are: {', '.join(known)}")


def study_names() -> tuple[str, ...]:
    """Names of all study robots, in alphabetical order."""
    return _names("robot")


def study_path(name: str) -> Path:
    """The robot file of a study."""
    return _path(name, study_names())


def study_robot(name: str) -> Robot:
    """The robot of a study, such as `servicer` or `spirolazzi_n1`."""
    return load_robot(study_path(name))


def published_names() -> tuple[str, ...]:
    """Names of the studies of which published numbers are kept, in alphabetical order."""
    return tuple(stem.removesuffix(_PUBLISHED) for stem in _names("published"))


def published(name: str) -> Mapping[str, Any]:
    """What is printed about a study: text, numbers, lists and mappings, as its file says them."""
    path = _path(name, published_names())
    document = load_yaml(path.with_name(f"{path.stem}{_PUBLISHED}.yaml"))
    check_format(document, "published")
    return document.data


def mission_names() -> tuple[str, ...]:
    """Names of the experiments that are missions, in alphabetical order."""
    return tuple(stem.removesuffix(_MISSION) for stem in _names("mission"))


def mission_path(name: str) -> Path:
    """The mission file of an experiment."""
    path = _path(name, mission_names())
    return path.with_name(f"{path.stem}{_MISSION}.yaml")


def study_mission(name: str) -> Mission:
    """An experiment as a mission, such as `n1`: robot, what is known of it, sensors and the printed motion."""
    from freefloat.mission.mission_file import load_mission  # brings a second of imports that robots do without

    return load_mission(mission_path(name))


def _path(name: str, known: tuple[str, ...]) -> Path:
    if name not in known:
        raise UnknownStudy(name, known)
    return _FOLDER / f"{name}.yaml"


def _names(kind: str) -> tuple[str, ...]:
    """Stems of the files here whose first line says that they are of this kind."""
    first_line = f"format: freefloat/{kind}@"
    files = sorted(_FOLDER.glob("*.yaml"))
    return tuple(file.stem for file in files if file.read_text("utf-8").startswith(first_line))
