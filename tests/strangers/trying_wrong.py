"""Flights with something wrong handed to the package by its public verbs: what it says, and what could be seen at all.

Detectability is what a wrong thing adds to the least cost of a fit: |P Sigma^-1/2 dy|^2, with dy its change of the
readings and P removing all that is fitted. It is found from readings without noise of a robot that is just its CAD
model, with sensors that err in nothing but the thing, at a size that costs about ten: nothing but the thing is then
left, too little of it to be taken for noise or a worse CAD model, and the cost of the fit, squared residuals over the
sensors' noise and squared deviations over the spreads that were assumed, is the detectability (less the little that it
costs with nothing wrong). Spreads of the CAD model count one and a half times as wide as stated: its errors are not
normal to the tail. Detectability grows as the square of the size. Of noise, and of a CAD model that is worse than was
said, nothing is shifted; there it is what a test of the variance has, n (f^2 - 1)^2 / 2 for n readings or clusters
and a factor f beyond one, of the CAD model beyond that slack.
"""

from __future__ import annotations

import pickle
import re
import time
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from strangers import motion, truth
from strangers.documents import mission_document, robot_document
from strangers.flights import STEP_S, Flight, flown
from strangers.readings import Disturbances, Recorded, recorded
from strangers.robots import ROBOTS
from strangers.trying import read_mission, recording_of
from strangers.wrong_things import THINGS, Case, Name, Wrong

import freefloat as ff
from freefloat.estimate.causes.claims import NONE
from freefloat.estimate.unknowns import unknowns_of

RIGHT = "nothing"  # a thing that is not wrong
DURATION_S = 20.0
CAD_SLACK = 1.5  # times its stated spread that a CAD model may be off without anything being wrong
NOISY = {"gyro noise": "gyro", "encoder noise": "q"}  # things that are noise, and their channels
_SILENT = Disturbances(noise=0.0)
_SOFT_STEP_S = 0.5 * STEP_S
_LOOKED_AT, _LEAST, _LOOKS = 10.0, 3.0, 4  # cost that the size is chosen for, least that will do, trials at most


@dataclass(frozen=True)
class Judged:
    """What is said of one flight with something wrong, and of another of the same robot with the same thing wrong.

    size: times the base size. detectability: see above; NaN if it is not known, infinite of things without size.
    expected: names of the thing, the right one first; none where nothing is wrong. claimed, validated: kinds and names
    that the causes of the estimate and of the validation have. ratio: of the fit's residual over noise. predicted: root
    mean square error of the prediction, over noise, without the noise of what was measured. said: what the estimate
    warns of, then what the verdict rests on. identify_s, validate_s: how long the verbs took.

    What counts as the answer is what the estimate claims, or what the validation does if the estimate claims nothing.
    Either is wrong if it claims something, and nothing of it is right: a right answer does not excuse a wrong claim of
    the other.
    """

    thing: str
    robot: str
    seed: int
    size: float
    detectability: float
    expected: tuple[Name, ...]
    outcome: str
    verdict: str
    claimed: tuple[Name, ...]
    validated: tuple[Name, ...]
    ratio: float
    predicted: float
    said: tuple[str, ...]
    identify_s: float
    validate_s: float

    @property
    def answer(self) -> tuple[Name, ...]:
        """What a user reads first: the estimate's claims, or else the validation's."""
        return self.claimed or self.validated

    @property
    def named(self) -> bool:
        """Whether a right name is in the answer, or nothing is claimed where nothing is wrong; and none is misnamed."""
        return not self.misnamed and bool(self.answer) == bool(self.expected)

    @property
    def accepted(self) -> bool:
        """Whether a user would take it: the estimate calls itself good, and predicts what it has not seen."""
        return (self.outcome, self.verdict) == ("good", "pass")

    @property
    def misnamed(self) -> bool:
        """Whether estimate or validation claims something, and none of it is right."""
        return any(claims and not self._holds_a_right_one(claims) for claims in (self.claimed, self.validated))

    def _holds_a_right_one(self, claims: Sequence[Name]) -> bool:
        return any(fits(each, right) for each in claims for right in self.expected)


