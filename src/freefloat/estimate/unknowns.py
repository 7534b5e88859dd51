"""The vector of unknowns of a problem: clusters first, then everything else that the data may hold.

What belongs to a sensor, its file says (`sensors/reading.py`); the rest is here: the robot, the clocks, the flight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import AXES, Array
from freefloat.dynamics.swinging import springs_of
from freefloat.dynamics.torque import mass_matrix
from freefloat.estimate.flight import Flight
from freefloat.estimate.joint_curves import SplineCurves
from freefloat.estimate.problem import Problem
from freefloat.estimate.uncertain import inverse_of
from freefloat.models.names import cluster_unit
from freefloat.robot.base_axes import turning_axes
from freefloat.robot.drive import drive_name, drive_unit
from freefloat.robot.model import Robot
from freefloat.robot.parameters import inertia_about_com
from freefloat.robot.selection import select_parameters
from freefloat.sensors.kinds import readings_among
from freefloat.sensors.measured import span_of
from freefloat.sensors.reading import FIRST_ATTITUDE
from freefloat.sensors.torque_sensor import TorqueReading
from freefloat.sensors.unknowns import UnknownGroup, along, flat, independent
from freefloat.sensors.walks import KNOTS, knot_information

CLUSTERS = "clusters"
KNOWN = "known "  # and the selector
JOINT_ZEROS = "joint zeros"
JOINT_SCALES = "joint scales"
GEOMETRY = "geometry"
FRICTION = "friction"
WHEEL_INERTIAS = "wheel spin inertias"
TIME_OFFSET = "time offset"
CLOCK_DRIFT = "clock drift"
MOMENTUM = "momentum"
EXTERNAL_TORQUE = "external torque"
BASE_TORQUE = "torque in base axes"
TORQUE_WALK = "walk of the external torque"
DRAG = "drag"
PULSE_FORCE = "force of pulses"  # of every thruster, over what was said of it
JOINT_MOTION = "joint motion"
SPRINGS = "springs"
SWING_START = "swing at the start"
_NEXT_TO_NOTHING = 1e-6  # of a usual spread: of what is held
_FEW = 100  # positions of a flight, enough to know how heavy joints are to turn

GEOMETRY_WORDS = (*(f"place of {{}} along {axis}" for axis in AXES), "first tilt of {}", "second tilt of {}")


@dataclass(frozen=True, eq=False)
class PlacedGroup(UnknownGroup):
    """Unknowns of one kind in the vector.

    flight: number of the flight they belong to; None for those that all flights share. place: where in the vector.
    """

    flight: int | None
    place: slice

    @property
    def is_of_known_values(self) -> bool:
        """Whether they are deviations of values that were declared known."""
        return self.kind.startswith(KNOWN)


@dataclass(frozen=True, eq=False)
class Unknowns:
    """All groups, in the order of the vector."""

    parts: tuple[PlacedGroup, ...]

    def __len__(self) -> int:
        return self.parts[-1].place.stop

    @property
    def coarse(self) -> int:
        """How many there are without geometry and the errors of the joints' curves, which come last and do little."""
        return sum(len(part.labels) for part in self.parts if part.kind not in (GEOMETRY, JOINT_MOTION))

    def find(self, kind: str, flight: int | None = None) -> slice | None:
        """Where unknowns of a kind are; None if there are none."""
        return self._places.get((kind, flight))

    def bearing_on(self, kind: str, flight: int) -> slice | None:
        """Where unknowns of a kind are, the flight's own or those that all flights share; None if there are none."""
        return self._places.get((kind, flight), self._places.get((kind, None)))

    def shifted(self, by: int) -> Unknowns:
        """The same groups, all but the clusters so many places further on."""
        first, *others = self.parts
        moved = (replace(part, place=slice(part.place.start + by, part.place.stop + by)) for part in others)
        return Unknowns((first, *moved))

    @cached_property
    def _places(self) -> dict[tuple[str, int | None], slice]:
        return {(part.kind, part.flight): part.place for part in self.parts}

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Name of every unknown."""
        return tuple(label for part in self.parts for label in part.labels)

    @cached_property
    def mean(self) -> Array:
        """Of what is assumed before the data, shape (unknowns,)."""
        return np.concatenate([part.mean for part in self.parts])

    @cached_property
    def information(self) -> Array:
        """Of what is assumed before the data, shape (unknowns, unknowns)."""
        matrix = np.zeros((len(self), len(self)))
        for part in self.parts:
            matrix[part.place, part.place] = part.information
        return matrix


def unknowns_of(problem: Problem) -> Unknowns:
    """The unknowns of a problem: those that are switched on and whose data exist."""
    parts: dict[tuple[str, int | None], PlacedGroup] = {}
    stop = 0
    for flight, group in _all(problem):
        if group.labels and (group.kind, flight) not in parts:  # several readings may share one
            start, stop = stop, stop + len(group.labels)
            parts[group.kind, flight] = PlacedGroup(**vars(group), flight=flight, place=slice(start, stop))
    return Unknowns(tuple(parts.values()))


def parameter_columns(problem: Problem, unknowns: Unknowns) -> NDArray[np.int64]:
    """Standard parameters that the first unknowns are: leaders of clusters, then known ones that may deviate."""
    given = [name for part in unknowns.parts if part.is_of_known_values for name in part.labels]
    names = {f"known {name}": index for index, name in enumerate(problem.robot.parameter_names)}
    return np.concatenate([problem.minimal.kept, np.array([names[name] for name in given], dtype=np.int64)])


def parameters_beside(problem: Problem, unknowns: Unknowns, theta: Array) -> Array:
    """Standard parameters beside clusters in their leaders' places, (10 bodies,), likely where the clusters are theta.

    Which they are shows only where geometry is off.
    """
    return problem.as_built if unknowns.find(GEOMETRY) is None else problem.as_likely_built(theta)


def _all(problem: Problem) -> Iterator[tuple[int | None, UnknownGroup]]:
    """Every group with the number of its flight; geometry and curves of the joints last (`Unknowns.coarse`)."""
    shared = (
        _clusters(problem),
        *_known(problem),
        *_joint_zeros(problem),
        *_joint_scales(problem),
        *_wheel_inertias(problem),
        *_friction(problem),
        *_springs(problem),
        _pulse_forces(problem),
        *_shared_by_readings(problem),
    )
    yield from ((None, group) for group in shared)
    endings = [f" of {flight.name}" if len(problem.flights) > 1 else "" for flight in problem.flights]
    for index, flight in enumerate(problem.flights):
        yield from ((index, group) for group in _of_flight(problem, flight, endings[index]))
    yield from ((None, group) for group in _geometry(problem))
    for index, flight in enumerate(problem.flights):
        yield index, _joint_motion(problem, flight, endings[index])


def _clusters(problem: Problem) -> UnknownGroup:
    information = np.zeros((len(problem.minimal),) * 2)
    if problem.prior is not None:
        information = inverse_of(problem.cad_covariance)
    leaders = problem.minimal.leaders
    return UnknownGroup(CLUSTERS, leaders, _units(leaders), "prior", problem.cad, information)


def _known(problem: Problem) -> Iterator[UnknownGroup]:
    """Deviations of known parameters from their values, one group for every selector."""
    given = np.zeros(problem.robot.parameters.size, dtype=bool)
    for selector in problem.known:
        columns = select_parameters(problem.robot, selector)
        columns = columns[(problem.known_sd[columns] > 0.0) & ~given[columns]]
        given[columns] = True
        names = tuple(problem.robot.parameter_names[column] for column in columns)
        labels = tuple(f"known {name}" for name in names)
        information = inverse_of(problem.known_covariance[columns[:, None], columns])
        yield UnknownGroup(KNOWN + selector, labels, _units(names), selector, np.zeros(columns.size), information)


def _units(parameters: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(cluster_unit, parameters))


def uncertain_wheels(robot: Robot) -> NDArray[np.int64]:
    """Numbers of the wheels whose spin inertia has a spread."""
    return np.flatnonzero([wheel.relative_sd > 0.0 for wheel in robot.wheels])


def _wheel_inertias(problem: Problem) -> Iterator[UnknownGroup]:
    """Spin inertias that are known with a spread only, themselves and not how far they are off."""
    wheels = [problem.robot.wheels[number] for number in uncertain_wheels(problem.robot)]
    if wheels and any(flight.wheel_rates is not None for flight in problem.flights):
        labels, mean = [f"spin inertia of {wheel.name}" for wheel in wheels], [wheel.spin_inertia for wheel in wheels]
        sd = [wheel.relative_sd * wheel.spin_inertia for wheel in wheels]
        group = independent(WHEEL_INERTIAS, labels, "kg m^2", sd, "wheels")
        yield replace(group, mean=np.array(mean))


def _friction(problem: Problem) -> Iterator[UnknownGroup]:
    """Unknown terms of all drives, term by term.

    Friction may be as large as the torques that were measured, for all that is known; a rotor, as its gear shows it,
    may be between as heavy to turn as what its joint moves and what the heaviest joint of its kind does.
    """
    joints = problem.robot.joints
    torques = [flight.measured[TorqueReading.array].values for flight in problem.flights if _has_torques(flight)]
    if not torques or not problem.friction or not joints:
        return
    size = np.maximum(np.sqrt(np.mean(np.concatenate(torques) ** 2, axis=0)), 1e-9)
    rates = np.concatenate([flight.samples.need("dq", FRICTION) for flight in problem.flights])
    rate = np.sqrt((rates**2).mean(axis=0))
    by_rate = size / np.where(rate > 0.0, rate, np.inf)
    slides = [joint.kind == "prismatic" for joint in joints]
    moved = _moved_inertias(problem)
    heaviest = np.array([max(m for m, other in zip(moved, slides, strict=True) if other == slide) for slide in slides])
    spreads = {"viscous": by_rate, "asymmetric": by_rate, "rotor": np.sqrt(moved * heaviest)}
    labels = [drive_name(term, joint.name) for term in problem.friction for joint in joints]
    units = [drive_unit(term, slide) for term in problem.friction for slide in slides]
    sd = np.concatenate([spreads.get(term, size) for term in problem.friction])
    held = np.where(np.isin(labels, problem.frictionless), _NEXT_TO_NOTHING, 1.0)
    yield independent(FRICTION, labels, units, held * np.where(sd > 0.0, sd, 1e-12))


def _moved_inertias(problem: Problem) -> Array:
    """What joints move in the CAD model, as they feel it, at most over the flights, shape (joints,) [kg m^2 or kg]."""
    joints = 6 + np.arange(len(problem.robot.joints))
    each = [flight.samples.q[:: max(1, len(flight.samples) // _FEW)] for flight in problem.flights]
    return np.asarray(mass_matrix(problem.robot, np.concatenate(each))[:, joints, joints].max(axis=0))


def _has_torques(flight: Flight) -> bool:
    return TorqueReading.array in flight.measured


def _springs(problem: Problem) -> Iterator[UnknownGroup]:
    """Stiffness, then damping of the passive joints, themselves and not how far they are off."""
    robot, nuisances = problem.robot, problem.nuisances
    if not robot.passive.size:
        return
    slides = _passive_slides(robot)
    stiffness, damping = springs_of(robot)
    labels = [f"{what} of {name}" for what in ("stiffness", "damping") for name in robot.passive_names]
    units = [*("N/m" if each else "N m/rad" for each in slides), *("N s/m" if each else "N m s/rad" for each in slides)]
    off = [2.0 * (nuisances.swing_frequency or 0.0) * stiffness, (nuisances.swing_damping or 0.0) * damping]
    sd = np.maximum(np.concatenate(off), 1e-12)
    yield replace(independent(SPRINGS, labels, units, sd), mean=np.concatenate([stiffness, damping]))


def _swing_start(problem: Problem, ending: str) -> Iterator[UnknownGroup]:
    """Where passive joints are at the first reading, then how fast they are."""
    robot, nuisances = problem.robot, problem.nuisances
    slides = _passive_slides(robot)
    sd = np.array([(nuisances.swing_start_m if each else nuisances.swing_start_rad) or 0.0 for each in slides])
    if not sd.any():
        return
    labels = [f"{what} of {name}{ending}" for what in ("start", "rate at the start") for name in robot.passive_names]
    units = [*("m" if each else "rad" for each in slides), *("m/s" if each else "rad/s" for each in slides)]
    inertia = mass_matrix(robot, np.zeros((1, len(robot.joints))))[0][6 + robot.passive, 6 + robot.passive]
    rate = np.sqrt(springs_of(robot)[0] / inertia)
    yield independent(SWING_START, labels, units, np.maximum([*sd, *(sd * rate)], 1e-12))


def _passive_slides(robot: Robot) -> list[bool]:
    return [robot.joints[k].kind == "prismatic" for k in robot.passive]


def _joint_zeros(problem: Problem) -> Iterator[UnknownGroup]:
    joints, nuisances = problem.robot.joints, problem.nuisances
    slides = [joint.kind == "prismatic" for joint in joints]
    sds = [(nuisances.joint_zero_m if sliding else nuisances.joint_zero_rad) or 0.0 for sliding in slides]
    sds = [0.0 if joint.passive else sd for joint, sd in zip(joints, sds, strict=True)]
    if any(sds):
        labels = [f"zero of {joint.name}" for joint in joints]
        units = ["m" if sliding else "rad" for sliding in slides]
        yield independent(JOINT_ZEROS, labels, units, np.maximum(sds, 1e-12))


def _joint_scales(problem: Problem) -> Iterator[UnknownGroup]:
    """How much further each joint moves than its encoder reads, over what that reads."""
    if problem.nuisances.joint_scale is not None:
        joints, sd = problem.robot.joints, problem.nuisances.joint_scale
        labels = [f"scale of {joint.name}" for joint in joints]
        yield independent(JOINT_SCALES, labels, "", [1e-12 if joint.passive else sd for joint in joints])


def _geometry(problem: Problem) -> Iterator[UnknownGroup]:
    """Where each joint sits and how its axis points (`robot/geometry.py`)."""
    shift, tilt = problem.nuisances.joint_place_m, problem.nuisances.joint_axis_rad
    if problem.robot.base == "fixed" or (shift is None and tilt is None):  # torques count as those of exact geometry
        return
    labels = [each.format(joint.name) for joint in problem.robot.joints for each in GEOMETRY_WORDS]
    count = len(problem.robot.joints)
    sds = np.tile(np.maximum([shift or 0.0] * 3 + [tilt or 0.0] * 2, 1e-12), count)
    yield independent(GEOMETRY, labels, ("m", "m", "m", "rad", "rad") * count, sds)


def thrusters_of(problem: Problem) -> tuple[tuple[float, ...], ...]:
    """Thrusters of all flights whose force is not exact, as `Pulse.thruster` knows them."""
    pulses = [pulse for flight in problem.flights for pulse in flight.pulses if pulse.relative_sd]
    return tuple(dict.fromkeys(pulse.thruster for pulse in pulses))


def _pulse_forces(problem: Problem) -> UnknownGroup:
    sds = [thruster[-1] for thruster in thrusters_of(problem)]
    labels = [f"error of thruster {number}" for number in range(1, len(sds) + 1)]
    return independent(PULSE_FORCE, labels, "", sds)


def _shared_by_readings(problem: Problem) -> Iterator[UnknownGroup]:
    measured = {array for flight in problem.flights for array in flight.measured}
    for reading in readings_among(measured):
        yield from reading.shared_unknowns(problem.nuisances, problem.robot)


def _of_flight(problem: Problem, flight: Flight, ending: str) -> Iterator[UnknownGroup]:
    """Clocks and momentum, and what belongs to readings: of rates first, then of those that need inertial axes."""
    yield from _clocks(problem, flight, ending)
    yield from _swing_start(problem, ending)
    measured = flight.measured
    readings = readings_among(measured)
    own = {
        reading: tuple(reading.flight_unknowns(problem.nuisances, problem.robot, measured[reading.array], ending))
        for reading in readings
    }
    yield from (group for reading in readings if not reading.needs_attitude for group in own[reading])
    yield from _turning(problem, flight, ending)
    yield from (group for reading in readings if reading.needs_attitude for group in own[reading])


def clocks_of(problem: Problem, flight: Flight) -> tuple[str, ...]:
    """Clocks of a flight that may be off against that of the joints; without any, against the gyro's."""
    measured, wheels = flight.measured, flight.wheel_rates
    clocks = [data.clock for data in measured.values()]
    if not clocks:
        return ()
    own = measured["w"].clock if "w" in measured else clocks[0]
    reference = flight.clock if problem.robot.joints else own
    if problem.robot.wheels and wheels is not None:
        clocks.append(wheels.clock)
    return tuple(dict.fromkeys(clock for clock in clocks if clock != reference))


