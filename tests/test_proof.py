"""Proofs run, count flights and not clusters, and the pages that are committed say what they hold for."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from proof import proving

ROOT = Path(__file__).parent.parent
PROOFS = sorted(file.stem for file in (ROOT / "proof").glob("prove_*.py"))
SLOW = {  # two flights, twice
    "prove_arms",
    "prove_causes",
    "prove_coverage",
    "prove_discovery",
    "prove_effort",
    "prove_honesty",
    "prove_linear",
    "prove_matrices",
    "prove_orbit",
    "prove_strangers",
    "prove_swings",
}
FEWER = {
    "prove_causes": ("--things", "nothing,gyro noise,gyro in degrees", "--robots", "cubesat", "--rigid", 1),
    "prove_effort": ("--things", "gyro noise,gyro in degrees", "--robots", "cubesat"),
}
TIMED = {"prove_effort"}  # all that their pages say is how long something took, which no second run repeats
FAULTS = "## What does not hold"


def python(*words):
    command = [sys.executable, "-W", "error", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def printed(code):
    done = python("-c", f"import numpy as np; from proof import proving; {code}")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_proof_has_its_page_and_every_page_its_proof():
    assert "prove_coverage" in PROOFS
    pages = sorted(page.stem for page in (ROOT / "docs" / "proof").glob("*.md"))
    assert [f"prove_{page}" for page in pages] == PROOFS


@pytest.mark.parametrize("name", PROOFS)
def test_pages_say_commit_and_seeds(name):
    page = ROOT / "docs" / "proof" / f"{name.removeprefix('prove_')}.md"
    last = page.read_text().splitlines()[-1]
    said = re.match(r"Commit [0-9a-f]{7,} of the package, seeds 0 to (\d+)\. ", last)
    assert said, f"{page.name} was made of a package that is not committed: {last}"
    assert f"RUNS={int(said[1]) + 1}`" in last
    assert f"`proof/{name}.py`" in last


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in PROOFS]
)
def test_a_proof_of_two_flights_is_written_and_repeats(name, tmp_path):
    pages = [tmp_path / "first.md", tmp_path / "second.md"]
    for page in pages:
        done = python("-m", f"proof.{name}", "--runs", 2, *FEWER.get(name, ()), "-o", page)
        assert done.stdout == f"wrote {page}\n", done.stderr
        assert done.returncode == int(FAULTS in page.read_text()), "two flights may break a promise"
        assert all(line.startswith("does not hold: ") for line in done.stderr.splitlines())
    text = pages[0].read_text()
    assert "seeds 0 to 1. " in text.splitlines()[-1]
    assert re.search(r"^\| .+ \| .+ \|$", text, re.MULTILINE)
    assert "nan" not in text
    if name not in TIMED:
        assert without_times(pages[1].read_text()) == without_times(text)


def without_times(text):
    return [line for line in text.splitlines() if not line.startswith("Median time of")]


@pytest.mark.parametrize(("allowed", "code"), [(1, 0), (0, 1)])
def test_a_page_is_of_what_flew_and_a_broken_promise_ends_in_an_error(allowed, code, tmp_path, monkeypatch, capsys):
    page, now = tmp_path / "page.md", ["abc1234"]

    def fly(seed):
        now[0] = "def5678"  # someone commits meanwhile
        return seed

    def broken(flown):
        return () if sum(flown) <= allowed else (f"at most {allowed}",)

    monkeypatch.setattr(proving, "commit", lambda: now[0])
    monkeypatch.setattr(sys, "argv", ["prove_sum", "--runs", "2", "-o", str(page)])
    assert proving.run("sum", "", fly, lambda flown: f"{sum(flown)}\n", broken=broken) == code
    first, *_, last = page.read_text().splitlines()
    assert first == "1"
    assert last.startswith("Commit abc1234 of the package, seeds 0 to 1. ")
    said = capsys.readouterr()
    assert said.out == f"wrote {page}\n"
    assert said.err == ("does not hold: at most 0\n" if code else "")


def test_one_flight_is_refused_in_a_sentence():
    done = python("-m", "proof.prove_coverage", "--runs", 1)
    assert done.returncode == 2
    assert "--runs is 1; allowed: 2 or more" in done.stderr


def test_the_interval_of_a_mean_shrinks_with_flights_not_with_clusters():
    widths = "[np.ptp(proving.mean_interval(np.tile([0.9, 1.0], n))[1:]) for n in (25, 100)]"
    few, many = (float(width) for width in printed(f"print(*{widths})").split())
    assert few == pytest.approx(2 * many, rel=0.1)
    assert few == pytest.approx(2 * 1.96 * 0.05 / 50**0.5, rel=0.1)


def test_the_interval_of_a_share_is_exact():
    low, high = (float(end) for end in printed("print(*proving.share_interval(20, 20))").split())
    assert (low, high) == (pytest.approx(0.025 ** (1 / 20)), 1.0)


def test_an_overconfident_estimator_is_shown_as_one():
    made = printed(
        "from proof.prove_coverage import FlightShown, page; rng = np.random.default_rng(0);"
        "errors = 2.0 * rng.normal(size=(200, 5));"
        "flown = [FlightShown(tuple('abcde'), e, float(e @ e), 1.0, 'good', 'pass') for e in errors];"
        "flown[7] = FlightShown(tuple('abcde'), errors[7], 1.0, 1.0, 'good', 'fail', ('too far off',));"
        "print(page(flown))"
    )
    coverage = re.search(r"hold the truth, mean \| 95 % \| ([\d.]+) %", made)
    root = re.search(r"squared error, all clusters together \| 1 \| ([\d.]+) \|", made)
    assert float(coverage[1]) == pytest.approx(67.3, abs=3.0), "within 1.96 standard deviations that are half as large"
    assert float(root[1]) == pytest.approx(2.0, abs=0.15)
    assert re.search(r"PASS .+ \| 199 of 200 \|", made)
    assert re.search(r"^\| 7 \| \d of 5 \| good \| fail \| too far off \|$", made, re.MULTILINE)