def fits(claimed: Name, right: Name) -> bool:
    """Whether a claim is of the kind, and of what it should be of; any name will do where the right one is empty.

    The name must be whole words of the claim's: `elbow` is in `zero of elbow`, but not in `elbow-joint` nor `elbow2`.
    """
    whole = rf"(?<![\w-]){re.escape(right[1])}(?![\w-])" if right[1] else ""
    return claimed[0] == right[0] and re.search(whole, claimed[1]) is not None


def seeded(*numbers: int) -> np.random.Generator:
    """Random numbers of a robot's seed."""
    return np.random.Generator(np.random.PCG64(numbers))


def case_of(index: int, seed: int, bent: bool = False, modelled: bool = False) -> Case:
    """The robot of a seed, nothing wrong.

    bent: its geometry is as far from the CAD model's as is usual. modelled: all is just as the CAD model has it.
    """
    said = ROBOTS[index]
    robot = truth.bent(said, seeded(seed, index, 50)) if bent else said
    return Case(said, robot, truth.as_modelled(said) if modelled else truth.drawn(said, seeded(seed, index)))


def wronged(case: Case, thing: str, size: float, index: int, seed: int) -> Wrong:
    """A case with this wrong, so many times the base size."""
    return Wrong(case, ()) if thing == RIGHT else THINGS[thing].make(case, size, seeded(seed, index, 60))


def recorded_case(
    case: Case, index: int, seed: int, run: int, disturbances: Disturbances, duration_s: float = DURATION_S
) -> Recorded:
    """What the sensors say of the flight of this number."""
    flight, rng = deepcopy(_flown(pickle.dumps((case.robot, case.true, case.world, index, seed, run, duration_s))))
    said = recorded(case.robot, case.true, flight, disturbances, rng)
    for spoil in case.spoils:
        said = spoil(said, rng)
    return said


@lru_cache(maxsize=32)
def _flown(pickled: bytes) -> tuple[Flight, np.random.Generator]:
    """A flight, and the random numbers that come after: most wrong things are in what is recorded of the same one."""
    robot, true, world, index, seed, run, duration_s = pickle.loads(pickled)
    rng = seeded(seed, index, 1 + run)
    step_s = _SOFT_STEP_S if world.soft else STEP_S
    return flown(robot, true, motion.drawn(robot, rng), rng, step_s, duration_s, world), rng


def mission_for(case: Case) -> ff.Mission:
    """What the files of a case say, read as any other."""
    return read_mission(robot_document(case.said), mission_document(case.said))


def least_cost(mission: ff.Mission, recording: ff.Recording) -> float:
    """Of the fit: squared residuals over noise, and squared deviations over the spreads that are assumed."""
    estimate = ff.identify(mission, recording)
    unknowns = unknowns_of(ff.problem(mission, recording))
    found = {quantity.name: quantity.value for quantity in estimate.nuisances}
    found |= dict(zip(estimate.names, estimate.values.tolist(), strict=True))
    mean, labels = unknowns.mean, unknowns.labels
    off = np.array([found.get(label, at) for label, at in zip(labels, mean.tolist(), strict=True)]) - mean
    information = np.array(unknowns.information)
    clusters = slice(0, len(estimate.values))
    information[clusters, clusters] /= CAD_SLACK**2
    return float(off @ information @ off) + sum(float((channel.over_noise**2).sum()) for channel in estimate.residuals)


def unit_detectability(thing: str, index: int, seed: int) -> float:
    """Of a thing that shifts readings, at its base size; NaN if a fit that it is found from fails."""
    size, right = 1.0, _noiseless_cost(RIGHT, 0.0, index, seed)
    for _ in range(_LOOKS):
        added = max(_noiseless_cost(thing, size, index, seed) - right, 0.0)
        if np.isnan(added):
            return np.nan
        found, next_size = added / size**2, size * np.sqrt(_LOOKED_AT / max(added, _LEAST))
        next_size = float(np.clip(next_size, THINGS[thing].sizes[0], THINGS[thing].sizes[-1]))
        if _LEAST < added < 2.0 * _LOOKED_AT or next_size == size:
            break
        size = next_size
    return found


