"""The vector of unknowns of the likelihood: clusters first, then everything else that the data may hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import AXES, Array
from freefloat.models.names import cluster_unit
from freefloat.robot.selection import select_parameters

if TYPE_CHECKING:
    from freefloat.estimate.flight import Flight
    from freefloat.estimate.problem import Problem

KNOTS = 17  # of a gyro's bias that walks: straight lines between them


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Unknowns of one kind.

    kind: what they are. flight: number of the flight they belong to; None for those that all flights share.
    place: where in the vector. labels, units: of each. source: what the error budget calls them.
    mean, information: of what is believed before the data, shape (k,) and (k, k); zero information: nothing.
    """

    kind: str
    flight: int | None
    place: slice
    labels: tuple[str, ...]
    units: tuple[str, ...]
    source: str
    mean: Array
    information: Array


@dataclass(frozen=True, eq=False)
class Unknowns:
    """All parts, in the order of the vector."""

    parts: tuple[Part, ...]

    def __len__(self) -> int:
        return self.parts[-1].place.stop

    @property
    def coarse(self) -> int:
        """How many there are without the errors of the joints' curves, which come last and do little."""
        return sum(len(part.labels) for part in self.parts if part.kind != "joint motion")

    def find(self, kind: str, flight: int | None = None) -> slice | None:
        """Where unknowns of a kind are; None if there are none."""
        return self._places.get((kind, flight))

    @cached_property
    def _places(self) -> dict[tuple[str, int | None], slice]:
        return {(part.kind, part.flight): part.place for part in self.parts}

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Name of every unknown."""
        return tuple(label for part in self.parts for label in part.labels)

    @cached_property
    def mean(self) -> Array:
        """Of what is believed before the data, shape (unknowns,)."""
        return np.concatenate([part.mean for part in self.parts])

    @cached_property
    def information(self) -> Array:
        """Of what is believed before the data, shape (unknowns, unknowns)."""
        matrix = np.zeros((len(self), len(self)))
        for part in self.parts:
            matrix[part.place, part.place] = part.information
        return matrix


def unknowns_of(problem: Problem) -> Unknowns:
    """The unknowns of a problem: those that are switched on and whose data exist."""
    parts: list[Part] = []
    for kind, flight, labels, units, source, mean, information in _all(problem):
        if labels:
            start = parts[-1].place.stop if parts else 0
            place = slice(start, start + len(labels))
            parts.append(Part(kind, flight, place, labels, units, source, mean, information))
    return Unknowns(tuple(parts))


def parameter_columns(problem: Problem, unknowns: Unknowns) -> NDArray[np.int64]:
    """Standard parameters that the first unknowns are: leaders of clusters, then known ones that may deviate."""
    given = [name for part in unknowns.parts if part.kind.startswith("known ") for name in part.labels]
    names = {f"known {name}": index for index, name in enumerate(problem.robot.parameter_names)}
    return np.concatenate([problem.minimal.kept, np.array([names[name] for name in given], dtype=np.int64)])


_Row = tuple[str, int | None, tuple[str, ...], tuple[str, ...], str, Array, Array]


def _all(problem: Problem) -> Iterator[_Row]:
    yield _clusters(problem)
    yield from _known(problem)
    yield from _shared(problem)
    endings = [f" of {flight.name}" if len(problem.flights) > 1 else "" for flight in problem.flights]
    for index, flight in enumerate(problem.flights):
        yield from _of_flight(problem, index, flight, endings[index])
    for index, flight in enumerate(problem.flights):
        yield _joint_motion(index, flight, endings[index])


def _clusters(problem: Problem) -> _Row:
    information = np.zeros((len(problem.minimal),) * 2)
    if problem.prior is not None:
        information = _inverse(problem.cad_covariance)
    leaders = problem.minimal.leaders
    return "clusters", None, leaders, _units(leaders), "prior", problem.cad, information


def _known(problem: Problem) -> Iterator[_Row]:
    """Deviations of known parameters from their values, one part for every selector."""
    given = np.zeros(problem.robot.parameters.size, dtype=bool)
    for selector in problem.known:
        columns = select_parameters(problem.robot, selector)
        columns = columns[(problem.known_sd[columns] > 0.0) & ~given[columns]]
        given[columns] = True
        names = tuple(problem.robot.parameter_names[column] for column in columns)
        labels = tuple(f"known {name}" for name in names)
        information = _inverse(problem.known_covariance[columns[:, None], columns])
        yield f"known {selector}", None, labels, _units(names), selector, np.zeros(columns.size), information


def _units(parameters: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(cluster_unit, parameters))


def _inverse(covariance: Array) -> Array:
    """Of a covariance whose entries have very different sizes."""
    scale = np.sqrt(np.diagonal(covariance))
    return np.linalg.inv(covariance / np.outer(scale, scale)) / np.outer(scale, scale)


def _shared(problem: Problem) -> Iterator[_Row]:
    nuisances, robot = problem.nuisances, problem.robot
    sds = np.array([_zero_sd(problem, joint.kind) for joint in robot.joints])
    if robot.joints and sds.any():
        labels = tuple(f"zero of {joint.name}" for joint in robot.joints)
        units = tuple("m" if joint.kind == "prismatic" else "rad" for joint in robot.joints)
        yield _independent("joint zeros", None, labels, units, "joint zeros", np.maximum(sds, 1e-12))
    if not any("w" in flight.noise for flight in problem.flights):
        return
    turns = _per_axis("gyro misalignment", problem, nuisances.misalignment_rad, "rad")
    if turns is not None and robot.base == "free":
        yield turns
    scales = _per_axis("gyro scale", problem, nuisances.gyro_scale, "")
    if scales is not None:
        yield scales


def _of_flight(problem: Problem, index: int, flight: Flight, ending: str) -> Iterator[_Row]:
    nuisances = problem.nuisances
    if problem.robot.joints:
        for kind, sd, unit in (
            ("time offset", nuisances.time_offset_s, "s"),
            ("clock drift", nuisances.clock_drift, "s/s"),
        ):
            if sd is not None:
                yield _independent(kind, index, (f"{kind}{ending}",), (unit,), kind, np.array([sd]))
    if "w" in flight.noise:
        bias = _per_axis("gyro bias", problem, nuisances.gyro_bias_rad_s, "rad/s", index, ending)
        if bias is not None:
            yield bias
            yield from _walk(problem, index, flight, ending)
    yield from _momentum(problem, index, flight, ending)
    yield from _linear(problem, index, flight, ending)


def _joint_motion(index: int, flight: Flight, ending: str) -> _Row:
    sd = flight.joints.errors(flight.t[:1]).sd
    labels = tuple(f"joint motion {k}{ending}" for k in range(sd.size))
    return _independent("joint motion", index, labels, ("",) * sd.size, "encoders", sd)


def _momentum(problem: Problem, index: int, flight: Flight, ending: str) -> Iterator[_Row]:
    torque = problem.nuisances.external_torque_Nm
    axes = _axes(problem)
    if flight.momentum.is_unknown:
        yield _flat("momentum", index, tuple(f"momentum {axis}{ending}" for axis in axes), "N m s")
    if torque is not None:
        labels = tuple(f"external torque {axis}{ending}" for axis in axes)
        sd = np.full(len(axes), torque)
        yield _independent("external torque", index, labels, ("N m",) * len(axes), "external torque", sd)
    if "attitude" in flight.noise:
        yield _flat("first attitude", index, tuple(f"first attitude {axis}{ending}" for axis in axes), "rad")


def _linear(problem: Problem, index: int, flight: Flight, ending: str) -> Iterator[_Row]:
    axes = AXES[:2] if problem.robot.base == "planar" else AXES
    bias = problem.nuisances.velocity_bias_m_s2
    if "v" in flight.noise or "position" in flight.noise:
        yield _flat("drift velocity", index, tuple(f"velocity of the centre {a}{ending}" for a in axes), "m/s")
    if "v" in flight.noise and "v" in flight.walks and bias is not None:
        labels = tuple(f"accelerometer bias {axis}{ending}" for axis in axes)
        sd = np.full(len(axes), bias)
        yield _independent("velocity bias", index, labels, ("m/s^2",) * len(axes), "accelerometer bias", sd)
    if "position" in flight.noise:
        yield _flat("first position", index, tuple(f"first position of the centre {a}{ending}" for a in axes), "m")


def _walk(problem: Problem, index: int, flight: Flight, ending: str) -> Iterator[_Row]:
    """Values of a walking bias at the knots after the first, axis by axis; steps between knots are independent."""
    walk = flight.walks.get("w", np.zeros(3))
    interval = float(flight.t[-1] - flight.t[0]) / (KNOTS - 1)
    steps = np.eye(KNOTS - 1) - np.eye(KNOTS - 1, k=-1)
    for axis in _axes(problem):
        sd = float(walk[AXES.index(axis)])
        if sd > 0.0:
            labels = tuple(f"gyro bias {axis} after {k * interval:.4g} s{ending}" for k in range(1, KNOTS))
            information = steps.T @ steps / (sd**2 * interval)
            mean = np.zeros(KNOTS - 1)
            yield f"gyro walk {axis}", index, labels, ("rad/s",) * len(labels), "gyro bias", mean, information


def _axes(problem: Problem) -> tuple[str, ...]:
    """Axes about which the base turns."""
    return AXES[2:] if problem.robot.base == "planar" else AXES


def _zero_sd(problem: Problem, kind: str) -> float:
    slides = kind == "prismatic"
    sd = problem.nuisances.joint_zero_m if slides else problem.nuisances.joint_zero_rad
    return 0.0 if sd is None else sd


def _per_axis(
    kind: str, problem: Problem, sd: float | None, unit: str, flight: int | None = None, ending: str = ""
) -> _Row | None:
    if sd is None:
        return None
    axes = _axes(problem)
    labels = tuple(f"{kind} {axis}{ending}" for axis in axes)
    return _independent(kind, flight, labels, (unit,) * len(axes), kind, np.full(len(axes), sd))


def _independent(
    kind: str, flight: int | None, labels: tuple[str, ...], units: tuple[str, ...], source: str, sd: Array
) -> _Row:
    return kind, flight, labels, units, source, np.zeros(len(labels)), np.diag(1.0 / np.asarray(sd, float) ** 2)


def _flat(kind: str, flight: int, labels: tuple[str, ...], unit: str) -> _Row:
    size = len(labels)
    return kind, flight, labels, (unit,) * size, kind, np.zeros(size), np.zeros((size, size))
