"""What all proofs share: seeds 0 to N - 1, a bar, intervals over flights, a page.

A proof flies a mission many times and writes a page of tables to docs/proof. The flight is the unit of evidence: errors
of one flight's clusters go together, so a hundred clusters of one flight are far fewer than a hundred trials.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import numpy as np
from rich.console import Console
from rich.progress import track
from scipy.stats import binomtest

from benchmarks.commit import ROOT, measured_commit

PAGES = ROOT / "docs" / "proof"
RESAMPLED = 10_000
LEAST_FLIGHTS = 2  # one flight has no spread

Asked = TypeVar("Asked")
Flown = TypeVar("Flown")


def run(
    name: str,
    description: str,
    fly: Callable[[int], Flown],
    page: Callable[[Sequence[Flown]], str],
    flights: int = 100,
    workers: int = 1,
    broken: Callable[[Sequence[Flown]], Sequence[str]] = lambda flown: (),
) -> int:
    """Parse the command line, fly every seed, write the page that is made of all flights; the code to exit with.

    fly: from a seed to what one flight shows. page: Markdown without the line that says commit and seeds.
    flights: how many unless the command line says. workers: processes that fly at once, unless it says.
    broken: what is promised of all flights and does not hold, a sentence each; nothing is promised unless given.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--runs", type=int, default=flights, metavar="N", help=f"flights, {flights} unless given")
    parser.add_argument("-o", "--output", type=Path, default=PAGES / f"{name}.md", metavar="FILE", help="the page")
    parser.add_argument("--workers", type=int, default=workers, metavar="N", help=f"processes; {workers}")
    arguments = parser.parse_args()
    if arguments.runs < LEAST_FLIGHTS:
        parser.error(f"--runs is {arguments.runs}; allowed: {LEAST_FLIGHTS} or more")
    measured = commit()
    with processes(arguments.workers) as each:
        flown = list(shown(each(fly, range(arguments.runs)), f"{name}: flights", arguments.runs))
    text = f"{page(flown)}\n{made(name, arguments.runs, measured)}"
    return written(arguments.output, text, broken(flown))


def shown(results: Iterable[Flown], what: str, count: int) -> Iterable[Flown]:
    """The same results, with a bar where someone looks at it."""
    console = Console(stderr=True, force_terminal=sys.stderr.isatty())
    return track(results, what, count, console=console, disable=not console.is_terminal)


def written(file: Path, text: str, broken: Sequence[str]) -> int:
    """Write a page and say what of its promises does not hold; the code to exit with, 1 if there is any."""
    file.write_text(f"{text}\n", encoding="utf-8")
    print(f"wrote {file}")
    for promise in broken:
        print(f"does not hold: {promise}", file=sys.stderr)
    return 1 if broken else 0


@contextmanager
def processes(workers: int) -> Iterator[Callable[[Callable[[Asked], Flown], Iterable[Asked]], Iterable[Flown]]]:
    """A `map` that keeps the order, by so many processes."""
    if workers == 1:
        yield map
        return
    for library in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(library, "1")  # before the processes load it: they would fight over the cores
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        yield pool.map


def commit() -> str:
    """The last that changed what a proof measures; with a plus where some of that is not committed."""
    return measured_commit(also=("proof/*.py", "tests/strangers/*.py", "tests/random_trees.py"))


def made(name: str, runs: int, measured: str) -> str:
    """The last line of a page: what it holds for, and how it is made again.

    measured: the commit when flying began, which is what flew; when the page is written the package may be another.
    """
    if measured.endswith("+"):
        measured = f"{measured} (with changes that were not committed)"
    return (
        f"Commit {measured} of the package, seeds 0 to {runs - 1}. Made by `proof/prove_{name}.py`; `make prove "
        f"RUNS={runs}` makes it again."
    )


def mean_interval(by_flight: np.ndarray, confidence: float = 0.95) -> tuple[float, float, float]:
    """Mean over flights and the interval of it, by drawing flights again with replacement; (flights,)."""
    rng = np.random.default_rng(0)
    drawn = by_flight[rng.integers(len(by_flight), size=(RESAMPLED, len(by_flight)))].mean(axis=1)
    low, high = np.quantile(drawn, [0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence])
    return float(by_flight.mean()), float(low), float(high)


def share_interval(count: int, flights: int) -> tuple[float, float]:
    """Exact 95 % interval of the share of flights (Clopper and Pearson)."""
    interval = binomtest(count, flights).proportion_ci(0.95, method="exact")
    return float(interval.low), float(interval.high)
