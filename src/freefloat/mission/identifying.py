"""From a mission and its recordings to parameters: every recording processed, the problem posed, the estimate made."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from freefloat import __version__
from freefloat.data.load import load_recording
from freefloat.data.origin import Origin
from freefloat.data.processing.cropping import crop
from freefloat.data.processing.filtering import LowPassBySpectrum
from freefloat.data.processing.free_flight import free_flight_span
from freefloat.data.processing.joint_fit import FAR
from freefloat.data.processing.process import process
from freefloat.data.processing.processed import Processed, ProcessSettings
from freefloat.data.recording import Recording
from freefloat.estimate.essential import essential_clusters
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimator import Estimator, settings_of
from freefloat.estimate.flight import Flight
from freefloat.estimate.methods import METHODS, default_method, make_estimator
from freefloat.estimate.one_thread import one_blas_thread
from freefloat.estimate.planned import sensor_walks, unstable_bias
from freefloat.estimate.problem import Problem
from freefloat.estimate.recorded_flight import recorded_flight
from freefloat.estimate.wheel_curves import MeasuredWheels
from freefloat.excitation.excitation import Excitation, trajectory_of
from freefloat.files import FilePath
from freefloat.mission.flying import random_motion
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.mission.momentum_at_start import momentum_at_start
from freefloat.mission.orbit_at_start import orbit_at_start
from freefloat.mission.posing import pose, refuse_unsaid_gravity
from freefloat.mission.prior_knowledge import momentum_of, nuisances_of, trade_off_of
from freefloat.motion.trajectory import InvalidTrajectory, Trajectory
from freefloat.motion.trajectory_file import trajectory_from_document
from freefloat.sensors.wrench_sensor import WrenchSensor

_NEED_VELOCITY = ("two-steps", "christidi-two-steps", "naveen-momentum")  # methods whose rows are given
_OF_POWER = 5.0  # samples in a period of a cut-off: a product of two signals has twice their band
_LOOKED_AT = 20000  # samples of a recording whose readings are compared at their own instants: enough to look at

Recordings = Recording | FilePath | Mapping[str, Recording] | Sequence[Recording]


def identify(
    mission: Mission,
    recordings: Recordings,
    method: str | Estimator | None = None,
    motion: Trajectory | Excitation | None = None,
    without: Mapping[str, Sequence[str]] | None = None,
    settings: ProcessSettings | None = None,
) -> Estimate:
    """What the recordings say of the mission's robot.

    recordings: one (or its file), several, or several by name, which is then the name of the flight.
    method: an estimator, by name or with settings of its own; the mission's unless given.
    motion: the commanded motion, or its design; by default the mission's own, or that of the simulation.
    without: by name of a recording, bodies that were not there; what the mission says of it unless given.
    settings: of the signal processing; those for the method unless given.
    What processing has to say is among the estimate's warnings and notes.
    """
    estimator = estimator_of(mission, method)
    return answered(mission, recordings, estimator, estimator.estimate, motion, without, settings)


def estimator_of(mission: Mission, method: str | Estimator | None) -> Estimator:
    """The estimator that is asked for, or the mission's."""
    asked = method or method_of(mission)
    if isinstance(asked, Estimator):
        return asked
    made = make_estimator(asked, mission.robot.base)
    if asked == "physically-consistent":
        return replace(made, trade_off=trade_off_of(mission))  # type: ignore[call-arg]
    return made


def answered(
    mission: Mission,
    recordings: Recordings,
    estimator: Estimator,
    answer: Callable[[Problem], Estimate],
    motion: Trajectory | Excitation | None = None,
    without: Mapping[str, Sequence[str]] | None = None,
    settings: ProcessSettings | None = None,
    posed: Callable[[Problem], Problem] | None = None,
) -> Estimate:
    """What a question of one's own, put to an estimator, finds in the recordings; the rest is as for `identify`.

    posed: the problem with the bodies that the question adds, without which no friction explains the torques.
    """
    named = named_recordings(recordings)
    absent = absent_bodies(mission, recordings, without)
    flights = flights_of(mission, named, motion, absent, settings or settings_for(mission, estimator.name))
    with one_blas_thread():
        asked = pose(mission, [flight for flight, _ in flights], posed)
        found = answer(asked.problem)
    needed, several = essential_clusters(found), len(flights) > 1
    essential = () if needed is None else (needed.sentence,)
    named_flights = [(f"{flight.name}: " if several else "", processed) for flight, processed in flights]
    said = [(name, *_said(processed, estimator)) for name, processed in named_flights]
    warnings = tuple(f"{name}{sentence}" for name, warned, _ in said for sentence in warned)
    doubted = found.outcome == "good" and (warnings or asked.warnings)
    notes = tuple(f"{name}{sentence}" for name, _, noted in said for sentence in noted)
    return replace(
        found,
        outcome="doubtful" if doubted else found.outcome,
        warnings=(*asked.warnings, *found.warnings, *warnings),
        notes=(
            *found.notes,
            *asked.notes,
            *essential,
            *notes,
            *_elsewhere(mission, named),
            *_unmodelled(mission, estimator),
        ),
        origin={**found.origin, **_origin(mission, estimator, named, [flight for flight, _ in flights])},
    )


