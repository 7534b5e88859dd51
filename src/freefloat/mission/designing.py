"""The motion of a mission, designed: from its excitation section, sensors and limits to an `Excitation`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from freefloat import __version__
from freefloat.arrays import Array
from freefloat.excitation.effort import SHAKES, STARTS
from freefloat.excitation.excitation import Excitation
from freefloat.excitation.finding import Watch, find_excitation
from freefloat.excitation.flight_forecast import flight_sheet
from freefloat.excitation.goals.by_name import goal_named
from freefloat.excitation.goals.goal import Goal
from freefloat.excitation.goals.names import GoalName
from freefloat.excitation.guesses import drawn_guesses
from freefloat.excitation.plan import Plan
from freefloat.excitation.procedures.selected_excitation import find_selection
from freefloat.mission.earlier import Flown, motion_flown
from freefloat.mission.limits import mission_limits
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.mission.prior_knowledge import known_of, momentum_of, nuisances_of, prior_of
from freefloat.mission.shapes import SelectionShapeSection
from freefloat.models.names import ModelName
from freefloat.motion.bspline import BSpline
from freefloat.motion.consecutive import Consecutive
from freefloat.motion.fourier import Fourier, PlainFourier
from freefloat.motion.limits import joint_or_wheel, limits_of
from freefloat.motion.quintic import ENDS
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot
from freefloat.simulation.simulate import Start

_ROOM = 0.1  # of a joint's range that must be left on both sides of zero for a motion to begin there


def design(
    mission: Mission,
    starts: int = STARTS,
    seed: int = 0,
    goal: GoalName | Goal | None = None,
    earlier: Sequence[Flown] = (),
    workers: int | None = None,
    watch: Watch | None = None,
    shakes: int = SHAKES,
) -> Excitation:
    """The motion that reveals the most of the mission's robot within all its limits.

    starts: local searches from random motions, of which the best counts. goal: by name, or one of your own; the
    mission's unless given. earlier: motions designed or flown before, or recordings of them, which this one
    complements. workers: processes, as many as there are processors unless given. watch: called with how far the design
    is. shakes: how often the best two are shaken, in search of better ones nearby. A selection draws its motions and
    does not search: starts, workers and shakes are not for it.
    """
    plan, shape = plan_of(mission, goal, earlier), mission.settings.excitation.shape
    if isinstance(shape, SelectionShapeSection):
        found = find_selection(plan, shape.draws, seed, watch)
    else:
        found = find_excitation(plan, starts, seed, workers, watch=watch, shakes=shakes)
    origin = {"made_by": f"freefloat {__version__}", "mission": mission.name, "hashes": dict(mission.hashes)}
    orbital_rate = mission.settings.flight.disturbance.orbital_rate_rad_s or None
    sheet = flight_sheet(plan, found.trajectory, found.margins, orbital_rate)
    return replace(found, origin=origin, sheet=sheet)


def plan_of(mission: Mission, goal: GoalName | Goal | None = None, earlier: Sequence[Flown] = ()) -> Plan:
    """What the mission says of the motion to be designed."""
    said, flight = mission.settings, mission.settings.flight
    wanted, shape = goal or said.excitation.goal, shape_of(mission)
    if not isinstance(wanted, Goal) and goal_named(wanted).of_sensors and not mission.sensors:
        raise InvalidMission(f"{mission.path}: the mission has no sensors; to design for accuracy needs at least one")
    return Plan(
        mission.robot,
        shape,
        tuple(mission.sensors.values()),
        mission_limits(mission, shape.channels),
        known=known_of(mission),
        zero=tuple(said.assume_zero),
        prior=prior_of(mission),
        momentum=momentum_of(mission),
        nuisances=nuisances_of(mission),
        start=Start(np.array(flight.start.attitude_xyzw), angular_momentum=mission.total_momentum),
        wheel_rates=mission.wheel_rates if mission.robot.wheels else None,
        goal=wanted,
        model=_model(mission),
        weights=said.excitation.weights,
        earlier=tuple(motion_flown(mission, each) for each in earlier),
        guesses=_guesses(mission),
        robust=said.excitation.robust.over if said.excitation.robust else "expected",
        rest=said.excitation.shape.rest_to_rest,
    )


def _guesses(mission: Mission) -> tuple[Robot, ...]:
    """Robots that the mission's may stand for."""
    said = mission.settings.excitation.robust
    return () if said is None else drawn_guesses(mission.robot, said.guesses, said.spread, 0, tuple(known_of(mission)))


def _model(mission: Mission) -> ModelName:
    """The rows that goals on a matrix look at: the mission's own, or those that its sensors allow."""
    asked = mission.settings.identify.models
    if asked:
        return asked[0]
    if mission.robot.base == "fixed":
        return "base-wrench" if {"force", "moment"} <= mission.measured else "torque"
    return "momentum" if mission.measured & {"velocity", "body_velocity"} else "angular-momentum"


def shape_of(mission: Mission) -> Trajectory:
    """A motionless trajectory of the family that the mission wants searched."""
    said = mission.settings.excitation
    channels = mission.channels
    if said.channels is not None and not channels:
        raise InvalidMission(f"{mission.path}: excitation.channels is empty; allowed: at least one joint or wheel")
    for name in channels:
        joint_or_wheel(mission.robot, name)
    if not channels:
        raise InvalidMission(
            f"{mission.path}: the robot has neither joints nor wheels, so there is no motion to design"
        )
    home, count = _home(mission, channels), 2 * said.shape.harmonics
    if isinstance(said.shape, SelectionShapeSection):
        one = _from_rest(channels, home, count, said.duration_s / said.shape.motions)
        return Consecutive((one,) * said.shape.motions)
    if said.shape.kind == "bspline":
        controls = np.tile(home, (count + 1, 1))
        return BSpline(channels, controls, said.duration_s, rest=said.shape.rest_to_rest)
    if not said.shape.rest_to_rest:
        return PlainFourier(channels, np.vstack([home, np.zeros((count, home.size))]), said.duration_s, said.duration_s)
    return _from_rest(channels, home, count, said.duration_s)


def _from_rest(channels: Sequence[str], home: Array, count: int, duration_s: float) -> Fourier:
    """Motionless, from rest to rest at home, with so many coefficients a channel."""
    ends = np.zeros((ENDS, home.size))
    ends[[0, 3]] = home
    return Fourier(tuple(channels), np.zeros((count, home.size)), duration_s, ends)


def _home(mission: Mission, channels: Sequence[str]) -> Array:
    """Positions at both ends: as given; else zero, or the middle of a range that has little room about zero."""
    limits, given = limits_of(mission.robot, channels), mission.settings.excitation.home
    for name in given:
        if name not in channels:
            raise InvalidMission(
                f"{mission.path}: excitation.home names {name!r}, which does not move; allowed: {', '.join(channels)}"
            )
    bounded = np.isfinite(limits.lowest) & np.isfinite(limits.highest)
    low, high = np.where(bounded, limits.lowest, -1.0), np.where(bounded, limits.highest, 1.0)
    room = _ROOM * (high - low)
    usual = np.where((low + room <= 0.0) & (high - room >= 0.0), 0.0, 0.5 * (low + high))
    return np.array([given.get(name, home) for name, home in zip(channels, usual.tolist(), strict=True)])
