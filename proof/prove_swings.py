"""Whether panels and a tank that swing are found, on flights that MuJoCo flew, and what a rigid fit makes of them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.commit import ROOT
from proof import proving

sys.path.insert(0, str(ROOT / "tests"))

from strangers.swinging import DAMPING_RATIOS, FARTHEST, FREQUENCY_SPREAD, SYSTEMS
from strangers.trying import HALF
from strangers.trying_swings import BAD, DURATION_S, Fitted, Swung, swung

CONFIDENCE, NOMINAL = 0.99, 0.95
OVER_BOUND = 1.15
FREQUENCY, DAMPING = 0.005, 0.2  # relative errors
THIRD = 3.0  # how many times less than that a bound has to be
WITHIN = 0.98  # of modes with such a bound
LOCKED = 2.5  # times the error of the total inertia with all locked
TIMES = 4.0  # the rigid fit's time on the flight with all locked
RUNS = 100

Flown = tuple[Swung, ...]


@dataclass(frozen=True)
class Modes:
    """Modes whose bound is a third of an error or less. count: of these, of so many. within: how many are within it.

    root: of the mean square of errors, over themselves; over: the same over their bounds.
    """

    count: int
    of: int
    within: int
    root: float
    over: float


def fly(seed: int) -> Flown:
    """One flight of each robot, swinging and locked."""
    return tuple(swung(system, seed) for system in SYSTEMS)


def of_system(flown: Sequence[Flown], system: str) -> list[Swung]:
    """Flights of one robot."""
    return [each for of_seed in flown for each in of_seed if each.system == system]


def root(parts: Sequence[np.ndarray]) -> float:
    """Of the mean over flights of each one's mean square; infinite without any."""
    squares = [np.mean(part**2) for part in parts if part.size]
    return float(np.sqrt(np.mean(squares))) if squares else np.inf


def coverage(parts: Sequence[np.ndarray]) -> tuple[float, float, float]:
    """Mean over flights of the part of 95 % intervals that hold the truth, and the interval of that."""
    held = [float((np.abs(part) <= HALF).mean()) for part in parts if part.size]
    return proving.mean_interval(np.array(held), CONFIDENCE) if held else (0.0, 0.0, 0.0)


def modes(pairs: Sequence[np.ndarray], error: float) -> Modes:
    """Of errors of modes with their bounds, (2, modes) each flight."""
    off, bound = np.hstack([pair for pair in pairs if pair.size] or [np.zeros((2, 0))])
    sharp = bound <= error / THIRD
    if not sharp.any():
        return Modes(0, sharp.size, 0, np.inf, np.inf)
    off, bound = off[sharp], bound[sharp]
    within = int((np.abs(off) <= error).sum())
    return Modes(
        off.size, sharp.size, within, float(np.sqrt(np.mean(off**2))), float(np.sqrt(np.mean((off / bound) ** 2)))
    )


def inertia(fits: Sequence[Fitted]) -> float:
    """Root mean square error of the total inertia over its size; infinite without any."""
    off = np.array([fit.inertia for fit in fits])
    off = off[np.isfinite(off)]
    return float(np.sqrt(np.mean(off**2))) if off.size else np.inf


def seconds(fits: Sequence[Fitted]) -> float:
    """Median."""
    return float(np.median([fit.seconds for fit in fits]))


KINDS: dict[str, Callable[[Swung], np.ndarray]] = {
    "clusters": lambda each: each.flexible.errors,
    "clusters that the data show": lambda each: each.flexible.errors[each.flexible.informed],
    "stiffness and damping": lambda each: each.springs.ravel(),
}


def broken(flown: Sequence[Flown]) -> tuple[str, ...]:
    """What is promised of these flights and does not hold, a sentence each."""
    return tuple(f"{system}: {fault}" for system in SYSTEMS for fault in _faults(of_system(flown, system)))


def _faults(flights: Sequence[Swung]) -> list[str]:
    said = []
    if not (over := root([each.over_bound for each in flights])) <= OVER_BOUND:
        said.append(f"errors are {over:.2f} times the bound")
    for kind, errors in KINDS.items():
        mean, low, high = coverage([errors(each) for each in flights])
        if not low <= NOMINAL <= high:
            said.append(f"coverage of {kind} is {mean:.3f}, {low:.3f} to {high:.3f}")
    for what, error, pairs in _modes(flights):
        found = modes(pairs, error)
        if found.count and found.within < WITHIN * found.count:
            said.append(f"{found.within} of {found.count} {what} are within {_percent(error)}")
    flexible, locked = (inertia([getattr(each, fit) for each in flights]) for fit in ("flexible", "locked"))
    if not flexible <= LOCKED * locked:
        said.append(f"the total inertia's error is {flexible / locked:.2f} times that with all locked")
    times = seconds([each.flexible for each in flights]) / seconds([each.locked for each in flights])
    if not times <= TIMES:
        said.append(f"`identify` takes more than {TIMES:g} times as long as of a rigid robot")
    failed = sum(each.flexible.outcome in BAD for each in flights)
    if failed:
        said.append(f"{failed} of {len(flights)} failed")
    return said


def _modes(flights: Sequence[Swung]) -> tuple[tuple[str, float, list[np.ndarray]], ...]:
    return (
        ("frequencies", FREQUENCY, [each.frequencies for each in flights]),
        ("damping ratios", DAMPING, [each.dampings for each in flights]),
    )