def _said(processed: Processed, estimator: Estimator) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Warnings and notes of the processing: where readings keep their instants, a gap is just missing readings."""
    if not estimator.reads_own_instants:
        return processed.sampled_warnings, processed.sentences
    return processed.warnings, (*processed.sentences, *(f"{gap}: nothing is put there" for gap in processed.gaps))


def problem(
    mission: Mission,
    recordings: Recordings,
    motion: Trajectory | Excitation | None = None,
    without: Mapping[str, Sequence[str]] | None = None,
    settings: ProcessSettings | None = None,
) -> Problem:
    """The problem that recordings of the mission's robot pose: what estimators read.

    recordings: one (or its file), several, or several by name, which is then the name of the flight.
    motion: the commanded motion, or its design; by default the mission's own, or that of the simulation.
    without: by name of a recording, bodies that were not there, such as a load not yet gripped; what the mission
        says of it unless given. settings: of the signal processing; those for the mission's method unless given.
    """
    chosen, named = settings or settings_for(mission, method_of(mission)), named_recordings(recordings)
    flights = flights_of(mission, named, motion, absent_bodies(mission, recordings, without), chosen)
    return pose(mission, [flight for flight, _ in flights]).problem


def method_of(mission: Mission) -> str:
    """The mission's estimator."""
    asked, sensors = mission.settings.identify, mission.sensors.values()
    of_rows = asked.models is not None or any(isinstance(sensor, WrenchSensor) for sensor in sensors)
    return asked.method or default_method(mission.robot.base, of_rows)


def settings_for(mission: Mission, method: str) -> ProcessSettings:
    """What the method estimates itself, a delay or where joints started, is not sought or asked for before.

    Positions are differentiated for rows that were asked for and need a velocity.
    """
    itself = method in METHODS and make_estimator(method, mission.robot.base).reads_own_instants
    asked = mission.settings.identify.processing
    if not itself:
        models = set(mission.settings.identify.models or ())
        velocity = bool({"momentum", "base-velocity"} & models) or method in _NEED_VELOCITY
        of_power = "energy" in models or method == "gautier-khalil-energy"
        torques = LowPassBySpectrum() if mission.robot.base == "fixed" else None
        rows = ProcessSettings(velocity_from_position=velocity, torques=torques)
        return asked.settings(replace(rows, per_cutoff=_OF_POWER) if of_power else rows)
    said = nuisances_of(mission)
    spreads = {
        joint.name: (said.joint_zero_m if joint.kind == "prismatic" else said.joint_zero_rad) or 0.0
        for joint in mission.robot.joints
    }
    usual = ProcessSettings(seek_delay=said.time_offset_s is None, most_samples=_LOOKED_AT, start_sd=spreads)
    return asked.settings(usual)


def named_recordings(recordings: Recordings) -> dict[str, Recording]:
    """Recordings by the name of their flight; a file is read."""
    if isinstance(recordings, (str, os.PathLike)):
        return {"flight": load_recording(recordings)}
    if isinstance(recordings, Recording):
        return {"flight": recordings}
    if isinstance(recordings, Mapping):
        return dict(recordings)
    return {f"flight {number}": recording for number, recording in enumerate(recordings, start=1)}


