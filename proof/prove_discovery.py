"""Whether what swings is found although the robot file has it fixed, on flights of the demo's servicer by MuJoCo."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from benchmarks.commit import ROOT
from proof import proving

sys.path.insert(0, str(ROOT / "tests"))

from strangers import hidden_panels
from strangers.trying_panels import AXIS_DEG, DURATION_S, LEAST, NEAR, TriedPanels, tried

FOUND = 0.9  # part of the flights whose panels must be found


def with_panels(flown: Sequence[TriedPanels], panels: int | None = None) -> list[TriedPanels]:
    """Flights with so many panels, or with any."""
    return [each for each in flown if (len(each.lines) == panels if panels is not None else each.lines)]


def broken(flown: Sequence[TriedPanels]) -> tuple[str, ...]:
    """What is promised of these flights and does not hold, a sentence each."""
    swinging, rigid, said = with_panels(flown), with_panels(flown, 0), []
    right = sum(each.right for each in swinging)
    if right < FOUND * len(swinging):
        said.append(f"{right} of {len(swinging)} flights with panels are found as they are")
    claimed = sum(each.claimed for each in rigid)
    if claimed:
        said.append(f"{claimed} of {len(rigid)} rigid flights are said to swing")
    return tuple(said)


def page(flown: Sequence[TriedPanels]) -> str:
    """The tables, in Markdown."""
    faults, rigid = broken(flown), with_panels(flown, 0)
    off = [pair for each in flown for pair in each.off]
    near, axes = np.array([abs(pair[0]) for pair in off]), np.array([pair[1] for pair in off])
    slow, fast = hidden_panels.SLOWEST_HZ, hidden_panels.FASTEST_HZ
    low, high = (100.0 * part for part in hidden_panels.DAMPING)
    light, heavy = (100.0 * part for part in hidden_panels.INERTIA)
    lines = [
        "# Is what swings found?",
        "",
        f"{len(flown)} flights of the demo's servicer by MuJoCo, {DURATION_S:g} s each, with one panel, two, or none: "
        "on hinges with any axis,",
        f"{slow:g} to {fast:g} Hz and {low:g} to {high:g} % of critical damping with the base held, {light:g} to "
        f"{heavy:g} % of the base's inertia about the hinge. The robot file has",
        "them fixed, and its masses are off as its prior says. Of a line that the gyro shows with "
        f"$2 \\Delta \\ln L \\ge {LEAST:g}$ and that is",
        "more than $2/T$ from the other, `identify` with `seeks_swings` has to find number, frequency within "
        f"{100 * NEAR:g} % and axis within {AXIS_DEG:g}°,",
        f"in {100 * FOUND:g} % of the flights; of rigid flights nothing is to be claimed.",
        "",
        "| flights | right | 95 % interval | number | frequency and axis, where the number is right |",
        "| --- | --- | --- | --- | --- |",
        *(_row(f"{count} panel{'s' * (count > 1)}", with_panels(flown, count)) for count in (1, 2)),
        _row("all with panels", with_panels(flown)),
        "",
        f"Where the number is right: frequencies off by {100 * np.median(near):.2g} % in the middle, "
        f"{100 * np.quantile(near, 0.95):.2g} % at the 95 % quantile; axes by {np.median(axes):.2g}° and "
        f"{np.quantile(axes, 0.95):.2g}°."
        if off
        else "No number is right.",
        "",
        f"Of {len(rigid)} rigid flights {sum(each.claimed for each in rigid)} are said to swing.",
        "",
        f"Median time of `identify`: {np.median([each.seconds for each in flown]):.0f} s.",
        "",
        "## What does not hold" if faults else "All of it holds.",
        "",
        *(f"- {fault}" for fault in faults),
        *([""] if faults else []),
        "## Flights that are not right",
        "",
        "| seed | lines, Hz | 2 dlnL | found, Hz | axes off, degrees | a rigid fit leaves, over noise |",
        "| --- | --- | --- | --- | --- | --- |",
        *(_missed(each) for each in flown if (not each.right if each.lines else each.claimed)),
        "",
    ]
    return "\n".join(lines)


def _row(name: str, flights: Sequence[TriedPanels]) -> str:
    if not flights:
        return f"| {name} | none | | | |"
    right, counted = sum(each.right for each in flights), [each for each in flights if each.counted]
    low, high = (100.0 * part for part in proving.share_interval(right, len(flights)))
    interval = f"{low:.0f} to {high:.0f} %"
    return f"| {name} | {right} of {len(flights)} | {interval} | {len(counted)} | {right} of {len(counted)} |"


def _missed(each: TriedPanels) -> str:
    lines, found = (", ".join(f"{one.frequency_Hz:.4g}" for one in ones) for ones in (each.lines, each.found))
    worth, axes = ", ".join(f"{one:.2g}" for one in each.worth), ", ".join(f"{one[1]:.1f}" for one in each.off)
    cells = each.seed, lines or "none", worth or "–", found or "none", axes or "–", f"{each.ratio:.3g}"
    return "| " + " | ".join(map(str, cells)) + " |"


if __name__ == "__main__":
    sys.exit(proving.run("discovery", __doc__ or "", tried, page, flights=100, workers=2, broken=broken))
