"""Whether intervals hold the truth of arms on the ground that MuJoCo moved, friction and rotors included."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.commit import ROOT
from proof import proving

sys.path.insert(0, str(ROOT / "tests"))

from strangers import arms
from strangers.trying import HALF
from strangers.trying_arms import KINDS, TriedArm, Weighed, tried, weighed

ARMS = 20  # of six and seven joints, taking turns: seed k is draw k // 20 of arm k % 20
LOADS = 5  # every fifth recording, a load is weighed as well
CONFIDENCE = 0.99
NOMINAL = 0.95
MOST = 0.98  # coverage of clusters, which may be more than promised where the prior is wider than what is drawn
BAD = ("failed", "refused")


@dataclass(frozen=True)
class Flown:
    """What one seed shows: a recording, and of some arms a load."""

    tried: TriedArm
    weighed: Weighed | None


@dataclass(frozen=True)
class Shown:
    """Coverage of 95 % intervals of one thing.

    coverage: mean over recordings of the part that holds the truth, and the interval of it. recordings, intervals: how
    many there are. root: of the mean square of error over standard deviation.
    """

    name: str
    recordings: int
    intervals: int
    coverage: tuple[float, float, float]
    root: float


def shown(name: str, errors: Sequence[np.ndarray]) -> Shown:
    """Errors over their standard deviations of each recording, summed up; recordings without an interval left out."""
    some = [each for each in errors if each.size]
    if not some:
        return Shown(name, 0, 0, (0.0, 0.0, 0.0), np.inf)
    held = np.array([(np.abs(each) <= HALF).mean() for each in some])
    squares = [np.mean(each**2) for each in some]
    count = sum(each.size for each in some)
    interval = proving.mean_interval(held, CONFIDENCE)
    return Shown(name, len(some), count, interval, float(np.sqrt(np.mean(squares))))


def by_kind(flown: Sequence[Flown]) -> tuple[Shown, ...]:
    """Clusters, those of them that do not rest on the prior, and what drives have, a line each."""
    tries = [each.tried for each in flown]
    return (
        shown("clusters", [each.errors for each in tries]),
        shown("clusters that the data show", [each.errors[~each.rested] for each in tries]),
        *(shown(kind, [each.drives.get(kind, np.zeros(0)) for each in tries]) for kind in KINDS),
    )


def by_arm(flown: Sequence[Flown]) -> dict[str, list[TriedArm]]:
    """Recordings by arm, in the order of seeds."""
    found = dict[str, list[TriedArm]]()
    for each in flown:
        found.setdefault(each.tried.arm, []).append(each.tried)
    return found


def loads_of(flown: Sequence[Flown]) -> list[Weighed]:
    """Loads that were weighed."""
    return [each.weighed for each in flown if each.weighed is not None]


def broken(flown: Sequence[Flown]) -> tuple[str, ...]:
    """What is promised of these recordings and does not hold, a sentence each."""
    said = []
    for kind in by_kind(flown):
        mean, low, high = kind.coverage
        as_promised = low <= NOMINAL <= high if kind.name in KINDS else mean <= MOST and high >= NOMINAL
        if not kind.intervals:
            said.append(f"no interval of {kind.name}")
        elif not as_promised:
            said.append("coverage of {} is {:.3f}, {:.3f} to {:.3f}".format(kind.name, *kind.coverage))
    loads = loads_of(flown)
    held = sum(load.holds for load in loads)
    if loads and proving.share_interval(held, len(loads))[1] < NOMINAL:
        said.append(f"{held} of {len(loads)} loads are within their interval")
    failed = sum(each.tried.outcome in BAD for each in flown)
    if failed:
        said.append(f"{failed} of {len(flown)} failed")
    return tuple(said)


def fly(seed: int) -> Flown:
    """One recording of one arm; of every fifth also two for a load."""
    arm, draw = seed % ARMS, seed // ARMS
    return Flown(tried(arm, draw), weighed(arm, draw) if seed % LOADS == 0 else None)


def page(flown: Sequence[Flown]) -> str:
    """The tables, in Markdown."""
    kinds, arms_tried, loads, faults = by_kind(flown), by_arm(flown), loads_of(flown), broken(flown)
    tries = [each.tried for each in flown]
    outcomes = Counter(each.outcome for each in tries)
    mass, centre, inertia = (_percent(part) for part in arms.SPREAD)
    bodies, redrawn, off = sum(each.joints for each in tries), sum(each.redrawn for each in tries), _off(tries)
    lines = [
        "# Do intervals hold the truth of arms on the ground?",
        "",
        f"{len(flown)} recordings of {len(arms_tried)} random arms of six and seven joints, made with MuJoCo's inverse "
        "dynamics by a generator that",
        "shares no code with freefloat (`tests/strangers/arms.py`): Coulomb and viscous friction, an offset, a rotor "
        "behind every gear, torques",
        f"with noise of {_percent(arms.TORQUE_NOISE)} of each joint's largest, encoders of 17 bits whose zeros are "
        f"{1e3 * arms.ZERO_RAD:g} mrad off, {arms.RATE_HZ:g} Hz, {arms.DURATION_S:g} s each.",
        "The mission holds robot, gravity and sensors, no noise of torques and nothing of drives. Arms are drawn from "
        "the prior that such a",
        f"mission has: masses {mass}, centres {centre} of the radius of gyration, inertias {inertia} of the mean "
        "moment. Of bodies drawn so only",
        f"{_percent(round(bodies / (bodies + redrawn), 2))} can exist; the others are drawn again ({redrawn} times for "
        f"{bodies} bodies), which leaves masses {off[0]:.2f}, centres {off[1]:.2f}",
        f"and inertias {off[2]:.2f} of their spreads away, root mean square. The prior that the estimate uses is so "
        "wider than the truth, and clusters may be",
        "held more often than promised. Rotors are counted where they show: of the one that turns the joint on the "
        "base only the sum with the",
        "inertia of what it turns about its axis does, and that one is left out.",
        "",
        "The recording is the unit of evidence: clusters of one are correlated. Intervals are found by drawing "
        "recordings again with",
        f"replacement ({proving.RESAMPLED:,} times). Promised: {_percent(NOMINAL)} within the {_percent(CONFIDENCE)} "
        "interval for friction and rotors; for clusters not less,",
        f"and at most {_percent(MOST)}; none failed, and as many loads within their intervals as chance allows.",
        "",
        f"| what | recordings | intervals | 95 % intervals that hold the truth | {_percent(CONFIDENCE)} interval of "
        "that | root of the mean normalised squared error |",
        "| --- | --- | --- | --- | --- | --- |",
        *map(_row, kinds),
        "",
        "Outcomes: " + ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())) + ".",
        "",
        f"Median time of `identify`: {np.median([each.seconds for each in tries]):.0f} s.",
        "",
        "## What does not hold" if faults else "All of it holds.",
        "",
        *(f"- {fault}" for fault in faults),
        *([""] if faults else []),
        "## A load that nobody knows",
        "",
        f"{arms.LOAD_AS_IT_IS.mass_kg:g} kg on the flange, by two recordings, with it and without; the robot file has "
        f"{arms.LOAD_AS_GUESSED.mass_kg:g} kg, and the mission says that nothing is",
        "known of it.",
        "",
        "| arm | draw | mass found | 95 % | holds | outcome |",
        "| --- | --- | --- | --- | --- | --- |",
        *map(_load_row, loads),
        "",
        "## By arm",
        "",
        "| arm | joints | recordings | clusters' intervals that hold | friction and rotors | residual over noise |",
        "| --- | --- | --- | --- | --- | --- |",
        *(_arm_row(name, each) for name, each in arms_tried.items()),
        "",
    ]
    return "\n".join(lines)


def _off(tries: Sequence[TriedArm]) -> list[float]:
    """How far masses, centres and inertias are from the CAD model in its spreads, root mean square each."""
    given = [(arms.arm(each.seed), each) for each in tries]
    off = np.concatenate([arms.deviations(arm, arms.drawn(arm, each.seed, each.draw)) for arm, each in given])
    return [float(np.sqrt(np.mean(part**2))) for part in np.split(off, [1, 4], axis=1)]


def _percent(part: float) -> str:
    return f"{100.0 * part:g} %"


def _row(kind: Shown) -> str:
    mean, low, high = (100.0 * part for part in kind.coverage)
    counts = f"{kind.recordings} | {kind.intervals}"
    return f"| {kind.name} | {counts} | {mean:.1f} % | {low:.1f} to {high:.1f} % | {kind.root:.2f} |"


def _load_row(load: Weighed) -> str:
    found = f"{load.mass_kg:.4f} kg | ±{HALF * load.sd_kg:.4f} kg"
    return f"| {load.arm} | {load.draw} | {found} | {'yes' if load.holds else 'no'} | {load.outcome} |"


def _arm_row(name: str, tries: Sequence[TriedArm]) -> str:
    clusters = np.concatenate([each.errors for each in tries])
    drives = np.concatenate([errors for each in tries for errors in each.drives.values()] or [np.zeros(0)])
    held = " | ".join(f"{(np.abs(each) <= HALF).sum()} of {each.size}" for each in (clusters, drives))
    ratios = [each.ratio for each in tries if np.isfinite(each.ratio)]
    left = f"{np.mean(ratios):.3f}" if ratios else "none"
    return f"| {name} | {tries[0].joints} | {len(tries)} | {held} | {left} |"


if __name__ == "__main__":
    sys.exit(proving.run("arms", __doc__ or "", fly, page, flights=200, workers=2, broken=broken))