def flights_of(
    mission: Mission,
    recordings: Mapping[str, Recording],
    motion: Trajectory | Excitation | None,
    absent: Mapping[str, Sequence[str]],
    settings: ProcessSettings,
) -> list[tuple[Flight, Processed]]:
    """Each recording as a flight, with what processing said of it; absent: bodies that were not there, by recording."""
    _refuse_repeated(recordings)
    refuse_unsaid_gravity(mission, recordings)
    flights = list[tuple[Flight, Processed]]()
    for name, whole in recordings.items():
        _refuse_other_channels(name, whole, settings)
        recording, said = _in_window(mission, whole)
        command = trajectory_of(motion) if motion else command_of(mission, recording)
        asked, sensors = mission.settings.identify, mission.sensors.values()
        rate_Hz = asked.rate_Hz
        if mission.robot.base == "fixed" and settings.most_samples is not None:
            command = None  # torques ask for accelerations, which drives do not follow as commanded
            rate_Hz = None  # torques would be filtered for it, and curves of joints not
        own = replace(settings, start_positions={**asked.start_positions_of(name), **settings.start_positions})
        processed = process(recording, mission.robot, command, rate_Hz, own, sensors)
        processed = _with_wheels(mission, replace(processed, notes=(*processed.notes, *said)))
        bodies, t = tuple(absent.get(name, ())), processed.samples.need("t", "a flight")
        walks = sensor_walks(mission.robot, sensors, float(t[-1] - t[0]))
        pulses = tuple(each.pulse() for each in asked.pulses.get(name, mission.settings.flight.pulses))
        momentum = momentum_of(mission)
        cut = _ends(recording)[0] > _ends(whole)[0]
        orbit = mission.orbit
        if cut:
            orbit = orbit_at_start(mission, whole, float(t[0]), own)
            momentum, told = momentum_at_start(mission, whole, float(t[0]), own, pulses)
            processed = replace(processed, notes=(*processed.notes, *told))
        made = recorded_flight(recording, mission.robot, processed, sensors, own, momentum, walks, bodies, name)
        if cut and momentum.vector.any():
            made = _from_first_sample(made)
        unstable = unstable_bias(mission.robot, sensors) if made.samples.v is not None else None
        made = replace(made, pulses=pulses, unstable=unstable, orbit=orbit)
        flights.append((made, _with_wheel_words(mission, made, processed)))
    return flights


def _from_first_sample(flight: Flight) -> Flight:
    """The flight without readings before its first sample, in whose axes its momentum is known while the base turns."""
    if flight.own_instants is None:
        return flight
    later = {array: each.since(float(flight.t[0])) for array, each in flight.own_instants.items()}
    return replace(flight, own_instants={array: each for array, each in later.items() if each.t.size > 1})


def _refuse_other_channels(name: str, recording: Recording, settings: ProcessSettings) -> None:
    """Refuse a delay or a calibration of a channel that was not recorded."""
    for field, said in (("delays_s", settings.delays_s), ("calibrations", settings.calibrations)):
        for channel in said:
            if channel not in recording.channels:
                raise InvalidMission(
                    f"identify.processing.{field} names {channel!r}; allowed: channels of {name!r}, "
                    f"{', '.join(recording.channels)}"
                )


def seconds_that_count(mission: Mission, recording: Recording) -> tuple[float, float]:
    """From which to which a recording is read: the mission's window, or a free flight, or all of it."""
    window, robot = mission.settings.identify.window, mission.robot
    first, last = _ends(recording)
    span: tuple[float, float] | None = None if isinstance(window, str) else window
    if window == "auto" and robot.base == "free" and not robot.joints:
        span = free_flight_span(recording)
    start, end = (first, last) if span is None else (max(span[0], first), min(span[1], last))
    if span is not None and not start < end:
        raise InvalidMission(
            f"identify.window is {span[0]:g} ... {span[1]:g} s, of a recording from {first:g} to {last:g} s"
        )
    return start, end


def _ends(recording: Recording) -> tuple[float, float]:
    """First and last instant of any channel."""
    return min(float(channel.t.min()) for channel in recording), max(float(channel.t.max()) for channel in recording)


def _in_window(mission: Mission, recording: Recording) -> tuple[Recording, tuple[str, ...]]:
    """The part of a recording that counts, and what was cut."""
    (first, last), (start, end) = _ends(recording), seconds_that_count(mission, recording)
    if (start, end) == (first, last):
        return recording, ()
    window = mission.settings.identify.window
    why = "free flight, as the accelerometer shows it" if window == "auto" else "the mission's window"
    note = f"{why}: from {start:.4g} to {end:.4g} s; {start - first:.3g} s before and {last - end:.3g} s after are cut"
    return crop(recording, start, end), (note,)


def absent_bodies(
    mission: Mission, recordings: Recordings, without: Mapping[str, Sequence[str]] | None = None
) -> dict[str, Sequence[str]]:
    """Bodies that were not there, by recording: what the mission says of it, unless given.

    The mission may speak of recordings that are not given here: some are identified, others predicted. But of
    recordings that are given without names nobody can say whether it is these.
    """
    named, given, said = named_recordings(recordings), dict(without or {}), mission.settings.identify.without
    nameless = not isinstance(recordings, Mapping)
    for whose, names in (("", given), ("the mission's identify.without: ", said if nameless else {})):
        for name in names:
            if name not in named:
                raise InvalidMission(f"{whose}no recording is called {name!r}; there are: {', '.join(named)}")
    return {**{name: bodies for name, bodies in said.items() if name in named}, **given}


