"""Whether what is wrong with a flight is noticed and named, and right flights are left alone, over MuJoCo's flights."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import chi2, ncx2

from benchmarks.commit import ROOT
from freefloat.estimate.causes.claims import CHANCE, NONE
from proof import proving

sys.path.insert(0, str(ROOT / "tests"))

from strangers.robots import ROBOTS
from strangers.trying_wrong import DURATION_S, RIGHT, Judged, tried_wrong
from strangers.wrong_things import THINGS

EVERYTHING = (RIGHT, *THINGS)
QUICK = ("cubesat", "wheeled", "tilted")  # a few joints each; gyro alone, with wheels, tumbling with a camera
WORKERS = 2
SURE, UNSEEN = 50.0, 5.0  # detectability from which nothing may pass, and below which all may
FIRST = 0.9  # part of the sure flights with one claim, or none, whose claim must be the right one
RIGID = 970  # flights with nothing wrong beside those of the table, for the count of false alarms
MISNAMED = 0.03  # part of the flights that may be given a wrong name, at most: of all, and of the sure ones
PASSED = 0.95  # part of the right flights that must be good and pass
ALTERNATIVES, MANY = 43, 10  # that are tried of a robot of five joints; unknowns of a body
SHOWN = 100  # characters of what was said that a line of the terminal shows


@dataclass(frozen=True)
class Asked:
    """One thing, or none, of one robot and seed, at all its sizes."""

    thing: str
    index: int
    seed: int
    bent: bool


def fly(asked: Asked) -> tuple[Judged, ...]:
    """All sizes."""
    return tried_wrong(asked.thing, asked.index, asked.seed, asked.bent)


def asked_of(things: Sequence[str], robots: Sequence[str], runs: int, rigid: int, bent: bool) -> list[Asked]:
    """What is flown; right flights of seeds beyond the others' are for the count of false alarms."""
    indices = [index for index, robot in enumerate(ROBOTS) if robot.name in robots]
    fit = [(thing, index) for thing in things for index in indices if thing == RIGHT or _fits(thing, index)]
    wrong = [Asked(thing, index, seed, bent) for seed in range(runs) for thing, index in fit]
    more = range(runs, runs + -(-rigid // max(len(indices), 1)))
    return wrong + [Asked(RIGHT, index, seed, bent) for seed in more for index in indices][:rigid]


def _fits(thing: str, index: int) -> bool:
    return THINGS[thing].needs(ROBOTS[index])


# ---------------------------------------------------------------------- what is promised


def sure(flights: Sequence[Judged]) -> list[Judged]:
    """Flights of which enough can be seen."""
    return [each for each in flights if each.thing != RIGHT and each.detectability >= SURE]


def unseen(flights: Sequence[Judged]) -> list[Judged]:
    """Flights of which next to nothing can."""
    return [each for each in flights if each.thing != RIGHT and each.detectability < UNSEEN]


def unknown(flights: Sequence[Judged]) -> list[Judged]:
    """Flights of which nobody knows how much can: a fit that tells it failed. They are in no promise but of all."""
    return [each for each in flights if np.isnan(each.detectability)]


def right(flights: Sequence[Judged]) -> list[Judged]:
    """Flights with nothing wrong."""
    return [each for each in flights if each.thing == RIGHT]


@dataclass(frozen=True)
class Promise:
    """One line of what is promised. kept: how many of `of` flights. bound: the part that must be, at least."""

    what: str
    kept: int
    of: int
    bound: float

    @property
    def holds(self) -> bool:
        """Whether enough did."""
        return self.kept >= self.bound * self.of

    @property
    def in_a_word(self) -> str:
        """Whether it holds; of no flights nothing is known."""
        if not self.of:
            return "no flights"
        return "yes" if self.holds else "**no**"


def promises(flights: Sequence[Judged]) -> tuple[Promise, ...]:
    """What is promised, and how many flights kept it."""
    seen, hidden, fine = sure(flights), unseen(flights), right(flights)
    one, several = ([each for each in seen if (len(each.answer) > 1) == many] for many in (False, True))
    shifted = [each for each in seen if not THINGS[each.thing].spread]
    passed = [each for each in hidden if each.verdict == "pass"]
    shaken = [each for each in fine if any(kind == "oscillation" for kind, _ in (*each.claimed, *each.validated))]
    of_sure = f"detectability {SURE:g} or more"
    return (
        Promise(f"{of_sure}: no PASS", _count(each.verdict != "pass" for each in shifted), len(shifted), 1),
        Promise(f"{of_sure}: not both good and PASS", _count(not e.accepted for e in shifted), len(shifted), 1),
        Promise(f"{of_sure}, at most one claim: it is the right one", _count(e.named for e in one), len(one), FIRST),
        Promise(f"{of_sure}, several: the right one is one", _count(e.named for e in several), len(several), 1),
        Promise(f"{of_sure}: no wrong claim", _count(not e.misnamed for e in seen), len(seen), 1 - MISNAMED),
        Promise("all flights: no wrong claim", _count(not e.misnamed for e in flights), len(flights), 1 - MISNAMED),
        Promise(
            f"detectability below {UNSEEN:g}, PASS: prediction errs by less than the noise",
            _count(each.predicted < 1.0 for each in passed),
            len(passed),
            1,
        ),
        Promise(
            "nothing wrong: good and PASS",
            _count(each.accepted for each in fine),
            len(fine),
            PASSED,
        ),
        Promise("nothing wrong: no oscillation is claimed", len(fine) - len(shaken), len(fine), 1 - 1e-3),
    )


def _count(kept: object) -> int:
    return sum(map(bool, kept))  # type: ignore[call-overload]


def broken(flights: Sequence[Judged]) -> tuple[str, ...]:
    """Promises that were not kept, a sentence each."""
    return tuple(
        f"{each.what}: {each.kept} of {each.of}, promised {100.0 * each.bound:g} %"
        for each in promises(flights)
        if not each.holds
    )


# ---------------------------------------------------------------------- the page


def page(flights: Sequence[Judged], runs: int) -> str:
    """The tables, in Markdown."""
    things, faults = [name for name in THINGS if any(each.thing == name for each in flights)], broken(flights)
    robots = list(dict.fromkeys(each.robot for each in flights))
    lines = [
        "# Is what is wrong named?",
        "",
        f"{len(things)} wrong things, {runs} flights of {DURATION_S:g} s each of {len(robots)} robots "
        f"({', '.join(robots)}) that MuJoCo flew (`tests/strangers`, which",
        f"shares no code with freefloat), and {len(right(flights))} with nothing wrong. A flight is identified, and "
        "another of the same robot, with the",
        "same thing wrong, is predicted. Sizes are multiples of the base size that the table says; what has no size is "
        "wrong as it is.",
        "",
        "*Detectability* is what the thing adds to the least cost of a fit, |P Σ^-1/2 dy|²: dy is its change of the "
        "readings, and P removes all that",
        "is fitted along. It is found from flights of the CAD model without noise, at a size that costs about ten, as "
        "squared residuals over",
        "noise and squared deviations over assumed spreads, and grows as the square of the size. Of noise, and of a "
        "CAD model worse than said, it is",
        "n (f² - 1)² / 2 for n readings or clusters that spread f times as much; these may PASS, with intervals as "
        "wide as they must be.",
        "",
        "A claim is the set of causes that the estimate names, or the validation if the estimate names none. It is "
        "right if the right cause, or one that no",
        "data could tell from it, is in it. A wrong claim is a set of either that holds none of these, whatever the "
        "other claims.",
        "",
        "| promised | flights | at least | holds |",
        "| --- | --- | --- | --- |",
        *(
            f"| {each.what} | {each.kept} of {each.of} | {100 * each.bound:g} % | {each.in_a_word} |"
            for each in promises(flights)
        ),
        "",
        f"Detectability not known: {len(unknown(flights))} flights.",
        "",
        "## What does not hold" if faults else "Nothing of it is broken.",
        "",
        *(f"- {fault}" for fault in faults),
        *([""] if faults else []),
        *_passed(flights),
        "## Thing by thing",
        "",
        "*right*, *other*: flights in which the right cause is claimed, or there is a wrong claim; the rest claim "
        "nothing.",
        "",
        "| thing | base size | times | detectability, median (range) | flights | PASS | right | other |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        *(row for name in things for row in _rows(name, [each for each in flights if each.thing == name])),
        *_rows(RIGHT, right(flights)),
        "",
        _times(flights),
        "",
        f"## Which is taken for which, where detectability is {SURE:g} or more",
        "",
        *_confusion(sure(flights)),
        "",
    ]
    return "\n".join(lines)


def missed(chance: float, unknowns: int) -> float:
    """Part of the flights in which a test of so many unknowns is silent that chance passes so seldom.

    What is wrong has the least detectability that no flight may pass with: what the unknowns save is then a noncentral
    chi-square of it.
    """
    return float(ncx2.cdf(chi2.isf(chance, unknowns), unknowns, SURE))


def _passed(flights: Sequence[Judged]) -> list[str]:
    """Flights that may not pass, and did, and what chance alone makes of such."""
    these = [each for each in sure(flights) if not THINGS[each.thing].spread and each.verdict == "pass"]
    if not these:
        return []
    return [
        "## Flights that passed",
        "",
        *(
            f"- {each.thing}, {each.size:g} times, {each.robot}, seed {each.seed}: detectability "
            f"{each.detectability:.3g}; the prediction errs by {each.predicted:.2g} of the noise"
            for each in these
        ),
        "",
        f"Some must. A test of {MANY} unknowns, one of {ALTERNATIVES} alternatives, that makes one doubt "
        f"{100 * (1 - PASSED):g} % of the right flights is silent",
        f"in {100 * missed((1 - PASSED) / ALTERNATIVES, MANY):.2g} % of the flights with a detectability of {SURE:g}; "
        f"ours, which claims nothing that chance makes once in {1 / CHANCE:,.0f}, in "
        f"{100 * missed(CHANCE, MANY):.2g} %.",
        "",
    ]


def _rows(name: str, flights: Sequence[Judged]) -> list[str]:
    base = THINGS[name].base if name in THINGS else ""
    rows = []
    for size in sorted({each.size for each in flights}):
        these = [each for each in flights if each.size == size]
        passed, misnamed = _count(each.verdict == "pass" for each in these), _count(each.misnamed for each in these)
        named = _count(each.named and bool(each.answer) for each in these)
        times = f"{size:g}" if base else ""
        rows.append(f"| {name} | {base} | {times} | {_span(these)} | {len(these)} | {passed} | {named} | {misnamed} |")
    return rows


def _span(flights: Sequence[Judged]) -> str:
    """Detectability of flights: median and range, and of how many it is unknown; empty of things without size."""
    known = np.array([each.detectability for each in flights if not np.isnan(each.detectability)])
    missing = len(flights) - known.size
    if not known.size:
        return "unknown"
    if not np.isfinite(known).all():
        return ""
    span = f"{np.median(known):.3g} ({known.min():.2g} to {known.max():.2g})"
    return f"{span}, {missing} unknown" if missing else span


def _times(flights: Sequence[Judged]) -> str:
    """How long estimates take, and how much longer where something is wrong, thing by thing."""
    usual = {robot: _median_s(right(flights), robot) for robot in dict.fromkeys(each.robot for each in flights)}
    longer = {
        (each.thing, each.size): np.median(
            [one.identify_s / usual[one.robot] for one in flights if (one.thing, one.size) == (each.thing, each.size)]
        )
        for each in flights
        if each.thing != RIGHT and np.isfinite(usual[each.robot])
    }
    said = ", ".join(f"{robot} {seconds:.1f} s" for robot, seconds in usual.items())
    if not longer:
        return f"Median time of `identify`, nothing wrong: {said}."
    thing, size = max(longer, key=lambda which: longer[which])
    most = f"{longer[thing, size]:.1f} times as long ({thing}, {size:g})"
    return f"Median time of `identify`, nothing wrong: {said}; of what takes longest, {most}."


def _median_s(flights: Sequence[Judged], robot: str) -> float:
    took = [each.identify_s for each in flights if each.robot == robot]
    return float(np.median(took)) if took else np.nan


def _confusion(flights: Sequence[Judged]) -> list[str]:
    """How often each kind is claimed first, by thing."""
    table = {
        name: Counter(each.answer[0][0] if each.answer else NONE for each in flights if each.thing == name)
        for name in dict.fromkeys(each.thing for each in flights)
    }
    kinds = sorted({kind for counts in table.values() for kind in counts})
    rows = [f"| {name} | " + " | ".join(str(counts[k] or "") for k in kinds) + " |" for name, counts in table.items()]
    return [f"| thing | {' | '.join(kinds)} |", "| --- |" + " --- |" * len(kinds), *rows]


def line_of(flight: Judged) -> str:
    """A flight in one line of the terminal."""
    claimed, validated = (
        " or ".join(f"{kind}: {name}" if name else kind for kind, name in claims) or "-"
        for claims in (flight.claimed, flight.validated)
    )
    mark = "right" if flight.named else "WRONG" if flight.misnamed else "silent"
    seconds = f"{flight.identify_s:.1f}+{flight.validate_s:.1f} s"
    return (
        f"{flight.thing:<28} {flight.robot:<9} seed {flight.seed} x{flight.size:<4g} λ {flight.detectability:<9.3g} "
        f"{flight.outcome:<8} {flight.verdict:<8} residual {flight.ratio:<8.3g} {seconds:<12} {mark:<6} "
        f"[{claimed}] [{validated}] {'; '.join(each[:SHOWN] for each in flight.said)}"
    )


# ---------------------------------------------------------------------- the command line


def parser_of(description: str, name: str, runs: int) -> argparse.ArgumentParser:
    """Options of all proofs that fly wrong things."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--runs", type=int, default=runs, metavar="N", help=f"flights of each robot and thing; {runs}")
    parser.add_argument("--things", default=",".join(EVERYTHING), metavar="NAME,NAME", help="all unless given")
    parser.add_argument("--robots", default=",".join(QUICK), metavar="NAME,NAME", help=",".join(QUICK))
    parser.add_argument(
        "-o", "--output", type=Path, default=proving.PAGES / f"{name}.md", metavar="FILE", help="the page"
    )
    return parser


def parsed(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The command line, with lists for things and robots."""
    given = parser.parse_args()
    given.things, given.robots = given.things.split(","), given.robots.split(",")
    for names, allowed in ((given.things, EVERYTHING), (given.robots, [robot.name for robot in ROBOTS])):
        for each in names:
            if each not in allowed:
                parser.error(f"{each!r} is unknown; allowed: {', '.join(allowed)}")
    return given


def main() -> int:
    """Fly what is asked for, and write the page."""
    parser = parser_of(__doc__ or "", "causes", 10)
    parser.add_argument("--rigid", type=int, default=RIGID, metavar="N", help=f"more with nothing wrong; {RIGID}")
    parser.add_argument("--straight", action="store_true", help="robots are built just as their files have them")
    parser.add_argument("--workers", type=int, default=WORKERS, metavar="N", help=f"processes; {WORKERS}")
    parser.add_argument("--each", action="store_true", help="print a line a flight")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="flights, to go on with after a stop, if nothing changed"
    )
    given, measured = parsed(parser), proving.commit()
    asked = asked_of(given.things, given.robots, given.runs, given.rigid, not given.straight)
    flights = flown(asked, given.workers, given.keep, given.each, measured)
    text = f"{page(flights, given.runs)}\n{proving.made('causes', given.runs, measured)}"
    return proving.written(given.output, text, broken(flights))


def flown(asked: Sequence[Asked], workers: int, keep: Path | None, each: bool, commit: str) -> list[Judged]:
    """All flights, in the order in which they were asked for.

    keep: a file of what was flown before, by the same commit of the package, and to which more is added. each: print a
    line each.
    """
    done = kept(keep, commit) if keep else {}
    left = [one for one in asked if one not in done]
    with proving.processes(workers) as side_by_side:
        of_each = zip(left, side_by_side(fly, left), strict=True)
        for one, found in proving.shown(of_each, "causes", len(left)):
            done[one] = found
            if keep:
                line = {"commit": commit, "asked": asdict(one), "flights": [asdict(flight) for flight in found]}
                with keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
            if each:
                print("\n".join(map(line_of, found)), flush=True)
    return [flight for one in asked for flight in done[one]]


def kept(file: Path, commit: str) -> dict[Asked, tuple[Judged, ...]]:
    """What was flown before by the same package."""
    if not file.exists():
        return {}
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    same = [line for line in lines if line["commit"] == commit]
    return {Asked(**line["asked"]): tuple(map(judged_from, line["flights"])) for line in same}


def judged_from(data: dict[str, Any]) -> Judged:
    """A flight as it was kept: JSON has lists for tuples."""
    names = {key: tuple(tuple(name) for name in data[key]) for key in ("expected", "claimed", "validated")}
    return Judged(**{**data, **names, "said": tuple(data["said"])})


if __name__ == "__main__":
    sys.exit(main())
