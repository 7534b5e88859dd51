"""How far a campaign is: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from freefloat.campaign.running import CampaignStanding
from freefloat.cli.console import error_console
from freefloat.cli.progress.bars import LiveBar

_PERIOD_S = 600.0  # over which the speed is taken: parts come in bursts


class CampaignProgress(LiveBar):
    """Updated by a campaign as it goes on; shows runs, their rate and the time that is left on standard error.

    Where that is no terminal, it is a line before the first run and one for every tenth of them.
    """

    def __init__(self, name: str, quiet: bool) -> None:
        console = error_console(quiet)
        self.lines, self.tenth = not quiet and not console.is_terminal, -1
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=console,
            disable=quiet or not console.is_terminal,
            transient=True,
            speed_estimate_period=_PERIOD_S,
        )
        self.task = self.bar.add_task(escape(name), total=None, rate="preparing")
        self.began: tuple[float, int] | None = None

    def update(self, standing: CampaignStanding) -> None:
        """A part is finished; the first time, how many were before."""
        if self.began is None:
            self.began = (time.monotonic(), standing.finished)
            self.bar.update(self.task, total=standing.total)
        since, before = self.began
        passed = time.monotonic() - since
        made = standing.finished - before
        rate = f"{made / passed:.3g} runs/s" if made and passed > 0.0 else ""
        self.bar.update(self.task, completed=standing.finished, rate=rate)
        tenth = 10 * standing.finished // standing.total
        if self.lines and tenth > self.tenth:
            self.tenth = tenth
            typer.echo(f"{standing.finished} of {standing.total} runs {rate}".rstrip(), err=True)