def clock_kinds(clocks: tuple[str, ...], clock: str) -> tuple[str, str]:
    """The kinds of a clock's offset and drift among those of a flight: without its name if it is the only one."""
    ending = f" of {clock}" if len(clocks) > 1 else ""
    return f"{TIME_OFFSET}{ending}", f"{CLOCK_DRIFT}{ending}"


def _clocks(problem: Problem, flight: Flight, ending: str) -> Iterator[UnknownGroup]:
    nuisances, clocks = problem.nuisances, clocks_of(problem, flight)
    for clock in clocks:
        offset, drift = clock_kinds(clocks, clock)
        if nuisances.time_offset_s is not None:
            yield independent(offset, [f"{offset}{ending}"], "s", nuisances.time_offset_s, TIME_OFFSET)
        if nuisances.clock_drift is not None:
            yield independent(drift, [f"{drift}{ending}"], "s/s", nuisances.clock_drift, CLOCK_DRIFT)


def _turning(problem: Problem, flight: Flight, ending: str) -> Iterator[UnknownGroup]:
    torque, axes = problem.nuisances.external_torque_Nm, turning_axes(problem.robot)
    if flight.momentum.is_unknown:
        yield flat(MOMENTUM, along(axes, MOMENTUM, ending), "N m s")
    if torque is not None:
        yield independent(EXTERNAL_TORQUE, along(axes, EXTERNAL_TORQUE, ending), "N m", torque)
    if problem.nuisances.base_torque_Nm is not None:
        yield independent(BASE_TORQUE, along(axes, BASE_TORQUE, ending), "N m", problem.nuisances.base_torque_Nm)
    if problem.nuisances.torque_walk_Nm_per_sqrt_s is not None and axes.size:
        yield _torque_walk(axes, problem.nuisances.torque_walk_Nm_per_sqrt_s, flight, ending)
    drag = problem.nuisances.drag_per_s
    if drag is not None and not problem.robot.joints and not flight.momentum.is_zero and "w" in flight.measured:
        whole = replace(problem.robot, separate=frozenset())  # one body: nothing moves against anything
        mean_moment = float(np.trace(inertia_about_com(whole.parameters))) / 3.0
        names = [f"{AXES[i]}{AXES[j]}" for i, j in drag_entries(axes)]
        yield independent(DRAG, [f"{DRAG} {name}{ending}" for name in names], "N m s", drag * mean_moment)
    if any(reading.shows_attitude for reading in readings_among(flight.measured)):
        yield flat(FIRST_ATTITUDE, along(axes, FIRST_ATTITUDE, ending), "rad")