@cache
def _noiseless_cost(thing: str, size: float, index: int, seed: int) -> float:
    wrong = wronged(case_of(index, seed, modelled=True), thing, size, index, seed)
    said = recorded_case(wrong.case, index, seed, 0, _SILENT)
    try:
        return least_cost(mission_for(wrong.case), recording_of(said))
    except ff.FreefloatError:
        return np.nan


def variance_detectability(factor: float, count: int) -> float:
    """Of so many numbers that spread by a factor more than is said."""
    return 0.5 * count * (factor**2 - 1.0) ** 2


def tried_wrong(thing: str, index: int, seed: int, bent: bool = True) -> tuple[Judged, ...]:
    """A thing at all its sizes, the same robot, motion and noise."""
    if thing == RIGHT:
        return (judged(thing, index, seed, 0.0, 0.0, bent),)
    listed = THINGS[thing]
    if not listed.base:
        return (judged(thing, index, seed, 1.0, np.inf, bent),)
    unit = np.nan if listed.spread else unit_detectability(thing, index, seed)
    return tuple(judged(thing, index, seed, size, unit * size**2, bent) for size in listed.sizes)


def judged(thing: str, index: int, seed: int, size: float, detectability: float, bent: bool = True) -> Judged:
    """Identify a flight with something wrong, and predict another."""
    wrong = wronged(case_of(index, seed, bent), thing, size, index, seed)
    seen, unseen = (recorded_case(wrong.case, index, seed, run, Disturbances()) for run in (0, 1))
    mission, begin = mission_for(wrong.case), time.perf_counter()
    what = thing, ROBOTS[index].name, seed, size
    try:
        estimate = ff.identify(mission, recording_of(seen))
    except Exception as error:  # a fault of the package is a line of the table, not the end of it
        took = time.perf_counter() - begin
        refused = _ended(error), "none", (), (), np.nan, np.nan, (f"{type(error).__name__}: {error}",)
        return Judged(*what, detectability, wrong.causes, *refused, took, 0.0)
    identified = time.perf_counter()
    if thing != RIGHT and THINGS[thing].spread:
        channels = {channel.name: channel.values.size for channel in seen.channels}
        factor = 1.0 + THINGS[thing].spread * size
        if thing in NOISY:
            detectability = variance_detectability(factor, channels[NOISY[thing]])
        else:
            detectability = variance_detectability(max(factor / CAD_SLACK, 1.0), len(estimate.values))
    verdict, predicted, reasons, causes = _validated(mission, estimate, recording_of(unseen))
    took = identified - begin, time.perf_counter() - identified
    claimed, said = claims_of(estimate.causes), (*estimate.warnings, *reasons)
    shown = estimate.outcome, verdict, claimed, claims_of(causes), estimate.residual.ratio, predicted, said
    return Judged(*what, detectability, wrong.causes, *shown, *took)


def claims_of(causes: Sequence[ff.estimate.Cause]) -> tuple[Name, ...]:
    """Kinds and names of causes; one that says that nothing with a name explains it is no claim."""
    return tuple((cause.kind, cause.name) for cause in causes if cause.kind != NONE)


def _validated(
    mission: ff.Mission, estimate: ff.Estimate, unseen: ff.Recording
) -> tuple[str, float, tuple[str, ...], tuple[ff.estimate.Cause, ...]]:
    """Verdict, error of the prediction over noise, reasons of a verdict that is no PASS, and causes."""
    try:
        validation = ff.validate(mission, estimate, unseen)
    except Exception as error:  # an estimate that describes no robot predicts nothing
        return _ended(error), np.nan, (f"{type(error).__name__}: {error}",), ()
    ratios = [channel.ratio for channel in validation.channels]
    predicted = float(np.sqrt(max(np.mean(np.square(ratios)) - 1.0, 0.0)))
    return validation.verdict, predicted, () if validation.verdict == "pass" else validation.reasons, validation.causes


def _ended(error: Exception) -> str:
    return "refused" if isinstance(error, ff.FreefloatError) else "crashed"
