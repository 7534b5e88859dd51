"""The mission file and the verbs over all stages: read this first.

A mission says which robot, what is known of it, which sensors it carries, how it moves. Every verb takes the
mission and gives back the one frozen type of its stage:

    mission = load_mission("n1.yaml")
    flight = simulate(mission, seed=1)          # a Recording, as a real flight would give
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from freefloat import __version__
from freefloat.errors import FileError, FreefloatError
from freefloat.experiment.recording import Origin, Recording
from freefloat.experiment.sensors import Sensor, Sensors, record
from freefloat.experiment.simulate import Disturbance, Pulse, Start, Wheels, simulate_motion
from freefloat.experiment.truth import Layout, Truth
from freefloat.files import (
    FilePath,
    Number,
    Positive,
    Section,
    Vector3,
    check_format,
    entries,
    load_yaml,
    read_bytes,
    validate,
)
from freefloat.motion.random_motion import random_trajectory
from freefloat.motion.trajectory import Trajectory
from freefloat.motion.trajectory_file import load_trajectory, trajectory_from_document
from freefloat.regressor.samples import Samples
from freefloat.regressor.selection import select_parameters, with_known_separate
from freefloat.robot.load import load_robot
from freefloat.robot.model import Robot

_STEPS_S = (1e-3, 0.05)  # shortest and longest step of a simulation that chooses its own
_MOST_STEPS = 5_000_000
_EDGE_S = 1e-6
_DEFAULT_DURATION_S = 60.0


class KnownSection(Section):
    """How far a known parameter, or all of a body's, can be trusted."""

    relative_sd: Annotated[Number, Field(ge=0.0)] = Field(0.0, description="standard deviation over the value")


class MomentumSection(Section):
    """A total momentum that the wheels were given while the base was held at rest."""

    wheels_Nms: dict[str, Number] = Field(description="momentum of each wheel relative to the base")


class StartSection(Section):
    """The base at the first instant."""

    attitude_xyzw: Annotated[tuple[Number, Number, Number, Number], entries(4)] = (0.0, 0.0, 0.0, 1.0)
    position_m: Vector3 = (0.0, 0.0, 0.0)
    rate_rad_s: Vector3 | None = None
    rate_deg_s: Vector3 | None = None
    velocity_m_s: Vector3 | None = None
    one_of = (("rate_rad_s", "rate_deg_s"),)

    def rate(self) -> np.ndarray[Any, Any] | None:
        """Angular rate in base axes [rad/s], shape (3,), where one is given."""
        if self.rate_deg_s is not None:
            return np.radians(self.rate_deg_s)
        return None if self.rate_rad_s is None else np.array(self.rate_rad_s)


class PulseSection(Section):
    """A thruster's push, base axes."""

    start_s: Number
    duration_s: Positive
    force_N: Vector3
    point_m: Vector3 = (0.0, 0.0, 0.0)


class DisturbanceSection(Section):
    """What else acts on the robot as a whole."""

    force_N: Vector3 = (0.0, 0.0, 0.0)
    torque_Nm: Vector3 = (0.0, 0.0, 0.0)
    orbital_rate_rad_s: Number = 0.0
    nadir: Vector3 = (0.0, 0.0, 1.0)
    orbit_normal: Vector3 = (0.0, 1.0, 0.0)


class FlightSection(Section):
    """How the flight is simulated."""

    start: StartSection = StartSection()
    wheels: Wheels = "held"
    wheel_rates_rad_s: dict[str, Number] = Field(default_factory=dict)
    pulses: list[PulseSection] = Field(default_factory=list)
    disturbance: DisturbanceSection = DisturbanceSection()
    step_s: Positive | None = None


class ShapeSection(Section):
    """The family of motions that is searched."""

    kind: Literal["fourier", "bspline"] = "fourier"
    harmonics: Annotated[int, Field(ge=1, le=100)] = 4
    rest_to_rest: bool = True


class AttitudeLimitsSection(Section):
    """Roll, pitch and yaw that the base may reach."""

    roll: Annotated[tuple[Number, Number], entries(2)] | None = None
    pitch: Annotated[tuple[Number, Number], entries(2)] | None = None
    yaw: Annotated[tuple[Number, Number], entries(2)] | None = None


class LimitsSection(Section):
    """Limits beside those of the joints."""

    base_attitude_deg: AttitudeLimitsSection | None = None
    base_rate_deg_s: Positive | None = None
    clearance_m: Annotated[Number, Field(ge=0.0)] | None = None


