"""Flights in orbit handed to the package by its public verbs: how good its intervals are, and what they take."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from strangers import motion, truth
from strangers.documents import mission_document, robot_document
from strangers.flights import EMPTY, Flight, World, flown
from strangers.orbits import RATE_RAD_S, SERVICER, SLOW_HZ, InOrbit, drawn_orbit
from strangers.readings import Disturbances, Recorded, recorded
from strangers.robots import rotation
from strangers.trying import HALF, read_mission, recording_of, true_values

import freefloat as ff

TORQUE_NM = 1e-4  # of the magnet
STEP_S = 0.02  # of flights whose joints are slow
_FIRST = 3000  # seeds of these flights are others than those of other proofs


@dataclass(frozen=True)
class Orbited:
    """What one flight shows.

    errors: estimate less truth over the standard deviation, of clusters that have one, (c,). informed: which of these
    do not rest on the prior, by what the estimate says, (c,). turned_deg: how far the vertical moved in base axes, at
    most. said: warnings, or why the verb refused. seconds: of `identify`, of the processor. free_seconds: the same of
    that motion in free space, momentum unknown; NaN where that was not flown.
    """

    seed: int
    duration_s: float
    errors: np.ndarray
    informed: np.ndarray
    turned_deg: float
    outcome: str
    said: tuple[str, ...]
    seconds: float
    free_seconds: float

    def coverage(self, informed_only: bool = False) -> float:
        """Part of the 95 % intervals that hold the truth; NaN without any."""
        errors = self.errors[self.informed] if informed_only else self.errors
        return float((np.abs(errors) <= HALF).mean()) if errors.size else np.nan


def flight_of(seed: int, duration_s: float, in_orbit: bool = True) -> tuple[truth.Truth, Flight, Recorded, InOrbit]:
    """A robot drawn from the prior and built as joints allow, its flight, what its sensors said, and the orbit."""
    rng = np.random.Generator(np.random.PCG64([_FIRST + seed, int(duration_s)]))
    true, orbit = truth.drawn(SERVICER, rng), drawn_orbit(rng, TORQUE_NM)
    built, moves = truth.bent(SERVICER, rng), motion.drawn(SERVICER, rng, SLOW_HZ)
    world = World(orbit=orbit) if in_orbit else EMPTY
    flight = flown(built, true, moves, rng, STEP_S, duration_s, world)
    return true, flight, recorded(built, true, flight, Disturbances(), rng), orbit


def attitudes(flight: Flight) -> np.ndarray:
    """From base to inertial axes, shape (n, 3, 3)."""
    q = flight.quaternion
    half = np.arctan2(np.linalg.norm(q[:, 1:], axis=1), q[:, 0])
    return np.array([rotation(each) for each in 2.0 * q[:, 1:] / np.sinc(half / np.pi)[:, None]])


def orbit_section(flight: Flight, orbit: InOrbit) -> dict[str, object]:
    """What a mission says of the orbit: in base axes where the flight begins."""
    nadir, normal = (attitudes(flight)[0].T @ each for each in (orbit.nadir, orbit.normal))
    return {"altitude_km": 500.0, "nadir": nadir.tolist(), "orbit_normal": normal.tolist()}


def turned_deg(flight: Flight, orbit: InOrbit) -> float:
    """By how much the vertical moves in base axes, at most, from where it was at first."""
    down = np.array([orbit.around(orbit.nadir, RATE_RAD_S * t) for t in flight.t])
    seen = np.einsum("nji,nj->ni", attitudes(flight), down)
    return float(np.degrees(np.arccos(np.clip(seen @ seen[0], -1.0, 1.0).min())))


def orbited(seed: int, duration_s: float, beside_free: bool) -> Orbited:
    """Draw a robot and an orbit, fly it, identify it; beside_free: also the same motion in free space, for its time."""
    true, flight, seen, orbit = flight_of(seed, duration_s)
    document = mission_document(SERVICER)
    free = np.nan
    if beside_free:
        recording = recording_of(flight_of(seed, duration_s, in_orbit=False)[2])
        mission, begin = read_mission(robot_document(SERVICER), document), time.process_time()
        ff.identify(mission, recording)
        free = time.process_time() - begin
    document = {**document, "orbit": orbit_section(flight, orbit)}
    mission, begin = read_mission(robot_document(SERVICER), document), time.process_time()
    turned = turned_deg(flight, orbit)
    try:
        estimate = ff.identify(mission, recording_of(seen))
    except ff.FreefloatError as error:
        none = np.zeros(0)
        took = time.process_time() - begin
        return Orbited(seed, duration_s, none, none.astype(bool), turned, "refused", (str(error),), took, free)
    took = time.process_time() - begin
    given = np.isfinite(estimate.sd)
    errors = ((estimate.values - true_values(estimate, true)) / estimate.sd)[given]
    informed = ~estimate.rests_on_prior[given]
    shown = errors, informed, turned, estimate.outcome, estimate.warnings
    return Orbited(seed, duration_s, *shown, took, free)
