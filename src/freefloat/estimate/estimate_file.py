"""The estimate file: `format: freefloat/estimate@1`, JSON, with the robot, what was known, and where it came from.

Numbers are exact: what was saved comes back. JSON knows neither infinity nor "not a number": both are `null`, as a
standard deviation or a gap that is infinite, as any other number one that is not a number. A cluster is written as
what it is made of, parameter by parameter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from freefloat.arrays import Array
from freefloat.errors import FileError, FreefloatError
from freefloat.estimate.estimate import Budget, Estimate, Outcome, Quantity, Residual
from freefloat.exact_json import finite_or_none, save_json
from freefloat.files import FilePath, Number, Section, YamlDocument, check_format, load_yaml, shown, validate
from freefloat.models.minimal import MinimalParameters
from freefloat.robot.selection import select_parameters
from freefloat.robot.yaml_read import robot_from_document
from freefloat.robot.yaml_write import robot_document

FORMAT = "freefloat/estimate@1"
LIMIT_BYTES = 256 * 2**20  # the covariance of many clusters is long

Row = list[Number | None]


def save_estimate(estimate: Estimate, path: FilePath) -> None:
    """Write an estimate file, whole or not at all."""
    save_json(path, estimate_document(estimate))


def load_estimate(path: FilePath) -> Estimate:
    """The estimate of an estimate file."""
    return _estimate(load_yaml(path, LIMIT_BYTES))


# ---------------------------------------------------------------------- from the estimate to the file


def estimate_document(estimate: Estimate) -> dict[str, Any]:
    """The estimate as plain data, exact."""
    minimal, residual, budget = estimate.minimal, estimate.residual, estimate.budget
    return {
        "format": FORMAT,
        "method": estimate.method,
        "model": estimate.model,
        "outcome": estimate.outcome,
        "warnings": list(estimate.warnings),
        "notes": list(estimate.notes),
        "origin": dict(estimate.origin),
        "robot": robot_document(estimate.robot),
        "known": dict(estimate.known),
        "zero": list(estimate.zero),
        "parameters": list(minimal.names),
        "gap": finite_or_none(minimal.gap),
        "clusters": [
            {"name": leader, "of": _made_of(row, minimal.names)}
            for leader, row in zip(minimal.leaders, minimal.combine, strict=True)
        ],
        "values": _row(estimate.values),
        "covariance": _rows(estimate.covariance),
        "cad": _row(estimate.cad),
        "residual": {
            "ratio": finite_or_none(residual.ratio),
            "white": None if residual.white is None else bool(residual.white),
            "rows": int(residual.rows),
            "unknowns": int(residual.unknowns),
            "by_channel": {name: finite_or_none(ratio) for name, ratio in residual.by_channel.items()},
        },
        "budget": None if budget is None else {"sources": list(budget.sources), "shares": _rows(budget.shares)},
        "nuisances": [
            {"name": each.name, "value": finite_or_none(each.value), "sd": finite_or_none(each.sd), "unit": each.unit}
            for each in estimate.nuisances
        ],
        "unseen": _rows(estimate.unseen),
        "held": list(estimate.held),
    }


def _made_of(row: Array, names: Sequence[str]) -> dict[str, float]:
    """What a cluster is made of; a negative zero is no part of it, but is kept."""
    return {name: float(weight) for name, weight in zip(names, row, strict=True) if weight or np.signbit(weight)}


def _row(values: Array) -> list[float | None]:
    return [finite_or_none(value) for value in values.tolist()]


def _rows(values: Array) -> list[list[float | None]]:
    return [_row(row) for row in values]


# ---------------------------------------------------------------------- what the file may say


class ClusterSection(Section):
    """A cluster of parameters."""

    name: str = Field(description="the parameter that stands for it")
    of: dict[str, Number] = Field(description="a mapping of parameters and their weights")

    @model_validator(mode="after")
    def _holds_its_leader(self) -> Self:
        if self.name not in self.of:
            raise ValueError(f"is called {shown(self.name)} but does not hold it; allowed: one of its parameters")
        return self


class ResidualSection(Section):
    """What the model leaves unexplained."""

    ratio: Number | None = Field(description="a number")
    white: bool | None = Field(description="true, false or null")
    rows: int = Field(description="a whole number")
    unknowns: int = Field(description="a whole number")
    by_channel: dict[str, Number | None] = Field(default_factory=dict)


class BudgetSection(Section):
    """Where the variance comes from."""

    sources: list[str] = Field(description="a list of names")
    shares: list[Row] = Field(description="a row for each cluster")


class QuantitySection(Section):
    """A nuisance."""

    name: str = Field(description="text")
    value: Number | None = Field(description="a number")
    sd: Number | None = Field(description="a number, or null if it is infinite")
    unit: str = Field(description="text")


class EstimateSection(Section):
    """An estimate file."""

    format: Literal["freefloat/estimate@1"] = Field(description=FORMAT)
    method: str = Field(description="name of the estimator")
    model: str = Field(description="whose clusters the values are")
    outcome: Outcome = Field(description="good, doubtful or failed")
    warnings: list[str] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
    origin: dict[str, Any] = Field(default_factory=dict)
    robot: dict[str, Any] = Field(description="a robot, as in a robot file")
    known: dict[str, Number] = Field(default_factory=dict)
    zero: list[str] = Field(default_factory=list)
    parameters: list[str] = Field(description="names of the parameters that clusters are made of")
    gap: Number | None = None
    clusters: list[ClusterSection] = Field(description="a list of clusters")
    values: Row = Field(description="a number for each cluster")
    covariance: list[Row] = Field(description="a row of numbers for each cluster")
    cad: Row = Field(description="a number for each cluster")
    residual: ResidualSection = Field(description="ratio, white, rows, unknowns, by_channel")
    budget: BudgetSection | None = None
    nuisances: list[QuantitySection] = Field(default_factory=list)
    unseen: list[Row] = Field(default_factory=list)
    held: list[str] = Field(default_factory=list)


# ---------------------------------------------------------------------- from the file to the estimate


def _estimate(document: YamlDocument) -> Estimate:
    check_format(document, "estimate")
    section = validate(EstimateSection, document)
    robot = robot_from_document(section.robot, document.path)
    try:
        select_parameters(robot, [*section.known, *section.zero])
        minimal = _minimal(section)
        return Estimate(
            method=section.method,
            model=section.model,
            robot=robot,
            known=section.known,
            zero=tuple(section.zero),
            minimal=minimal,
            values=_array("values", [section.values], 1, len(minimal))[0],
            covariance=_array("covariance", section.covariance, len(minimal), len(minimal)),
            cad=_array("cad", [section.cad], 1, len(minimal))[0],
            residual=_residual(section.residual),
            budget=_budget(section, len(minimal)),
            nuisances=tuple(_quantity(each) for each in section.nuisances),
            unseen=_array("unseen", section.unseen, len(section.unseen), len(minimal)),
            held=tuple(section.held),
            outcome=section.outcome,
            warnings=tuple(section.warnings),
            notes=tuple(section.notes),
            origin=section.origin,
        )
    except FreefloatError as error:
        raise FileError(document.path, str(error)) from error


class _Unfit(FreefloatError):
    """Parts of an estimate that do not fit together."""


def _minimal(section: EstimateSection) -> MinimalParameters:
    column = {name: index for index, name in enumerate(section.parameters)}
    if len(column) < len(section.parameters):
        raise _Unfit("parameters: a name is given twice; allowed: names that differ")
    combine = np.zeros((len(section.clusters), len(column)))
    for row, cluster in enumerate(section.clusters):
        for name, weight in cluster.of.items():
            if name not in column:
                raise _Unfit(f"clusters[{row}] holds {shown(name)}; allowed: names that are listed as parameters")
            combine[row, column[name]] = weight
    kept = np.array([column[cluster.name] for cluster in section.clusters], dtype=np.int64)
    return MinimalParameters(tuple(column), kept, combine, math.inf if section.gap is None else section.gap)


def _array(name: str, rows: Sequence[Row], count: int, width: int) -> Array:
    """Rows of numbers as an array of this shape; null is not a number."""
    if len(rows) != count or any(len(row) != width for row in rows):
        found = f"{len(rows)} rows of {' or '.join(map(str, sorted({len(row) for row in rows}))) or 'no'} numbers"
        raise _Unfit(f"{name} has {found}; allowed: {count} of {width}")
    return np.array([[math.nan if number is None else number for number in row] for row in rows]).reshape(count, width)


def _residual(section: ResidualSection) -> Residual:
    ratios = {name: math.nan if ratio is None else ratio for name, ratio in section.by_channel.items()}
    ratio = math.nan if section.ratio is None else section.ratio
    return Residual(ratio, section.white, section.rows, section.unknowns, ratios)


def _budget(section: EstimateSection, clusters: int) -> Budget | None:
    if section.budget is None:
        return None
    sources = tuple(section.budget.sources)
    return Budget(sources, _array("budget.shares", section.budget.shares, clusters, len(sources)))


def _quantity(section: QuantitySection) -> Quantity:
    value = math.nan if section.value is None else section.value
    return Quantity(section.name, value, math.inf if section.sd is None else section.sd, section.unit)
