"""The motion of a mission, designed: from its excitation section, sensors and limits to an `Excitation`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
from freefloat.excitation.limits.joint import ChannelLimit
from freefloat.excitation.plan import InvalidPlan, Plan
from freefloat.excitation.procedures.interval_excitation import find_intervals, plan_with_intervals
from freefloat.excitation.procedures.optimum_points import FrontPoint
from freefloat.excitation.procedures.selected_excitation import find_selection
from freefloat.mission.designing_intervals import intervals_of, still_intervals
from freefloat.mission.designing_points import PlannedPoints, find_points, front_of
from freefloat.mission.earlier import Flown, motion_flown
from freefloat.mission.limits import mission_limits
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.mission.prior_knowledge import known_of, momentum_of, nuisances_of, prior_of
from freefloat.mission.sections import ExcitationSection
from freefloat.mission.shapes import (
    IntervalsShapeSection,
    MotionShapeSection,
    PointsShapeSection,
    SelectionShapeSection,
)
from freefloat.models.model import NotApplicable
from freefloat.models.names import ModelName
from freefloat.motion.bspline import BSpline
from freefloat.motion.consecutive import Consecutive
from freefloat.motion.cycloid import Cycloid
from freefloat.motion.fourier import Fourier, PlainFourier
from freefloat.motion.limits import driven_or_wheel, limits_of
from freefloat.motion.quintic import ENDS
from freefloat.motion.quintic_points import QuinticPoints
from freefloat.motion.trajectory import InvalidTrajectory, Trajectory
from freefloat.robot.drive import DriveTerm
from freefloat.robot.model import Robot
from freefloat.simulation.conditions import Start

_USUAL_FRICTION: tuple[DriveTerm, ...] = ("coulomb", "viscous", "offset")  # before any data choose
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
    is. shakes: how often the best two are shaken, in search of better ones nearby. Intervals and points are sought by
    one process and not shaken; a selection draws its motions and does not search.
    """
    plan = plan_of(mission, goal, earlier)
    found = find_motion(mission, plan, starts, seed, workers, watch, shakes)
    origin = {"made_by": f"freefloat {__version__}", "mission": mission.name, "hashes": dict(mission.hashes)}
    sheet = flight_sheet(plan, found.trajectory, found.margins, mission.orbital_rate, mission.orbit is not None)
    return replace(found, origin=origin, sheet=sheet)


def find_motion(
    mission: Mission,
    plan: Plan,
    starts: int = STARTS,
    seed: int = 0,
    workers: int | None = None,
    watch: Watch | None = None,
    shakes: int = SHAKES,
) -> Excitation:
    """The best motion for a plan of the mission (`plan_of`), searched as its kind of motion is."""
    shape = mission.settings.excitation.shape
    if isinstance(shape, IntervalsShapeSection):
        return find_intervals(plan, intervals_of(mission, shape), starts, seed, watch)
    if isinstance(shape, PointsShapeSection):
        with _naming(mission):
            return find_points(PlannedPoints(plan, shape), starts, seed, watch)
    if isinstance(shape, SelectionShapeSection):
        return find_selection(plan, shape.draws, seed, watch)
    return find_excitation(plan, starts, seed, workers, watch=watch, shakes=shakes)


def points_front(
    mission: Mission,
    weights: Sequence[float],
    starts: int = STARTS,
    seed: int = 0,
    goal: GoalName | Goal | None = None,
    earlier: Sequence[Flown] = (),
    watch: Watch | None = None,
) -> tuple[FrontPoint, ...]:
    """Condition number against equilibrium of a mission whose shape is points: the best points for each weight.

    Only limits of joints count, not `limits_beside_joints`. The rest is as for `design`.
    """
    shape = mission.settings.excitation.shape
    if not isinstance(shape, PointsShapeSection):
        raise InvalidMission(f"{mission.path}: excitation.shape.kind is {shape.kind}; allowed: points")
    for weight in weights:
        if not (np.isfinite(weight) and weight >= 0.0):
            raise InvalidMission(f"a weight of the equilibrium is {weight:g}; allowed: 0 or more")
    with _naming(mission):
        return front_of(PlannedPoints(plan_of(mission, goal, earlier), shape), weights, starts, seed, watch)


def limits_beside_joints(mission: Mission) -> tuple[str, ...]:
    """Limits of a mission that `points_front` does not look at, and `design` keeps: kinds, or names of single ones."""
    asked = mission_limits(mission, mission.channels)
    return tuple(dict.fromkeys(each.kind or each.name for each in asked if not isinstance(each, ChannelLimit)))


