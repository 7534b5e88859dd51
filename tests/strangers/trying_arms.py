"""Strange arms handed to the package by its public verbs, and how good its intervals are."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from strangers import arms, truth
from strangers.documents import ROBOT_FILE
from strangers.trying import HALF, read_mission, true_values

import freefloat as ff

KINDS = {
    "Coulomb friction": "coulomb",
    "viscous friction": "viscous",
    "offset of the torque": "offset",
    "rotor inertia": "rotor",
}  # what an estimate calls them, and what `Drives` does
ROTOR = "rotor inertia"
ARMED, BARE = "with the load", "without the load"


@dataclass(frozen=True)
class TriedArm:
    """What one recording of an arm shows.

    errors: of clusters with an interval, estimate less truth over the standard deviation, shape (c,); names: theirs.
    drives: the same of what joints' drives have, by kind, (joints of which it has an interval,). Of rotors without that
    of the joint on the base, of which only the sum with what the joint turns shows.
    rested: which clusters rest on the prior, by what the estimate says, (c,). open: how many clusters have no interval.
    outcome: of the estimate; `refused` if the verb raised an error, which is then what was said. said: warnings.
    ratio: root mean square of what the fit leaves over the noise. redrawn: bodies that were drawn again.
    seconds: that `identify` took.
    """

    arm: str
    seed: int
    draw: int
    joints: int
    names: tuple[str, ...]
    errors: np.ndarray
    rested: np.ndarray
    drives: dict[str, np.ndarray]
    open: int
    outcome: str
    said: tuple[str, ...]
    ratio: float
    redrawn: int
    seconds: float

    @property
    def coverage(self) -> float:
        """Part of the clusters' 95 % intervals that hold the truth; none of an arm without any does."""
        return float((np.abs(self.errors) <= HALF).mean()) if self.errors.size else 0.0

    def held(self, kind: str) -> float:
        """Part of the joints whose 95 % interval of that kind holds the truth; NaN where there is none."""
        errors = self.drives.get(kind, np.zeros(0))
        return float((np.abs(errors) <= HALF).mean()) if errors.size else np.nan


@dataclass(frozen=True)
class Weighed:
    """A load found: its mass and the standard deviation of that [kg], the outcome of the estimate."""

    arm: str
    draw: int
    mass_kg: float
    sd_kg: float
    outcome: str

    @property
    def holds(self) -> bool:
        """Whether the true mass is inside."""
        return abs(self.mass_kg - arms.LOAD_AS_IT_IS.mass_kg) <= HALF * self.sd_kg


@cache
def mission_of(seed: int) -> ff.Mission:
    """The mission of an arm, read from files as any other: robot, gravity and sensors only."""
    given = arms.arm(seed)
    return read_mission(arms.robot_document(given), arms.mission_document(given, ROBOT_FILE))


def recording_of(given: arms.Arm, recorded: arms.Recorded) -> ff.Recording:
    """What was recorded, as the package has recordings."""
    names = tuple(body.joint for body in given.joints)
    channels = (("q", recorded.q, "rad"), ("tau", recorded.torque, "Nm"))
    return ff.Recording(
        [ff.Channel(name, recorded.t, values, names, (unit,) * len(names)) for name, values, unit in channels]
    )


def recorded_arm(seed: int, draw: int, duration_s: float, rate_hz: float) -> tuple[arms.TrueArm, arms.Recorded]:
    """The true arm of a draw, and one recording of it."""
    given = arms.arm(seed)
    true, rng = arms.drawn(given, seed, draw), np.random.Generator(np.random.PCG64([seed, draw, 2]))
    return true, arms.recorded(given, true, rng, duration_s, rate_hz)


def tried(seed: int, draw: int, duration_s: float = arms.DURATION_S, rate_hz: float = arms.RATE_HZ) -> TriedArm:
    """Draw an arm, record a motion of it, and identify it."""
    return identified(seed, draw, *recorded_arm(seed, draw, duration_s, rate_hz))