class ExcitationSection(Section):
    """The motion to be designed."""

    shape: ShapeSection = ShapeSection()
    duration_s: Positive = _DEFAULT_DURATION_S
    goal: Literal["accuracy", "condition-number", "d-optimal", "a-optimal", "e-optimal"] = "accuracy"
    limits: LimitsSection = LimitsSection()


class IdentifySection(Section):
    """How the recording is turned into parameters."""

    method: str = "maximum-likelihood"


class MissionSection(Section):
    """A mission file."""

    format: str
    mission: Annotated[str, Field(min_length=1)]
    robot: Annotated[str, Field(min_length=1)] = Field(
        description="path of the robot file, from the mission file's folder"
    )
    known: dict[str, KnownSection] = Field(default_factory=dict)
    prior: Literal["cad", "none"] = "cad"
    assume_zero: list[str] = Field(default_factory=list)
    momentum: Literal["zero", "unknown"] | MomentumSection = "zero"
    sensors: Sensors = Field(default_factory=dict)
    trajectory: str | dict[str, Any] | None = Field(None, description="a trajectory file, or one written out here")
    excitation: ExcitationSection = ExcitationSection()
    flight: FlightSection = FlightSection()
    identify: IdentifySection = IdentifySection()


class InvalidMission(FreefloatError):
    """A mission that does not fit its robot."""


@dataclass(frozen=True, eq=False)
class Mission:
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

    @property
    def duration_s(self) -> float:
        """How long the mission's motion lasts [s]."""
        return self.trajectory.duration_s if self.trajectory else self.settings.excitation.duration_s


def load_mission(path: FilePath) -> Mission:
    """A mission from its file; the robot and trajectory files it names are found from its own folder."""
    document = load_yaml(path)
    check_format(document, "mission")
    settings = validate(MissionSection, document)
    folder = Path(path).parent
    robot_path = folder / settings.robot
    robot = load_robot(robot_path)
    mission = Mission(
        name=settings.mission,
        path=Path(path),
        robot=with_known_separate(robot, settings.known),
        settings=settings,
        sensors=settings.sensors,
        trajectory=_trajectory(settings, robot, folder, path),
        hashes={"mission": _sha256(path), "robot": _sha256(robot_path)},
    )
    _check(mission, path)
    return mission


def _trajectory(settings: MissionSection, robot: Robot, folder: Path, path: FilePath) -> Trajectory | None:
    if settings.trajectory is None:
        return None
    if isinstance(settings.trajectory, str):
        return load_trajectory(folder / settings.trajectory, robot)
    return trajectory_from_document(settings.trajectory, path)


def _check(mission: Mission, path: FilePath) -> None:
    """Names in the mission must be the robot's."""
    settings, robot = mission.settings, mission.robot
    for problem in _contradictions(settings, robot, mission):
        raise FileError(path, problem)
    for name, sensor in mission.sensors.items():
        _check_sensor(path, name, sensor, robot)
    try:
        select_parameters(robot, [*settings.known, *settings.assume_zero])
        for name in (*_wheel_momenta(settings), *settings.flight.wheel_rates_rad_s):
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
    nadir, normal = np.array(flight.disturbance.nadir), np.array(flight.disturbance.orbit_normal)
    if abs(nadir @ nadir - 1.0) > 1e-6 or abs(normal @ normal - 1.0) > 1e-6 or abs(nadir @ normal) > 1e-6:
        yield "flight.disturbance: nadir and orbit_normal must be unit vectors at a right angle"
    moved = set(mission.trajectory.channels) if mission.trajectory else set[str]()
    if flight.wheels == "free" and moved & {wheel.name for wheel in robot.wheels}:
        yield "flight.wheels is free, but the trajectory drives wheels; allowed: held"
    for wheel, wheel_rate in zip(robot.wheels, _wheel_rates(mission).tolist(), strict=True):
        if abs(wheel_rate) > wheel.max_rate:
            yield f"wheel {wheel.name} would turn at {wheel_rate:.4g} rad/s; allowed: at most {wheel.max_rate:.4g}"


def _check_sensor(path: FilePath, name: str, sensor: Sensor, robot: Robot) -> None:
    """A sensor must find on the robot what it measures."""
    try:
        outputs = sensor.outputs(Layout.of(robot))
    except FreefloatError as error:
        raise FileError(path, f"sensors.{name}: {error}") from error
    if any(not output.components for output in outputs):
        raise FileError(path, f"sensors.{name}: the robot has nothing that this sensor measures")


def _wheel_momenta(settings: MissionSection) -> dict[str, float]:
    return dict(settings.momentum.wheels_Nms) if isinstance(settings.momentum, MomentumSection) else {}


