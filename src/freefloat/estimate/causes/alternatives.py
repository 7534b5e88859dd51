"""What else may be wrong, thing by thing: continuous alternatives to a fit, each with a name and words for its size.

Each is tried by what it would save (`score.py`): an unknown of which too little was assumed, one that was not fitted at
all, a body on which there is more or less than the CAD model has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import AXES, Array
from freefloat.estimate.causes.score import FittedRows, Score
from freefloat.estimate.causes.spectral_lines import Channel, strongest_line
from freefloat.estimate.problem import Problem
from freefloat.estimate.unknowns import (
    CLOCK_DRIFT,
    EXTERNAL_TORQUE,
    GEOMETRY,
    JOINT_MOTION,
    JOINT_ZEROS,
    KNOWN,
    MOMENTUM,
    PULSE_FORCE,
    TIME_OFFSET,
    WHEEL_INERTIAS,
    PlacedGroup,
    Unknowns,
)
from freefloat.robot.geometry import PER_JOINT
from freefloat.robot.parameters import PER_BODY
from freefloat.sensors.gyro import BIAS, MISALIGNMENT, SCALE, WALKS
from freefloat.sensors.reading import FIRST_ATTITUDE

Words = Callable[[Array], str]

_PLACES, _LOOKS = 15, 3  # instants at which a clock is let jump; how often they are looked for more closely
_NO_MISTAKES = (JOINT_MOTION, FIRST_ATTITUDE, *WALKS)


@dataclass(frozen=True, slots=True, eq=False)
class Alternative:
    """One thing that may be wrong.

    kind, name: as of `Cause`. what: a sentence, given its size. cure: what to change. score: how much less a fit costs
    that allows for it.
    """

    kind: str
    name: str
    what: Words
    cure: str
    score: Score


def alternatives(
    problem: Problem, unknowns: Unknowns, fit: FittedRows, channels: tuple[Channel, ...]
) -> Iterator[Alternative]:
    """All that a problem with all these unknowns has. channels: where the rows of each sensor are."""
    for part in unknowns.parts[1:]:
        for kind, name, places, what, cure in _of_group(problem, part):
            yield Alternative(kind, name, what, cure, _score(fit, places))
        if part.kind.startswith(TIME_OFFSET):
            yield _jump(part, fit, channels)
    if problem.prior is not None:
        for body, along in _bodies(problem, len(unknowns)):
            cure = f"correct {body} in the robot file, or widen the prior"
            yield Alternative("mass", body, _on_body(body), cure, fit.of_prior(along))
    yield from _lines(fit, channels)


def _score(fit: FittedRows, places: NDArray[np.int64]) -> Score:
    if not fit.fitted[places].any():
        return fit.of_dormant(places)
    return fit.of_prior(np.eye(fit.off.size)[:, places])


_Found = tuple[str, str, NDArray[np.int64], Words, str]


def _of_group(problem: Problem, part: PlacedGroup) -> Iterator[_Found]:
    """What a group of unknowns may be wrong in."""
    places, kind = np.arange(part.place.start, part.place.stop), part.kind
    joints = problem.robot.joint_names
    where = "" if part.flight is None or len(problem.flights) == 1 else f" in {problem.flights[part.flight].name}"
    if kind in _NO_MISTAKES:
        return
    if kind == SCALE:
        for place, label in zip(places, part.labels, strict=True):
            axis = label[-1]
            yield "gyro scale", axis, places[place == places], _scaled(axis), _calibrate("gyro_scale")
    elif kind == JOINT_ZEROS:
        for place, joint, unit in zip(places, joints, part.units, strict=True):
            cure = f"correct the zero of {joint}'s encoder, or allow for more (`joint_zero_{unit}`)"
            yield "zero", joint, places[place == places], _by_amount(f"the zero of {joint} is off by {{}} {unit}"), cure
    elif kind == GEOMETRY:
        for number, joint in enumerate(joints):
            own = places[PER_JOINT * number : PER_JOINT * (number + 1)]
            cure = (
                f"measure where {joint} sits and how its axis points, and correct the robot file, or allow for more "
                "(`joint_place_m`, `joint_axis_rad`)"
            )
            yield "geometry", joint, own, _bent(joint), cure
    elif kind == MISALIGNMENT:
        yield "mounting", "gyro", places, _turned, _calibrate("misalignment_rad")
    elif kind.startswith((TIME_OFFSET, CLOCK_DRIFT)):
        cure = "synchronise the clocks, or allow for more (`time_offset_s`, `clock_drift`)"
        yield "clock", kind, places, _by_amount(f"the {kind}{where} is {{}} {part.units[0]}"), cure
    elif kind == MOMENTUM:
        what = f"the total angular momentum{where} is not what was declared but {{}} N m s"
        yield "momentum", "", places, _by_amount(what), "declare the momentum unknown in the mission file"
    elif kind == EXTERNAL_TORQUE:
        cure = "find what pushes, or allow for it (`external_torque_Nm` under nuisances)"
        yield "torque", "", places, _by_amount(f"a torque of {{}} N m acts from outside{where}"), cure
    elif kind == WHEEL_INERTIAS:
        for place, label in zip(places, part.labels, strict=True):
            wheel = label.removeprefix("spin inertia of ")
            cure = f"correct the spin inertia of {wheel} in the robot file, or give it a spread"
            what = f"the spin inertia of {wheel} is off by {{}} kg m^2"
            yield "wheel inertia", wheel, places[place == places], _by_amount(what), cure
    elif kind.startswith(KNOWN):
        selector = kind.removeprefix(KNOWN)
        what = f"what was declared known of {selector} is not so"
        yield "known", selector, places, lambda _: what, f"correct {selector} in the robot file, or trust it less (`known`)"
    elif kind == PULSE_FORCE:
        yield "thrust", "", places, _by_amount("thrusters push {} times more than was said"), "check the thrusters"
    elif kind == BIAS:
        what = f"the gyro's bias{where} is {{}} rad/s"
        yield "bias", "gyro", places, _by_amount(what), _calibrate("gyro_bias_rad_s")
    elif part.information.any():
        what = f"{kind}{where} is {{}} {part.units[0]}"
        yield "sensor", kind, places, _by_amount(what), "check the calibration, or allow for more in the nuisances"


def _jump(part: PlacedGroup, fit: FittedRows, channels: tuple[Channel, ...]) -> Alternative:
    """A clock that jumps once, wherever that saves most."""
    own = [channel for channel in channels if channel.flight == part.flight]
    t = np.full(fit.r.size, -np.inf)
    for channel in own:
        t[channel.rows] = np.repeat(channel.t, channel.width)
    first, last = float(t[t > -np.inf].min()), float(t.max())
    offset, best, at = fit.J[:, part.place.start], Score(0.0, 1, np.zeros(1), np.ones(1)), first
    low, high = first, last
    for _ in range(_LOOKS):
        places = np.linspace(low, high, _PLACES + 2)[1:-1]
        tried = [fit.of_column((offset * (t > place))[:, None]) for place in places]
        number = int(np.argmax([each.gain for each in tried]))
        if tried[number].gain > best.gain:
            best, at = tried[number], float(places[number])
        width = (high - low) / (_PLACES + 1)
        low, high = at - width, at + width
    what = _by_amount(f"the {part.kind} jumps by {{}} s at {at:.3g} s")
    return Alternative("clock", f"jump, {part.kind}", what, "cut the recording there, or mend its time stamps", best)


def _lines(fit: FittedRows, channels: tuple[Channel, ...]) -> Iterator[Alternative]:
    """An oscillation of each sensor, at the frequency that saves most."""
    for channel in channels:
        line = strongest_line(fit, channel)
        if line is not None:
            what = (
                f"the {channel.sensor} shows an oscillation at {line.frequency_Hz:.4g} Hz: something swings that the robot "
                "file does not have"
            )
            name = f"{line.frequency_Hz:.4g} Hz"
            yield Alternative("oscillation", name, _said(what), "find what swings, or record while it is still", line.score)


def _bodies(problem: Problem, count: int) -> Iterator[tuple[str, Array]]:
    """How something on a body that is not in the CAD model moves the clusters, (unknowns, k)."""
    minimal, unknown = problem.minimal, set(problem.unknown.tolist())
    for index, name in enumerate(problem.robot.body_names):
        own = [column for column in range(PER_BODY * index, PER_BODY * (index + 1)) if column in unknown]
        moved = minimal.combine[:, own]
        if moved.any():
            along = np.zeros((count, len(own)))
            along[: len(minimal)] = moved
            yield name, along


# ---------------------------------------------------------------------- in words, by size


def _said(what: str) -> Words:
    return lambda _: what


def _calibrate(field: str) -> str:
    return f"calibrate the gyro, or allow for more (`{field}` under nuisances)"


def _by_amount(what: str) -> Words:
    return lambda amount: what.format(", ".join(f"{value:.3g}" for value in amount))


def _scaled(axis: str) -> Words:
    return lambda amount: f"the gyro's {axis} axis reads {abs(100.0 * amount[0]):.2g} % too {_much(amount[0])}"


def _much(amount: float) -> str:
    return "much" if amount > 0.0 else "little"


def _turned(amount: Array) -> str:
    listed = ", ".join(f"{1e3 * value:.3g}" for value in amount)
    return f"the gyro is mounted turned by ({listed}) mrad about the base's axes"


def _bent(joint: str) -> Words:
    def what(amount: Array) -> str:
        place, tilt = (", ".join(f"{1e3 * value:.2g}" for value in part) for part in (amount[:3], amount[3:]))
        return (
            f"{joint} is not where the robot file has it: off by ({place}) mm along {', '.join(AXES)}, its axis tilted "
            f"by ({tilt}) mrad"
        )

    return what


def _on_body(body: str) -> Words:
    return lambda _: f"there is more, or less, on {body} than the CAD model allows for"
