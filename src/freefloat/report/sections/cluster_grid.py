"""Clusters of standard parameters as a table of bodies and parameters, each in the place of its leading parameter."""

from __future__ import annotations

from dataclasses import dataclass

from freefloat.estimate.estimate import Estimate
from freefloat.report.words import shortened
from freefloat.robot.parameters import INDEX, PER_BODY


@dataclass(frozen=True, slots=True)
class Cell:
    """Of one cluster. text: what stands there. tint: how strongly it is coloured, 0 to 100. about: what it is."""

    text: str
    tint: int
    about: str
    alarm: bool = False


@dataclass(frozen=True, slots=True)
class ClusterGrid:
    """columns: names of parameters. rows: of each body with clusters its name, and a cell or None for each column."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell | None, ...]], ...]


def grid_of(estimate: Estimate, cells: dict[int, Cell]) -> ClusterGrid | None:
    """Cells by number of the cluster at their places; None for clusters that are not sums of standard parameters."""
    if not estimate.is_standard or not cells:
        return None
    names = estimate.robot.tree.names
    places = {int(estimate.minimal.kept[cluster]): cell for cluster, cell in cells.items()}
    rows = tuple(
        (name, tuple(places.get(PER_BODY * body + column) for column in range(PER_BODY)))
        for body, name in enumerate(names)
    )
    return ClusterGrid(tuple(INDEX), tuple(row for row in rows if any(row[1])))


def about(estimate: Estimate, cluster: int) -> str:
    """A cluster's formula, not too long to point at."""
    return shortened(estimate.formulas[cluster])