@contextmanager
def _naming(mission: Mission) -> Iterator[None]:
    """Say of which file it is that no points can be sought for it."""
    try:
        yield
    except (InvalidPlan, InvalidTrajectory, NotApplicable) as error:
        raise InvalidMission(f"{mission.path}: {error}") from error


def plan_of(mission: Mission, goal: GoalName | Goal | None = None, earlier: Sequence[Flown] = ()) -> Plan:
    """What the mission says of the motion to be designed."""
    said, flight = mission.settings, mission.settings.flight
    wanted, shape = goal or _usual_goal(mission), shape_of(mission)
    if not isinstance(wanted, Goal) and goal_named(wanted).of_sensors and not mission.sensors:
        raise InvalidMission(f"{mission.path}: the mission has no sensors; to design for accuracy needs at least one")
    plan = Plan(
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
        orbit=mission.orbit,
        goal=wanted,
        model=_model(mission),
        friction=_friction(mission),
        weights=said.excitation.weights,
        earlier=tuple(motion_flown(mission, each) for each in earlier),
        guesses=_guesses(mission),
        robust=said.excitation.robust.over if said.excitation.robust else "expected",
        rest=said.excitation.shape.rest_to_rest,
    )
    return plan_with_intervals(plan, shape) if isinstance(shape, Cycloid) else plan


def _usual_goal(mission: Mission) -> GoalName:
    """The mission's goal; shapes and arms that are designed by rows have the condition number unless it names one."""
    said = mission.settings.excitation
    by_rows = isinstance(said.shape, IntervalsShapeSection | PointsShapeSection) or mission.robot.base == "fixed"
    return "condition-number" if by_rows and "goal" not in said.model_fields_set else said.goal


def _guesses(mission: Mission) -> tuple[Robot, ...]:
    """Robots that the mission's may stand for."""
    said = mission.settings.excitation.robust
    return () if said is None else drawn_guesses(mission.robot, said.guesses, said.spread, 0, tuple(known_of(mission)))


def _model(mission: Mission) -> ModelName:
    """The rows that goals on a matrix look at: the mission's own, or those that its sensors allow."""
    if mission.settings.excitation.shape.kind == "points":
        return "energy"
    asked = mission.settings.identify.models
    if asked:
        return asked[0]
    if mission.robot.base == "fixed":
        return "base-wrench" if {"force", "moment"} <= mission.measured else "torque"
    return "momentum" if mission.measured & {"velocity", "body_velocity"} else "angular-momentum"


def _friction(mission: Mission) -> tuple[DriveTerm, ...]:
    """What is unknown of the drives of an arm on the ground; points do not say how long friction acts between them."""
    said = mission.settings
    if mission.robot.base != "fixed" or said.excitation.shape.kind == "points":
        return ()
    return _USUAL_FRICTION if said.identify.friction == "auto" else tuple(said.identify.friction)


def shape_of(mission: Mission) -> Trajectory:
    """A motionless trajectory of the family that the mission wants searched."""
    said = mission.settings.excitation
    channels = mission.channels
    if said.channels is not None and not channels:
        raise InvalidMission(f"{mission.path}: excitation.channels is empty; allowed: at least one joint or wheel")
    for name in channels:
        driven_or_wheel(mission.robot, name)
    if not channels:
        raise InvalidMission(
            f"{mission.path}: the robot has neither joints nor wheels, so there is no motion to design"
        )
    if isinstance(said.shape, IntervalsShapeSection):
        return still_intervals(mission, said.shape, channels)
    home = _home(mission, channels)
    if isinstance(said.shape, PointsShapeSection):
        rest = np.tile(home, (2, 1))
        return QuinticPoints.from_points(channels, [0.0, said.duration_s], rest, np.zeros_like(rest))
    count = 2 * said.shape.harmonics
    if isinstance(said.shape, SelectionShapeSection):
        one = _from_rest(channels, home, count, said.duration_s / said.shape.motions)
        return Consecutive((one,) * said.shape.motions)
    return _series_or_spline(said, said.shape, channels, home)


def _series_or_spline(
    said: ExcitationSection, shape: MotionShapeSection, channels: tuple[str, ...], home: Array
) -> Trajectory:
    count = 2 * shape.harmonics
    if shape.kind == "bspline":
        controls = np.tile(home, (count + 1, 1))
        return BSpline(channels, controls, said.duration_s, rest=shape.rest_to_rest)
    if not shape.rest_to_rest:
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
