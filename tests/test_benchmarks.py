"""Every benchmark runs and writes what it found; how fast anything is, is not for tests to say."""

import functools
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"
BENCHMARKS = sorted(file.stem for file in FOLDER.glob("bench_*.py"))


@functools.cache
def quick_run(name):
    """What a quick run shows, and what it writes."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "results.json"
        command = [sys.executable, "-W", "error", FOLDER / f"{name}.py", "--quick", "--json", target]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout, json.loads(target.read_text())


def test_there_are_benchmarks():
    assert "bench_kernels" in BENCHMARKS


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_quick_run_shows_a_table_and_writes_json(name):
    shown, found = quick_run(name)
    for heading in ("what", "ours", "other", "ratio", "target", "met"):
        assert heading in shown
    assert found["benchmark"] == name.removeprefix("bench_")
    assert (found["quick"], found["threads"]) == (True, 1)
    assert {"freefloat", "numpy", "python"} <= found["versions"].keys()
    assert found["rows"]
    for row in found["rows"]:
        check_row(row)


def check_row(row):
    assert row.keys() == {"what", "ours", "other", "per", "target", "must_exceed", "ratio", "met"}
    assert row["what"]
    assert row["per"]
    assert all(math.isfinite(row[name]) and row[name] > 0.0 for name in ("ours", "other", "target", "ratio"))
    over, under = ("other", "ours") if row["must_exceed"] else ("ours", "other")
    assert row["ratio"] == pytest.approx(row[over] / row[under])
    kept = row["ratio"] >= row["target"] if row["must_exceed"] else row["ratio"] <= row["target"]
    assert row["met"] == kept


@pytest.mark.parametrize(
    ("what", "bound"), [("loop over Pinocchio", 12.0), ("K.fill(0)", 3.0), ("adjoint", 4.0), ("50 joints", 1.5)]
)
def test_the_kernels_are_compared_with_what_they_should_keep_up_with(what, bound):
    _, found = quick_run("bench_kernels")
    assert any(what in row["what"] and row["target"] == bound for row in found["rows"])
