"""The verbs over all stages: read this first.

A mission says which robot, what is known of it, which sensors it carries, how it moves (`mission_file.py`). Every
verb takes the mission and gives back the one frozen type of its stage:

    mission = load_mission("n1.yaml")
    flight = simulate(mission, seed=1)          # a Recording, as a real flight would give
    estimate = identify(mission, flight)        # an Estimate: values, intervals, what they are made of
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from freefloat import __version__
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.flight import Flight, TotalMomentum, flight_of
from freefloat.estimate.methods import default_method, make_estimator
from freefloat.estimate.planned import sensor_walks
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import ModelName, Nuisances, Problem
from freefloat.experiment.processing.process import process
from freefloat.experiment.processing.processed import Processed, ProcessSettings
from freefloat.experiment.recording import Origin, Recording
from freefloat.experiment.sensors import record
from freefloat.experiment.simulate import Disturbance, Pulse, Start, simulate_motion
from freefloat.experiment.truth import Truth
from freefloat.mission_file import InvalidMission, Mission, load_mission
from freefloat.motion.random_motion import random_trajectory
from freefloat.motion.trajectory import Trajectory
from freefloat.regressor.samples import Samples
from freefloat.robot.transform import Array

__all__ = [
    "InvalidMission",
    "Mission",
    "fly",
    "identify",
    "load_mission",
    "problem",
    "random_motion",
    "simulate",
]

Recordings = Recording | Mapping[str, Recording] | Sequence[Recording]

_STEPS_S = (1e-3, 0.05)  # shortest and longest step of a simulation that chooses its own
_MOST_STEPS = 5_000_000
_EDGE_S = 1e-6

# ---------------------------------------------------------------------- flights on the desk


def random_motion(mission: Mission, seed: int, duration_s: float | None = None) -> Trajectory:
    """A random motion within the robot's limits, from rest to rest."""
    harmonics = mission.settings.excitation.shape.harmonics
    return random_trajectory(mission.robot, duration_s or mission.duration_s, seed, harmonics=harmonics)


def fly(mission: Mission, trajectory: Trajectory | None = None, seed: int = 0) -> Samples:
    """The true motion, without sensors: joints follow the trajectory, the base reacts.

    trajectory: by default the mission's own, else a random one of this seed within the limits.
    """
    motion = trajectory or mission.trajectory or random_motion(mission, seed)
    flight, robot = mission.settings.flight, mission.robot
    t = _instants(mission, motion.duration_s)
    disturbance = flight.disturbance
    return simulate_motion(
        robot,
        motion,
        t,
        _start(mission),
        flight.wheels,
        mission.wheel_rates,
        [
            Pulse(pulse.start_s, pulse.duration_s, np.array(pulse.force_N), np.array(pulse.point_m))
            for pulse in flight.pulses
        ],
        Disturbance(
            np.array(disturbance.force_N),
            np.array(disturbance.torque_Nm),
            disturbance.orbital_rate_rad_s,
            np.array(disturbance.nadir),
            np.array(disturbance.orbit_normal),
        ),
    )


def simulate(
    mission: Mission,
    trajectory: Trajectory | None = None,
    seed: int = 0,
    run: int = 0,
    truth: Samples | None = None,
) -> Recording:
    """What the mission's sensors record of a flight.

    truth: the flight, if it was flown before (`fly`): many runs differ in their noise alone.
    """
    if truth is not None and trajectory is not None:
        raise InvalidMission("give a trajectory to fly, or a flight that was flown, not both")
    if not mission.sensors:
        raise InvalidMission(f"{mission.path}: the mission has no sensors; a recording needs at least one")
    flown = truth if truth is not None else fly(mission, trajectory, seed)
    looked_at = Truth.of(mission.robot, flown)
    hashes = {**mission.hashes, "motion": _motion_sha256(flown.q)}
    origin = Origin(kind="simulated", hashes=hashes, mission=mission.name, made_by=f"freefloat {__version__}")
    return record(mission.sensors.values(), looked_at, seed, run, origin)


