"""`freefloat campaign`: a mission flown and identified many times."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from freefloat.cli.ending import ExitCode
from freefloat.cli.options import AsJson, MissionFile, OtherMotion, Page, Quiet, Workers, complete_methods, split_commas
from freefloat.errors import is_interrupt


class CadOption(StrEnum):
    """The robot that estimators are given."""

    drawn = "drawn"
    exact = "exact"


def campaign(
    mission: MissionFile,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="The directory of the campaign; what it holds is not done again."),
    ],
    runs: Annotated[int, typer.Option(help="How many, at every setting.", min=1)] = 100,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            help="Methods on the same data, the mission's unless given; repeat or use commas.",
            autocompletion=complete_methods,
        ),
    ] = None,
    sweep: Annotated[
        list[str] | None,
        typer.Option(help="key=FROM:TO:COUNT, or with :log after it: what is varied, as in `freefloat sweep`; repeat."),
    ] = None,
    trajectory: OtherMotion = None,
    seed: Annotated[int, typer.Option(help="Of noise, CAD models, and a random motion.", min=0)] = 0,
    workers: Workers = None,
    cluster: Annotated[
        str | None, typer.Option(help="A Dask scheduler, tcp://..., whose workers are used instead.")
    ] = None,
    chunk: Annotated[int, typer.Option(help="Runs of a part of the table.", min=1)] = 25,
    cad: Annotated[
        CadOption, typer.Option(help="The robot that estimators are given: drawn as the prior says, or the true one.")
    ] = CadOption.drawn,
    plot: Page = None,
    everything: Annotated[bool, typer.Option("--all", help="Show all clusters.")] = False,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Simulate and identify a mission many times: errors, spread, and whether intervals hold the truth.

    In: a mission. Out: a directory of runs, and tables. Ended at any instant, the same command goes on from there;
    with more --runs it makes the campaign longer. Exit code 1 if a method failed in all runs of a setting.
    """
    try:
        from freefloat.campaign.pictures import pictures
        from freefloat.campaign.running import run_campaign
        from freefloat.cli.console import print_result
        from freefloat.cli.outputs import files_of, refuse_output
        from freefloat.cli.progress.campaign import CampaignProgress
        from freefloat.cli.ranges import ranges_of
        from freefloat.cli.show.campaign import campaign_document, show_campaign
        from freefloat.excitation.excitation_file import load_motion
        from freefloat.mission.mission_file import load_mission
        from freefloat.report.campaign_page import write_campaign_page

        loaded = load_mission(mission)
        if plot is not None:
            refuse_output(plot, files_of(loaded), "pages", (".html",))  # before the work, not after it
        motion = None if trajectory is None else load_motion(trajectory, loaded.robot)
        with CampaignProgress(loaded.name, quiet) as progress:
            found = run_campaign(
                loaded,
                runs,
                split_commas(methods),
                directory=output,
                sweep=ranges_of(sweep or []),
                motion=motion,
                seed=seed,
                workers=workers,
                cluster=cluster,
                chunk=chunk,
                cad=cad.value,
                watch=progress.update,
            )
        summary = found.summary()
        if plot is not None and found.runs:
            write_campaign_page(plot, pictures(summary), loaded.name)
    except (KeyboardInterrupt, SystemError) as error:
        if not is_interrupt(error):
            raise
        typer.echo("interrupted; what is finished is kept, and the same command goes on from there", err=True)
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    wanted = runs * len(found.manifest.settings)
    if found.runs > wanted and not quiet:
        typer.echo(
            f"{output} holds {found.runs} runs, more than the {wanted} asked for; the summary is of all", err=True
        )

    def show() -> None:
        if found.runs:
            show_campaign(found, summary, everything)
            if plot is not None:
                typer.echo(f"wrote {plot}")

    print_result(json, quiet, lambda: campaign_document(found, summary), show)
    if found.interrupted:
        typer.echo(
            f"interrupted: {found.runs} of {wanted} runs are finished; the same command goes on from there", err=True
        )
        raise typer.Exit(ExitCode.INTERRUPTED)
    if any(set(method.outcomes) <= {"failed", "error"} for setting in summary.settings for method in setting.methods):
        raise typer.Exit(ExitCode.BAD_RESULT)
