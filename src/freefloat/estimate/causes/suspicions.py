"""What is wrong with recordings, as far as the samples alone show it: before any fit, and for every estimator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import AXES
from freefloat.dynamics.modes import system_modes
from freefloat.estimate.flight import Flight, InvalidProblem
from freefloat.estimate.problem import Problem
from freefloat.models.model import NotApplicable
from freefloat.models.names import OF_FORCES
from freefloat.robot.base_axes import sliding_axes, turning_axes
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY

_AT_REST = 1e-9  # [rad, m, rad/s]
_TACHOMETER = 5.0  # a wheel none of whose readings exceeds so many times its noise never turned
_ENCODER = 3.0  # a joint whose standard deviation is less than so many times its noise never moved
_REPEATED = 0.5  # share of samples that repeat the one before, above which a sensor is said to do so
_BEYOND, _WITHIN = 4.0, 1.2  # times a joint's limit: positions that cannot be in radians, those that can
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Suspicions:
    """What the samples show.

    still: joints that never moved. wheels_still: whether wheels are there and none ever turned.
    dead, repeated: sentences about sensors whose values never or seldom change. degrees: a sentence if positions
    exceed their limits as degrees would, else empty.
    """

    still: tuple[str, ...]
    wheels_still: bool
    dead: tuple[str, ...]
    repeated: tuple[str, ...]
    degrees: str


def refuse_unusable(problem: Problem) -> None:
    """Raise if nothing can be computed of these samples: fewer than two, or a number that is not finite."""
    for flight in problem.flights:
        if len(flight.samples) < 2:
            raise InvalidProblem(f"{flight.name}: {len(flight.samples)} sample; allowed: two or more")
        for name in ("q", "dq", "wheel_rates", "w", "v", "attitude", "position"):
            values = getattr(flight.samples, name)
            if values is not None and not np.isfinite(values).all():
                first = int(np.argmin(np.isfinite(values).all(axis=1)))
                raise InvalidProblem(
                    f"{flight.name}: {name} of sample {first} is not a finite number; leave such samples out"
                )


def refuse_too_fast(problem: Problem) -> None:
    """Raise if passive joints swing faster than any gyro shows: that reads twice in a period or less."""
    read = [flight.measured["w"].t for flight in problem.flights if "w" in flight.measured]
    rates = [1.0 / float(np.median(np.diff(t))) for t in read if t.size > 1]
    if not (rates and problem.robot.passive.size):
        return
    fastest = max(system_modes(problem.robot), key=lambda mode: mode.frequency_Hz, default=None)
    if fastest is not None and fastest.frequency_Hz > 0.5 * max(rates):
        joint = problem.robot.passive_names[int(np.argmax(np.abs(fastest.shape)))]
        raise InvalidProblem(
            f"{problem.robot.name} swings at {fastest.frequency_Hz:.3g} Hz ({joint}), and the gyro reads "
            f"{max(rates):.4g} times a second; allowed: modes below half of that, {0.5 * max(rates):.3g} Hz, so read "
            f"it more often, or make {joint} a joint that does not give way"
        )


def refuse_fixed_base(problem: Problem, method: str) -> None:
    """Raise if the base does not move; method: one that compares nothing but how it does."""
    if problem.robot.base == "fixed":
        raise NotApplicable(
            f"{method} compares how the base moves, and a fixed base does not; allowed for joint torques: "
            "maximum-likelihood or weighted"
        )


def suspicions(problem: Problem) -> Suspicions:
    """Look at the samples of all flights."""
    dead, repeated, several = list[str](), list[str](), len(problem.flights) > 1
    for flight in problem.flights:
        where = f"{flight.name}: " if several else ""
        shares = list(_repeats(problem, flight))
        dead += [f"{where}{sentence}" for sentence in _dead_sentences(shares)]
        repeated += [f"{where}{sentence}" for sentence in _repeated_sentences(shares)]
    degrees = _degrees(problem.robot, problem.flights)
    return Suspicions(_still(problem), _wheels_still(problem), tuple(dead), tuple(repeated), degrees)


def _still(problem: Problem) -> tuple[str, ...]:
    """Joints that move in no flight by more than their encoders' noise; of passive ones nobody can say so."""
    moved = np.zeros(len(problem.robot.joints), dtype=bool)
    moved[problem.robot.passive] = True
    for flight in problem.flights:
        noise = flight.sd("q", moved.size)
        moved |= flight.samples.q.std(axis=0) > np.maximum(_ENCODER * noise, _AT_REST)
    return tuple(problem.robot.joint_names[k] for k in problem.robot.driven if not moved[k])


def _wheels_still(problem: Problem) -> bool:
    flights = [flight for flight in problem.flights if flight.samples.wheel_rates is not None]
    return bool(problem.robot.wheels and flights) and not any(wheels_turn(flight) for flight in flights)


def wheels_turn(flight: Flight) -> bool:
    """Whether any wheel turns by more than its tachometer's noise."""
    rates = flight.samples.wheel_rates
    if rates is None or not rates.size:
        return False
    noise = flight.sd("wheel_rates", rates.shape[1])
    return bool((np.abs(rates) > np.maximum(_TACHOMETER * noise, _AT_REST)).any())


