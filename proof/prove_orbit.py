"""Whether intervals hold the truth of servicers that MuJoCo flew in a low orbit, and what the orbit costs in time."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.commit import ROOT
from proof import proving

sys.path.insert(0, str(ROOT / "tests"))

from strangers.trying_orbits import TORQUE_NM, Orbited, orbited

SHORT_S, LONG_S = 60.0, 600.0
EVERY = 10  # so many seeds, the last also flies long, and both motions in free space
CONFIDENCE, NOMINAL = 0.99, 0.95
FEWEST = 5  # flights by which a promise is judged: fewer have hardly a spread
SLOWEST = 1.5  # times as long as in free space with unknown momentum


@dataclass(frozen=True)
class Flown:
    """What one seed shows: a flight of a minute, and of some one of ten."""

    tried: tuple[Orbited, ...]


@dataclass(frozen=True)
class Shown:
    """Coverage of 95 % intervals over flights of one duration.

    coverage: mean over flights of the part that holds the truth, and the interval of it. root: of the mean square of
    error over standard deviation. intervals: how many there are.
    """

    name: str
    flights: int
    intervals: int
    coverage: tuple[float, float, float]
    root: float


def fly(seed: int) -> Flown:
    """A flight of a minute; of every tenth seed also one of ten, and both in free space."""
    last = seed % EVERY == EVERY - 1
    return Flown(tuple(orbited(seed, duration_s, last) for duration_s in ((SHORT_S, LONG_S) if last else (SHORT_S,))))


def of_duration(flown: Sequence[Flown], duration_s: float) -> list[Orbited]:
    """Flights of so many seconds."""
    return [tried for each in flown for tried in each.tried if tried.duration_s == duration_s]


def shown(tries: Sequence[Orbited], duration_s: float, informed: bool) -> Shown:
    """Of all clusters, or of those that do not rest on the prior; flights without an interval left out."""
    errors = [each.errors[each.informed] if informed else each.errors for each in tries]
    held = np.array([each.coverage(informed) for each in tries])
    some = [own for own in errors if own.size]
    name = f"{duration_s:g} s, {'clusters that the data show' if informed else 'all clusters'}"
    if not some:
        return Shown(name, 0, 0, (0.0, 0.0, 0.0), 0.0)
    interval = proving.mean_interval(held[[own.size > 0 for own in errors]], CONFIDENCE)
    root = float(np.sqrt(np.mean([np.mean(own**2) for own in some])))
    return Shown(name, len(some), sum(own.size for own in some), interval, root)


def rows_of(flown: Sequence[Flown]) -> tuple[Shown, ...]:
    """A line for each duration, all clusters and those that the data show."""
    by_duration = [(duration_s, of_duration(flown, duration_s)) for duration_s in (SHORT_S, LONG_S)]
    return tuple(
        shown(tries, duration_s, informed) for duration_s, tries in by_duration if tries for informed in (False, True)
    )


def slower(tries: Sequence[Orbited]) -> float:
    """Median of the time in orbit over that in free space, of flights that were flown in both."""
    return float(np.median([each.seconds / each.free_seconds for each in tries]))


def broken(flown: Sequence[Flown]) -> tuple[str, ...]:
    """What is promised of these flights and does not hold, a sentence each."""
    said = []
    for row in rows_of(flown):
        if row.flights >= FEWEST and row.coverage[2] < NOMINAL:
            said.append("coverage, {}: {:.3f}, {:.3f} to {:.3f}".format(row.name, *row.coverage))
    refused = sum(tried.outcome == "refused" for each in flown for tried in each.tried)
    if refused:
        said.append(f"{refused} flights were refused")
    for duration_s in (SHORT_S, LONG_S):
        tries = [each for each in of_duration(flown, duration_s) if np.isfinite(each.free_seconds)]
        if len(tries) >= FEWEST and slower(tries) > SLOWEST:
            said.append(f"flights of {duration_s:g} s take longer than {SLOWEST:g} times those in free space")
    return tuple(said)


def page(flown: Sequence[Flown]) -> str:
    """The tables, in Markdown."""
    faults, tries = broken(flown), [tried for each in flown for tried in each.tried]
    long = of_duration(flown, LONG_S)
    outcomes = Counter(each.outcome for each in tries)
    lines = [
        "# Do intervals hold the truth in orbit?",
        "",
        f"{len(flown)} flights of {SHORT_S:g} s and {len(long)} of {LONG_S:g} s of the servicer of `freefloat new`, "
        "drawn from its mission's prior and",
        "built as joints are off, at 500 km. MuJoCo flies it by a generator that shares no code with freefloat "
        "(`tests/strangers/orbits.py`): gravity",
        "acts on every body as that of a round Earth, less that of a companion on the orbit, and a magnet in the base "
        f"of about {TORQUE_NM:g} N m",
        "turns it in a field that itself goes round twice an orbit. Encoders, gyro and star tracker have clocks of "
        "their own, momentum is",
        "unknown. The mission says `orbit` with the direction to the planet, and nothing of torques: those that are "
        "estimated along are",
        "[as usual](../estimation.md#nuisances) in an orbit.",
        "",
        "The flight is the unit of evidence: clusters of one are correlated. Intervals are found by drawing flights "
        "again with",
        f"replacement ({proving.RESAMPLED:,} times). Promised: the {100 * CONFIDENCE:g} % interval of the coverage "
        f"does not lie below {100 * NOMINAL:g} %, and an",
        f"orbit takes at most {SLOWEST:g} times as long as the same motion in free space with unknown momentum,",
        f"judged by {FEWEST} flights or more. Bodies that could not exist are",
        "drawn again, which leaves robots nearer to the CAD model than the prior says: where the data say little, "
        "intervals hold more often.",
        "",
        f"| what | flights | intervals | 95 % intervals that hold the truth | {100 * CONFIDENCE:g} % interval of that "
        "| root of the mean normalised squared error |",
        "| --- | --- | --- | --- | --- | --- |",
        *map(_row, rows_of(flown)),
        "",
        "Outcomes: " + ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())) + ". "
        f"The vertical moved in base axes by {min(each.turned_deg for each in tries):.0f}° to "
        f"{max(each.turned_deg for each in tries):.0f}°.",
        "",
        *(_times(of_duration(flown, duration_s), duration_s) for duration_s in (SHORT_S, LONG_S)),
        "",
        "## What does not hold" if faults else "All of it holds.",
        "",
        *(f"- {fault}" for fault in faults),
        *([""] if faults else []),
    ]
    return "\n".join(lines)


def _row(row: Shown) -> str:
    mean, low, high = (100.0 * part for part in row.coverage)
    return (
        f"| {row.name} | {row.flights} | {row.intervals} | {mean:.1f} % | {low:.1f} to {high:.1f} % | {row.root:.2f} |"
    )


def _times(tries: Sequence[Orbited], duration_s: float) -> str:
    """Of flights that were also flown in free space."""
    both = [each for each in tries if np.isfinite(each.free_seconds)]
    if not both:
        return f"No flight of {duration_s:g} s was also flown in free space."
    orbit, free = (np.median([getattr(each, name) for each in both]) for name in ("seconds", "free_seconds"))
    return (
        f"Median time of `identify` of {len(both)} flights of {duration_s:g} s, on one core: {orbit:.0f} s in orbit, "
        f"{free:.0f} s in free space; median ratio {slower(both):.2f}."
    )


if __name__ == "__main__":
    sys.exit(proving.run("orbit", __doc__ or "", fly, page, flights=300, workers=2, broken=broken))