def page(flown: Sequence[Flown]) -> str:
    """The tables, in Markdown."""
    faults = broken(flown)
    low, high = DAMPING_RATIOS
    lines = [
        "# Are panels and fuel that swing found?",
        "",
        f"{len(flown)} flights of the demo's servicer with two panels (0.3 and 0.7 Hz in its file), and as many with a "
        "tank (0.15 Hz), its wheels",
        f"standing still: {DURATION_S:g} s of random motion, flown by MuJoCo with springs, read by gyro and encoders "
        "with clocks, gaps and jitter",
        "of their own (`tests/strangers/swinging.py`, which shares no code with freefloat). Every other flight begins "
        "with what swings at rest,",
        "which the mission does not say. Robots are drawn from what their missions say: masses and centres "
        f"{_percent(SYSTEMS['panels'].robot.prior.mass)}, inertias",
        f"{_percent(SYSTEMS['panels'].robot.prior.inertia)} off (one standard deviation; the tank's point only in its "
        f"mass), natural frequencies {_percent(FREQUENCY_SPREAD)} (at most {_percent(FARTHEST * FREQUENCY_SPREAD)}),",
        f"damping ratios {_percent(low)} to {_percent(high)} where files have 1 %, joints and axes a little elsewhere "
        "than files have them. Beside them the same",
        "flights with all hinges locked, and a robot file that takes them to be fixed.",
        "",
        "*Errors over the bound*: of all clusters, over the flexible Cramér-Rao bound at the truth, prior included; "
        "root of the mean over flights",
        "of each one's mean square. Intervals of coverage are found by drawing flights again with replacement. "
        "*Frequencies* and *damping ratios*",
        "are those of the system's modes, the arm at zero, counted where the bound is a third of the error or less. "
        "*Total inertia*: of",
        "the whole robot about its centre of mass, Frobenius norm of the error over its size, root mean square over "
        "flights. Times are those of",
        "the processor, medians.",
        "",
        f"Promised: errors at most {OVER_BOUND:g} times the bound; {_percent(NOMINAL)} in the {_percent(CONFIDENCE)} "
        f"interval of coverage; {_percent(WITHIN)} of such frequencies within {_percent(FREQUENCY)}, of such",
        f"damping ratios within {_percent(DAMPING)}; total inertia at most {LOCKED:g} times the error with all locked; "
        f"at most {TIMES:g} times the time of the rigid fit; none",
        "failed.",
        "",
    ]
    for system in SYSTEMS:
        lines += _section(system, of_system(flown, system))
    lines += ["## What does not hold" if faults else "All of it holds.", ""]
    lines += [f"- {fault}" for fault in faults] + ([""] if faults else [])
    return "\n".join(lines)


def _section(system: str, flights: Sequence[Swung]) -> list[str]:
    """Tables of one robot."""
    kinds = [(kind, [errors(each) for each in flights]) for kind, errors in KINDS.items()]
    shown = [(what, error, modes(pairs, error)) for what, error, pairs in _modes(flights)]
    fits = [("knows what swings", "flexible"), ("rigid file, swinging", "rigid"), ("rigid file, all locked", "locked")]
    return [
        f"## {SYSTEMS[system].robot.name.capitalize()}",
        "",
        f"Errors over the bound: {root([each.over_bound for each in flights]):.2f}.",
        "",
        "| what | intervals | 95 % intervals that hold the truth | 99 % interval of that | root of the mean normalised "
        "squared error |",
        "| --- | --- | --- | --- | --- |",
        *(_coverage_row(kind, errors) for kind, errors in kinds),
        "",
        "| modes' | with such a bound | within | root mean square error | over the bound |",
        "| --- | --- | --- | --- | --- |",
        *(_mode_row(what, error, found) for what, error, found in shown),
        "",
        "| fit | total inertia's error | clusters' intervals that hold | residual over noise | outcomes |",
        "| --- | --- | --- | --- | --- |",
        *(_fit_row(what, [getattr(each, fit) for each in flights]) for what, fit in fits),
        "",
        "Median time of `identify`: "
        + ", ".join(f"{seconds([getattr(each, fit) for each in flights]):.1f} s ({what})" for what, fit in fits)
        + ".",
        "",
    ]


def _coverage_row(kind: str, errors: Sequence[np.ndarray]) -> str:
    mean, low, high = (100.0 * part for part in coverage(errors))
    count = sum(each.size for each in errors)
    return f"| {kind} | {count} | {mean:.1f} % | {low:.1f} to {high:.1f} % | {root(errors):.2f} |"


def _mode_row(what: str, error: float, found: Modes) -> str:
    sizes = f"{100.0 * found.root:.2g} % | {found.over:.2f}" if found.count else "none | none"
    within = f"{found.within} within {_percent(error)}"
    return f"| {what} | {found.count} of {found.of} | {within} | {sizes} |"


def _fit_row(what: str, fits: Sequence[Fitted]) -> str:
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(Counter(f.outcome for f in fits).items()))
    held = 100.0 * np.mean([fit.coverage for fit in fits])
    ratios = [fit.ratio for fit in fits if np.isfinite(fit.ratio)]
    left = f"{np.median(ratios):.3g}" if ratios else "none"
    return f"| {what} | {100.0 * inertia(fits):.2g} % | {held:.0f} % | {left} | {outcomes} |"


def _percent(part: float) -> str:
    return f"{100.0 * part:g} %"


if __name__ == "__main__":
    sys.exit(proving.run("swings", __doc__ or "", fly, page, RUNS, workers=2, broken=broken))