def identified(seed: int, draw: int, true: arms.TrueArm, recorded: arms.Recorded) -> TriedArm:
    """The arm of a recording identified by its mission."""
    given, begin = arms.arm(seed), time.perf_counter()
    which = given.name, seed, draw, len(given.joints)
    try:
        estimate = ff.identify(mission_of(seed), recording_of(given, recorded))
    except ff.FreefloatError as error:
        none, took = np.zeros(0), time.perf_counter() - begin
        return TriedArm(
            *which, (), none, none.astype(bool), {}, 0, "refused", (str(error),), np.nan, true.redrawn, took
        )
    took = time.perf_counter() - begin
    interval = np.isfinite(estimate.sd)
    whole = truth.Truth({"base": np.zeros(10), **true.bodies}, true.zeros, np.zeros(3), true.redrawn)
    errors = ((estimate.values - true_values(estimate, whole)) / estimate.sd)[interval]
    names = tuple(name for name, known in zip(estimate.names, interval, strict=True) if known)
    judged = estimate.outcome, estimate.warnings, estimate.residual.ratio, true.redrawn, took
    shown = names, errors, estimate.rests_on_prior[interval], _drives(given, true, estimate), int((~interval).sum())
    return TriedArm(*which, *shown, *judged)


def _drives(given: arms.Arm, true: arms.TrueArm, estimate: ff.Estimate) -> dict[str, np.ndarray]:
    """Errors of friction and rotors over their standard deviations, by kind."""
    found = {each.name: each for each in estimate.nuisances}
    errors = dict[str, np.ndarray]()
    for kind, field in KINDS.items():
        truths = list(zip(given.joints, getattr(true.drives, field), strict=True))[1 if kind == ROTOR else 0 :]
        pairs = [(found.get(f"{kind} of {body.joint}"), value) for body, value in truths]
        errors[kind] = np.array(
            [(each.value - value) / each.sd for each, value in pairs if each is not None and np.isfinite(each.sd)]
        )
    return errors


def with_and_without(
    seed: int, draw: int, duration_s: float, rate_hz: float, as_modelled: bool = False
) -> tuple[ff.Mission, dict[str, ff.Recording]]:
    """Two recordings of an arm, with a load and without, and a mission that knows the load's name only.

    as_modelled: whether the arm is just as its CAD model has it.
    """
    bare, guessed = arms.arm(seed), arms.loaded(arms.arm(seed), arms.LOAD_AS_GUESSED)
    true_bare = arms.drawn(bare, seed, draw)
    if as_modelled:
        true_bare = replace(true_bare, bodies={body.name: truth.ten_of(body.weighs) for body in bare.bodies})
    armed = arms.loaded(bare, arms.LOAD_AS_IT_IS)
    true_armed = replace(true_bare, bodies={**true_bare.bodies, arms.LOAD: truth.ten_of(arms.LOAD_AS_IT_IS)})
    recordings = {}
    for name, given, true, which in ((BARE, bare, true_bare, 3), (ARMED, armed, true_armed, 4)):
        rng = np.random.Generator(np.random.PCG64([seed, draw, which]))
        recordings[name] = recording_of(given, arms.recorded(given, true, rng, duration_s, rate_hz))
    said = {
        **arms.mission_document(guessed, ROBOT_FILE),
        "prior": {"unknown": {arms.LOAD: {"mass_kg": 3.0, "size_m": 0.1}}},
        "identify": {"without": {BARE: [arms.LOAD]}},
    }
    return read_mission(arms.robot_document(guessed), said), recordings


def weighed(seed: int, draw: int, duration_s: float = arms.DURATION_S, rate_hz: float = arms.RATE_HZ) -> Weighed:
    """A load found by two recordings, with it and without."""
    mission, recordings = with_and_without(seed, draw, duration_s, rate_hz)
    estimate = ff.identify(mission, recordings)
    place = estimate.names.index(f"m_{arms.LOAD}")
    return Weighed(
        arms.arm(seed).name, draw, float(estimate.values[place]), float(estimate.sd[place]), estimate.outcome
    )
