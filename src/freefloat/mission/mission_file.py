"""A mission from its file: a robot, what is known of it, its sensors, its motion; names in it must be the robot's."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.orbit import Orbit
from freefloat.errors import FileError, FreefloatError
from freefloat.excitation.excitation_file import load_motion
from freefloat.files import FilePath, check_format, load_yaml, read_bytes, validate
from freefloat.frozen import Content
from freefloat.mission.sections import (
    DisturbanceSection,
    FlightSection,
    MissionSection,
    MomentumSection,
    StartSection,
    at_right_angles,
)
from freefloat.motion.random_motion import usual_channels
from freefloat.motion.trajectory import Trajectory
from freefloat.motion.trajectory_file import trajectory_from_document
from freefloat.robot.load import load_robot
from freefloat.robot.model import Robot
from freefloat.robot.rotations import rotations
from freefloat.robot.selection import select_parameters, with_known_separate
from freefloat.sensors.quantities import quantity_of
from freefloat.sensors.sensor import Sensor
from freefloat.sensors.truth import Layout

_ROUNDED = 1e-6  # of what is said twice


class InvalidMission(FreefloatError):
    """A mission that does not fit its robot."""


@dataclass(frozen=True, eq=False)
class Mission(Content):
    """A robot, what is known of it, its sensors, its motion.

    path: the file it came from. hashes: SHA-256 of mission and robot file.
    trajectory: the motion that the mission gives, if it gives one.
    """

    name: str
    path: Path
    robot: Robot
    settings: MissionSection
    sensors: Mapping[str, Sensor]
    trajectory: Trajectory | None
    hashes: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Mission {self.name}: {self.robot!r}, sensors {', '.join(self.sensors) or 'none'}>"

    @property
    def measured(self) -> frozenset[str]:
        """Quantities that its sensors record, such as `q` or `gyro`."""
        layout = Layout.of(self.robot)
        return frozenset(quantity_of(out.channel) for each in self.sensors.values() for out in each.outputs(layout))

    def need_sensors(self) -> None:
        """Refuse a mission without any: nothing can be recorded."""
        if not self.sensors:
            raise InvalidMission(f"{self.path}: the mission has no sensors; a recording needs at least one")

    @property
    def duration_s(self) -> float:
        """How long the mission's motion lasts [s]."""
        return self.trajectory.duration_s if self.trajectory else self.settings.excitation.duration_s

    @property
    def channels(self) -> tuple[str, ...]:
        """Driven joints and wheels that a motion moves which is designed or drawn."""
        said = self.settings.excitation.channels
        return usual_channels(self.robot) if said is None else tuple(said)

    @property
    def total_momentum(self) -> Array:
        """What the wheels were given while the base was held, base axes at the start, shape (3,) [N m s]."""
        momenta = self.settings.wheel_momenta
        return sum((momenta.get(wheel.name, 0.0) * wheel.axis for wheel in self.robot.wheels), np.zeros(3))

    @property
    def orbit(self) -> Orbit | None:
        """The orbit that is part of the model, in base axes where recordings begin; None in free space."""
        return None if self.settings.orbit is None else self.settings.orbit.orbit()

    @property
    def orbital_rate(self) -> float | None:
        """Of its orbit, or of one that only flights on the desk know of [rad/s]; None where none is said."""
        orbit = self.orbit
        return (self.settings.flight.disturbance.orbital_rate_rad_s or None) if orbit is None else orbit.rate_rad_s

    @property
    def wheel_rates(self) -> Array:
        """Of all wheels at the start, shape (wheels,) [rad/s]."""
        momenta, rates = self.settings.wheel_momenta, self.settings.flight.wheel_rates_rad_s
        wheels = self.robot.wheels
        return np.array([rates.get(w.name, 0.0) + momenta.get(w.name, 0.0) / w.spin_inertia for w in wheels])


def load_mission(path: FilePath) -> Mission:
    """A mission from its file; the robot and trajectory files it names are found from its own folder."""
    document = load_yaml(path)
    check_format(document, "mission")
    settings = validate(MissionSection, document)
    folder = Path(path).parent
    robot_path = folder / settings.robot
    robot = _stood(load_robot(robot_path), settings, path)
    mission = Mission(
        name=settings.mission,
        path=Path(path),
        robot=with_known_separate(robot, (*settings.known, *settings.unknown_bodies)),
        settings=settings,
        sensors=settings.sensors,
        trajectory=_trajectory(settings, robot, folder, path),
        hashes={"mission": _sha256(path), "robot": _sha256(robot_path)},
    )
    _check(mission, path)
    return mission


def _stood(robot: Robot, settings: MissionSection, path: FilePath) -> Robot:
    """The robot as the mission lets it stand, if it does."""
    if settings.stance is None:
        return robot
    try:
        return settings.stance.stood(robot)
    except FreefloatError as error:
        raise FileError(path, f"stance.body: {error}") from error


def _trajectory(settings: MissionSection, robot: Robot, folder: Path, path: FilePath) -> Trajectory | None:
    if settings.trajectory is None:
        return None
    if isinstance(settings.trajectory, str):
        return load_motion(folder / settings.trajectory, robot)
    return trajectory_from_document(settings.trajectory, path)


