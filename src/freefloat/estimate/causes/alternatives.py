"""What else may be wrong, thing by thing: continuous alternatives to a fit, each with a name and words for its size.

Each is tried by what it would save (`score.py`): an unknown of which too little was assumed, one that was not fitted at
all, a body on which there is more or less than the CAD model has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from freefloat.arrays import AXES, Array
from freefloat.estimate.causes.score import FittedRows, Score
from freefloat.estimate.causes.spectral_lines import ChannelRows, strongest_line
from freefloat.estimate.oscillator import Oscillator
from freefloat.estimate.problem import Problem
from freefloat.estimate.unknowns import (
    BASE_TORQUE,
    CLOCK_DRIFT,
    EXTERNAL_TORQUE,
    GEOMETRY,
    JOINT_MOTION,
    JOINT_SCALES,
    JOINT_ZEROS,
    KNOWN,
    MOMENTUM,
    PULSE_FORCE,
    TIME_OFFSET,
    TORQUE_WALK,
    WHEEL_INERTIAS,
    PlacedGroup,
    Unknowns,
)
from freefloat.robot.geometry import PER_JOINT
from freefloat.robot.parameters import PER_BODY
from freefloat.sensors.gyro import BIAS, MISALIGNMENT, SCALE, WALKS
from freefloat.sensors.reading import FIRST_ATTITUDE

Words = Callable[[Array], str]

_PLACES, _CHOICE = 199, 8.0  # instants at which something is let jump; what the best of them saves more by chance
_NO_MISTAKES = (JOINT_MOTION, FIRST_ATTITUDE, *WALKS)


@dataclass(frozen=True, slots=True, eq=False)
class Alternative:
    """One thing that may be wrong.

    kind, name: as of `Cause`. what: a sentence, given its size. cure: what to change. score: how much less a fit costs
    that allows for it. freed: directions of all unknowns of which a fit that allows for it assumes nothing, (w, k);
    None for what is no unknown. swings: what swings, if it is that.
    """

    kind: str
    name: str
    what: Words
    cure: str
    score: Score
    freed: Array | None = None
    swings: tuple[Oscillator, ...] = ()


def alternatives(
    problem: Problem, unknowns: Unknowns, fit: FittedRows, channels: tuple[ChannelRows, ...], compliances: Array
) -> Iterator[Alternative]:
    """All that a problem with all these unknowns has.

    channels: where the rows of each sensor are. compliances: derivatives by how far each joint gives way under a unit
    of what it transmits, (rows, joints).
    """
    for part in unknowns.parts[1:]:
        if part.kind not in _NO_MISTAKES:
            yield from _of_group(problem, part, fit)
        if part.kind.startswith(TIME_OFFSET):
            yield _jump(part, fit, channels)
        if part.kind == MOMENTUM:
            yield _push(part, fit, channels)
    yield from _lines(fit, channels)
    yield from _springs(problem, fit, compliances)


def of_bodies(problem: Problem, fit: FittedRows) -> Iterator[Alternative]:
    """Bodies on which there is more or less than the CAD model, which was a prior, allows for."""
    for body, along in _bodies(problem, fit.off.size):
        cure = f"correct {body} in the robot file, or widen the prior"
        yield Alternative("mass", body, _on_body(body), cure, fit.of_prior(along), along)


def _of_group(problem: Problem, part: PlacedGroup, fit: FittedRows) -> Iterator[Alternative]:
    """What a group of unknowns may be wrong in."""
    where = "" if part.flight is None or len(problem.flights) == 1 else f" in {problem.flights[part.flight].name}"
    for piece, (kind, name, what, cure) in _pieces(problem, part, where):
        places = np.arange(part.place.start, part.place.stop)[piece]
        freed = np.eye(fit.off.size)[:, places]
        score = fit.of_prior(freed) if fit.fitted[places].any() else fit.of_dormant(places)
        yield Alternative(kind, name, what, cure, score, freed)


_Said = tuple[str, str, Words, str]


def _pieces(problem: Problem, part: PlacedGroup, where: str) -> Iterator[tuple[slice, _Said]]:
    """Parts of a group that are wrong by themselves, and what is said of each."""
    said, unread = _EACH.get(part.kind), tuple(f" of {name}" for name in problem.robot.passive_names)
    if part.kind == GEOMETRY:
        for number, joint in enumerate(problem.robot.joint_names):
            yield slice(PER_JOINT * number, PER_JOINT * (number + 1)), _of_geometry(joint)
    elif said is not None:
        for number, (label, unit) in enumerate(zip(part.labels, part.units, strict=True)):
            if not label.endswith(unread):
                yield slice(number, number + 1), said(label, unit)
    else:
        yield slice(None), _of_all(part, where)


def _of_scale(label: str, unit: str) -> _Said:
    axis = label[-1]
    return "gyro scale", axis, _scaled(axis), _calibrate("gyro_scale")


def _of_zero(label: str, unit: str) -> _Said:
    joint = label.removeprefix("zero of ")
    cure = f"correct the zero of {joint}'s encoder, or allow for more (`joint_zero_{unit}` under nuisances)"
    return "zero", joint, _by_amount(f"the zero of {joint} is off by {{}} {unit}"), cure


def _of_encoder(label: str, unit: str) -> _Said:
    joint = label.removeprefix("scale of ")
    cure = "correct the encoder's scale in the recording, or allow for it (`joint_scale` under nuisances)"
    return "joint scale", joint, _read(joint), cure


def _of_wheel(label: str, unit: str) -> _Said:
    wheel = label.removeprefix("spin inertia of ")
    cure = f"correct the spin inertia of {wheel} in the robot file, or give it a spread"
    return "wheel inertia", wheel, _by_amount(f"the spin inertia of {wheel} is off by {{}} {unit}"), cure


_EACH: dict[str, Callable[[str, str], _Said]] = {
    SCALE: _of_scale,
    JOINT_ZEROS: _of_zero,
    JOINT_SCALES: _of_encoder,
    WHEEL_INERTIAS: _of_wheel,
}


def _of_geometry(joint: str) -> _Said:
    cure = (
        f"measure where {joint} sits and how its axis points, and correct the robot file, or allow for more "
        "(`joint_place_m`, `joint_axis_rad` under nuisances)"
    )
    return "geometry", joint, _bent(joint), cure


def _of_all(part: PlacedGroup, where: str) -> _Said:
    """What a group is wrong in as a whole."""
    kind, unit = part.kind, part.units[0]
    if kind.startswith((TIME_OFFSET, CLOCK_DRIFT)):
        cure = "synchronise the clocks, or allow for more (`time_offset_s`, `clock_drift` under nuisances)"
        return "clock", kind, _by_amount(f"the {kind}{where} is {{}} {unit}"), cure
    if kind.startswith(KNOWN):
        selector = kind.removeprefix(KNOWN)
        cure = f"correct {selector} in the robot file, or trust it less (`known` in the mission file)"
        return "known", selector, _said(f"what was declared known of {selector} is not so"), cure
    wholes = {
        MISALIGNMENT: ("mounting", "gyro", _turned, _calibrate("misalignment_rad")),
        MOMENTUM: (
            "momentum",
            "",
            _by_amount(f"the total angular momentum{where} is off by {{}} N m s from what was declared"),
            "declare the momentum unknown in the mission file",
        ),
        EXTERNAL_TORQUE: (
            "torque",
            "",
            _by_amount(f"a torque of {{}} N m acts from outside{where}"),
            "find what pushes, or allow for it (`external_torque_Nm` under nuisances)",
        ),
        BASE_TORQUE: (
            "torque",
            "base",
            _by_amount(f"a torque of {{}} N m acts from outside{where}, the same in base axes"),
            "find what pushes, or allow for more (`base_torque_Nm` under nuisances)",
        ),
        TORQUE_WALK: (
            "torque",
            "walk",
            _said(f"a torque from outside{where} changes by more than was assumed"),
            "find what pushes, or allow for more (`torque_walk_Nm_per_sqrt_s` under nuisances)",
        ),
        PULSE_FORCE: (
            "thrust",
            "",
            _by_amount("thrusters push with {} times their force more than was said"),
            "check the thrusters, or give their force a spread",
        ),
        BIAS: ("bias", "gyro", _by_amount(f"the gyro's bias{where} is {{}} rad/s"), _calibrate("gyro_bias_rad_s")),
    }
    usual = _by_amount(f"{kind}{where} is {{}} {unit}".rstrip())
    return wholes.get(kind, ("sensor", kind, usual, "check the calibration, or allow for more in the nuisances"))


def _jump(part: PlacedGroup, fit: FittedRows, channels: tuple[ChannelRows, ...]) -> Alternative:
    """A clock that jumps once, wherever that saves most."""
    score, at = _step(part, slice(0, 1), fit, channels)
    what = _by_amount(f"the {part.kind} jumps by {{}} s at {at:.3g} s")
    return Alternative("clock", f"jump, {part.kind}", what, "cut the recording there, or mend its time stamps", score)


def _push(part: PlacedGroup, fit: FittedRows, channels: tuple[ChannelRows, ...]) -> Alternative:
    """Momentum that jumps once, wherever that saves most."""
    score, at = _step(part, slice(None), fit, channels)
    what = _by_amount(f"something pushed at {at:.3g} s: the total angular momentum jumps by {{}} N m s there")
    cure = "declare the pulse (`pulses` in the mission file), or cut the recording there"
    return Alternative("momentum", "jump", what, cure, score)


def _step(part: PlacedGroup, piece: slice, fit: FittedRows, channels: tuple[ChannelRows, ...]) -> tuple[Score, float]:
    """Of unknowns of a group that change once, wherever that saves most, and when that is [s]."""
    t = np.full(fit.r.size, -np.inf)
    for channel in channels:
        if channel.flight == part.flight:
            t[channel.rows] = np.repeat(channel.t, channel.width)
    first, last = float(t[t > -np.inf].min()), float(t.max())
    places = np.linspace(first, last, _PLACES + 2)[1:-1]
    score, at = fit.of_steps(fit.J[:, part.place][:, piece], t, places)
    return replace(score, gain=max(score.gain - _CHOICE, 0.0)), at


def _lines(fit: FittedRows, channels: tuple[ChannelRows, ...]) -> Iterator[Alternative]:
    """An oscillation of each sensor, at the frequency that saves most."""
    for channel in channels:
        line = strongest_line(fit, channel)
        if line is not None:
            name = f"{line.amount[0]:.3g} Hz"
            seen = f"the {channel.sensor} shows an oscillation at {name}"
            what = f"{seen}: something swings that the robot file does not have"
            cure = "find what swings (`identify --add-appendage` looks for it), or record while it is still"
            yield Alternative("oscillation", name, _said(what), cure, line)


def _springs(problem: Problem, fit: FittedRows, compliances: Array) -> Iterator[Alternative]:
    """Joints that give way under load, as springs do: against it; those that passive joints are is known."""
    for joint, column in zip(problem.robot.joints, compliances.T, strict=True):
        if joint.passive is not None:
            continue
        score = fit.of_columns(column[:, None])
        if float(score.amount[0]) < 0.0:
            unit = "N/m" if joint.kind == "prismatic" else "N m/rad"
            stiffness = f"{-1.0 / float(score.amount[0]):.3g} {unit}"
            what = f"{joint.name} gives way under load, as if it were a spring of {stiffness} behind its encoder"
            cure = f"measure {joint.name} on the link's side, or move it more slowly"
            yield Alternative("elastic", joint.name, _said(what), cure, score)


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
    return lambda amount: f"the gyro's {axis} axis reads {_too_much(amount[0])}"


def _read(joint: str) -> Words:
    """A joint that moves further than its encoder reads: that reads too little."""
    return lambda amount: f"the encoder of {joint} reads {_too_much(-amount[0] / max(1.0 + amount[0], 1e-3))}"


def _too_much(part: float) -> str:
    return f"{abs(100.0 * part):.2g} % too {'much' if part > 0.0 else 'little'}"


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
