"""`freefloat mass`: the total mass, from an estimate or from a thruster's pulse."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from freefloat.cli.options import AsJson, Quiet

if TYPE_CHECKING:
    from freefloat.estimate.estimate_parts import Quantity


def mass(
    estimate: Annotated[Path | None, typer.Argument(help="An estimate file.", show_default=False)] = None,
    ratio: Annotated[
        str | None,
        typer.Option(help="Of two steps: from this product of first moments alone, as published.", show_default=False),
    ] = None,
    force_N: Annotated[
        str | None,
        typer.Option("--force-N", help="Of a pulse: along the thruster, or x,y,z [N].", show_default=False),
    ] = None,
    duration_s: Annotated[
        float | None, typer.Option("--duration-s", help="Of the pulse, in s.", show_default=False)
    ] = None,
    velocity_change_m_s: Annotated[
        str | None,
        typer.Option("--velocity-change-m-s", help="By the pulse, in the force's axes, in m/s.", show_default=False),
    ] = None,
    force_sd_N: Annotated[float, typer.Option("--force-sd-N", help="Standard deviation of each component.")] = 0.0,
    duration_sd_s: Annotated[float, typer.Option("--duration-sd-s", help="Standard deviation.")] = 0.0,
    velocity_sd_m_s: Annotated[
        float, typer.Option("--velocity-sd-m-s", help="Standard deviation of each component.")
    ] = 0.0,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Tell the total mass, with its interval.

    In: an estimate file; or force, duration and change of velocity of a pulse with the joints locked. Out: one number.
    """
    from freefloat.cli.console import print_result
    from freefloat.cli.ranges import numbers_of
    from freefloat.estimate.estimate import load_estimate
    from freefloat.estimate.total_mass import mass_from_pulse, mass_from_ratio, mass_of

    pulse = (force_N, duration_s, velocity_change_m_s)
    if (estimate is None) == (pulse == (None, None, None)):
        raise typer.BadParameter("allowed: an estimate file, or a pulse with --force-N; one of the two")
    if estimate is not None and (force_sd_N, duration_sd_s, velocity_sd_m_s) != (0.0, 0.0, 0.0):
        raise typer.BadParameter(
            "standard deviations are of a pulse, and an estimate is given; allowed: one of the two"
        )
    if estimate is None and ratio is not None:
        raise typer.BadParameter("--ratio is of an estimate, and a pulse is given; allowed: one of the two")
    if estimate is not None:
        found = load_estimate(estimate)
        answer = mass_of(found) if ratio is None else mass_from_ratio(found, ratio)
    elif force_N is None or duration_s is None or velocity_change_m_s is None:
        raise typer.BadParameter("a pulse needs --force-N, --duration-s and --velocity-change-m-s")
    else:
        force, change = numbers_of("--force-N", force_N), numbers_of("--velocity-change-m-s", velocity_change_m_s)
        answer = mass_from_pulse(force, duration_s, change, force_sd_N, duration_sd_s, velocity_sd_m_s)
    print_result(json, quiet, lambda: _document(answer), lambda: typer.echo(_line(answer)))


def _document(found: Quantity) -> dict[str, object]:
    from freefloat.exact_json import finite_or_none

    return {"name": found.name, "value": found.value, "sd": finite_or_none(found.sd), "unit": found.unit}


def _line(found: Quantity) -> str:
    from freefloat.estimate.uncertain import HALF
    from freefloat.report.words import with_interval

    if not found.sd:
        return f"{found.name} {found.value:.4g} {found.unit}, without an interval: no standard deviation is given"
    value, interval = with_interval(found.value, HALF * found.sd)
    if math.isnan(found.sd):
        return f"{found.name} {value} {found.unit}, no interval: the estimate states none"
    return f"{found.name} {value} {interval} {found.unit}"
