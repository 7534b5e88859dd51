"""A run with live progress, and what it found in a few lines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from rich.markup import escape

from freefloat.cli.design_progress import DesignProgress
from freefloat.cli.identification import Given
from freefloat.cli.live_bar import aside
from freefloat.cli.outputs import refuse_output
from freefloat.cli.show import console
from freefloat.data.recording import Recording
from freefloat.errors import FileError
from freefloat.mission.designing import plan_of
from freefloat.mission.mission_file import Mission, load_mission
from freefloat.mission.run_directory import Run, load_run
from freefloat.mission.run_manifest import MANIFEST, is_finished
from freefloat.report.run_page import write_run_page
from freefloat.report.sections.verdict import verdict
from freefloat.robot.model import Robot
from freefloat.runs.given_motion import load_given
from freefloat.runs.run_steps import RunStanding
from freefloat.runs.running import run

_COLOURS = {"pass": "green", "doubtful": "yellow", "fail": "red"}
_WORDS = {
    "draw": "drawing a robot that the CAD model may stand for",
    "design": "designing the motion",
    "describe": "taking the motion as it is given",
    "simulate": "flying it",
    "fly unseen motion": "flying a motion that the estimate will not see",
    "read": "taking in the recordings",
    "identify": "identifying",
    "validate": "predicting the motion that it has not seen",
    "export": "exporting the identified robot",
    "report": "writing the report",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command is given, None where it is not. output: named after the mission's file unless given."""

    mission: Path
    output: Path | None
    again: bool
    starts: int | None
    seed: int | None
    workers: int | None
    shakes: int | None
    fly: Literal["drawn", "cad"] | None
    excitation: Path | None
    recordings: tuple[Path, ...]
    unseen: tuple[Path, ...]
    mapping: Path | None
    repair: tuple[str, ...]

    @property
    def directory(self) -> Path:
        """Of the run."""
        return self.output or Path(f"{self.mission.stem}.run")

    def read(self, robot: Robot, quiet: bool) -> tuple[dict[str, Recording] | None, dict[str, Recording] | None]:
        """The recordings to identify and to predict, by name; none where the flight is one on the desk."""
        if not self.recordings:
            for option, value in (("--unseen", self.unseen), ("--mapping", self.mapping), ("--repair", self.repair)):
                if value:
                    raise FileError(option, "is for recorded flights, and none is given; allowed: with --recording")
            return None, None
        given = Given(self.mission, (*self.recordings, *self.unseen), None, (), self.mapping, self.repair)
        given.refuse_outputs({}, "runs")
        with aside(quiet).status("reading"):
            named = list(given.read(robot).items())
        seen = len(self.recordings)
        return dict(named[:seen]), dict(named[seen:])


def run_mission(asked: Asked, quiet: bool) -> Run:
    """All of a mission, with progress on standard error."""
    if (asked.mission / MANIFEST).is_file():
        raise FileError(asked.mission, "is a run; allowed: a mission file (`freefloat report` shows a run)")
    mission = load_mission(asked.mission)
    if not asked.again and is_finished(asked.directory):
        raise FileError(asked.directory, "holds a finished run; allowed: another directory, or --again to replace it")
    given = None if asked.excitation is None else load_given(asked.excitation, mission)
    recordings, unseen = asked.read(mission.robot, quiet)
    with _Progress(mission, quiet, designs=given is None and mission.trajectory is None and not recordings) as progress:
        try:
            return run(
                mission,
                asked.directory,
                starts=asked.starts,
                seed=asked.seed,
                watch=progress.told,
                workers=asked.workers,
                shakes=asked.shakes,
                fly=asked.fly,
                excitation=given,
                recordings=recordings,
                unseen=unseen,
            )
        except KeyboardInterrupt as interrupt:
            words = str(interrupt) or "interrupted"
            raise KeyboardInterrupt(f"{words}; {asked.directory} is not finished: run the same again") from None


def report_run(directory: Path, output: Path | None, quiet: bool) -> tuple[Run, Path]:
    """Write the page of a run; the file that was written."""
    made = load_run(directory)
    target = output or made.report
    inputs = [directory / name for name in (MANIFEST, *made.manifest.hashes)]
    refuse_output(target, inputs, "reports", (".html", ".htm"))
    with aside(quiet).status("writing the report"):
        write_run_page(target, made)
    return made, target


def run_document(made: Run) -> dict[str, Any]:
    """What a run found, as plain data: the verdict, the numbers that matter, where everything is."""
    told = verdict(made)
    return {
        "mission": made.mission.name,
        "state": told["state"],
        "verdict": told["sentence"],
        "numbers": [
            {
                "about": each.about,
                "value": f"{each.value} {each.unit}".strip(),
                "more": each.more,
                "relative_half_width": each.relative_half_width,
                "total_mass_kg": each.total_mass_kg,
                "condition_number": each.condition_number,
                "ratio": each.ratio,
            }
            for each in told["headlines"]
        ],
        "warnings": list(told["warnings"]),
        "notes": list(made.manifest.notes),
        "seconds": {step.name: step.seconds for step in made.steps},
        "directory": str(made.directory),
        "report": str(made.report),
    }


def show_run(document: dict[str, Any]) -> None:
    """The same for people."""
    out, colour = console(), _COLOURS[document["state"]]
    out.print(f" [bold {colour}]{document['state'].upper()}[/]  {escape(document['verdict'])}", soft_wrap=True)
    for each in document["numbers"]:
        line = f"   {each['about']:<18} [bold]{escape(each['value']):<12}[/] [dim]{escape(each['more'])}[/]"
        out.print(line, soft_wrap=True)
    for sentence in document["warnings"]:
        out.print(f" [yellow]![/] {escape(sentence)}", soft_wrap=True)
    out.print(f" everything  {escape(document['directory'])}", soft_wrap=True)
    out.print(f" report      {escape(document['report'])}", soft_wrap=True)


class _Progress:
    """Told by a run how far it is; says it on standard error, a line for each step. quiet: says nothing."""

    def __init__(self, mission: Mission, quiet: bool, designs: bool) -> None:
        self.quiet, self.console = quiet, aside(quiet)
        self.design = DesignProgress(plan_of(mission), quiet) if designs else None
        self.status = self.console.status("")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _stop(self) -> None:
        if self.design is not None:
            self.design.bar.stop()
        self.status.stop()

    def told(self, standing: RunStanding) -> None:
        """A step began, goes on, or ended."""
        if self.quiet:
            return
        words = _WORDS[standing.step]
        if standing.design is not None and self.design is not None:
            self.design.told(standing.design)
        elif standing.seconds is not None:
            self._stop()
            said = f"   {standing.said}" if standing.said else ""
            self.console.print(f" [green]✓[/] {words:<50}{standing.seconds:6.1f} s[dim]{said}[/]", soft_wrap=True)
        elif standing.step == "design" and self.design is not None:
            self.console.print(f"   {words}", style="dim")
            self.design.bar.start()
        else:
            self.status = self.console.status(words)
            self.status.start()
