"""What a mission file may say: `format: freefloat/mission@1`, YAML or JSON, units in the names of the fields."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import AfterValidator, Field, create_model, model_validator

from freefloat.arrays import Array
from freefloat.dynamics.orbit import Orbit, earth_orbit_rate
from freefloat.estimate.methods import METHODS
from freefloat.estimate.physical.physical_section import PhysicalSection
from freefloat.estimate.prior import CadSpread, UnknownBody
from freefloat.estimate.problem_data import Nuisances
from freefloat.excitation.goals.names import GoalName
from freefloat.excitation.limits.kinds import LimitsSection
from freefloat.files import Number, Positive, Section, Vector3, did_you_mean, entries, shown
from freefloat.mission.processing import ProcessingSection
from freefloat.mission.shapes import AnyShape, MotionShapeSection
from freefloat.models.names import ModelName
from freefloat.robot.drive import DriveTerm
from freefloat.robot.model import Robot
from freefloat.robot.parts import BaseKind
from freefloat.robot.standing import standing_on
from freefloat.sensors.kinds import Sensors
from freefloat.sensors.quantities import STANDARD_GRAVITY
from freefloat.simulation.conditions import Pulse, Wheels

DEFAULT_DURATION_S = 60.0
_LOWEST_KM, _HIGHEST_KM = 100.0, 400_000.0  # of an orbit: below is air, beyond the Moon
_ROUNDED = 1e-6


class KnownSection(Section):
    """How far a known parameter, or all of a body's, can be trusted."""

    relative_sd: Annotated[Number, Field(ge=0.0)] = Field(0.0, description="standard deviation over the value")


class MomentumSection(Section):
    """A total momentum that the wheels were given while the base was held at rest."""

    wheels_Nms: dict[str, Number] = Field(description="momentum of each wheel relative to the base")


class StartSection(Section):
    """The base, and what swings, at the first instant."""

    attitude_xyzw: Annotated[tuple[Number, Number, Number, Number], entries(4)] = Field(
        default=(0.0, 0.0, 0.0, 1.0), description="quaternion that turns base axes into inertial ones, scalar last"
    )
    position_m: Vector3 = Field(default=(0.0, 0.0, 0.0), description="of the base's origin, inertial axes")
    rate_rad_s: Vector3 | None = Field(
        default=None, description="angular rate in base axes; what the momentum asks for unless given"
    )
    rate_deg_s: Vector3 | None = Field(default=None, description="the same in degrees; one of the two")
    velocity_m_s: Vector3 | None = Field(
        default=None, description="of the base's origin, base axes; such that there is no linear momentum unless given"
    )
    swing: dict[str, Number] = Field(
        default_factory=dict,
        description="positions of passive joints [rad or m]; zero unless given",
    )
    swing_rates: dict[str, Number] = Field(
        default_factory=dict, description="their rates [rad/s or m/s]; zero unless given"
    )
    one_of = (("rate_rad_s", "rate_deg_s"),)

    def rate(self) -> Array | None:
        """Angular rate in base axes [rad/s], shape (3,), where one is given."""
        if self.rate_deg_s is not None:
            return np.radians(self.rate_deg_s)
        return None if self.rate_rad_s is None else np.array(self.rate_rad_s)


class PulseSection(Section):
    """A thruster's push, base axes. Pulses of the same force at the same point are of one thruster, with one error."""

    start_s: Number = Field(description="by the clock of the joints")
    duration_s: Positive = Field(description="how long it pushes")
    force_N: Vector3 = Field(description="constant, on the base")
    point_m: Vector3 = Field(default=(0.0, 0.0, 0.0), description="where on the base it pushes")
    relative_sd: Annotated[Number, Field(ge=0.0)] = Field(
        0.0, description="standard deviation of the force over it: drawn for every seed, and part of every interval"
    )

    def pulse(self) -> Pulse:
        """The same, for a flight."""
        return Pulse(self.start_s, self.duration_s, np.array(self.force_N), np.array(self.point_m), self.relative_sd)


