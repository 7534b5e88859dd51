"""The command line: parse, call, show. Everything it does is a call that Python users can make too.

One file a verb: its options, and what it does with them. Beside them is what verbs share: `options`, what they read
(`recordings`, `ranges`) and write (`outputs`), where they say things (`console`) and how they end (`ending`); `show`
has results for people, `progress` how far a verb is. Verbs import what they need when they are called, so that help
is there at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from freefloat.cli import (
    campaign,
    change,
    data,
    design,
    draw,
    export,
    front,
    identify,
    inspect,
    mass,
    new,
    perturb,
    report,
    reproduce,
    run,
    schema,
    simulate,
    sweep,
    target,
    validate,
)
from freefloat.cli.ending import Verbs, run_to_its_end
from freefloat.cli.examples import examples_of

_EPILOG = """\
First steps:
  freefloat new trial
  freefloat run trial.yaml

Exit codes:
    0  done
    1  the result is bad: an estimate or a validation failed, no motion
       was found, a published figure does not hold
    2  the input is bad: one sentence on standard error says what and where
   70  a fault of freefloat itself
  130  interrupted; a verb that keeps what it has until then says so
"""
_PANELS: dict[str, tuple[Callable[..., None], ...]] = {  # in the order of work
    "Start": (new.new, inspect.inspect, schema.schema, draw.draw),
    "Experiment": (design.design, front.front, sweep.sweep, perturb.perturb, simulate.simulate, data.data),
    "Answer": (
        identify.identify,
        validate.validate,
        export.export,
        mass.mass,
        target.target,
        change.change,
    ),
    "All at once": (run.run, report.report),
    "Many": (campaign.campaign, reproduce.reproduce),
}

app = typer.Typer(
    name="freefloat",
    cls=Verbs,
    help="Weigh robots where nothing has weight: inertial parameters of space robots from motion alone.",
    epilog=_EPILOG,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def _freefloat(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
    traceback: Annotated[
        bool, typer.Option("--traceback", help="Before the verb: show where in freefloat something went wrong.")
    ] = False,
) -> None:
    if version:
        from freefloat import __version__

        typer.echo(f"freefloat {__version__}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


for _panel, _commands in _PANELS.items():
    for _command in _commands:
        app.command(rich_help_panel=_panel, epilog=examples_of(_command.__name__))(_command)


def main() -> None:
    """Run the command line. Whatever cannot be done gets one sentence, and exit codes tell how it ended."""
    sys.exit(run_to_its_end(app, sys.argv[1:]))