def _instants(mission: Mission, duration_s: float) -> Array:
    """Even steps, and the edges of every pulse with an instant just before: what jumps does so between those two."""
    steps = int(np.ceil(duration_s / _step(mission) - 1e-9))
    if steps > _MOST_STEPS:
        raise InvalidMission(
            f"{mission.path}: flight.step_s asks for {steps:,} steps; allowed: at most {_MOST_STEPS:,}"
        )
    pulses = mission.settings.flight.pulses
    edges = np.array([[pulse.start_s, pulse.start_s + pulse.duration_s] for pulse in pulses]).ravel()
    inside = edges[(edges > _EDGE_S) & (edges < duration_s - _EDGE_S)]
    even = np.linspace(0.0, duration_s, 1 + steps)
    far = np.abs(even[:, None] - inside).min(axis=1, initial=np.inf) > 2.0 * _EDGE_S
    return np.sort(np.concatenate([even[far], inside, inside - _EDGE_S]))


def _step(mission: Mission) -> float:
    if mission.settings.flight.step_s is not None:
        return mission.settings.flight.step_s
    fastest = max((sensor.rate_Hz for sensor in mission.sensors.values()), default=20.0)
    return float(np.clip(1.0 / fastest, *_STEPS_S))


def _start(mission: Mission) -> Start:
    start = mission.settings.flight.start
    velocity = None if start.velocity_m_s is None else np.array(start.velocity_m_s)
    attitude, position = np.array(start.attitude_xyzw), np.array(start.position_m)
    return Start(attitude, position, start.rate(), velocity, mission.total_momentum)


def _motion_sha256(q: Array) -> str:
    return hashlib.sha256(np.ascontiguousarray(q).tobytes()).hexdigest()


# ---------------------------------------------------------------------- from recordings to parameters


def identify(
    mission: Mission,
    recordings: Recordings,
    method: str | None = None,
    trajectory: Trajectory | None = None,
    without: Mapping[str, Sequence[str]] | None = None,
    settings: ProcessSettings | None = None,
) -> Estimate:
    """What the recordings say of the mission's robot, by the mission's method unless another is named.

    The rest is as for `problem`. What processing has to say is among the estimate's warnings and notes.
    """
    asked = method or mission.settings.identify.method or default_method(mission.robot.base)
    estimator, named = make_estimator(asked, mission.robot.base), _named(recordings)
    flights = _flights(mission, named, trajectory, without or {}, settings or _settings(mission, asked))
    found = estimator.estimate(_posed(mission, [flight for flight, _ in flights]))
    several = len(flights) > 1
    said = [(f"{flight.name}: " if several else "", processed) for flight, processed in flights]
    warnings = tuple(f"{name}{sentence}" for name, processed in said for sentence in processed.warnings)
    notes = tuple(f"{name}{sentence}" for name, processed in said for sentence in processed.as_text().splitlines())
    return replace(
        found,
        outcome="doubtful" if warnings and found.outcome == "good" else found.outcome,
        warnings=(*found.warnings, *warnings),
        notes=(*found.notes, *(note for note in notes if not note.startswith("warning: "))),
        origin={**found.origin, **_origin(mission, asked, named, [flight for flight, _ in flights])},
    )


def problem(
    mission: Mission,
    recordings: Recordings,
    trajectory: Trajectory | None = None,
    without: Mapping[str, Sequence[str]] | None = None,
    settings: ProcessSettings | None = None,
) -> Problem:
    """The problem that recordings of the mission's robot pose: what estimators read.

    recordings: one, several, or several by name, which is then the name of the flight.
    trajectory: the commanded motion; by default the mission's own, or that of the simulation.
    without: by name of a recording, bodies that were not there, such as a load not yet gripped; what the mission
        says of it unless given. settings: of the signal processing.
    """
    flights = _flights(mission, _named(recordings), trajectory, without or {}, settings)
    return _posed(mission, [flight for flight, _ in flights])


def _posed(mission: Mission, flights: Sequence[Flight]) -> Problem:
    said = mission.settings
    prior = None if said.prior == "none" else CadSpread() if isinstance(said.prior, str) else said.prior.spread()
    wanted = said.identify.nuisances
    return Problem(
        mission.robot,
        tuple(flights),
        known={name: trust.relative_sd for name, trust in said.known.items()},
        zero=tuple(said.assume_zero),
        prior=prior,
        nuisances=Nuisances.none() if isinstance(wanted, str) else wanted.nuisances(),
        models=tuple(said.identify.models or _models(mission, flights)),
    )


def _models(mission: Mission, flights: Sequence[Flight]) -> tuple[ModelName, ...]:
    """The rows that linear methods stack unless the mission says which: those that all flights have the data for."""
    if mission.robot.base == "fixed":
        return ("torque",)
    needed = ("v", "position") if mission.settings.momentum == "unknown" else ("v",)
    whole = all(getattr(flight.samples, name) is not None for flight in flights for name in needed)
    return ("momentum",) if whole else ("angular-momentum",)


