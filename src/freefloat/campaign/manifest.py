"""What a campaign's table is of: `campaign.json`, `format: freefloat/campaign@1`, written before the first run.

It holds the mission, robot and motions themselves, not the names of their files: two campaigns are the same if
everything said here is, but for what follows from it (`settings`) and the versions of other libraries.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from freefloat.arrays import Array
from freefloat.errors import FileError, FreefloatError
from freefloat.files import Number, Section, YamlDocument, check_format, read_bytes, shown, validate, write_text

NAME = "campaign.json"
CadChoice = Literal["drawn", "exact"]
_LIMIT_BYTES = 256 * 2**20  # motions given as samples, once for each setting, are long
_SAME = ("mission", "robot", "trajectory", "sweep", "methods", "seed", "chunk", "cad", "freefloat")
_ROUNDING = 1e-9  # of numbers that follow from the same by the same steps, on another machine
_LOOSE = 1e-3  # of bounds, which are made with inverses
_Count = Annotated[int, Field(ge=0)]


class InvalidCampaign(FreefloatError):
    """A campaign that cannot be made like this."""


class ClustersSection(Section):
    """What a method estimates at a setting.

    truth: true values. unit: what errors are counted in: the size of the truth, or the CAD model's standard deviation
    where that is larger. bound: standard deviations by Cramér and Rao; null where there is none.
    """

    model: str
    names: list[str]
    truth: list[Number]
    unit: list[Number]
    bound: list[Number | None]

    @model_validator(mode="after")
    def _of_each_cluster(self) -> Self:
        if not len(self.names) == len(self.truth) == len(self.unit) == len(self.bound):
            raise ValueError("has lists of different lengths; allowed: a name, truth, unit and bound for each cluster")
        return self

    @property
    def bounds(self) -> Array:
        """Standard deviations by Cramér and Rao, not a number where there is none, shape (c,)."""
        return np.array([np.nan if value is None else value for value in self.bound])


class SettingSection(Section):
    """One combination of what is varied. compared: the clusters that methods with different ones are compared by."""

    values: dict[str, Number]
    trajectory: dict[str, Any]
    methods: dict[str, ClustersSection]
    compared: ClustersSection | None


class Manifest(Section):
    """A campaign but for its runs. freefloat: the version that made it, which alone may go on with it."""

    format: Literal["freefloat/campaign@1"] = "freefloat/campaign@1"
    name: str
    freefloat: str
    versions: dict[str, str]
    seed: _Count
    chunk: Annotated[int, Field(ge=1)]
    cad: CadChoice
    methods: list[str]
    mission: dict[str, Any]
    robot: dict[str, Any]
    trajectory: dict[str, Any] | None
    sweep: dict[str, list[Number]]
    settings: list[SettingSection]


def save_manifest(directory: Path, manifest: Manifest) -> None:
    """Write it, whole or not at all."""
    write_text(directory / NAME, json.dumps(manifest.model_dump(mode="json"), indent=1, allow_nan=False) + "\n")


def load_manifest(directory: Path) -> Manifest:
    """The manifest of a campaign's directory."""
    path = directory / NAME
    try:  # as JSON: documents are compared number by number, and YAML reads 1e-05 as text
        data = json.loads(read_bytes(path, _LIMIT_BYTES))
    except (ValueError, RecursionError) as error:
        raise FileError(path, f"is not JSON: {error}; allowed: the manifest of a campaign") from error
    if not isinstance(data, dict):
        raise FileError(path, f"is {shown(data)}; allowed: the manifest of a campaign, a mapping")
    document = YamlDocument(path, data)
    check_format(document, "campaign")
    return validate(Manifest, document)


def refuse_other(directory: Path, found: Manifest, wanted: Mapping[str, Any]) -> None:
    """Refuse to go on with a campaign of something else, naming the first thing that differs.

    wanted: the fields of a manifest that make a campaign what it is, as plain data.
    """
    for key in _SAME:
        difference = _difference(key, found.model_dump(mode="json")[key], json.loads(json.dumps(wanted[key])))
        if difference is not None:
            raise _other(directory, difference)


def refuse_changed(directory: Path, number: int, found: SettingSection, again: SettingSection) -> None:
    """Refuse to go on with a setting from which something else follows now than when the campaign began.

    Its motion, the clusters of each method, their true values, units and bounds, up to rounding.
    """
    place = f"settings[{number}]"
    difference = _difference(f"{place}.trajectory", found.trajectory, again.trajectory, _ROUNDING)
    sections = [(f"{place}.methods.{name}", found.methods.get(name), each) for name, each in again.methods.items()]
    for where, there, here in [*sections, (f"{place}.compared", found.compared, again.compared)]:
        difference = difference or _changed(where, there, here)
    if difference is not None:
        raise _other(directory, difference)


_Difference = tuple[str, str, str]  # where, what is there, what is here


def _other(directory: Path, difference: _Difference) -> FileError:
    place, there, here = difference
    return FileError(
        directory, f"holds a campaign with {place} {there}, not {here}; allowed: the same, or another directory"
    )


def _changed(place: str, there: ClustersSection | None, here: ClustersSection | None) -> _Difference | None:
    if there is None or here is None or there.names != here.names:
        return _difference(f"{place}.names", there and there.names, here and here.names)
    unit, bound = np.array(here.unit), here.bounds
    for key, old, new, rounding in (
        ("truth", np.array(there.truth), np.array(here.truth), _ROUNDING * unit),
        ("unit", np.array(there.unit), unit, _ROUNDING * unit),
        ("bound", there.bounds, bound, _LOOSE * bound),
    ):
        for k in np.flatnonzero(np.abs(old - new) > rounding).tolist():
            return f"{place}.{key} of {here.names[k]}", f"{old[k]:.12g}", f"{new[k]:.12g}"
    return None


def _difference(place: str, there: Any, here: Any, rounding: float = 0.0) -> _Difference | None:
    """Where two documents first differ, and what each says there."""
    if rounding and isinstance(there, float) and isinstance(here, float):
        same = math.isclose(there, here, rel_tol=rounding, abs_tol=rounding)
        return None if same else (place, shown(there), shown(here))
    if isinstance(there, dict) and isinstance(here, dict):
        pairs = [(f"{place}.{key}", there.get(key), here.get(key)) for key in dict.fromkeys((*there, *here))]
    elif isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        pairs = [(f"{place}[{k}]", *both) for k, both in enumerate(zip(there, here, strict=True))]
    else:
        return None if there == here else (place, shown(there), shown(here))
    return next((found for pair in pairs if (found := _difference(*pair, rounding)) is not None), None)
