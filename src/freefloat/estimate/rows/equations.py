"""The linear view of a problem: rows of one or several models, stacked.

    matrix [clusters, nuisances] = right + noise

Models over the same clusters (momentum, energy, torque) share columns; angular-momentum and base-velocity have
clusters of their own, side by side with the others. Each flight has its own nuisances, but for what drives of joints
have unknown.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.estimate.flight import Flight, InvalidProblem, refuse_pushed
from freefloat.estimate.rows.angular_momentum import AngularMomentumRows
from freefloat.estimate.rows.base_velocity import BaseVelocityRows
from freefloat.estimate.rows.cluster_sets import (
    ClusterSet,
    angular_momentum_clusters,
    base_velocity_clusters,
    side_by_side,
    standard_clusters,
)
from freefloat.estimate.rows.energy import EnergyRows
from freefloat.estimate.rows.flight_stack import FlightStack
from freefloat.estimate.rows.model_rows import Group, ModelRows, NuisanceColumn
from freefloat.estimate.rows.momentum import MomentumRows
from freefloat.estimate.rows.torque import BaseWrenchRows, TorqueRows
from freefloat.estimate.rows.velocity_steps import VelocityStepRows
from freefloat.models.angular_momentum import AngularMomentum, BaseVelocity
from freefloat.models.minimal import MinimalParameters
from freefloat.models.model import NotApplicable
from freefloat.models.summary import make_model

if TYPE_CHECKING:
    from freefloat.estimate.problem_data import ProblemData
    from freefloat.models.names import ModelName

COUNTS = 1e-10  # of the largest singular value of the scaled matrix
_LEAST = 1e-3  # of the largest standard deviation in a sample: what rows err by whose sensors are called exact
_GROUPS: dict[str, Group] = {"angular-momentum": "angular-momentum", "base-velocity": "base-velocity"}
_STANDARD: dict[str, type[MomentumRows | EnergyRows | TorqueRows]] = {
    "momentum": MomentumRows,
    "energy": EnergyRows,
    "torque": TorqueRows,
    "base-wrench": BaseWrenchRows,
}


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The rows of one model in one flight, one after another sample by sample.

    model: its name. flight: number of the flight. rows: where they are in the stack.
    per_sample: rows per sample. labels: what each of these is.
    """

    model: str
    flight: int
    rows: slice
    per_sample: int
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Equations:
    """Stacked rows.

    minimal: the clusters, which are the first columns; nuisances: names of the columns after them.
    matrix: shape (rows, columns). right: shape (rows,).
    sd: of the error of each row, shape (rows,), as the sensors have it; one where nothing is known of them.
    blocks: which rows are which.
    cad, cad_covariance: of the clusters in the CAD model, shape (c,) and (c, c).
    units: of the nuisances. stacks: the same rows flight by flight, with what errors do to them.
    """

    minimal: MinimalParameters
    nuisances: tuple[str, ...]
    matrix: Array
    right: Array
    sd: Array
    blocks: tuple[Block, ...]
    cad: Array
    cad_covariance: Array
    units: tuple[str, ...]
    stacks: tuple[FlightStack, ...]

    @cached_property
    def scale(self) -> Array:
        """Norm of each column of the weighted matrix, one for columns that are zero, shape (columns,)."""
        size = np.linalg.norm(self.weighted, axis=0)
        return np.where(size > 0.0, size, 1.0)

    @cached_property
    def weighted(self) -> Array:
        """The matrix, each row over its standard deviation, shape (rows, columns)."""
        return self.matrix / self.sd[:, None]

    @cached_property
    def singular_values(self) -> Array:
        """Of the weighted matrix with columns of unit norm, the largest first."""
        return np.asarray(scipy.linalg.svdvals(self.weighted / self.scale))

    @property
    def rank(self) -> int:
        """How many columns are independent."""
        return int((self.singular_values > COUNTS * self.singular_values[0]).sum())

    @property
    def condition(self) -> float:
        """Condition number of the matrix as it is, without weights or scaling."""
        return _ratio(scipy.linalg.svdvals(self.matrix))

    @property
    def scaled_condition(self) -> float:
        """Condition number of the weighted matrix with columns of unit norm."""
        return _ratio(self.singular_values)

    @property
    def zero_columns(self) -> NDArray[np.bool_]:
        """Columns that the data never touch, shape (columns,)."""
        return np.asarray(~self.matrix.any(axis=0))

    @property
    def columns(self) -> tuple[str, ...]:
        """Name of every column: leaders of the clusters, then nuisances."""
        return (*self.minimal.leaders, *self.nuisances)

    @property
    def noise_known(self) -> bool:
        """Whether the sensors' noise is known in every flight."""
        return all(stack.noise_known for stack in self.stacks)

    @property
    def start(self) -> Array:
        """The unknowns before any data: CAD clusters, nuisances zero, shape (columns,)."""
        return np.concatenate([self.cad, np.zeros(len(self.nuisances))])

    @property
    def whole(self) -> Array | None:
        """The CAD model in units of its spread, shape (c,), where any multiple of a solution is one; else None."""
        if self.right.any():
            return None
        sd = np.sqrt(np.maximum(np.diagonal(self.cad_covariance), 0.0))
        return self.cad / np.where(sd > 0.0, sd, np.inf)

    def __str__(self) -> str:
        rows, columns = self.matrix.shape
        models = " + ".join(dict.fromkeys(block.model for block in self.blocks))
        lines = [
            f"{models}: {rows} rows, {columns} columns ({len(self.minimal)} clusters, {len(self.nuisances)} nuisances)",
            f"rank {self.rank} of {columns}",
            f"condition number {self.condition:.4g}; with weighted rows and scaled columns {self.scaled_condition:.4g}",
        ]
        silent = [name for name, zero in zip(self.columns, self.zero_columns, strict=True) if zero]
        if silent:
            lines.append(f"the data never touch {', '.join(silent)}")
        if not self.noise_known:
            lines.append("the sensors' noise is not known: rows count alike")
        return "\n".join(lines)


