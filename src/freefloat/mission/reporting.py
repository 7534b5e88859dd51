"""A mission's results as a page: what the report needs is gathered here, drawn in `report`."""

from __future__ import annotations

import shlex

import numpy as np

from freefloat.errors import FreefloatError
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.physical.physically_consistent import physical_robot
from freefloat.excitation.excitation import Excitation
from freefloat.excitation.find_excitation import SHAKES
from freefloat.experiment.recording import Recording
from freefloat.experiment.recording_columns import quantity_of
from freefloat.experiment.truth import Layout
from freefloat.files import FilePath
from freefloat.mission.believed import prior_of
from freefloat.mission.flying import fly
from freefloat.mission.mission_file import Mission
from freefloat.mission.run_directory import (
    ESTIMATE,
    EXCITATION,
    FLIGHT,
    IDENTIFIED,
    MISSION,
    UNSEEN,
    VALIDATION,
    Run,
    versions,
)
from freefloat.mission.validating import held_readings
from freefloat.regressor.advice import Advice, advise
from freefloat.regressor.identifiability import Measurement
from freefloat.regressor.samples import Samples
from freefloat.report.run_page import write_run_page
from freefloat.report.run_story import Provenance, RunResult, RunStory
from freefloat.robot.model import Robot
from freefloat.robot.transform import Array
from freefloat.validation.prediction import Reading, UnfitEstimate
from freefloat.validation.validation import Validation

_FRAMES = 241  # instants of the motion that are drawn


def write_report(
    path: FilePath,
    mission: Mission,
    excitation: Excitation,
    flight: Recording,
    estimate: Estimate,
    validation: Validation | None = None,
) -> None:
    """One self-contained HTML page of a mission's results, which works offline."""
    provenance = Provenance(versions(), _seeds(excitation, flight), dict(mission.hashes))
    write_run_page(path, story_of(mission, excitation, flight, estimate, validation, provenance))


def write_run_report(path: FilePath, run: Run) -> None:
    """The page of a run from its directory."""
    write_run_page(path, story_of_run(run))


def story_of_run(run: Run) -> RunStory:
    """Everything that the page of a run tells."""
    manifest = run.manifest
    provenance = Provenance(
        manifest.versions,
        manifest.seeds.model_dump(),
        manifest.hashes,
        {step.name: step.seconds for step in run.steps if step.name != "report"},  # while it is written
        _commands(run),
        manifest.notes,
    )
    return story_of(run.mission, run.excitation, run.flight, run.estimate, run.validation, provenance)


def story_of(
    mission: Mission,
    excitation: Excitation,
    flight: Recording,
    estimate: Estimate,
    validation: Validation | None,
    provenance: Provenance,
) -> RunStory:
    """Everything that the page tells."""
    return RunStory(
        *_found(mission, excitation, flight, estimate, validation),
        flight,
        _motion(mission, excitation),
        _residuals(mission, excitation, flight, estimate),
        _identified(mission, estimate),
        _advice(mission),
        provenance,
    )


def result_of_run(run: Run) -> RunResult:
    """What a run found, for those who do not want the page."""
    return RunResult(*_found(run.mission, run.excitation, run.flight, run.estimate, run.validation))


def _found(
    mission: Mission, excitation: Excitation, flight: Recording, estimate: Estimate, validation: Validation | None
) -> tuple[str, Robot, Excitation, Estimate, Validation | None, Robot | None]:
    truth = mission.robot if flight.origin.kind == "simulated" else None
    return mission.name, mission.robot, excitation, estimate, validation, truth


def _motion(mission: Mission, excitation: Excitation) -> Samples:
    """The exciting motion and the base's reaction, at even instants of those flown."""
    flown = fly(mission, excitation)
    return flown[np.unique(np.linspace(0, len(flown) - 1, _FRAMES).round().astype(int))]


def _residuals(mission: Mission, excitation: Excitation, flight: Recording, estimate: Estimate) -> tuple[Reading, ...]:
    try:
        return held_readings(mission, estimate, flight, excitation)
    except UnfitEstimate:
        return ()


def _identified(mission: Mission, estimate: Estimate) -> Array | None:
    try:
        return physical_robot(estimate, prior_of(mission)).parameters
    except FreefloatError:  # clusters that are not sums of standard parameters, or no robot explains them
        return None


def _advice(mission: Mission) -> Advice | None:
    """What the mission's sensors can tell; nothing is said of a fixed base, where torques show every cluster."""
    if mission.robot.base == "fixed":
        return None
    layout, said = Layout.of(mission.robot), mission.settings.momentum
    shown = {quantity_of(output.channel) for each in mission.sensors.values() for output in each.outputs(layout)}
    measured = Measurement(
        velocity=bool(shown & {"velocity", "body_velocity"}),
        torque="torque" in shown,
        momentum=said if isinstance(said, str) else "known",
        wheels="constant" if mission.wheel_rates.any() else "still",
    )
    return advise(mission.robot, measured, tuple(mission.settings.known), tuple(mission.settings.assume_zero))


def _seeds(excitation: Excitation, flight: Recording) -> dict[str, int]:
    found = {"design": excitation.how.seed}
    return found if flight.origin.seed is None else {**found, "flight": flight.origin.seed}


def _commands(run: Run) -> tuple[str, ...]:
    """The run in one line, and step by step from its directory."""
    manifest, seeds = run.manifest, run.manifest.seeds
    urdf, robot = IDENTIFIED
    starts = f"--starts {manifest.starts} --seed {seeds.design}"
    starts += "" if manifest.shakes == SHAKES else f" --shakes {manifest.shakes}"
    template = f" --urdf {shlex.quote(manifest.robot)}" if manifest.robot.lower().endswith(".urdf") else ""
    return (
        f"freefloat run {MISSION} {starts} -o again.run",
        f"freefloat design {MISSION} {starts} -o {EXCITATION}",
        f"freefloat simulate {MISSION} --excitation {EXCITATION} --seed {seeds.flight} -o {FLIGHT}",
        f"freefloat identify {MISSION} {FLIGHT} --excitation {EXCITATION} -o {ESTIMATE}",
        f"freefloat simulate {MISSION} --seed {seeds.unseen} -o {UNSEEN}",
        f"freefloat validate {MISSION} {ESTIMATE} {UNSEEN} -o {VALIDATION}",
        f"freefloat export {ESTIMATE}{template} -o {urdf} --robot {robot}",
    )