def _sha256(path: FilePath) -> str:
    return hashlib.sha256(read_bytes(path)).hexdigest()


def random_motion(mission: Mission, seed: int, duration_s: float | None = None) -> Trajectory:
    """A random motion within the robot's limits, from rest to rest."""
    harmonics = mission.settings.excitation.shape.harmonics
    return random_trajectory(mission.robot, duration_s or mission.duration_s, seed, harmonics=harmonics)


def fly(mission: Mission, trajectory: Trajectory | None = None, seed: int = 0) -> Samples:
    """The true motion, without sensors: joints follow the trajectory, the base reacts.

    trajectory: by default the mission's own, else a random one of this seed within the limits.
    """
    motion = trajectory or mission.trajectory or random_motion(mission, seed)
    flight, robot = mission.settings.flight, mission.robot
    t = _instants(mission, motion.duration_s)
    disturbance = flight.disturbance
    return simulate_motion(
        robot,
        motion,
        t,
        _start(mission),
        flight.wheels,
        _wheel_rates(mission),
        [
            Pulse(pulse.start_s, pulse.duration_s, np.array(pulse.force_N), np.array(pulse.point_m))
            for pulse in flight.pulses
        ],
        Disturbance(
            np.array(disturbance.force_N),
            np.array(disturbance.torque_Nm),
            disturbance.orbital_rate_rad_s,
            np.array(disturbance.nadir),
            np.array(disturbance.orbit_normal),
        ),
    )


def simulate(
    mission: Mission,
    trajectory: Trajectory | None = None,
    seed: int = 0,
    run: int = 0,
    truth: Samples | None = None,
) -> Recording:
    """What the mission's sensors record of a flight.

    truth: the flight, if it was flown before (`fly`): many runs differ in their noise alone.
    """
    if truth is not None and trajectory is not None:
        raise InvalidMission("give a trajectory to fly, or a flight that was flown, not both")
    if not mission.sensors:
        raise InvalidMission(f"{mission.path}: the mission has no sensors; a recording needs at least one")
    flown = truth if truth is not None else fly(mission, trajectory, seed)
    looked_at = Truth.of(mission.robot, flown)
    motion = hashlib.sha256(np.ascontiguousarray(flown.q).tobytes()).hexdigest()
    hashes = {**mission.hashes, "motion": motion}
    origin = Origin(kind="simulated", hashes=hashes, mission=mission.name, made_by=f"freefloat {__version__}")
    return record(mission.sensors.values(), looked_at, seed, run, origin)


def _instants(mission: Mission, duration_s: float) -> np.ndarray[Any, Any]:
    """Even steps, and the edges of every pulse with an instant just before: what jumps does so between those two."""
    steps = int(np.ceil(duration_s / _step(mission) - 1e-9))
    if steps > _MOST_STEPS:
        raise InvalidMission(
            f"{mission.path}: flight.step_s asks for {steps:,} steps; allowed: at most {_MOST_STEPS:,}"
        )
    pulses = mission.settings.flight.pulses
    edges = np.array([[pulse.start_s, pulse.start_s + pulse.duration_s] for pulse in pulses]).ravel()
    inside = edges[(edges > _EDGE_S) & (edges < duration_s - _EDGE_S)]
    even = np.linspace(0.0, duration_s, 1 + steps)
    far = np.abs(even[:, None] - inside).min(axis=1, initial=np.inf) > 2.0 * _EDGE_S
    return np.sort(np.concatenate([even[far], inside, inside - _EDGE_S]))


def _step(mission: Mission) -> float:
    if mission.settings.flight.step_s is not None:
        return mission.settings.flight.step_s
    fastest = max((sensor.rate_Hz for sensor in mission.sensors.values()), default=20.0)
    return float(np.clip(1.0 / fastest, *_STEPS_S))


def _start(mission: Mission) -> Start:
    start = mission.settings.flight.start
    velocity = None if start.velocity_m_s is None else np.array(start.velocity_m_s)
    momenta = _wheel_momenta(mission.settings)
    total = sum((momenta.get(w.name, 0.0) * w.axis for w in mission.robot.wheels), np.zeros(3))
    return Start(np.array(start.attitude_xyzw), np.array(start.position_m), start.rate(), velocity, total)


def _wheel_rates(mission: Mission) -> np.ndarray[Any, Any]:
    momenta, rates = _wheel_momenta(mission.settings), mission.settings.flight.wheel_rates_rad_s
    wheels = mission.robot.wheels
    return np.array([rates.get(w.name, 0.0) + momenta.get(w.name, 0.0) / w.spin_inertia for w in wheels])
