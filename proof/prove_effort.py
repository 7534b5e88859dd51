"""Whether `identify` takes hardly longer where something is wrong than where nothing is, over MuJoCo's flights."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

import freefloat as ff
from benchmarks.commit import ROOT
from proof import proving
from proof.prove_causes import Asked, asked_of, parsed, parser_of

sys.path.insert(0, str(ROOT / "tests"))

from strangers.readings import Disturbances
from strangers.robots import ROBOTS
from strangers.trying import recording_of
from strangers.trying_wrong import RIGHT, case_of, mission_for, recorded_case, wronged
from strangers.wrong_things import THINGS

DURATION_S = 60.0
RUNS = 3
LONGEST = 5.0  # times as long as where nothing is wrong, at most


@dataclass(frozen=True)
class Timed:
    """Processor time of `identify` of one flight [s]. refused: whether it ended in an error instead of an estimate."""

    thing: str
    robot: str
    seed: int
    seconds: float
    refused: bool


def fly(asked: Asked, run: int = 0) -> Timed:
    """Identify the flight of this number, with the thing wrong at its largest size."""
    size = 0.0 if asked.thing == RIGHT else THINGS[asked.thing].sizes[-1]
    wrong = wronged(case_of(asked.index, asked.seed, asked.bent), asked.thing, size, asked.index, asked.seed)
    said = recorded_case(wrong.case, asked.index, asked.seed, run, Disturbances(), DURATION_S)
    mission, recording, refused = mission_for(wrong.case), recording_of(said), False
    begin = time.process_time()
    try:
        ff.identify(mission, recording)
    except ff.FreefloatError:
        refused = True
    return Timed(asked.thing, ROBOTS[asked.index].name, asked.seed, time.process_time() - begin, refused)


def timed(asked: Asked) -> Timed:
    """The same, once what is done only once in a process, as compiling, is done for the robot."""
    _warm_up(asked.index)
    return fly(asked)


@cache
def _warm_up(index: int) -> None:
    for thing in (RIGHT, "another robot"):  # of something wrong more of the package is at work
        fly(Asked(thing, index, 0, True), run=1)


# ---------------------------------------------------------------------- what is promised


def usual_s(flights: Sequence[Timed]) -> dict[str, float]:
    """Median where nothing is wrong, by robot [s]."""
    names = dict.fromkeys(each.robot for each in flights)
    return {
        name: float(np.median([each.seconds for each in flights if (each.thing, each.robot) == (RIGHT, name)]))
        for name in names
    }


def ratios(flights: Sequence[Timed]) -> dict[str, np.ndarray]:
    """By wrong thing, times of its flights over what is usual of the robot, shape (flights,)."""
    usual = usual_s(flights)
    return {
        thing: np.array([each.seconds / usual[each.robot] for each in flights if each.thing == thing])
        for thing in dict.fromkeys(each.thing for each in flights if each.thing != RIGHT)
    }


def broken(flights: Sequence[Timed]) -> tuple[str, ...]:
    """Things that take too long, a sentence each."""
    return tuple(
        f"{thing}: up to {found.max():.1f} times as long, promised {LONGEST:g}"
        for thing, found in ratios(flights).items()
        if found.max() > LONGEST
    )


# ---------------------------------------------------------------------- the page


def page(flights: Sequence[Timed], runs: int) -> str:
    """The table, in Markdown."""
    found, usual, faults = ratios(flights), usual_s(flights), broken(flights)
    lines = [
        "# Do wrong data take longer?",
        "",
        f"{len(found)} wrong things, each at the largest size of [its proof](causes.md), {runs} flights of "
        f"{DURATION_S:g} s each of {len(usual)} robots ({', '.join(usual)}) that MuJoCo",
        "flew (`tests/strangers`). The processor time of `identify` is divided by the median of the same robot's "
        "flights with nothing wrong.",
        f"Promised: no flight takes more than {LONGEST:g} times as long. One process identifies one flight after the "
        "other, each robot two before those",
        "that are timed, as compiling is done once.",
        "",
        "| thing | median ratio | largest ratio | flights | refused | holds |",
        "| --- | --- | --- | --- | --- | --- |",
        *(_row(thing, of_thing, flights) for thing, of_thing in found.items()),
        "",
        "Median time with nothing wrong: " + ", ".join(f"{name} {s:.1f} s" for name, s in usual.items()) + ".",
        "",
        "## What does not hold" if faults else "All of it holds.",
        "",
        *(f"- {fault}" for fault in faults),
        *([""] if faults else []),
    ]
    return "\n".join(lines)


def _row(thing: str, found: np.ndarray, flights: Sequence[Timed]) -> str:
    refused = sum(each.refused for each in flights if each.thing == thing)
    holds = "yes" if found.max() <= LONGEST else "**no**"
    return f"| {thing} | {np.median(found):.2f} | {found.max():.2f} | {found.size} | {refused} | {holds} |"


# ---------------------------------------------------------------------- the command line


def main() -> int:
    """Time what is asked for, one flight after the other, and write the page."""
    parser = parser_of(__doc__ or "", "effort", RUNS)
    given, measured = parsed(parser), proving.commit()
    things = [RIGHT, *(thing for thing in given.things if thing != RIGHT)]  # without right flights there is no ratio
    asked = asked_of(things, given.robots, given.runs, 0, bent=True)
    flights = list(proving.shown(map(timed, asked), "effort", len(asked)))
    text = f"{page(flights, given.runs)}\n{proving.made('effort', given.runs, measured)}"
    return proving.written(given.output, text, broken(flights))


if __name__ == "__main__":
    sys.exit(main())
