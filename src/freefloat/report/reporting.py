"""A mission's results as a page: what the report needs is gathered here, drawn in `report`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from freefloat.arrays import Array
from freefloat.data.recording import Recording
from freefloat.dynamics.mass_centre import centre_of_mass
from freefloat.dynamics.samples import Samples
from freefloat.errors import FreefloatError
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.physical.physically_consistent import physical_robot
from freefloat.excitation.excitation import Excitation
from freefloat.files import FilePath
from freefloat.mission.drawing import flown_by
from freefloat.mission.flying import fly
from freefloat.mission.identifying import (
    Recordings,
    command_of,
    flights_of,
    method_of,
    named_recordings,
    settings_for,
    shows,
)
from freefloat.mission.mission_file import InvalidMission, Mission
from freefloat.mission.run_commands import repeating
from freefloat.mission.run_directory import Run, cad_truth
from freefloat.mission.run_manifest import BroughtSection, versions
from freefloat.mission.validating import held_readings
from freefloat.models.advice import Advice, advise
from freefloat.models.identifiable import Measurement
from freefloat.motion.trajectory import Trajectory
from freefloat.report.run_page import write_run_page
from freefloat.report.run_story import Brought, Provenance, RunResult, RunStory
from freefloat.robot.model import Robot
from freefloat.robot.rotations import rotations
from freefloat.validation.prediction import Reading, UnfitEstimate
from freefloat.validation.validation import Validation

_FRAMES = 241  # instants of the motion that are drawn


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What a page is about.

    motion: the commanded one, if it was designed or given; else each recording or the mission says it.
    truth: the robot that flew, if it is known.
    """

    mission: Mission
    excitation: Excitation | None
    motion: Trajectory | None
    flights: Mapping[str, Recording]
    estimate: Estimate
    validation: Validation | None
    truth: Robot | None

    @classmethod
    def of_run(cls, run: Run) -> Told:
        """A run."""
        return cls(
            mission=run.mission,
            excitation=run.excitation,
            motion=run.motion,
            flights=run.flights,
            estimate=run.estimate,
            validation=run.validation,
            truth=run.truth,
        )

    @property
    def result(self) -> RunResult:
        """What was found."""
        return RunResult(
            name=self.mission.name,
            robot=self.mission.robot,
            excitation=self.excitation,
            estimate=self.estimate,
            validation=self.validation,
            truth=self.truth,
            advice=_advice(self.mission),
        )


def write_report(
    path: FilePath,
    mission: Mission,
    excitation: Excitation | None,
    flight: Recordings,
    estimate: Estimate,
    validation: Validation | None = None,
    truth: Robot | None = None,
) -> None:
    """One self-contained HTML page of a mission's results, which works offline.

    excitation: None where no design of the motion is known. flight: the recordings that were identified.
    truth: the robot that flew, where it is known; the mission's own unless given, if that flew on the desk.
    """
    flights = named_recordings(flight)
    if not flights:
        raise InvalidMission("there is no recording to report of; allowed: those that were identified, at least one")
    flown = cad_truth(mission, flights) if truth is None else flown_by(mission, truth).robot
    motion = None if excitation is None else excitation.trajectory
    told = Told(mission, excitation, motion, flights, estimate, validation, flown)
    brought = tuple(_brought(BroughtSection.of(name, each)) for name, each in flights.items() if _is_real(each))
    write_run_page(path, story_of(told, Provenance(versions(), _seeds(told), dict(mission.hashes), brought=brought)))


def write_run_report(path: FilePath, run: Run) -> None:
    """The page of a run from its directory."""
    write_run_page(path, story_of_run(run))


def story_of_run(run: Run) -> RunStory:
    """Everything that the page of a run tells."""
    manifest = run.manifest
    provenance = Provenance(
        versions=manifest.versions,
        seeds=manifest.seeds.model_dump(exclude_none=True) if manifest.seeds else {},
        hashes=manifest.hashes,
        seconds={step.name: step.seconds for step in run.steps if step.name != "report"},  # while it is written
        commands=repeating(run),
        notes=manifest.notes,
        brought=tuple(map(_brought, manifest.brought)),
    )
    return story_of(Told.of_run(run), provenance)


def story_of(told: Told, provenance: Provenance) -> RunStory:
    """Everything that the page tells."""
    identified, result = _identified(told), told.result
    return RunStory(
        **{each.name: getattr(result, each.name) for each in fields(RunResult)},
        recording=next(iter(told.flights.values())),
        motion=_shown_motion(told, identified),
        residuals=_residuals(told),
        identified=identified,
        provenance=provenance,
    )


def result_of_run(run: Run) -> RunResult:
    """What a run found, for those who do not want the page."""
    return Told.of_run(run).result


def _is_real(recording: Recording) -> bool:
    return recording.origin.kind == "recorded"


def _brought(said: BroughtSection) -> Brought:
    return Brought(said.name, said.file, said.hashes, said.notes)


def _shown_motion(told: Told, identified: Array | None) -> Samples:
    """The motion and the base's reaction at even instants: flown again where robot and motion are known, else read.

    A motion that the recording does not show is not the one that was flown, whoever gave it.
    """
    name, recording = next(iter(told.flights.items()))
    motion = told.motion or command_of(told.mission, recording)
    if motion is not None and told.truth is not None and shows(recording, motion, told.mission):
        return _even(fly(told.mission, motion, robot=told.truth))
    settings = settings_for(told.mission, method_of(told.mission))
    ((flight, _),) = flights_of(told.mission, {name: recording}, told.motion, {}, settings)
    robot = told.mission.robot
    return _placed(robot if identified is None else robot.with_parameters(identified), _even(flight.samples))


def _even(samples: Samples) -> Samples:
    return samples[np.unique(np.linspace(0, len(samples) - 1, _FRAMES).round().astype(int))]


def _placed(robot: Robot, samples: Samples) -> Samples:
    """Where the base's position was not measured, it is where the centre of mass of the whole stays in its place."""
    if samples.attitude is None or samples.position is not None or robot.base == "fixed":
        return samples
    centre = np.einsum("nij,nj->ni", rotations(samples.attitude), centre_of_mass(robot, samples))
    return replace(samples, position=centre[0] - centre)


def _residuals(told: Told) -> tuple[Reading, ...]:
    try:
        return held_readings(told.mission, told.estimate, told.flights, told.motion)
    except UnfitEstimate:
        return ()


def _identified(told: Told) -> Array | None:
    try:
        return physical_robot(told.estimate).parameters
    except FreefloatError:  # clusters that are not sums of standard parameters, or no robot explains them
        return None


def _advice(mission: Mission) -> Advice | None:
    """What the mission's sensors can tell; nothing is said of a fixed base, where torques show every cluster."""
    if mission.robot.base == "fixed":
        return None
    said = mission.settings.momentum
    measured = Measurement(
        velocity=bool(mission.measured & {"velocity", "body_velocity"}),
        torque="torque" in mission.measured,
        momentum=said if isinstance(said, str) else "known",
        wheels="constant" if mission.wheel_rates.any() else "still",
    )
    return advise(mission.robot, measured, tuple(mission.settings.known), tuple(mission.settings.assume_zero))


def _seeds(told: Told) -> dict[str, int]:
    found = {} if told.excitation is None or not told.excitation.how.values else {"design": told.excitation.how.seed}
    seeds = [each.origin.seed for each in told.flights.values() if each.origin.seed is not None]
    return {**found, "flight": seeds[0]} if seeds else found
