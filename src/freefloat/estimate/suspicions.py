"""What is wrong with recordings, as far as the samples alone show it: before any fit, and for every estimator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.estimate.flight import Flight, InvalidProblem
from freefloat.estimate.problem import Problem
from freefloat.regressor.states import allowed_rows
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.transform import Array

AXES = ("x", "y", "z")
_AT_REST = 1e-9  # [rad, m, rad/s]
_ENCODER = 3.0  # a joint whose standard deviation is less than so many times its noise never moved
_REPEATED = 0.5  # share of samples that repeat the one before, above which a sensor is said to do so
_BEYOND, _WITHIN = 4.0, 1.2  # times a joint's limit: positions that cannot be in radians, those that can
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Suspicions:
    """What the samples show.

    still: joints that never moved. wheels_still: whether wheels are there and none ever turned.
    sensors: sentences about sensors that are dead or repeat themselves. degrees: a sentence if positions exceed
    their limits as degrees would, else empty.
    """

    still: tuple[str, ...]
    wheels_still: bool
    sensors: tuple[str, ...]
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


def suspicions(problem: Problem) -> Suspicions:
    """Look at the samples of all flights."""
    robot, several = problem.robot, len(problem.flights) > 1
    sensors = tuple(
        f"{flight.name}: {sentence}" if several else sentence
        for flight in problem.flights
        for sentence in _sensors(problem, flight)
    )
    return Suspicions(_still(problem), _wheels_still(problem), sensors, _degrees(robot, problem.flights))


def _still(problem: Problem) -> tuple[str, ...]:
    """Joints that move in no flight by more than their encoders' noise."""
    moved = np.zeros(len(problem.robot.joints), dtype=bool)
    for flight in problem.flights:
        noise = flight.sd("q", moved.size)
        moved |= flight.samples.q.std(axis=0) > np.maximum(_ENCODER * noise, _AT_REST)
    return tuple(name for name, moves in zip(problem.robot.joint_names, moved.tolist(), strict=True) if not moves)


def _wheels_still(problem: Problem) -> bool:
    rates = [flight.samples.wheel_rates for flight in problem.flights if flight.samples.wheel_rates is not None]
    if not problem.robot.wheels or not rates:
        return False
    return all(float(np.abs(each).max(initial=0.0)) <= _AT_REST for each in rates)


def _sensors(problem: Problem, flight: Flight) -> Iterator[str]:
    """Sensors that are dead, or repeat themselves."""
    allowed, samples = allowed_rows(problem.robot), flight.samples
    for name, array, axes in (
        ("gyro", "w", allowed[allowed >= 3] - 3),
        ("velocity", "v", allowed[allowed < 3]),
        ("position", "position", allowed[allowed < 3]),
    ):
        values = getattr(samples, array)
        if values is not None and (array == "w" or array in flight.noise):
            yield from _repeats([f"{name} {AXES[axis]}" for axis in axes], values[:, axes])
    if samples.attitude is not None and "attitude" in flight.noise:
        yield from _repeats(["attitude"], np.abs(np.diff(samples.attitude, axis=0)).sum(axis=1).cumsum()[:, None])
    if samples.torques is not None and {"energy", "torque"} & set(problem.models):
        yield from _repeats([f"torque of {joint}" for joint in problem.robot.joint_names], samples.torques)


def _repeats(names: Sequence[str], values: Array) -> Iterator[str]:
    """A sentence for sensors whose value never changes, and one for those that repeat it often; (n, sensors)."""
    share = (values[1:] == values[:-1]).mean(axis=0)
    dead = [name for name, part in zip(names, share, strict=True) if part == 1.0]
    if dead:
        yield (
            f"{' and '.join(dead)} never change{'s' * (len(dead) == 1)}: a dead or missing sensor, whose zeros are "
            "taken for measurements; leave it out or repair it"
        )
    slow = [(name, part) for name, part in zip(names, share, strict=True) if _REPEATED < part < 1.0]
    if slow:
        listed = ", ".join(f"{name} in {100 * part:.0f} %" for name, part in slow)
        yield (
            f"values are repeated from sample to sample ({listed} of them): the sensor is slower than the samples, "
            "sticks, or rounds coarsely; sample at its own rate, for repeated noise makes intervals too narrow"
        )


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
        f"{robot.joint_names[worst]} reaches {reach[worst]:.4g}, but its limit is {limit[worst]:.3g} rad: positions seem "
        "to be recorded in degrees instead of radians; convert the positions and rates of the joints"
    )


def still_sentence(problem: Problem, still: tuple[str, ...]) -> str:
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
    return f"{listed} never moved.{stays} Move {'them' if len(still) > 1 else 'it'}, or check the encoder if {it} did move"
