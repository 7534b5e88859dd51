"""What all benchmarks share: one thread, fair timing, a table, a JSON file, a line for each ratio in the history.

Import this before anything numerical: libraries choose their number of threads when they are loaded.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import importlib.metadata
import json
import os
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from commit import measured_commit
from rich.console import Console
from rich.table import Table

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_variable] = "1"

Call = Callable[[], object]
HISTORY_COLUMNS = ("commit", "date", "benchmark", "ratio", "value", "bound")
LIBRARIES = ("freefloat", "numpy", "numba", "scipy", "pin")


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison.

    what: what is compared with what.
    ours, other: what was found, of times the shortest [`unit` per `per`].
    per: what one of them is for: a sample, a call.
    target: bound on the ratio; the ratio is other / ours if it `must_exceed` the bound, else ours / other.
    note: what else a reader of the table needs, which `what` does not say because it differs from run to run.
    unit: of both, seconds unless it is memory.
    """

    what: str
    ours: float
    other: float
    per: str
    target: float
    must_exceed: bool
    note: str = ""
    unit: str = "s"

    @property
    def bound(self) -> str:
        """The bound as it is written: a sign and a number."""
        return f"{'≥' if self.must_exceed else '≤'} {self.target:g}"

    @property
    def ratio(self) -> float:
        """How many times faster (`must_exceed`) or slower we are."""
        return self.other / self.ours if self.must_exceed else self.ours / self.other

    @property
    def met(self) -> bool:
        """Whether the ratio keeps the target."""
        return self.ratio >= self.target if self.must_exceed else self.ratio <= self.target


def shortest_times(calls: Mapping[str, Call], rounds: int, at_least: float = 5e-3) -> dict[str, float]:
    """Seconds per call, the shortest of several rounds.

    In every round all calls take their turn, so that a busy moment of the machine hits all of them; quick
    ones are repeated until a turn takes `at_least` seconds.
    """
    turns = {name: _repeats(call, at_least) for name, call in calls.items()}
    shortest = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            shortest[name] = min(shortest[name], _time(call, turns[name]) / turns[name])
    return shortest


def _repeats(call: Call, at_least: float) -> int:
    call()  # compiles, and touches memory
    once = max(_time(call, 1), 1e-9)
    return max(1, round(at_least / once))


def _time(call: Call, repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return time.perf_counter() - start


def run(name: str, description: str, compare: Callable[[bool], list[Row]]) -> int:
    """Parse the command line, measure, show, save. `compare` is told whether to be quick."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results to this file")
    parser.add_argument("--history", type=Path, metavar="FILE", help="also add the ratios to this table")
    parser.add_argument("--quick", action="store_true", help="few samples and rounds, to see that it runs")
    arguments = parser.parse_args()
    if arguments.quick and arguments.history is not None:
        parser.error("--history is for whole runs: the ratios of a --quick one say nothing")
    rows = compare(arguments.quick)
    Console(width=150).print(table(name, rows))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(results(name, rows, arguments.quick), indent=2) + "\n")
    if arguments.history is not None:
        add_to_history(arguments.history, name, rows)
    return 0


def table(name: str, rows: list[Row]) -> Table:
    """The rows for the eye."""
    shown = Table(title=f"{name}, one thread, shortest of several interleaved rounds")
    shown.add_column("what")
    for heading in ("ours", "other", "ratio", "target"):
        shown.add_column(heading, justify="right", no_wrap=True)
    shown.add_column("met")
    for row in rows:
        found, met = (_shown(row.ours, row.unit), _shown(row.other, row.unit)), "yes" if row.met else "no"
        what = f"{row.what} (per {row.per}){f'; {row.note}' if row.note else ''}"
        shown.add_row(what, *found, f"{row.ratio:.2f}", row.bound, met)
    return shown


def results(name: str, rows: list[Row], quick: bool) -> dict[str, object]:
    """The rows for machines: times in seconds, memory in GB, and the versions they hold for."""
    versions = {library: _version(library) for library in LIBRARIES} | {"python": platform.python_version()}
    return {
        "benchmark": name,
        "quick": quick,
        "threads": 1,
        "versions": versions,
        "rows": [asdict(row) | {"ratio": row.ratio, "met": row.met} for row in rows],
    }


def add_to_history(path: Path, name: str, rows: list[Row]) -> None:
    """Add a line for each ratio, with the commit and the day [UTC]; seconds of one machine say nothing on another."""
    commit, day = measured_commit(also=("benchmarks/*.py",)), datetime.datetime.now(datetime.UTC).date().isoformat()
    new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        if new:
            lines.writerow(HISTORY_COLUMNS)
        lines.writerows((commit, day, name, row.what, f"{row.ratio:.4g}", row.bound) for row in rows)


def _version(library: str) -> str | None:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return None


def _shown(value: float, unit: str) -> str:
    return _clock(value) if unit == "s" else f"{value:.3g} {unit}"


def _clock(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