def stack_equations(problem: ProblemData, models: tuple[ModelName, ...]) -> Equations:
    """The rows of these models in all flights of a problem."""
    if not models:
        raise InvalidProblem("a problem needs at least one model to stack rows of")
    refuse_pushed(problem.flights)
    chosen = [_made(problem, name) for name in dict.fromkeys(models)]
    groups: dict[Group, ClusterSet] = {_GROUPS.get(name, "standard"): clusters for name, clusters, _ in chosen}
    stacks, nuisances = _stacks(problem, [make for _, _, make in chosen], groups)
    together = side_by_side(tuple(groups.values()))
    if not len(together.minimal):
        raise InvalidProblem("what is known or zero leaves no cluster to estimate")
    _check_finite(stacks)
    blocks, taken = list[Block](), 0
    for number, stack in enumerate(stacks):
        for source in stack.sources:
            size = source.right.shape[0] * source.right.shape[1]
            labels = source.labels
            blocks.append(Block(source.name, number, slice(taken, taken + size), len(labels), labels))
            taken += size
    return Equations(
        minimal=together.minimal,
        nuisances=tuple(column.name for column in nuisances),
        matrix=by_model(stacks, [stack.matrix for stack in stacks]),
        right=by_model(stacks, [stack.right[..., :1] for stack in stacks])[:, 0],
        sd=by_model(stacks, [_row_sd(stack, together.cad)[..., None] for stack in stacks])[:, 0],
        blocks=tuple(blocks),
        cad=together.cad,
        cad_covariance=together.covariance(problem),
        units=tuple(column.unit for column in nuisances),
        stacks=stacks,
    )


def by_model(stacks: Sequence[FlightStack], parts: Sequence[Array]) -> Array:
    """Arrays of shape (n, rows, k), one a flight, in the order of the blocks, shape (all rows, k)."""
    pieces = [
        part[:, start:stop].reshape(part.shape[0] * int(stop - start), part.shape[2])
        for stack, part in zip(stacks, parts, strict=True)
        for start, stop in itertools.pairwise(stack.starts)
    ]
    return np.concatenate(pieces)


def by_flight(stacks: Sequence[FlightStack], flat: Array) -> list[Array]:
    """The rows of each flight, shape (n, rows, k), of an array in the order of the blocks, shape (all rows, k)."""
    parts, taken = list[Array](), 0
    for stack in stacks:
        n, pieces = len(stack.flight.samples), list[Array]()
        for start, stop in itertools.pairwise(stack.starts):
            size = n * int(stop - start)
            pieces.append(flat[taken : taken + size].reshape(n, stop - start, flat.shape[1]))
            taken += size
        parts.append(np.concatenate(pieces, axis=1))
    return parts


