"""Whether intervals hold the truth of robots that MuJoCo flew, with the clocks and gaps of real recordings."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.commit import ROOT
from proof import proving

sys.path.insert(0, str(ROOT / "tests"))

from strangers.readings import Disturbances
from strangers.robots import ROBOTS
from strangers.trying import Tried, tried

WORKERS = 2
CONFIDENCE = 0.99  # of the interval that each robot's coverage must agree with
NOMINAL = 0.95
POOLED = (0.93, 0.97)  # where the coverage of all flights must be
PASSED = 0.95  # part of the flights whose verdict must be PASS
BAD = ("failed", "refused")


@dataclass(frozen=True)
class Shown:
    """What flights of one robot, or of all, show.

    coverage: mean part of a flight's intervals that hold the truth, and its interval over flights. root: of the mean
    square of error over standard deviation. seconds: median time of `identify`.
    """

    name: str
    flights: int
    coverage: tuple[float, float, float]
    root: float
    passed: int
    failed: int
    seconds: float

    @property
    def agrees(self) -> bool:
        """Whether what is promised is within the interval of what is found."""
        _, low, high = self.coverage
        return low <= NOMINAL <= high


def shown(name: str, flights: Sequence[Tried]) -> Shown:
    """Flights summed up."""
    squares = [np.mean(flight.errors**2) for flight in flights if flight.errors.size]
    return Shown(
        name,
        len(flights),
        proving.mean_interval(np.array([flight.coverage for flight in flights]), CONFIDENCE),
        float(np.sqrt(np.mean(squares))) if squares else np.inf,
        sum(flight.verdict == "pass" for flight in flights),
        sum(flight.outcome in BAD for flight in flights),
        float(np.median([flight.identify_s for flight in flights])),
    )


def by_robot(flights: Sequence[Tried]) -> tuple[Shown, ...]:
    """One line a robot."""
    return tuple(shown(robot.name, [each for each in flights if each.robot == robot.name]) for robot in ROBOTS)


def broken(flights: Sequence[Tried]) -> tuple[str, ...]:
    """What is promised of these flights and does not hold, a sentence each."""
    whole = shown("all", flights)
    coverage, (low, high) = whole.coverage[0], POOLED
    said = []
    if not low <= coverage <= high:
        said.append(f"coverage of all is {coverage:.3f}; promised: {low} to {high}")
    for robot in by_robot(flights):
        if not robot.agrees:
            said.append("coverage of {} is {:.3f}, {:.3f} to {:.3f}".format(robot.name, *robot.coverage))
    if whole.passed < PASSED * whole.flights:
        said.append(f"{whole.passed} of {whole.flights} predict unseen motion; promised: {_percent(PASSED)}")
    if whole.failed:
        said.append(f"{whole.failed} of {whole.flights} failed")
    return tuple(said)


def fly(seed: int) -> tuple[Tried, ...]:
    """One flight of every robot."""
    return tuple(tried(index, seed) for index in range(len(ROBOTS)))


def flights_of(flown: Sequence[Sequence[Tried]]) -> list[Tried]:
    """Flights of all seeds."""
    return [flight for of_seed in flown for flight in of_seed]


def page(flown: Sequence[Sequence[Tried]]) -> str:
    """The tables, in Markdown."""
    flights = flights_of(flown)
    robots, whole, said = by_robot(flights), shown("**all**", flights), Disturbances()
    faults = broken(flights)
    bad = [each for each in flights if each.outcome in BAD or each.verdict != "pass"]
    redrawn = sum(flight.redrawn for flight in flights)
    lines = [
        "# Do intervals hold the truth of strangers?",
        "",
        f"{len(ROBOTS)} robots, {len(flown)} flights each, flown by MuJoCo and measured by a generator that shares no "
        "code with freefloat",
        "(`tests/strangers`): 3 to 12 joints, two arms, a joint that slides, wheels, tilted axes, sensors off the "
        "origin and turned,",
        "5 to 2000 kg. Joints move at up to 1 Hz for 30 s; nothing is known of their command. Every sensor but the "
        "encoders has a clock",
        f"of its own, up to {1e3 * said.offset_s:g} ms late and up to {said.drift_ppm:g} ppm off; instants jitter by "
        f"{_percent(said.jitter)} of the interval,",
        f"{_percent(said.lost)} of all samples are lost, and every channel has up to {said.gaps} gaps of up to "
        f"{said.gap_s:g} s. Robot and sensors' errors are",
        "drawn from just the prior that the mission states; bodies drawn again because they could not exist: "
        f"{redrawn}.",
        "Another flight of the same robot is then predicted.",
        "",
        "The flight is the unit of evidence: clusters of one flight are correlated. Intervals are found by drawing "
        "flights again",
        f"with replacement ({proving.RESAMPLED:,} times). Promised: coverage of all within {_percent(POOLED[0])} to "
        f"{_percent(POOLED[1])}, {_percent(NOMINAL)} within each robot's",
        f"interval, at least {_percent(PASSED)} PASS, none failed.",
        "",
        "| robot | 95 % intervals that hold the truth | 99 % interval of that | root of the mean normalised squared "
        "error | PASS on unseen motion | failed |",
        "| --- | --- | --- | --- | --- | --- |",
        *map(_row, (*robots, whole)),
        "",
        "Median time of `identify`: " + ", ".join(f"{each.name} {each.seconds:.1f} s" for each in robots) + ".",
        "",
        "## What does not hold" if faults else "All of it holds.",
        "",
        *(f"- {fault}" for fault in faults),
        *([""] if faults else []),
        "## Flights that failed, or do not pass",
        "",
        "| robot | seed | intervals that hold | estimate | verdict | what was said |",
        "| --- | --- | --- | --- | --- | --- |",
        *(
            f"| {each.robot} | {each.seed} | {each.inside.sum()} of {each.inside.size} | {each.outcome} | "
            f"{each.verdict} | {'; '.join(each.said)} |"
            for each in bad
        ),
        "",
    ]
    return "\n".join(lines)


def _percent(part: float) -> str:
    return f"{100.0 * part:g} %"


def _row(robot: Shown) -> str:
    mean, low, high = (100.0 * part for part in robot.coverage)
    counts = f"{robot.passed} of {robot.flights} | {robot.failed}"
    return f"| {robot.name} | {mean:.1f} % | {low:.1f} to {high:.1f} % | {robot.root:.2f} | {counts} |"


if __name__ == "__main__":
    sys.exit(
        proving.run(
            "strangers", __doc__ or "", fly, page, workers=WORKERS, broken=lambda flown: broken(flights_of(flown))
        )
    )
