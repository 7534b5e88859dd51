"""All of a mission in one call: designed, flown on the desk, identified, predicted, exported, reported."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from freefloat.estimate.estimate import Estimate
from freefloat.estimate.given_back.export import export_robot, export_urdf
from freefloat.estimate.physical.pseudo_inertia_program import NotSolved
from freefloat.excitation.excitation_file import save_excitation
from freefloat.excitation.find_excitation import SHAKES, Standing
from freefloat.experiment.recording import Recording
from freefloat.experiment.tables import write_recording
from freefloat.files import FilePath
from freefloat.mission.believed import prior_of
from freefloat.mission.designing import design
from freefloat.mission.flying import random_motion, simulate
from freefloat.mission.identifying import identify
from freefloat.mission.mission_file import Mission, load_mission
from freefloat.mission.reporting import write_run_report
from freefloat.mission.run_directory import (
    ESTIMATE,
    EXCITATION,
    FLIGHT,
    IDENTIFIED,
    MISSION,
    REPORT,
    UNSEEN,
    VALIDATION,
    Run,
    RunManifest,
    StepSection,
    hashes_of,
    prepare_directory,
    write_manifest,
)
from freefloat.mission.validating import validate
from freefloat.regressor.model import NotApplicable
from freefloat.validation.prediction import UnfitEstimate
from freefloat.validation.validation import Validation

STEPS = ("design", "simulate", "identify", "fly unseen motion", "validate", "export", "report")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class RunStanding:
    """How far a run is: for a progress display.

    step: of `STEPS`, the one that goes on or, with `seconds`, has ended. design: how far that is, while it goes on.
    """

    step: str
    seconds: float | None = None
    design: Standing | None = None


RunWatch = Callable[[RunStanding], None]


def run(
    mission: Mission,
    directory: FilePath,
    starts: int = 4,
    seed: int = 0,
    watch: RunWatch | None = None,
    workers: int | None = None,
    shakes: int = SHAKES,
) -> Run:
    """Everything a mission needs, in one directory: `load_run` reads it back.

    directory: new, empty, or that of an earlier run, which is replaced. starts, workers, shakes: of the design.
    seed: of the design; the flight's noise has the next, the unseen motion and its noise the one after.
    """
    folder = Path(directory)
    made = _Running(folder, prepare_directory(folder, mission, starts, seed, shakes), watch)
    copy, seeds = load_mission(folder / MISSION), made.manifest.seeds  # what is in the directory is what is run
    excitation = made.step(
        "design", lambda: design(copy, starts, seeds.design, workers=workers, watch=made.designing, shakes=shakes)
    )
    save_excitation(folder / EXCITATION, excitation)
    flight = made.step("simulate", lambda: simulate(copy, excitation, seeds.flight))
    write_recording(folder / FLIGHT, flight)
    estimate = made.step("identify", lambda: identify(copy, flight, trajectory=excitation))
    estimate.save(folder / ESTIMATE)
    unseen = made.step("fly unseen motion", lambda: simulate(copy, random_motion(copy, seeds.unseen), seeds.unseen))
    write_recording(folder / UNSEEN, unseen)
    validation = made.step("validate", lambda: made.validated(copy, estimate, unseen))
    if validation is not None:
        validation.save(folder / VALIDATION)
    made.step("export", lambda: made.export(copy, estimate))
    made.manifest = made.manifest.model_copy(update={"hashes": hashes_of(folder, made.manifest.robot)})
    whole = Run(folder, copy, excitation, flight, estimate, unseen, validation, made.manifest)
    made.step("report", lambda: write_run_report(folder / REPORT, whole))
    made.finish()
    return replace(whole, manifest=made.manifest)


class _Running:
    """The manifest of a run that goes on."""

    def __init__(self, folder: Path, manifest: RunManifest, watch: RunWatch | None) -> None:
        self.folder, self.manifest, self.watch = folder, manifest, watch

    def step(self, name: str, work: Callable[[], Made]) -> Made:
        """Do it, tell of it, write how long it took."""
        self._tell(RunStanding(name))
        start = time.perf_counter()
        found = work()
        seconds = round(time.perf_counter() - start, 3)
        steps = (*self.manifest.steps, StepSection(name=name, seconds=seconds))
        self.manifest = self.manifest.model_copy(update={"steps": steps})
        write_manifest(self.folder, self.manifest)
        self._tell(RunStanding(name, seconds))
        return found

    def designing(self, standing: Standing) -> None:
        self._tell(RunStanding("design", design=standing))

    def validated(self, mission: Mission, estimate: Estimate, unseen: Recording) -> Validation | None:
        """None, and a note, where the estimate predicts no motion."""
        try:
            return validate(mission, estimate, unseen)
        except UnfitEstimate as error:
            self._note(f"not validated: {error}")
            return None

    def export(self, mission: Mission, estimate: Estimate) -> None:
        """The identified robot as a URDF and as a robot file; a note where it has none."""
        urdf, robot = (self.folder / name for name in IDENTIFIED)
        template, prior = self.folder / self.manifest.robot, prior_of(mission)
        given = template if template.suffix.lower() == ".urdf" else None
        try:
            exported = (export_urdf(estimate, given, urdf, prior), export_robot(estimate, robot, prior))
        except (NotApplicable, NotSolved) as error:
            self._note(f"not exported: {error}")
            return
        for sentence in dict.fromkeys(line for each in exported for line in (*each.warnings, *each.notes)):
            self._note(sentence)

    def finish(self) -> None:
        self.manifest = self.manifest.model_copy(update={"finished": True})
        write_manifest(self.folder, self.manifest)

    def _note(self, sentence: str) -> None:
        self.manifest = self.manifest.model_copy(update={"notes": (*self.manifest.notes, sentence)})

    def _tell(self, standing: RunStanding) -> None:
        if self.watch is not None:
            self.watch(standing)
