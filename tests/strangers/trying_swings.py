"""Flights of strangers that swing handed to the package by its public verbs, beside the same with all of it locked."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache

import numpy as np
from strangers import motion, swinging, truth
from strangers.documents import mission_document, robot_document
from strangers.flights import EMPTY, flown
from strangers.readings import Disturbances, recorded
from strangers.swinging import SYSTEMS, Modes, Swinging
from strangers.trying import HALF, read_mission, recording_of, true_values

import freefloat as ff

DURATION_S = 60.0
BAD = ("failed", "refused")
_SMALL = 1e-3  # of a standard deviation: step of central differences
_NUMBER = 9000  # of these flights' random numbers
_NONE = np.zeros(0)


@dataclass(frozen=True)
class Fitted:
    """What one estimate shows.

    errors: of clusters with an interval, estimate less truth over the standard deviation, (c,). informed: which of
    these do not rest on the prior, by what the estimate says. inertia: error of the whole robot's inertia about its
    centre of mass, over its size. outcome: `refused` if the verb raised an error. said: warnings. ratio: of the
    residual to noise. seconds: of the processor, for `identify`.
    """

    errors: np.ndarray
    informed: np.ndarray
    inertia: float
    outcome: str
    said: tuple[str, ...]
    ratio: float
    seconds: float

    @property
    def coverage(self) -> float:
        """Part of the 95 % intervals that hold the truth; none of a flight without any does."""
        return float((np.abs(self.errors) <= HALF).mean()) if self.errors.size else 0.0


@dataclass(frozen=True)
class Swung:
    """What one flight of a robot that swings shows.

    still: whether it swings when the flight begins, or not. flexible: the fit that knows what swings; rigid: one that
    does not; locked: that of the same flight with all hinges locked, by the same rigid robot file.
    over_bound: errors of the flexible fit over the Cramer-Rao bound at the truth, (c,). springs: errors of stiffness
    and damping over their standard deviations, (2, hinges). frequencies, dampings: relative errors of the modes, and
    their bounds, (2, modes) each. Empty where the verb raised an error.
    """

    system: str
    seed: int
    still: bool
    flexible: Fitted
    rigid: Fitted
    locked: Fitted
    over_bound: np.ndarray
    springs: np.ndarray
    frequencies: np.ndarray
    dampings: np.ndarray


@cache
def mission_of(system: str, swings: bool) -> ff.Mission:
    """The mission of a robot whose file knows what swings, or takes it to be fixed."""
    given = SYSTEMS[system]
    robot = swinging.swinging_document(given) if swings else robot_document(given.robot)
    return read_mission(robot, mission_document(given.robot))


def bodies_of(estimate: ff.Estimate, parameters: np.ndarray) -> dict[str, np.ndarray]:
    """Standard parameters by name of the body."""
    found = dict[str, list[float]]()
    for name, value in zip(estimate.robot.parameter_names, parameters, strict=True):
        found.setdefault(name.split("_", 1)[1], []).append(float(value))
    return {name: np.array(ten) for name, ten in found.items()}


def swung(system: str, seed: int, duration_s: float = DURATION_S) -> Swung:
    """Draw a robot, fly it as it was built, swinging and locked, and identify it. Every other one begins at rest."""
    given, number, still = SYSTEMS[system], list(SYSTEMS).index(system), seed % 2 == 0
    rng = [np.random.Generator(np.random.PCG64([_NUMBER, number, seed, part])) for part in range(5)]
    true = truth.drawn(given.robot, rng[0])
    springs, built = swinging.drawn_springs(given, true, rng[0]), truth.bent(given.robot, rng[0])
    moving, world = motion.drawn(given.robot, rng[1]), swinging.world_of(given, springs, rng[2], still)
    recordings = []
    for around in (world, EMPTY):  # the same start, motion, clocks and noise
        flies, reads = (np.random.Generator(np.random.PCG64([_NUMBER, number, seed, part])) for part in (5, 6))
        flight = flown(built, true, moving, flies, duration_s=duration_s, world=around)
        recordings.append(recording_of(recorded(built, true, flight, Disturbances(), reads)))
    joints = {f"{name}_swing": np.zeros(10) for name, held in given.held.items() if len(held.axes) > 1}
    whole = truth.Truth({**true.bodies, **joints}, true.zeros, true.misalignment, true.redrawn)
    fixed = truth.Truth(swinging.with_swings_fixed(given, true.bodies), true.zeros, true.misalignment, true.redrawn)
    flexible, estimate = _fitted(system, True, recordings[0], whole)
    rigid, locked = (_fitted(system, False, recording, fixed)[0] for recording in recordings)
    values = np.array([[each.stiffness, each.damping] for held in springs.values() for each in held]).T
    begins = np.array([[hinge.angle, hinge.rate] for hinge in world.hinges.values()]).T
    fits = flexible, rigid, locked
    if estimate is None:
        return Swung(system, seed, still, *fits, _NONE, _NONE, _NONE, _NONE)
    problem = ff.problem(mission_of(system, True), recordings[0])
    shown = _shown(given, estimate, problem, true_values(estimate, whole), values, begins)
    return Swung(system, seed, still, *fits, *shown)


def _fitted(system: str, swings: bool, recording: ff.Recording, true: truth.Truth) -> tuple[Fitted, ff.Estimate | None]:
    """An estimate compared with the truth."""
    mission, begin = mission_of(system, swings), time.process_time()
    try:
        estimate = ff.identify(mission, recording)
    except ff.FreefloatError as error:
        took = time.process_time() - begin
        return Fitted(_NONE, _NONE.astype(bool), np.nan, "refused", (str(error),), np.nan, took), None
    took = time.process_time() - begin
    given = np.isfinite(estimate.sd)
    errors = ((estimate.values - true_values(estimate, true)) / estimate.sd)[given]
    found, real = (
        swinging.total_inertia(SYSTEMS[system], bodies)
        for bodies in (bodies_of(estimate, estimate.parameters), true.bodies)
    )
    off = float(np.linalg.norm(found - real) / np.linalg.norm(real))
    judged = estimate.outcome, estimate.warnings, estimate.residual.ratio
    return Fitted(errors, ~estimate.rests_on_prior[given], off, *judged, took), estimate


def _shown(
    system: Swinging,
    estimate: ff.Estimate,
    problem: ff.Problem,
    theta: np.ndarray,
    springs: np.ndarray,
    begins: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Errors over the bound, of springs, of frequencies and of dampings.

    theta: the true clusters, (c,). springs, begins: true stiffness and damping, angle and rate at first, (2, hinges).
    """
    hinges, count = estimate.robot.passive_names, theta.size
    names = [f"{what} of {hinge}" for what in ("stiffness", "damping") for hinge in hinges]
    starts = [f"{what} of {hinge}" for what in ("start", "rate at the start") for hinge in hinges]
    true = dict(zip((*names, *starts), [*springs.ravel(), *begins.ravel()], strict=True))
    bound = ff.cramer_rao_bound(problem, theta, true)
    found, sd = np.array([estimate.value(name) for name in names]).T
    places = [*range(count), *(count + bound.nuisance_names.index(name) for name in names)]
    covariance = bound.full_covariance[np.ix_(places, places)]
    at_truth, size = np.concatenate([theta, springs.ravel()]), np.sqrt(np.diagonal(covariance))

    def modes(values: np.ndarray) -> Modes:
        parameters = np.array(estimate.parameters)
        parameters[estimate.minimal.kept] += values[:count] - estimate.values
        return swinging.modes(system, bodies_of(estimate, parameters), values[count:].reshape(2, -1))

    real, fit = modes(at_truth), modes(np.concatenate([estimate.values, found]))
    slopes = {"frequency_Hz": np.zeros((size.size, len(hinges))), "damping_ratio": np.zeros((size.size, len(hinges)))}
    for k, step in enumerate(_SMALL * size):
        ends = [modes(at_truth + sign * step * (np.arange(size.size) == k)) for sign in (1.0, -1.0)]
        for name, slope in slopes.items():
            slope[k] = (getattr(ends[0], name) - getattr(ends[1], name)) / (2.0 * step)
    off = {}
    for name, slope in slopes.items():
        value = getattr(real, name)
        spread = np.sqrt(np.einsum("km,kl,lm->m", slope, covariance, slope))
        off[name] = np.array([getattr(fit, name) - value, spread]) / value
    shown = np.isfinite(estimate.sd) & np.isfinite(bound.sd)
    over = ((estimate.values - theta) / bound.sd)[shown]
    return over, ((found - springs.ravel()) / sd).reshape(2, -1), off["frequency_Hz"], off["damping_ratio"]