def _check(mission: Mission, path: FilePath) -> None:
    """Names in the mission must be the robot's."""
    settings, robot = mission.settings, mission.robot
    contradictions = _contradictions(settings, robot, mission), _other_orbits(settings, robot)
    for problem in (*chain(*contradictions), *_cannot_swing(settings.flight, robot)):
        raise FileError(path, problem)
    for name, sensor in mission.sensors.items():
        _check_sensor(path, name, sensor, robot)
    try:
        select_parameters(robot, [*settings.known, *settings.assume_zero])
        for name in settings.unknown_bodies:
            robot.body(name)
        for bodies in settings.identify.without.values():
            select_parameters(with_known_separate(robot, bodies), bodies)
        for name in (*settings.wheel_momenta, *settings.flight.wheel_rates_rad_s):
            robot.wheel(name)
        if mission.trajectory is not None:
            mission.trajectory.samples(robot, np.zeros(1))
    except FreefloatError as error:
        raise FileError(path, str(error)) from error


def _contradictions(settings: MissionSection, robot: Robot, mission: Mission) -> Iterator[str]:
    """Settings that cannot both be meant, or that this robot cannot do."""
    flight, start = settings.flight, settings.flight.start
    rate = start.rate()
    given = rate is not None or start.velocity_m_s is not None
    if settings.momentum == "zero" and given:
        yield "flight.start has a rate or velocity, but momentum is zero; allowed: one of the two"
    if isinstance(settings.momentum, MomentumSection) and rate is not None:
        yield "flight.start has a rate, but momentum is what the wheels hold; allowed: one of the two"
    pushed = flight.pulses or flight.disturbance != DisturbanceSection()
    if robot.base == "fixed" and (given or pushed):
        yield "a fixed base cannot start with a velocity or be pushed; allowed: no start velocity, pulses, disturbance"
    if robot.base == "planar" and rate is not None and rate[:2].any():
        yield "flight.start: a planar base turns about z alone; allowed: a rate of (0, 0, z)"
    for index, pulse in enumerate(flight.pulses):
        if not 0.0 <= pulse.start_s <= mission.duration_s - pulse.duration_s:
            yield f"flight.pulses[{index}] is outside the flight, which lasts {mission.duration_s:g} s"
    for name in settings.identify.started_joints:
        if name not in robot.joint_names:
            yield f"identify.start_positions names {name!r}; allowed: {', '.join(robot.joint_names)}"
    moved = set(mission.trajectory.channels) if mission.trajectory else set[str]()
    if flight.wheels == "free" and moved & {wheel.name for wheel in robot.wheels}:
        yield "flight.wheels is free, but the trajectory drives wheels; allowed: held"
    for wheel, wheel_rate in zip(robot.wheels, mission.wheel_rates.tolist(), strict=True):
        if abs(wheel_rate) > wheel.max_rate:
            yield f"wheel {wheel.name} would turn at {wheel_rate:.4g} rad/s; allowed: at most {wheel.max_rate:.4g}"


def _other_orbits(settings: MissionSection, robot: Robot) -> Iterator[str]:
    """Orbits that are none, that this robot does not fly in, or two of them."""
    said, flight = settings.flight.disturbance, settings.flight
    if not at_right_angles(said.nadir, said.orbit_normal):
        yield "flight.disturbance: nadir and orbit_normal must be unit vectors at a right angle"
    if settings.orbit is None:
        return
    if robot.base != "free":
        yield f"orbit is given, but the base of {robot.name} is {robot.base}; allowed: a robot whose base is free"
    orbit, given = in_inertial_axes(settings.orbit.orbit(), flight.start), said.model_fields_set
    rate_off = abs(said.orbital_rate_rad_s / orbit.rate_rad_s - 1.0)
    nadir_off, normal_off = np.array(said.nadir) - orbit.nadir, np.array(said.orbit_normal) - orbit.normal
    off = {"orbital_rate_rad_s": rate_off, "nadir": np.abs(nadir_off).max(), "orbit_normal": np.abs(normal_off).max()}
    other = [name for name, by in off.items() if name in given and by > _ROUNDED]
    if other:
        yield f"flight.disturbance.{other[0]} is not that of `orbit`; allowed: one of the two"


def in_inertial_axes(orbit: Orbit, start: StartSection) -> Orbit:
    """An orbit in base axes at the first instant, in inertial ones."""
    return orbit.later(0.0, rotations(np.array([start.attitude_xyzw]))[0])


def _cannot_swing(flight: FlightSection, robot: Robot) -> Iterator[str]:
    """Flights that its passive joints do not allow."""
    passive = [robot.joint_names[k] for k in robot.passive]
    if passive and flight.wheels == "hold-attitude":
        yield f"flight.wheels is hold-attitude, but {passive[0]} is passive and swings; allowed: held, free"
    for name in (*flight.start.swing, *flight.start.swing_rates):
        if name not in passive:
            allowed = ", ".join(passive) or "none of this robot"
            yield f"flight.start lets {name!r} swing; allowed: passive joints, {allowed}"


def _check_sensor(path: FilePath, name: str, sensor: Sensor, robot: Robot) -> None:
    """A sensor must find on the robot what it measures."""
    try:
        outputs = sensor.outputs(Layout.of(robot))
    except FreefloatError as error:
        raise FileError(path, f"sensors.{name}: {error}") from error
    if any(not output.components for output in outputs):
        raise FileError(path, f"sensors.{name}: the robot has nothing that this sensor measures")


def _sha256(path: FilePath) -> str:
    return hashlib.sha256(read_bytes(path)).hexdigest()