class DisturbanceSection(Section):
    """What else acts on the robot as a whole."""

    force_N: Vector3 = Field(default=(0.0, 0.0, 0.0), description="constant in inertial axes, at the centre of mass")
    torque_Nm: Vector3 = Field(default=(0.0, 0.0, 0.0), description="constant in inertial axes")
    orbital_rate_rad_s: Number = Field(
        default=0.0, description="of an orbit that estimators do not know of; `orbit` is one that they reckon with"
    )
    nadir: Vector3 = Field(
        default=(0.0, 0.0, 1.0), description="unit vector to the planet at the first instant, inertial axes"
    )
    orbit_normal: Vector3 = Field(
        default=(0.0, 1.0, 0.0), description="unit vector that nadir turns about, inertial axes"
    )


class OrbitSection(Section):
    """A circular orbit, whose gravity gradient acts in flights and is part of the model of recordings.

    Directions are in base axes at the first instant of every recording.
    """

    altitude_km: Annotated[Number, Field(ge=_LOWEST_KM, le=_HIGHEST_KM)] | None = Field(
        default=None, description="above the Earth; or give the rate"
    )
    inclination_deg: Annotated[Number, Field(ge=0.0, le=180.0)] | None = Field(
        default=None, description="for the record: a round Earth pulls the same at any"
    )
    orbital_rate_rad_s: Positive | None = Field(default=None, description="of the orbit, instead of an altitude")
    nadir: Vector3 = Field(default=(0.0, 0.0, 1.0), description="unit vector to the planet; z unless given")
    orbit_normal: Vector3 = Field(
        default=(0.0, 1.0, 0.0),
        description="unit vector about which nadir turns, at a right angle to it; y unless given",
    )
    one_of = (("altitude_km", "orbital_rate_rad_s"),)

    @model_validator(mode="after")
    def _is_an_orbit(self) -> Self:
        if self.altitude_km is None and self.orbital_rate_rad_s is None:
            raise ValueError("gives no size of the orbit; allowed: altitude_km or orbital_rate_rad_s")
        if not at_right_angles(self.nadir, self.orbit_normal):
            raise ValueError(
                f"gives nadir {list(self.nadir)} and orbit_normal {list(self.orbit_normal)}; "
                "allowed: unit vectors at a right angle"
            )
        return self

    def orbit(self) -> Orbit:
        """The same, in base axes at the first instant."""
        by_altitude = 0.0 if self.altitude_km is None else earth_orbit_rate(1e3 * self.altitude_km)
        return Orbit(self.orbital_rate_rad_s or by_altitude, np.array(self.nadir), np.array(self.orbit_normal))


def at_right_angles(one: Vector3, other: Vector3) -> bool:
    """Whether two directions are unit vectors at a right angle, but for rounding in a file."""
    a, b = np.array(one), np.array(other)
    return bool(max(abs(a @ a - 1.0), abs(b @ b - 1.0), abs(a @ b)) <= _ROUNDED)


class FlightSection(Section):
    """How the flight is simulated."""

    start: StartSection = Field(default=StartSection(), description="the base at the first instant")
    wheels: Wheels = Field(
        default="held", description="held at their rates, free, or hold-attitude: such that the base does not turn"
    )
    wheel_rates_rad_s: dict[str, Number] = Field(
        default_factory=dict, description="by wheel, at the first instant, beside what its momentum makes; else zero"
    )
    pulses: list[PulseSection] = Field(default_factory=list, description="when thrusters push, and how")
    disturbance: DisturbanceSection = Field(
        default=DisturbanceSection(), description="force, torque and gravity gradient from outside"
    )
    step_s: Positive | None = Field(
        default=None, description="of the simulation; that of the fastest sensor, 1 to 50 ms, unless given"
    )


class StanceSection(Section):
    """A robot that stands on the ground: the body that stands is its base, which is fixed."""

    body: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="name of the body that stands; the robot's base unless given"
    )
    gravity_m_s2: Vector3 = Field(default=(0.0, 0.0, -STANDARD_GRAVITY), description="in the frame of that body")

    def stood(self, robot: Robot) -> Robot:
        """The robot standing; bodies between its old base and the one that stands get frames of their own."""
        return standing_on(robot, self.body or robot.bodies[0].name, self.gravity_m_s2)


