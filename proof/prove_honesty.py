"""Whether intervals hold the truth whatever is said of a robot, however long it flies, however far it is from CAD."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from benchmarks.commit import ROOT
from proof import proving

sys.path.insert(0, str(ROOT / "tests"))

from strangers.trying_spreads import EVERY, TAKING_TURNS, Covered, Told, covered

WORKERS = 2
CONFIDENCE, NOMINAL = 0.99, 0.95
FARTHER = 0.9  # least coverage of what the data tell, where robots are farther from the CAD model than is said
RUNS = 100


def fly(seed: int) -> tuple[Covered, ...]:
    """One flight for everything that may be said."""
    return tuple(covered(told, seed) for told in EVERY)


def coverage(flights: Sequence[Covered], informed_only: bool) -> tuple[float, float, float]:
    """Mean over flights that have intervals, and the interval of it; NaN without any."""
    parts = np.array([flight.coverage(informed_only) for flight in flights])
    parts = parts[np.isfinite(parts)]
    return proving.mean_interval(parts, CONFIDENCE) if parts.size else (np.nan, np.nan, np.nan)


def holds(told: Told, flights: Sequence[Covered]) -> bool:
    """Whether the promise for what is said here holds of these flights."""
    if told.times > 1.0:
        return coverage(flights, informed_only=True)[0] >= FARTHER
    _, low, high = coverage(flights, informed_only=False)
    return low <= NOMINAL <= high


def broken(flights: Sequence[Covered]) -> tuple[str, ...]:
    """What is promised and does not hold, a sentence each."""
    said = []
    for told, these in _by_case(flights).items():
        if not holds(told, these):
            found = coverage(these, informed_only=told.times > 1.0)
            said.append("{}: coverage {:.3f}, {:.3f} to {:.3f}".format(told, *found))
    told_right = [flight for flight in flights if flight.told.times == 1.0]  # else an estimate may well fail
    failed = sum(flight.outcome in ("failed", "refused") for flight in told_right)
    return (*said, *([f"{failed} of {len(told_right)} that were told right failed"] if failed else []))


def flights_of(flown: Sequence[Sequence[Covered]]) -> list[Covered]:
    """Flights of all seeds."""
    return [flight for of_seed in flown for flight in of_seed]


def page(flown: Sequence[Sequence[Covered]]) -> str:
    """The tables, in Markdown."""
    flights = flights_of(flown)
    faults = broken(flights)
    lines = [
        "# Are intervals right whatever is said?",
        "",
        f"{len(flown)} flights for each line, by turns of {', '.join(robot.name for robot in TAKING_TURNS)}, flown by "
        "MuJoCo and measured with clocks,",
        "gaps and jitter of their own (`tests/strangers`). Robots are drawn from the prior of their mission, or twice "
        "as far from the CAD model;",
        "*no prior*: the mission does not say how far the CAD model is trusted. Promised: the 99 % interval of the "
        "mean coverage, found by drawing",
        f"flights again with replacement, holds {100 * NOMINAL:g} %; where robots are farther from the CAD model than "
        f"is said, at least {100 * FARTHER:g} % of",
        "the intervals of what the data tell: of clusters that are not marked as resting on the prior, which is where "
        "it makes more than a quarter of",
        "the variance. And no estimate fails whose mission is right about its robot.",
        "",
        "*open*: clusters without an interval, which count neither way.",
        "",
        "| what is said | 95 % intervals that hold the truth | 99 % interval of that | worst flight | of what data "
        "tell | open | good | failed | holds |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        *(_row(told, these) for told, these in _by_case(flights).items()),
        "",
        "Median time of `identify`: " + ", ".join(_seconds(flights, s) for s in dict.fromkeys(_durations())) + ".",
        "",
        "## What does not hold" if faults else "All of it holds.",
        "",
        *(f"- {fault}" for fault in faults),
        *([""] if faults else []),
    ]
    return "\n".join(lines)


def _by_case(flights: Sequence[Covered]) -> dict[Told, list[Covered]]:
    return {told: [flight for flight in flights if flight.told == told] for told in EVERY}


def _row(told: Told, flights: Sequence[Covered]) -> str:
    mean, low, high = (100.0 * part for part in coverage(flights, informed_only=False))
    told_by_data = 100.0 * coverage(flights, informed_only=True)[0]
    worst = 100.0 * np.nanmin([flight.coverage(False) for flight in flights] or [np.nan])
    clusters = sum(flight.errors.size + flight.open for flight in flights)
    count = f"{sum(flight.open for flight in flights)} of {clusters}"
    good = sum(flight.outcome == "good" for flight in flights)
    failed = sum(flight.outcome in ("failed", "refused") for flight in flights)
    return (
        f"| {told} | {mean:.1f} % | {low:.1f} to {high:.1f} % | {worst:.0f} % | {told_by_data:.1f} % | {count} | "
        f"{good} | {failed} | {'yes' if holds(told, flights) else '**no**'} |"
    )


def _durations() -> list[float]:
    return [told.duration_s for told in EVERY]


def _seconds(flights: Sequence[Covered], duration_s: float) -> str:
    took = [flight.seconds for flight in flights if flight.told.duration_s == duration_s]
    return f"{np.median(took):.1f} s of a flight of {duration_s:g} s"


if __name__ == "__main__":
    sys.exit(
        proving.run("honesty", __doc__ or "", fly, page, RUNS, WORKERS, broken=lambda flown: broken(flights_of(flown)))
    )