def _torque_walk(axes: NDArray[np.int64], sd: float, flight: Flight, ending: str) -> UnknownGroup:
    """What an external torque is more than at first, at the knots after that, axis by axis."""
    begin, end = span_of(flight.measured)
    interval = (end - begin) / (KNOTS - 1)
    after = [f"after {k * interval:.4g} s{ending}" for k in range(1, KNOTS)]
    labels = tuple(f"{EXTERNAL_TORQUE} {AXES[axis]} {words}" for axis in axes.tolist() for words in after)
    information = np.asarray(np.kron(np.eye(axes.size), knot_information(sd, interval)), float)
    zero = np.zeros(len(labels))
    return UnknownGroup(TORQUE_WALK, labels, ("N m",) * zero.size, EXTERNAL_TORQUE, zero, information)


def drag_entries(axes: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Rows and columns of the entries of a symmetric matrix over the axes that turn."""
    return [(i, j) for i in axes.tolist() for j in axes.tolist() if i <= j]


def _joint_motion(problem: Problem, flight: Flight, ending: str) -> UnknownGroup:
    if isinstance(flight.joints, SplineCurves) and flight.joints.integrated:
        return _integrated(problem, ending)
    sd = flight.joints.errors(flight.t[:1]).sd
    return independent(JOINT_MOTION, [f"{JOINT_MOTION} {k}{ending}" for k in range(sd.size)], "", sd, "encoders")


def _integrated(problem: Problem, ending: str) -> UnknownGroup:
    """Of joints of which only rates were measured: where each started, then the bias of its rate."""
    joints, nuisances = problem.robot.joints, problem.nuisances
    slides = [joint.kind == "prismatic" for joint in joints]
    starts = [nuisances.joint_zero_m if slide else nuisances.joint_zero_rad for slide in slides]
    biases = [nuisances.joint_rate_bias_m_s if slide else nuisances.joint_rate_bias_rad_s for slide in slides]
    labels = [f"{words} of {joint.name}{ending}" for words in ("start", "rate bias") for joint in joints]
    units = [unit for pair in (("rad", "m"), ("rad/s", "m/s")) for unit in (pair[slide] for slide in slides)]
    sd = np.maximum([spread or 0.0 for spread in (*starts, *biases)], 1e-12)
    return independent(JOINT_MOTION, labels, units, sd, "joint rates")