class RobustSection(Section):
    """Robots that the CAD model may stand for, all of which the motion is designed for."""

    guesses: Annotated[int, Field(ge=1, le=100)] = Field(default=6, description="how many robots are drawn")
    spread: Positive = Field(default=0.2, description="of masses, over themselves; inertias and places follow")
    over: Literal["expected", "worst"] = Field(
        default="expected", description="what is made small: the mean of the goal over the robots, or its worst"
    )


class ExcitationSection(Section):
    """The motion to be designed."""

    shape: AnyShape = Field(default=MotionShapeSection(), description="the family of motions, by its kind")
    duration_s: Positive = Field(
        default=DEFAULT_DURATION_S,
        description="of the motion, and of random ones; points last as long as they take, and so do pruned intervals",
    )
    channels: list[str] | None = Field(
        default=None, description="joints and wheels that move; all joints, or all wheels if there are none"
    )
    home: dict[str, Number] = Field(
        default_factory=dict,
        description="position at both ends by joint, rad or m; zero, or the middle of the range, unless given",
    )
    goal: GoalName = Field(
        default="accuracy",
        description="what is made small; intervals, points, fixed base: condition-number unless given",
    )
    weights: dict[str, Annotated[Number, Field(ge=0.0)]] = Field(
        default_factory=dict, description="of clusters in the accuracy, by the name of their leader; one unless given"
    )
    limits: LimitsSection = Field(
        default=LimitsSection(), description="what a motion must keep, beside the joints' own"
    )
    robust: RobustSection | None = Field(default=None, description="design for robots that differ from the CAD model")


class UnknownBodySection(Section):
    """A body that no CAD model speaks of, such as a target in the gripper; its values in the robot file are a guess."""

    mass_kg: Positive = Field(description="how heavy it may be, about a standard deviation")
    size_m: Positive = Field(default=1.0, description="how large it may be: of its first moments over that mass")


class PriorSection(Section):
    """How far the CAD model is trusted, as standard deviations."""

    mass: Positive = Field(default=CadSpread().mass, description="of a body's mass, over it")
    com: Positive | None = Field(
        default=None, description="of a centre of mass, over the radius of gyration; 0.1, of a fixed base 0.3"
    )
    inertia: Positive | None = Field(
        default=None, description="of an inertia, over the mean moment; 0.1, of a fixed base 0.3"
    )

    unknown: dict[str, UnknownBodySection] = Field(
        default_factory=dict, description="by body: what no CAD model speaks of, and how large it may be"
    )

    def spread(self, base: BaseKind) -> CadSpread:
        """The same, for a problem of a robot with such a base."""
        unknown = tuple(UnknownBody(name, body.mass_kg, body.size_m) for name, body in self.unknown.items())
        usual = CadSpread.usual(base)
        return CadSpread(self.mass, self.com or usual.com, self.inertia or usual.inertia, unknown)


_NUISANCES: dict[str, Any] = {
    each.name: (Positive | None, Field(default=None, description=each.metadata["description"]))
    for each in fields(Nuisances)
}


class NuisancesSection(create_model("NuisancesSection", __base__=Section, **_NUISANCES)):  # type: ignore[misc]
    """What else the data may hold: standard deviation assumed of each effect; null leaves it out.

    What is not given is as usual: see `Nuisances`, and docs/estimation.md.
    """

    @property
    def given(self) -> dict[str, float | None]:
        """What the file says, null included."""
        return {name: getattr(self, name) for name in self.model_fields_set}


def _method_that_exists(name: str) -> str:
    if name not in METHODS:
        raise ValueError(f"is {shown(name)}{did_you_mean(name, METHODS)}; allowed: {', '.join(METHODS)}")
    return name


