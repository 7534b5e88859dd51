"""Estimates from recordings: against an earlier version, how cost grows with duration, a million readings, many joints.

AGAINST in the environment names a checkout of an earlier version, whose estimates then take turns with ours:

    AGAINST=../freefloat-c13a99e python benchmarks/bench_continuous.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

import measure  # before anything numerical
from commit import measured_commit
from measure import Row

import freefloat as ff
from freefloat.cli.new import write_new_mission

HERE = Path(__file__).parent
OURS = Path(ff.__file__).parent.parent


def compare(quick: bool) -> list[Row]:
    """All comparisons."""
    durations, long, chain = ((2, 4, 8), (21, 1000), (10, 3)) if quick else ((60, 600, 6000), (1000, 1000), (50, 60))
    return [
        *against_earlier(1 if quick else 10),
        *longer_against_shorter(durations),
        *many_readings(*long),
        many_joints(*chain),
    ]


# ---------------------------------------------------------------------- against an earlier version


def against_earlier(rounds: int) -> list[Row]:
    """Estimates of both versions by turns, in processes that stay."""
    named = os.environ.get("AGAINST")
    if not named or not (Path(named) / "src" / "freefloat").is_dir():
        print("AGAINST names no checkout of an earlier version; its comparison is left out.")
        return []
    other = Path(named).resolve()
    with tempfile.TemporaryDirectory() as folder:
        flights = {
            "N1 from samples": ["n1"],
            "the demo's robot on a random motion, its command not known": demo_flight(Path(folder)),
        }
        rows = []
        for what, words in flights.items():
            ours, theirs = by_turns(other / "src", words, rounds)
            rows.append(Row(f"{what}: ours, {measured_commit(other)}", ours, theirs, "estimate", 1.2, False))
        return rows


def demo_flight(folder: Path) -> list[str]:
    """A mission and a recording of its robot that does not say how it was made."""
    mission_file = write_new_mission(str(folder / "demo"), None)[0]
    flown = ff.simulate(ff.load_mission(mission_file), seed=1)
    ff.Recording(list(flown)).save(folder / "flight.csv")
    return [str(mission_file), str(folder / "flight.csv")]


def by_turns(other: Path, words: list[str], rounds: int) -> tuple[float, float]:
    """Shortest seconds of ours and of those whose package is in `other`."""
    workers = [started(source, words) for source in (OURS, other)]
    turns = [[turn_of(worker) for worker in workers] for _ in range(rounds + 1)]
    for worker in workers:
        worker.communicate()
    ours, theirs = zip(*turns[1:], strict=True)  # the first round compiles
    return min(ours), min(theirs)


def started(source: Path, words: list[str]) -> subprocess.Popen[str]:
    """A process with the package in a folder, which waits for turns."""
    command = [sys.executable, str(HERE / "identify_by_turns.py"), *words]
    pipe, paths = subprocess.PIPE, {"PYTHONPATH": str(source)}
    worker = subprocess.Popen(command, env=os.environ | paths, stdin=pipe, stdout=pipe, text=True)
    found = Path(line_of(worker).strip())
    if found != source / "freefloat":
        raise RuntimeError(f"asked for the package in {source}, but {found} was imported")
    return worker


def turn_of(worker: subprocess.Popen[str]) -> float:
    """Seconds of one turn."""
    assert worker.stdin is not None
    worker.stdin.write("turn\n")
    worker.stdin.flush()
    return float(line_of(worker))


def line_of(worker: subprocess.Popen[str]) -> str:
    assert worker.stdout is not None
    line = worker.stdout.readline()
    if not line:
        raise RuntimeError("a version that takes turns ended early; what it said stands above")
    return line


# ---------------------------------------------------------------------- long flights


def longer_against_shorter(durations_s: tuple[int, ...]) -> list[Row]:
    """Cost should be linear in duration."""
    each = {duration: alone("iteration", 7, duration, 100)["seconds"] / duration for duration in durations_s}
    per = "Gauss-Newton iteration and second of flight"
    return [
        Row(f"7 joints at 100 Hz: {longer:,} s, {shorter:,} s", each[longer], each[shorter], per, 1.25, False)
        for shorter, longer in pairwise(durations_s)
    ]


def many_readings(duration_s: int, rate_Hz: int) -> list[Row]:
    """Time against one sweep of the momentum regressor over the same instants, and memory."""
    found = alone("identify", 7, duration_s, rate_Hz)
    whole, sweep = found["seconds"], found["sweep_seconds"]
    what = f"7 joints at {rate_Hz:,} Hz for {duration_s:,} s"
    return [
        Row(f"{what}: identify, one momentum regressor", whole, sweep, "flight", 40.0, False),
        Row(f"{what}: most memory, 1 GB", found["memory_GB"], 1.0, "process", 2.0, False, unit="GB"),
    ]


def many_joints(joints: int, duration_s: int) -> Row:
    """Memory of an estimate with many joints."""
    found = alone("identify", joints, duration_s, 100)
    what = f"{joints} joints at 100 Hz for {duration_s:,} s: most memory, 1 GB"
    return Row(what, found["memory_GB"], 1.0, "process", 2.0, False, f"identify took {found['seconds']:.3g} s", "GB")


def alone(*words: object) -> dict[str, float]:
    """What a process of its own measures, so that memory is its own."""
    command = [sys.executable, str(HERE / "long_flights.py"), *map(str, words)]
    environment = os.environ | {"PYTHONPATH": str(OURS)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


if __name__ == "__main__":
    sys.exit(measure.run("continuous", __doc__ or "", compare))
