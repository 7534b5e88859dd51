"""Every benchmark runs and writes what it found; how fast anything is, is not for tests to say."""

import csv
import functools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"
COLUMNS = ["commit", "date", "benchmark", "ratio", "value", "bound"]
BENCHMARKS = sorted(file.stem for file in FOLDER.glob("bench_*.py"))
LONG = ("bench_continuous", "bench_excitation")


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


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in BENCHMARKS]
)
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
    assert row.keys() == {"what", "ours", "other", "per", "target", "must_exceed", "note", "unit", "ratio", "met"}
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "bound", "unit"),
    [("7 joints at 100 Hz", 1.5, "s"), ("one momentum regressor", 40.0, "s"), ("most memory", 2.0, "GB")],
)
def test_long_flights_are_held_to_time_and_memory(what, bound, unit):
    _, found = quick_run("bench_continuous")
    rows = [row for row in found["rows"] if what in row["what"]]
    assert len(rows) == (1 if what == "one momentum regressor" else 2)
    assert all((row["target"], row["unit"]) == (bound, unit) for row in rows)


@pytest.mark.slow
def test_memory_is_shown_in_gigabytes():
    shown, _ = quick_run("bench_continuous")
    assert re.search(r"most memory.*\d GB │ +1 GB", shown)


BY_TURNS = """
import sys; from pathlib import Path; import bench_continuous
print(*bench_continuous.by_turns(Path(sys.argv[1]), ["n1"], 2))
"""


@pytest.mark.slow
def test_two_versions_take_turns():
    ours, theirs = map(float, in_benchmarks(BY_TURNS, FOLDER.parent / "src").split())
    assert 0.0 < ours < 60.0
    assert 0.0 < theirs < 60.0


@pytest.mark.slow
def test_a_version_that_is_not_there_is_not_taken_for_another(tmp_path):
    with pytest.raises(subprocess.CalledProcessError) as failed:
        in_benchmarks(BY_TURNS, tmp_path)
    assert f"asked for the package in {tmp_path}" in failed.value.stderr


def test_without_an_earlier_version_its_comparison_is_left_out(monkeypatch):
    monkeypatch.delenv("AGAINST", raising=False)
    said = in_benchmarks("import bench_continuous; assert bench_continuous.against_earlier(1) == []")
    assert said == "AGAINST names no checkout of an earlier version; its comparison is left out."


# ---------------------------------------------------------------------- history


def in_benchmarks(code, *arguments):
    """What a line of Python prints that may import what benchmarks share."""
    command = [sys.executable, "-W", "error", "-c", code, *map(str, arguments)]
    return subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=True).stdout.strip()


ADD = """
import sys; from pathlib import Path; from measure import Row, add_to_history
slow, fast = Row("a, b", 6.0, 2.0, "call", 4.0, False), Row("c", 1.0, 123.456, "call", 12.5, True, "today only")
add_to_history(Path(sys.argv[1]), "trial", [slow, fast])
"""


def test_every_run_adds_its_ratios_below_those_of_earlier_ones(tmp_path):
    history = tmp_path / "history.csv"
    in_benchmarks(ADD, history)
    once = history.read_text()
    in_benchmarks(ADD, history)
    assert history.read_text().startswith(once)
    head, *rows = csv.reader(history.read_text().splitlines())
    assert head == COLUMNS
    said = [["trial", "a, b", "3", "≤ 4"], ["trial", "c", "123.5", "≥ 12.5"]]
    assert [row[2:] for row in rows] == 2 * said


def test_a_quick_run_is_kept_out_of_the_history(tmp_path):
    history = tmp_path / "history.csv"
    command = [sys.executable, FOLDER / "bench_kernels.py", "--quick", "--history", history]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--history is for whole runs" in done.stderr
    assert not history.exists()


@pytest.fixture
def repository(tmp_path):
    """A repository with a package and a benchmark, and a function that calls git in it."""
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    names = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}

    def git(*words):
        environment = os.environ | settings | names
        done = subprocess.run(
            ["git", *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    git("init", "--quiet")
    for name in ("src/module.py", "benchmarks/bench_it.py", "notes.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("first")
    git("add", ".")
    git("commit", "--quiet", "--message", "first")
    return tmp_path, git


COMMIT = """
import sys; from pathlib import Path; from commit import measured_commit
print(measured_commit(Path(sys.argv[1]), ("benchmarks/*.py",)))
"""


def test_figures_bear_the_last_commit_that_changed_the_package(repository):
    root, git = repository
    first = git("rev-parse", "--short=7", "HEAD")
    assert in_benchmarks(COMMIT, root) == first
    (root / "notes.md").write_text("second")
    assert in_benchmarks(COMMIT, root) == first, "notes are not measured"
    git("commit", "--quiet", "--all", "--message", "second")
    assert in_benchmarks(COMMIT, root) == first
    (root / "src" / "module.py").write_text("third")
    git("commit", "--quiet", "--all", "--message", "third")
    assert in_benchmarks(COMMIT, root) == git("rev-parse", "--short=7", "HEAD") != first


@pytest.mark.parametrize("name", ["src/module.py", "src/new.py", "benchmarks/bench_it.py"])
def test_figures_of_what_is_not_committed_are_marked(repository, name):
    root, git = repository
    (root / name).write_text("changed")
    assert in_benchmarks(COMMIT, root) == git("rev-parse", "--short=7", "HEAD") + "+"


def test_figures_outside_a_repository_say_so(tmp_path):
    assert in_benchmarks(COMMIT, tmp_path) == "unknown"


def test_the_history_is_a_table_of_ratios():
    head, *rows = csv.reader((FOLDER / "history.csv").read_text().splitlines())
    assert head == COLUMNS
    assert rows
    for commit, date, benchmark, ratio, value, bound in rows:
        assert re.fullmatch(r"[0-9a-f]{7,}\+?", commit)
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", date)
        assert f"bench_{benchmark}" in BENCHMARKS
        assert ratio
        assert float(value) > 0.0
        assert re.fullmatch(r"[≤≥] \d+(\.\d+)?", bound)