class IdentifySection(Section):
    """How recordings are turned into parameters."""

    method: Annotated[str, AfterValidator(_method_that_exists)] | None = Field(
        default=None,
        description="maximum-likelihood unless given; of a fixed base weighted, if `models` or a wrench sensor are",
    )
    models: Annotated[list[ModelName], Field(min_length=1)] | None = Field(
        default=None,
        description="rows that linear methods stack; those that there are data for unless given",
    )
    friction: Literal["auto"] | list[DriveTerm] = Field(
        default="auto",
        description="what is unknown of every joint's drive where torques are used; auto: what predicts torques best "
        "that were left out, [] for nothing",
    )
    rate_Hz: Positive | None = Field(
        default=None,
        description="of the samples; the gyro's own instants unless given. Maximum likelihood keeps those of torques",
    )
    window: Literal["auto", "whole"] | Annotated[tuple[Number, Number], entries(2)] = Field(
        default="auto",
        description="seconds from which to which recordings count; auto: of a body without joints, its free flight",
    )
    processing: ProcessingSection = Field(
        default=ProcessingSection(), description="what is done to recordings before they are read"
    )
    nuisances: Literal["none"] | NuisancesSection = Field(
        default=NuisancesSection(), description="what else is estimated along, by standard deviation; none: nothing"
    )
    physical: PhysicalSection = Field(
        default=PhysicalSection(), description="how near to the CAD model the robot that is given back stays"
    )
    without: dict[str, list[str]] = Field(
        default_factory=dict, description="by file name of a recording: bodies that were not there"
    )
    start_positions: dict[str, Number | dict[str, Number]] = Field(
        default_factory=dict,
        description="by joint, rad or m, at the first reading, where only rates are recorded; else as commanded. "
        "Or by file name of a recording: those of its own, by joint",
    )
    pulses: dict[str, list[PulseSection]] = Field(
        default_factory=dict, description="by file name of a recording: its pulses, if they are not those of `flight`"
    )

    def start_positions_of(self, recording: str) -> dict[str, float]:
        """Of joints by name at the first reading of a recording [rad or m]: its own before those of all."""
        common = {name: value for name, value in self.start_positions.items() if not isinstance(value, dict)}
        own = self.start_positions.get(recording)
        return {**common, **own} if isinstance(own, dict) else common

    @property
    def started_joints(self) -> list[str]:
        """Joints that `start_positions` speaks of, in any recording."""
        return [joint for name in ("", *self.start_positions) for joint in self.start_positions_of(name)]


class MissionSection(Section):
    """A mission file."""

    format: str = Field(description="freefloat/mission@1")
    mission: Annotated[str, Field(min_length=1)] = Field(description="its name")
    robot: Annotated[str, Field(min_length=1)] = Field(
        description="path of the robot file, from the mission file's folder"
    )
    stance: StanceSection | None = Field(
        default=None, description="for a robot that stands on the ground; its tree is hung from the body that stands"
    )
    known: dict[str, KnownSection] = Field(
        default_factory=dict, description="bodies or parameters (`link2.m`) that are trusted, and how far"
    )
    prior: Literal["cad", "none"] | PriorSection = Field(
        default="cad", description="how far the robot file is believed: as usual, not at all, or by these spreads"
    )
    assume_zero: list[str] = Field(
        default_factory=list, description="parameters that count as zero, such as `link2.my` or `*.products`"
    )
    momentum: Literal["zero", "unknown"] | MomentumSection = Field(
        default="zero", description="total angular momentum about the centre of mass, where recordings begin"
    )
    sensors: Sensors = Field(default_factory=dict, description="what measures, by a name of your own")
    trajectory: str | dict[str, Any] | None = Field(
        None, description="a trajectory or excitation file, or a trajectory written out here"
    )
    excitation: ExcitationSection = Field(default=ExcitationSection(), description="the motion that `design` looks for")
    orbit: OrbitSection | None = Field(
        default=None, description="for a robot whose base is free; in free space unless given"
    )
    flight: FlightSection = Field(default=FlightSection(), description="how `simulate` flies, and thrusters push")
    identify: IdentifySection = Field(
        default=IdentifySection(), description="how recordings are turned into parameters"
    )

    @property
    def unknown_bodies(self) -> tuple[str, ...]:
        """Bodies that no CAD model speaks of."""
        return tuple(self.prior.unknown) if isinstance(self.prior, PriorSection) else ()

    @property
    def wheel_momenta(self) -> dict[str, float]:
        """Momentum that each wheel was given, by its name [N m s]."""
        return dict(self.momentum.wheels_Nms) if isinstance(self.momentum, MomentumSection) else {}


def mission_schema() -> dict[str, Any]:
    """The JSON schema of mission files, for editors that check and complete them."""
    schema = MissionSection.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "freefloat mission"}
