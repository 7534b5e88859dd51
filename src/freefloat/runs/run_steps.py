"""The steps of a run as they go on: each is told of, timed, and written into the manifest."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from freefloat.data.recording import Recording
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.physical.pseudo_inertia_program import NotSolved
from freefloat.excitation.excitation import Excitation
from freefloat.excitation.excitation_file import load_excitation
from freefloat.excitation.finding import Standing
from freefloat.export.export import NotExported, export_robot, export_urdf
from freefloat.mission.mission_file import Mission, load_mission
from freefloat.mission.prior_knowledge import trade_off_of
from freefloat.mission.run_manifest import (
    EXCITATION,
    IDENTIFIED,
    MISSION,
    RunManifest,
    StepSection,
    hashes_of,
    sha256,
    write_manifest,
)
from freefloat.mission.run_preparation import prepare_directory
from freefloat.mission.validating import validate
from freefloat.models.model import NotApplicable
from freefloat.validation.prediction import UnfitEstimate
from freefloat.validation.validation import Validation

STEPS = ("draw", "design", "simulate", "fly unseen motion", "identify", "validate", "export", "report")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class RunStanding:
    """How far a run is: for a progress display.

    step: of `STEPS` (`describe` in place of `design` for a motion that was given; `read` in place of all until
    `identify` for recordings of real flights), the one that goes on or, with `seconds`, has ended. design: how far
    that is, while it goes on. said: what there is to say of a step that ended otherwise than usual, a few words.
    """

    step: str
    seconds: float | None = None
    design: Standing | None = None
    said: str = ""


RunWatch = Callable[[RunStanding], None]


class RunSteps:
    """A run that goes on in a directory, and what its manifest says so far."""

    def __init__(self, folder: Path, manifest: RunManifest, watch: RunWatch | None) -> None:
        self.folder, self.manifest, self.watch = folder, manifest, watch
        self._kept = tuple[StepSection, ...]()  # of the same run that did not end

    def prepare(
        self,
        mission: Mission,
        renamed: Mapping[str, str] | None = None,
        recordings: Mapping[str, Recording] | None = None,
        motion: str | None = None,
    ) -> Mission:
        """Get the directory ready, as `prepare_directory`; the mission in it, which is what is run."""
        self.manifest = prepare_directory(self.folder, mission, self.manifest, renamed, recordings, motion)
        self._kept = self.manifest.steps
        self._update(steps=())
        return load_mission(self.folder / MISSION)

    def do(self, name: str, work: Callable[[], Made], said: Callable[[Made], str] | None = None) -> Made:
        """Do it, tell of it, write how long it took. said: what there is to say of it once it is done."""
        self._tell(RunStanding(name))
        start = time.perf_counter()
        found = work()
        seconds = round(time.perf_counter() - start, 3)
        self._done(StepSection(name=name, seconds=seconds))
        self._tell(RunStanding(name, seconds, said=said(found) if said else ""))
        return found

    def designing(self, standing: Standing) -> None:
        """Told by the design."""
        self._tell(RunStanding("design", design=standing))

    def kept_design(self) -> Excitation | None:
        """What the same run had designed before it was interrupted."""
        if EXCITATION not in self.manifest.hashes:
            return None
        kept = load_excitation(self.folder / EXCITATION)
        for step in self._kept:
            self._done(step)
        self._tell(RunStanding("design", 0.0, said="kept from the run that did not end"))
        return kept

    def designed(self) -> None:
        """The design is in its file: if the run does not end, it need not be made again."""
        self._update(hashes={EXCITATION: sha256(self.folder / EXCITATION)})
        write_manifest(self.folder, self.manifest)

    def validated(self, mission: Mission, estimate: Estimate, unseen: Mapping[str, Recording]) -> Validation | None:
        """None, and a note, where the estimate predicts no motion."""
        try:
            return validate(mission, estimate, unseen)
        except UnfitEstimate as error:
            self.note(f"not validated: {error}")
            return None

    def export(self, mission: Mission, estimate: Estimate) -> bool:
        """Write the identified robot as a URDF and as a robot file; a note where it has none, or the estimate failed.

        Whether it was written.
        """
        if estimate.outcome == "failed":
            self.note("not exported: the estimate failed; `freefloat export --force` writes the robot anyway")
            return False
        urdf, robot = (self.folder / name for name in IDENTIFIED)
        template = self.folder / self.manifest.robot
        given = template if template.suffix.lower() == ".urdf" else None
        near = trade_off_of(mission)
        try:
            if given is None:
                model = export_robot(estimate, urdf, trade_off=near)
            else:
                model = export_urdf(estimate, given, urdf, trade_off=near)
            exported = (model, export_robot(estimate, robot, trade_off=near))
        except (NotApplicable, NotSolved, NotExported) as error:
            self.note(f"not exported: {error}")
            return False
        for sentence in dict.fromkeys(line for each in exported for line in (*each.warnings, *each.notes)):
            self.note(sentence)
        return True

    def note(self, sentence: str) -> None:
        """A sentence that whoever reads of the run should see."""
        self._update(notes=(*self.manifest.notes, sentence))

    def hash(self) -> None:
        """Take in what is in the directory now."""
        self._update(hashes=hashes_of(self.folder, self.manifest))

    def finish(self) -> None:
        """The last word."""
        self._update(finished=True)
        write_manifest(self.folder, self.manifest)

    def _done(self, step: StepSection) -> None:
        self._update(steps=(*self.manifest.steps, step))
        write_manifest(self.folder, self.manifest)

    def _update(self, **changes: object) -> None:
        self.manifest = self.manifest.model_copy(update=changes)

    def _tell(self, standing: RunStanding) -> None:
        if self.watch is not None:
            self.watch(standing)