def _repeats(problem: Problem, flight: Flight) -> Iterator[tuple[str, float]]:
    """Every sensor that counts, and the share of its samples that repeat the one before."""
    samples, turning, sliding = flight.samples, turning_axes(problem.robot), sliding_axes(problem.robot)
    for name, array, axes in (("gyro", "w", turning), ("velocity", "v", sliding), ("position", "position", sliding)):
        values = getattr(samples, array)
        if values is not None and (array == "w" or array in flight.noise):
            same = (values[1:] == values[:-1]).mean(axis=0)
            yield from ((f"{name} {AXES[axis]}", float(same[axis])) for axis in axes)
    if samples.attitude is not None and "attitude" in flight.noise:
        yield "attitude", float((samples.attitude[1:] == samples.attitude[:-1]).all(axis=1).mean())
    if samples.torques is not None and {"energy", "torque"} & set(problem.models):
        same = (samples.torques[1:] == samples.torques[:-1]).mean(axis=0)
        yield from zip((f"torque of {joint}" for joint in problem.robot.joint_names), same.tolist(), strict=True)


def _dead_sentences(shares: Sequence[tuple[str, float]]) -> Iterator[str]:
    names = [name for name, share in shares if share == 1.0]
    if names:
        yield (
            f"{_listed(names)} never change{'s' * (len(names) == 1)}: a dead or missing sensor, whose numbers are "
            "taken for measurements; repair it or leave it out"
        )


def _repeated_sentences(shares: Sequence[tuple[str, float]]) -> Iterator[str]:
    slow = [f"{name} in {100 * share:.0f} % of the samples" for name, share in shares if _REPEATED < share < 1.0]
    if slow:
        yield (
            f"values repeat the one before, {_listed(slow)}: the sensor is slower than the samples, sticks, or rounds "
            "coarsely; sample at its own rate, for noise that is repeated makes intervals too narrow"
        )


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _degrees(robot: Robot, flights: Sequence[Flight]) -> str:
    """A sentence if turning joints go beyond their limits as they would in degrees."""
    reach = np.max([np.abs(flight.samples.q).max(axis=0, initial=0.0) for flight in flights], axis=0)
    limit = np.array([max(map(abs, joint.position)) for joint in robot.joints])
    limited = np.isfinite(limit) & np.array([joint.kind != "prismatic" for joint in robot.joints], dtype=bool)
    beyond = limited & (reach > _BEYOND * limit)
    if not beyond.any() or (np.radians(reach[limited]) > _WITHIN * limit[limited]).any():
        return ""
    worst = int(np.argmax(np.where(beyond, reach / np.where(limited, limit, 1.0), 0.0)))
    return (
        f"{robot.joint_names[worst]} reaches {reach[worst]:.4g}, but its limit is {limit[worst]:.3g} rad: positions "
        "seem to be recorded in degrees instead of radians; convert the positions and rates of the joints"
    )


def nothing_known(problem: Problem) -> bool:
    """Whether any multiple of a robot moves as it does: no known parameter, wheel, momentum, push."""
    if problem.fixed.any() or OF_FORCES & set(problem.models):
        return False
    for flight in problem.flights:
        if wheels_turn(flight):
            return False
        if flight.momentum.vector.any() or flight.pulses:
            return False
    return True  # torques that are estimated along are multiplied with the robot, and so is the gravity gradient


def recording_sentences(
    problem: Problem, samples: Suspicions, warned: Sequence[str], joint_units: bool
) -> Iterator[str]:
    """Warnings about what the samples show.

    warned: sentences about mistakes, among which there may be some of these. joint_units: whether one of them speaks of
    the joints' units.
    """
    if samples.degrees and not joint_units:
        yield samples.degrees
    yield from (sentence for sentence in samples.dead if sentence not in warned)
    yield from samples.repeated
    if samples.still:
        yield _still_sentence(problem, samples.still)
    if samples.wheels_still and nothing_known(problem):
        yield (
            "the wheels never turned, so that nothing known fixes the common scale of all clusters; spin them, or "
            "check their tachometers if they did turn"
        )


def recording_notes(problem: Problem, samples: Suspicions) -> Iterator[str]:
    """What the samples show and asks for no decision."""
    if samples.wheels_still and not nothing_known(problem):
        yield "the wheels never turned; the scale rests on what else is known"


def _still_sentence(problem: Problem, still: tuple[str, ...]) -> str:
    """What joints that never moved keep from being seen."""
    robot = problem.robot
    owner = {body.joint.name: body.name for body in robot.bodies if body.joint is not None}
    bodies = {robot.body_names.index(owner[name]) for name in still}
    hidden = [
        leader
        for leader, column in zip(problem.minimal.leaders, problem.minimal.kept.tolist(), strict=True)
        if column // PER_BODY in bodies
    ]
    it, listed = ("they", ", ".join(still)) if len(still) > 1 else ("it", still[0])
    more = f" and {len(hidden) - _NAMED} more" if len(hidden) > _NAMED else ""
    stays = f" What only {it} can show stays at the CAD model: {', '.join(hidden[:_NAMED])}{more}." if hidden else ""
    them = "them" if len(still) > 1 else "it"
    return f"{listed} never moved.{stays} Move {them}, or check the encoder if {it} did move"
