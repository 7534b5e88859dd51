"""The problem that flights of a mission's robot pose: what is known, which rows, which friction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from freefloat.arrays import Array
from freefloat.data.recording import Recording
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.flight import Flight
from freefloat.estimate.friction_choice import chosen_friction, given_friction, torque_noise
from freefloat.estimate.problem import Problem
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.mission.prior_knowledge import known_of, nuisances_of, prior_of
from freefloat.models.names import ModelName
from freefloat.sensors.quantities import STANDARD_GRAVITY
from freefloat.sensors.torque_sensor import TorqueReading

_WEIGHED = ("tau", "force", "moment")  # quantities that feel weight


@dataclass(frozen=True, slots=True, eq=False)
class Posed:
    """The problem. notes: what was chosen by evidence. warnings: what the mission says and the evidence denies."""

    problem: Problem
    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def pose(mission: Mission, flights: Sequence[Flight], asked_of: Callable[[Problem], Problem] | None = None) -> Posed:
    """The problem that flights pose.

    asked_of: the problem with bodies that the mission's robot lacks, which are asked for.
    """
    posed, asked = _without_friction(mission, flights), mission.settings.identify.friction
    if asked_of is not None:
        posed = asked_of(posed)
    driven, said, warned = _uses_torques(posed), list[str](), list[str]()
    if asked == "auto" and driven:
        choice = chosen_friction(posed)
        posed = _with_rotors(choice.problem)
        beside = "; rotors are unknown beside it" if posed.friction != choice.terms else ""
        said.append(f"{choice.sentence}{beside}")
    elif asked != "auto" and asked and not driven:
        raise InvalidMission(
            f"identify.friction is {', '.join(asked)}, but no joint torques are compared; allowed: recordings with "
            "tau_<joint>_Nm of a fixed base, or `models: [torque]`"
        )
    elif asked != "auto":
        posed = replace(posed, friction=tuple(asked))
        if driven:
            given = given_friction(posed)
            (warned if given.wanting else said).append(given.sentence)
    if driven and any("torques" not in flight.noise for flight in posed.flights):
        noise = torque_noise(posed)
        posed = replace(posed, flights=_with_torque_noise(posed.flights, noise))
        said.append("nobody said the noise of torques: it is what is left of them")
    return Posed(posed, tuple(said), tuple(warned))


def _with_rotors(posed: Problem) -> Problem:
    """The same with rotors unknown where torques are readings of joints that rub, which motors move.

    What a motion is too slow to show of them is then in the intervals of inertias.
    """
    compared = all(TorqueReading.array in flight.measured for flight in posed.flights)
    given = any(joint.drive.rotor for joint in posed.robot.joints)
    if given or not (posed.friction and compared and posed.robot.base == "fixed"):
        return posed
    return replace(posed, friction=(*posed.friction, "rotor"))


def _with_torque_noise(flights: Sequence[Flight], noise: Array) -> tuple[Flight, ...]:
    """The flights with this noise of joint torques, shape (joints,), where nobody said it."""
    return tuple(
        replace(flight, noise={"torques": noise, **flight.noise}, torque_noise_left="torques" not in flight.noise)
        for flight in flights
    )


def with_noise_left(flights: Sequence[Flight], estimate: Estimate) -> tuple[tuple[Flight, ...], bool]:
    """The flights with the noise of joint torques that an estimate left, where nobody said it; whether it was so."""
    left, said = estimate.torque_left, all("torques" in flight.noise for flight in flights)
    if estimate.robot.base != "fixed" or left is None or said:
        return tuple(flights), False
    return _with_torque_noise(flights, left), True


def refuse_unsaid_gravity(mission: Mission, recordings: Mapping[str, Recording]) -> None:
    """Ask for gravity where torques, or what holds the base, were recorded on the ground and nobody said it.

    Simulated recordings are of the mission's own robot, with whatever gravity it has.
    """
    said = mission.settings.stance is not None or mission.robot.gravity.any()
    if mission.robot.base != "fixed" or said:
        return
    for name, recording in recordings.items():
        weighed = [quantity for quantity in _WEIGHED if recording.of_quantity(quantity)]
        if weighed and recording.origin.kind != "simulated":
            raise InvalidMission(
                f"{mission.path}: nobody said which way gravity acts, which the torques of {name!r} feel; write "
                f"`stance: {{gravity_m_s2: [0, 0, {-STANDARD_GRAVITY:g}]}}` in the mission, in the frame of the body "
                "that stands, or [0, 0, 0] where nothing has weight"
            )


def _uses_torques(posed: Problem) -> bool:
    """Whether joint torques are compared with what moves the joints."""
    recorded = bool(posed.robot.joints) and all(flight.samples.torques is not None for flight in posed.flights)
    return recorded and (posed.robot.base == "fixed" or bool({"torque", "energy"} & set(posed.models)))


def _without_friction(mission: Mission, flights: Sequence[Flight]) -> Problem:
    said = mission.settings
    return Problem(
        mission.robot,
        tuple(flights),
        known=known_of(mission),
        zero=tuple(said.assume_zero),
        prior=prior_of(mission),
        nuisances=nuisances_of(mission),
        models=tuple(said.identify.models or _models(mission, flights)),
    )


def _models(mission: Mission, flights: Sequence[Flight]) -> tuple[ModelName, ...]:
    """The rows that linear methods stack unless the mission says which: those that all flights have the data for."""
    if mission.robot.base == "fixed":
        whole = all(flight.samples.base_wrench is not None for flight in flights)
        torques = all(flight.samples.torques is not None for flight in flights)
        return ("torque", "base-wrench") if whole and torques else ("base-wrench",) if whole else ("torque",)
    needed = ("v", "position") if mission.settings.momentum == "unknown" else ("v",)
    whole = all(getattr(flight.samples, name) is not None for flight in flights for name in needed)
    return ("momentum",) if whole else ("angular-momentum",)