def _settings(mission: Mission, method: str) -> ProcessSettings:
    """A delay that the method estimates itself is not sought before."""
    wanted = mission.settings.identify.nuisances
    itself = method in ("maximum-likelihood", "physically-consistent") and mission.robot.base != "fixed"
    return ProcessSettings(seek_delay=not itself or isinstance(wanted, str) or wanted.time_offset_s is None)


def _named(recordings: Recordings) -> dict[str, Recording]:
    if isinstance(recordings, Recording):
        return {"flight": recordings}
    if isinstance(recordings, Mapping):
        return dict(recordings)
    return {f"flight {number}": recording for number, recording in enumerate(recordings, start=1)}


def _flights(
    mission: Mission,
    recordings: Mapping[str, Recording],
    trajectory: Trajectory | None,
    without: Mapping[str, Sequence[str]],
    settings: ProcessSettings | None,
) -> list[tuple[Flight, Processed]]:
    """Each recording as a flight, with what processing said of it."""
    for name in without:
        if name not in recordings:
            raise InvalidMission(f"no recording is called {name!r}; there are: {', '.join(recordings)}")
    walks, flights = sensor_walks(mission.robot, mission.sensors.values()), list[tuple[Flight, Processed]]()
    absent = {**mission.settings.identify.without, **without}
    for name, recording in recordings.items():
        command = trajectory or _command(mission, recording)
        rate_Hz, sensors = mission.settings.identify.rate_Hz, mission.sensors.values()
        processed = process(recording, mission.robot, command, rate_Hz, settings, sensors)
        processed = _with_wheels(mission, processed)
        bodies = tuple(absent.get(name, ()))
        flights.append((flight_of(processed, _momentum(mission), walks, bodies, name), processed))
    return flights


def _command(mission: Mission, recording: Recording) -> Trajectory | None:
    """The commanded motion of a recording: the mission's, or if it was simulated whichever was flown there."""
    origin = recording.origin
    if origin.kind != "simulated":
        return mission.trajectory  # processing says which joints do not follow it
    random = None if origin.seed is None or mission.trajectory else random_motion(mission, origin.seed)
    for motion in (mission.trajectory, random):
        if motion is not None:
            q = motion.samples(mission.robot, _instants(mission, motion.duration_s)).q
            if origin.hashes.get("motion") == _motion_sha256(q):
                return motion
    return None


def _with_wheels(mission: Mission, processed: Processed) -> Processed:
    """Wheels that nobody recorded turn as the mission says."""
    if not mission.robot.wheels or processed.samples.wheel_rates is not None:
        return processed
    rates = np.tile(mission.wheel_rates, (len(processed.samples), 1))
    samples = replace(processed.samples, wheel_rates=rates, wheel_accelerations=np.zeros_like(rates))
    listed = ", ".join(f"{w.name} {r:.4g}" for w, r in zip(mission.robot.wheels, mission.wheel_rates, strict=True))
    sentence = f"the wheels are taken to turn at the mission's rates, which do not change: {listed} rad/s"
    return replace(processed, samples=samples, warnings=(*processed.warnings, sentence))


def _momentum(mission: Mission) -> TotalMomentum:
    said = mission.settings.momentum
    return said if isinstance(said, str) else mission.total_momentum


def _origin(
    mission: Mission, method: str, recordings: Mapping[str, Recording], flights: Sequence[Flight]
) -> dict[str, Any]:
    """Where an estimate came from, as plain data."""
    used = {"known", "prior", "assume_zero", "momentum", "identify"}
    return {
        "made_by": f"freefloat {__version__}",
        "method": method,
        "mission": mission.name,
        "hashes": dict(mission.hashes),
        "settings": mission.settings.model_dump(mode="json", include=used),
        "recordings": [
            {
                "name": flight.name,
                "sha256": _recording_sha256(recording),
                "without": list(flight.without),
                **{key: getattr(recording.origin, key) for key in ("kind", "file", "mission", "seed", "run")},
            }
            for flight, recording in zip(flights, recordings.values(), strict=True)
        ],
    }


def _recording_sha256(recording: Recording) -> str:
    """Of all channels, whatever file they came from."""
    digest = hashlib.sha256()
    for channel in sorted(recording, key=lambda each: each.name):
        digest.update(f"{channel.name} {' '.join(channel.columns)} ".encode())
        for array in (channel.t, channel.values):
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
