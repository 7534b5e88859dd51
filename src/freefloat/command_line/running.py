"""A run with live progress, and what it found in a few lines."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.markup import escape

from freefloat.command_line.design_progress import DesignProgress
from freefloat.command_line.outputs import refuse_output
from freefloat.command_line.show import console
from freefloat.excitation.find_excitation import SHAKES
from freefloat.mission.designing import plan_of
from freefloat.mission.mission_file import Mission, load_mission
from freefloat.mission.reporting import result_of_run, write_run_report
from freefloat.mission.run_directory import MANIFEST, MISSION, Run, load_run
from freefloat.mission.running import RunStanding, run
from freefloat.report.section_verdict import verdict

_COLOURS = {"pass": "green", "doubtful": "yellow", "fail": "red"}
_WORDS = {
    "design": "designing the motion",
    "simulate": "flying it",
    "identify": "identifying",
    "fly unseen motion": "flying a motion that the estimate has not seen",
    "validate": "predicting it",
    "export": "exporting the identified robot",
    "report": "writing the report",
}


def run_mission(
    path: Path, output: Path | None, starts: int, seed: int, workers: int | None, shakes: int | None, quiet: bool
) -> Run:
    """All of a mission, with progress on standard error. output: named after the mission's file unless given."""
    mission = load_mission(path)
    target = output or Path(f"{path.stem}.run")
    with _Progress(mission, quiet) as progress:
        return run(mission, target, starts, seed, progress.told, workers, SHAKES if shakes is None else shakes)


def report_run(directory: Path, output: Path | None) -> tuple[Run, Path]:
    """Write the page of a run; the file that was written."""
    made = load_run(directory)
    target = output or made.report
    refuse_output(target, [directory / name for name in (MANIFEST, MISSION)], "reports", (".html", ".htm"))
    with Console(stderr=True).status("writing the report"):
        write_run_report(target, made)
    return made, target


def run_document(made: Run) -> dict[str, Any]:
    """What a run found, as plain data: the verdict, the numbers that matter, where everything is."""
    told = verdict(result_of_run(made))
    return {
        "mission": made.mission.name,
        "state": told["state"],
        "verdict": told["sentence"],
        "numbers": [
            {"about": each.about, "value": f"{each.value} {each.unit}".strip(), "more": each.more}
            for each in told["headlines"]
        ],
        "warnings": list(told["warnings"]),
        "seconds": {step.name: step.seconds for step in made.steps},
        "directory": str(made.directory),
        "report": str(made.report),
    }


def show_run(document: dict[str, Any]) -> None:
    """The same for people."""
    out, colour = console(), _COLOURS[document["state"]]
    out.print(f" [bold {colour}]{document['state'].upper()}[/]  {escape(document['verdict'])}", soft_wrap=True)
    for each in document["numbers"]:
        out.print(f"   {each['about']:<18} [bold]{escape(each['value']):<12}[/] [dim]{escape(each['more'])}[/]")
    for sentence in document["warnings"]:
        out.print(f" [yellow]![/] {escape(sentence)}", soft_wrap=True)
    out.print(f" everything  {escape(document['directory'])}", soft_wrap=True)
    out.print(f" report      {escape(document['report'])}", soft_wrap=True)


class _Progress:
    """Told by a run how far it is; says it on standard error, a line for each step. quiet: says nothing."""

    def __init__(self, mission: Mission, quiet: bool) -> None:
        self.quiet, self.console = quiet, Console(stderr=True, highlight=False)
        self.design = DesignProgress(plan_of(mission), quiet)
        self.status = self.console.status("")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.design.bar.stop()
        self.status.stop()

    def told(self, standing: RunStanding) -> None:
        """A step began, goes on, or ended."""
        if self.quiet:
            return
        if standing.design is not None:
            self.design.told(standing.design)
        elif standing.seconds is not None:
            self.__exit__(None, None, None)
            self.console.print(f" [green]✓[/] {_WORDS[standing.step]:<50}{standing.seconds:6.1f} s")
        elif standing.step == "design":
            self.console.print(f"   {_WORDS['design']}", style="dim")
            self.design.bar.start()
        else:
            self.status = self.console.status(_WORDS[standing.step])
            self.status.start()
