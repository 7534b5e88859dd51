"""Identifiability in words: what can be found, what cannot, on what the scale rests, and what would help.

Every cure that is proposed has been tried on the same robot first, and is said only if it does help.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from freefloat.arrays import Array
from freefloat.models.identifiable import Identifiability, Measurement, identifiability
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY, com_of, inertia_about_com, parameters_from_com
from freefloat.robot.selection import with_known_separate
from freefloat.robot.tree import RIGID

_OFF_AXIS_M = 0.1
_HELPS = 1.15  # a cure must make the spread smaller by this factor to be worth a sentence
_CENTRED = 0.02  # a load whose centre of mass is closer to the axis than this [m] counts as on it


@dataclass(frozen=True, slots=True)
class Advice:
    """The answer and what to say about it.

    summary: one line of counts; sentences: the rest, most important first.
    """

    answer: Identifiability
    summary: str
    sentences: tuple[str, ...]


def advise(
    robot: Robot,
    measurement: Measurement | None = None,
    known: Sequence[str] = (),
    zero: Sequence[str] = (),
) -> Advice:
    """What these measurements reveal of this robot, in words, with cures that were tried."""
    known = (known,) if isinstance(known, str) else tuple(known)
    zero = (zero,) if isinstance(zero, str) else tuple(zero)
    case = _Case(with_known_separate(robot, known), measurement or Measurement(), known, zero)
    robot, answer = case.robot, case.answer()
    sentences = [
        _assumed(case.measurement),
        *_lost(answer, case.mass),
        *_scale(answer, robot),
        *_load(case, answer),
        *_cures(case, answer),
    ]
    return Advice(answer, _summary(case, answer), tuple(sentences))


@dataclass(frozen=True, slots=True)
class _Case:
    robot: Robot
    measurement: Measurement
    known: tuple[str, ...]
    zero: tuple[str, ...]
    runs: tuple[Robot, ...] = ()

    def answer(self) -> Identifiability:
        return identifiability(self.robot, self.measurement, self.known, self.zero, self.runs)

    @property
    def mass(self) -> str:
        """Name of the cluster that holds the total mass."""
        return f"m_{self.robot.body_names[0]}"

    def measuring(self, **changes: object) -> _Case:
        return replace(self, measurement=replace(self.measurement, **changes))  # type: ignore[arg-type]


def _summary(case: _Case, answer: Identifiability) -> str:
    count = {status: len(answer.with_status(status)) for status in ("identifiable", "weak", "up to scale", "open")}
    parts = [f"{answer.of} unknown cluster{'s' * (answer.of != 1)}"]
    parts += [f"{number} {status}" for status, number in count.items() if number]
    if case.known:
        parts.append(f"known: {', '.join(case.known)}")
    return " · ".join(parts)


def _assumed(measurement: Measurement) -> str:
    """What the answer takes for granted."""
    senses = [
        name
        for name, there in (
            ("the base's rate", measurement.rate),
            ("its velocity", measurement.velocity),
            ("joint torques", measurement.torque),
        )
        if there
    ]
    wheels = {
        "still": "wheels still",
        "constant": "wheels at constant rates",
        "varying": "wheels at varying rates",
    }
    momentum = {"zero": "zero momentum", "known": "known momentum", "unknown": "unknown constant momentum"}
    measured = " and ".join([", ".join(["joint positions and rates", *senses[:-1]]), *senses[-1:]])
    return f"Measured: {measured}; {momentum[measurement.momentum]}, {wheels[measurement.wheels]}."


def _lost(answer: Identifiability, mass: str) -> Iterator[str]:
    if not answer.of:
        yield "Nothing is left to identify: every parameter is known or zero."
    if answer.scale_lost:
        yield (
            f"The measurements show {answer.rank} of {answer.of} directions. What is lost is the common scale: "
            "the equations are homogeneous, and all clusters times one factor explain the same motion."
        )
    missing = answer.of - answer.rank - answer.scale_lost
    if missing:
        names = ", ".join(cluster.name for cluster in answer.with_status("open")[:6])
        more, stay = " besides the scale" * answer.scale_lost, "s stay" if missing > 1 else " stays"
        yield f"{missing} direction{stay} open{more}, mixed of {names}."
    if mass in [cluster.name for cluster in answer.with_status("weak")]:
        yield "The total mass is only weakly visible: it shows through products of first moments alone."


def _scale(answer: Identifiability, robot: Robot) -> Iterator[str]:
    if not answer.scale_rests_on:
        return
    (first, share), *_ = answer.scale_rests_on
    if all(name.startswith("spin inertia") for name, _ in answer.scale_rests_on):
        yield "The scale rests on the spin inertias of the wheels: an error there is an error everywhere."
    elif 0.9 < share < 1.1:
        value = _value_of(robot, first)
        yield f"The whole scale rests on {first}{value} ({100 * share:.0f} %): its error is everyone's error."
    else:
        shares = ", ".join(f"{name} {100 * part:.0f} %" for name, part in answer.scale_rests_on[:5])
        yield f"The scale rests on several known values: {shares}."


def _value_of(robot: Robot, name: str) -> str:
    if name not in robot.parameter_names:
        return ""
    unit = {"m": "kg", "mx": "kg m", "my": "kg m", "mz": "kg m"}.get(name.split("_", maxsplit=1)[0], "kg m²")
    return f" = {robot.parameters[robot.parameter_names.index(name)]:.3g} {unit}"


def _load(case: _Case, answer: Identifiability) -> Iterator[str]:
    """A known body on the axis of its joint gives only its Izz; off the axis it gives first moments too."""
    names = case.robot.body_names
    for name in case.known:
        if name not in names or answer.scale_lost or not any(name in rest for rest, _ in answer.scale_rests_on):
            continue
        shifted = _off_axis(case.robot, names.index(name))
        if shifted is None:
            continue
        gain = answer.scale_spread / replace(case, robot=shifted).answer().scale_spread
        if gain > _HELPS:
            yield (
                f"{name} is centred on its joint's axis; {_OFF_AXIS_M * 100:.0f} cm off the axis it would fix "
                f"the scale about {gain:.1f} times better."
            )


def _off_axis(robot: Robot, body: int) -> Robot | None:
    """The robot with this body's centre of mass moved off its joint's axis; None if it is off already."""
    tree = robot.tree.arrays
    if tree.kind[body] == RIGID:
        return None
    axis = robot.body(robot.tree.names[body]).joint.axis  # type: ignore[union-attr]
    phi = robot.parameters.reshape(-1, PER_BODY)[body]
    com = com_of(phi)
    if phi[0] <= 0.0 or np.linalg.norm(com - axis * (axis @ com)) > _CENTRED:
        return None
    across = np.eye(3)[np.argmin(np.abs(axis))]
    across = across - axis * (axis @ across)
    moved = com + _OFF_AXIS_M * across / np.linalg.norm(across)
    everything: Array = np.array(robot.parameters)
    everything[PER_BODY * body : PER_BODY * (body + 1)] = parameters_from_com(phi[0], moved, inertia_about_com(phi))
    return robot.with_parameters(everything)


def _cures(case: _Case, answer: Identifiability) -> Iterator[str]:
    """Changes to the experiment that show a direction that is lost now, each tried."""
    if answer.rank == answer.of:
        if answer.with_status("weak"):
            yield from _remedies_for_mass(case, answer)
        return
    helps = []
    for sentence, other in _alternatives(case):
        gained = other.answer()
        missing = gained.of - gained.rank
        if missing < answer.of - answer.rank:
            helps.append((missing, sentence))
    for missing, sentence in sorted(helps, key=lambda help: help[0]):
        yield f"Cure: {sentence}{'.' if not missing else f' ({missing} stay open).'}"


def _remedies_for_mass(case: _Case, answer: Identifiability) -> Iterator[str]:
    seen = {cluster.name: cluster.visibility for cluster in answer.clusters}
    if seen.get(case.mass, 1.0) >= 1e-2 or case.measurement.velocity:
        return
    better = {cluster.name: cluster.visibility for cluster in case.measuring(velocity=True).answer().clusters}
    gain = better[case.mass] / max(seen[case.mass], 1e-12)
    if gain > _HELPS:
        yield f"Measuring the base's velocity or pose would show the total mass {gain:.0f} times better."


def _alternatives(case: _Case) -> Iterator[tuple[str, _Case]]:
    measurement, robot = case.measurement, case.robot
    if robot.wheels and measurement.wheels == "still":
        yield "spin the wheels, at varying rates", case.measuring(wheels="varying")
    if robot.wheels and measurement.wheels == "constant":
        yield "vary the wheels' rates", case.measuring(wheels="varying")
    yield from _with_loads(case)
    if not measurement.thruster:
        yield "fire a thruster of known force and measure the change of velocity", case.measuring(thruster=True)
    if not measurement.torque:
        yield "measure the joint torques", case.measuring(torque=True)
    if not measurement.velocity:
        yield "measure the base's velocity or pose", case.measuring(velocity=True)


def _with_loads(case: _Case) -> Iterator[tuple[str, _Case]]:
    """A load known on a known last link; flights with and without a load that an unknown link holds."""
    names = case.robot.body_names
    held = [name for name in case.known if name in names and case.robot.tree.arrays.kind[names.index(name)] == RIGID]
    for name in held:
        body = names.index(name)
        empty = np.array(case.robot.parameters)
        empty[PER_BODY * body : PER_BODY * (body + 1)] = 0.0
        carrier = names[case.robot.tree.arrays.parent[body]]
        yield f"fly once with and once without {name}", replace(case, runs=(case.robot.with_parameters(empty),))
        yield f"calibrate {carrier}, which holds {name}", replace(case, known=(*case.known, carrier))
    tips = [name for index, name in enumerate(names) if index and index not in case.robot.tree.arrays.parent]
    if not case.known and tips:
        yield (
            f"let the last link ({tips[-1]}) be a known load, or know it and what it holds",
            replace(case, known=(tips[-1],)),
        )