_Make = Callable[[Flight, int | None], ModelRows]


def _made(problem: ProblemData, name: ModelName) -> tuple[ModelName, ClusterSet, _Make]:
    """Clusters of a model, and how its rows in a flight are made."""
    if name in _GROUPS:
        absent = {tuple(sorted(flight.without)) for flight in problem.flights}
        if len(absent) > 1:
            raise NotApplicable(
                f"{name} clusters are about the centre of mass of all bodies and change with them, but some flights "
                "were without bodies that others had; use momentum"
            )
        model = make_model(name, problem.robot, tuple(problem.known), (*problem.zero, *absent.pop()))
        if isinstance(model, AngularMomentum):
            return name, angular_momentum_clusters(problem, model), partial(_angular, problem, model)
        assert isinstance(model, BaseVelocity)
        return name, base_velocity_clusters(problem, model), partial(_velocity, problem, model)
    make_model(name, problem.robot)  # refuses what does not exist or says nothing of this robot
    return name, standard_clusters(problem), partial(_STANDARD[name], problem)


def _angular(problem: ProblemData, model: AngularMomentum, flight: Flight, number: int | None) -> ModelRows:
    return AngularMomentumRows(problem, flight, number, model)


def _velocity(problem: ProblemData, model: BaseVelocity, flight: Flight, number: int | None) -> ModelRows:
    walks = bool(np.any(flight.walks.get("v", 0.0)))
    return (VelocityStepRows if walks else BaseVelocityRows)(problem, flight, number, model)


def _stacks(
    problem: ProblemData, makes: Sequence[_Make], groups: Mapping[Group, ClusterSet]
) -> tuple[tuple[FlightStack, ...], tuple[NuisanceColumn, ...]]:
    """The rows of each flight, their columns placed among all unknowns; the nuisances of all."""
    starts = dict(zip(groups, np.cumsum([0, *(len(each.minimal) for each in groups.values())]), strict=False))
    clusters = sum(len(each.minimal) for each in groups.values())
    several = len(problem.flights) > 1
    made, nuisances = (
        list[tuple[Flight, tuple[ModelRows, ...], tuple[NDArray[np.int64], ...]]](),
        list[NuisanceColumn](),
    )
    for index, flight in enumerate(problem.flights):
        sources = tuple(make(flight, index + 1 if several else None) for make in makes)
        places = []
        for source in sources:
            own = starts[source.group] + np.arange(len(groups[source.group].minimal))
            nuisances.extend(column for column in source.columns if not (column.shared and column in nuisances))
            further = clusters + np.array([_last(nuisances, column) for column in source.columns], dtype=np.int64)
            places.append(np.concatenate([own, further]))
        made.append((flight, sources, tuple(places)))
    unknowns = clusters + len(nuisances)
    return tuple(FlightStack(*each, unknowns) for each in made), tuple(nuisances)


def _last(columns: Sequence[NuisanceColumn], column: NuisanceColumn) -> int:
    return len(columns) - 1 - columns[::-1].index(column)


def _check_finite(stacks: Sequence[FlightStack]) -> None:
    for stack in stacks:
        good = np.isfinite(stack.matrix).all(axis=(1, 2)) & np.isfinite(stack.right).all(axis=(1, 2))
        if not good.all():
            raise InvalidProblem(
                f"{stack.flight.name}: sample {int(np.argmin(good))} holds a number that is not finite; leave such "
                "samples out"
            )


def _row_sd(stack: FlightStack, cad: Array) -> Array:
    """Standard deviation of each row at the CAD model, rms over the flight, shape (n, rows); ones if not known."""
    shape = stack.right.shape[:2]
    if not stack.noise_known:
        return np.ones(shape)
    x = np.zeros(stack.unknowns)
    x[: cad.size] = cad
    sd = np.sqrt((stack.usual_errors(x) ** 2).sum(axis=2).mean(axis=0))
    least = _LEAST * sd.max()
    return np.broadcast_to(np.maximum(sd, least) if least > 0.0 else np.ones(sd.size), shape)


def _ratio(values: Array) -> float:
    return float(values[0] / values[-1]) if values[-1] > 0.0 else np.inf