def _elsewhere(mission: Mission, recordings: Mapping[str, Recording]) -> tuple[str, ...]:
    """That the mission speaks of recordings which are not here: it may be a slip."""
    names = [name for name in mission.settings.identify.without if name not in recordings]
    return (f"the mission's identify.without is also about {', '.join(names)}, not given here",) if names else ()


def _unmodelled(mission: Mission, estimator: Estimator) -> tuple[str, ...]:
    """That a method of rows leaves the orbit out."""
    if mission.orbit is None or estimator.reads_own_instants:
        return ()
    return (f"{estimator.name} leaves out the gravity gradient of the orbit; maximum-likelihood reckons with it",)


def _refuse_repeated(recordings: Mapping[str, Recording]) -> None:
    """The same data twice would count as twice the evidence."""
    first = dict[str, str]()
    for name, recording in recordings.items():
        earlier = first.setdefault(recording.sha256, name)
        if earlier != name:
            raise InvalidMission(f"{name!r} is the same recording as {earlier!r}; allowed: each recording once")


def command_of(mission: Mission, recording: Recording) -> Trajectory | None:
    """The commanded motion of a recording: the mission's, or if it was simulated whichever was flown there."""
    origin = recording.origin
    if origin.kind != "simulated":
        return mission.trajectory  # processing says which joints do not follow it
    return next((motion for motion in _simulated(mission, origin) if shows(recording, motion, mission)), None)


def _simulated(mission: Mission, origin: Origin) -> Iterator[Trajectory]:
    """Motions that a simulated recording may be of."""
    if origin.command is not None:
        yield trajectory_from_document(origin.command, origin.file or "recording")
    if mission.trajectory is not None:
        yield mission.trajectory
    elif origin.seed is not None:
        try:
            drawn = random_motion(mission, origin.seed)
        except (InvalidMission, InvalidTrajectory):
            return  # what cannot be drawn was not flown
        yield drawn


def shows(recording: Recording, motion: Trajectory, mission: Mission) -> bool:
    """Whether the joints that were recorded moved like this."""
    names, driven = mission.robot.driven_names, mission.robot.driven
    for channel in (*recording.of_quantity("q"), *recording.of_quantity("dq")):
        if set(names) <= set(channel.components):
            flown = motion.samples(mission.robot, np.clip(channel.t, 0.0, motion.duration_s))
            moved = (flown.q if channel.quantity == "q" else flown.need("dq", "a comparison"))[:, driven]
            return bool((channel.of(names) - moved).std() < FAR * max(float(moved.std()), 1e-12))
    return False


def _with_wheels(mission: Mission, processed: Processed) -> Processed:
    """Wheels that nobody recorded turn as the mission says."""
    if not mission.robot.wheels or processed.samples.wheel_rates is not None:
        return processed
    rates = np.tile(mission.wheel_rates, (len(processed.samples), 1))
    samples = replace(processed.samples, wheel_rates=rates, wheel_accelerations=np.zeros_like(rates))
    listed = ", ".join(f"{w.name} {r:.4g}" for w, r in zip(mission.robot.wheels, mission.wheel_rates, strict=True))
    sentence = f"the wheels are taken to turn at the mission's rates, which do not change: {listed} rad/s"
    return replace(processed, samples=samples, warnings=(*processed.warnings, sentence))


def _with_wheel_words(mission: Mission, flight: Flight, processed: Processed) -> Processed:
    """What there is to say of wheels that tachometers measured."""
    if not isinstance(flight.wheels, MeasuredWheels):
        return processed
    curves, names = flight.wheels.curves, tuple(wheel.name for wheel in mission.robot.wheels)
    said = (*processed.warnings, *curves.unexplained("tachometer", names))
    return replace(processed, warnings=said, notes=(*processed.notes, f"wheels: {curves.as_text(names)}"))


def _origin(
    mission: Mission, estimator: Estimator, recordings: Mapping[str, Recording], flights: Sequence[Flight]
) -> dict[str, Any]:
    """Where an estimate came from, as plain data."""
    used = {"known", "assume_zero", "momentum", "orbit", "identify"}
    return {
        "made_by": f"freefloat {__version__}",
        "method": estimator.name,
        "method_settings": settings_of(estimator),
        "mission": mission.name,
        "hashes": dict(mission.hashes),
        "settings": mission.settings.model_dump(mode="json", include=used, exclude_unset=True),
        "nuisances": asdict(nuisances_of(mission)),
        "recordings": [
            {
                "name": flight.name,
                "sha256": recording.sha256,
                "without": list(flight.without),
                **{key: getattr(recording.origin, key) for key in ("kind", "file", "mission", "seed", "run")},
            }
            for flight, recording in zip(flights, recordings.values(), strict=True)
        ],
    }
