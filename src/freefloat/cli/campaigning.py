"""Campaigns from the command line: what is asked for, how far it is, the page."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from freefloat.campaign.campaign import Campaign
from freefloat.campaign.manifest import CadChoice
from freefloat.campaign.pictures import pictures
from freefloat.campaign.running import Standing, run_campaign
from freefloat.campaign.summary import CampaignSummary
from freefloat.cli.live_bar import LiveBar, aside
from freefloat.cli.outputs import files_of, refuse_output
from freefloat.cli.sweeping import ranges_of
from freefloat.excitation.excitation_file import load_motion
from freefloat.mission.mission_file import load_mission
from freefloat.report.campaign_page import write_campaign_page

_PERIOD_S = 600.0  # over which the speed is taken: parts come in bursts


def campaign_mission(
    path: Path,
    output: Path,
    runs: int,
    methods: Sequence[str],
    over: Sequence[str],
    motion: Path | None,
    seed: int,
    workers: int | None,
    cluster: str | None,
    chunk: int,
    cad: CadChoice,
    plot: Path | None,
    quiet: bool,
) -> tuple[Campaign, CampaignSummary]:
    """Run what is missing, and draw the page. An interrupt ends the campaign, not the command."""
    mission = load_mission(path)
    if plot is not None:
        refuse_output(plot, files_of(mission), "pages", (".html",))  # before the work, not after it
    trajectory = None if motion is None else load_motion(motion, mission.robot)
    with CampaignProgress(mission.name, quiet) as progress:
        found = run_campaign(
            mission,
            runs,
            methods,
            directory=output,
            sweep=ranges_of(over),
            motion=trajectory,
            seed=seed,
            workers=workers,
            cluster=cluster,
            chunk=chunk,
            cad=cad,
            watch=progress.told,
        )
    summary = found.summary()
    if plot is not None and found.runs:
        write_campaign_page(plot, pictures(summary), mission.name)
    return found, summary


class CampaignProgress(LiveBar):
    """Told by a campaign how far it is (`told`); shows runs, their rate and the time that is left on standard error.

    Where that is no terminal, it is a line before the first run and one for every tenth of them.
    """

    def __init__(self, name: str, quiet: bool) -> None:
        console = aside(quiet)
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

    def told(self, standing: Standing) -> None:
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
