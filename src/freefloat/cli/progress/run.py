"""How far a run is: a line for each step."""

from __future__ import annotations

from contextlib import ExitStack
from types import TracebackType
from typing import Self

from freefloat.cli.console import error_console
from freefloat.cli.progress.design import DesignProgress
from freefloat.cli.progress.fitting import FitProgress
from freefloat.mission.designing import plan_of
from freefloat.mission.mission_file import Mission
from freefloat.runs.run_steps import RunStanding

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


class RunProgress:
    """Updated by a run as it goes on; says it on standard error, a line for each step, and more of one that takes long.

    quiet: says nothing. json: says no lines but of what ended.
    """

    def __init__(self, mission: Mission, quiet: bool, json: bool, designs: bool) -> None:
        self.quiet, self.json, self.console = quiet, json, error_console(quiet)
        self.design = DesignProgress(plan_of(mission), quiet, json) if designs else None
        self.step = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.step.close()

    def update(self, standing: RunStanding) -> None:
        """A step began, goes on, or ended."""
        if self.quiet:
            return
        words = _WORDS[standing.step]
        if standing.design is not None and self.design is not None:
            self.design.update(standing.design)
        elif standing.seconds is not None:
            self.step.close()
            said = f"   {standing.said}" if standing.said else ""
            self.console.print(f" [green]✓[/] {words:<50}{standing.seconds:6.1f} s[dim]{said}[/]", soft_wrap=True)
        elif standing.step == "design" and self.design is not None:
            self.console.print(f"   {words}", style="dim")
            self.step.enter_context(self.design)
        else:
            self.step.enter_context(FitProgress(words, self.quiet, self.json))
