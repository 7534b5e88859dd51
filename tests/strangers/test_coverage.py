"""Intervals hold the truth of robots that MuJoCo flew: three flights here, a tenth of the proof's where slow ones run.

The flight is the unit of evidence. `make prove` flies 100 of each robot (docs/proof/strangers.md).
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2, norm, t
from strangers.robots import ROBOTS
from strangers.trying import HALF, Tried, tried

from proof.prove_strangers import BAD, broken, page

FEW = ((0, 1), (1, 1), (5, 1))  # robot, seed: quick ones, one of them with wheels
FALSE_ALARM = 1e-3


@pytest.fixture(scope="module")
def flights():
    return [tried(*which) for which in FEW]


def test_three_flights_leave_noise_and_predict_another(flights):
    for flight in flights:
        assert flight.outcome not in BAD, flight.said
        assert flight.open == 0
        assert flight.ratio == pytest.approx(1.0, abs=0.05), flight.said
        assert flight.verdict == "pass", flight.said


def test_errors_of_three_flights_are_those_of_their_covariance(flights):
    """Squared errors in units of the covariance are of as many degrees of freedom as there are clusters."""
    squared, clusters = (sum(each) for each in zip(*((f.squared, f.errors.size) for f in flights), strict=True))
    assert squared < chi2.isf(FALSE_ALARM, clusters), [(f.robot, f.squared, f.errors.size) for f in flights]


def test_most_intervals_of_three_flights_hold_the_truth(flights):
    """Were a flight's clusters five independent ones, 11 of 15 inside or fewer would come once in 180 times."""
    assert sum(flight.coverage for flight in flights) / len(flights) > 0.75, [f.coverage for f in flights]


@pytest.mark.slow
def test_a_tenth_of_the_proof_holds():
    """Ten flights of a robot are too few for a bootstrap: each robot's interval is Student's, all of them at 99 %."""
    shown = [tried(index, seed) for seed in range(10) for index in range(len(ROBOTS))]
    assert [said for said in broken(shown) if not said.startswith("coverage of") or "of all" in said] == []
    for robot in ROBOTS:
        held = np.array([flight.coverage for flight in shown if flight.robot == robot.name])
        half = t.isf(0.005 / len(ROBOTS), held.size - 1) * held.std(ddof=1) / np.sqrt(held.size)
        assert abs(held.mean() - 0.95) < half, (robot.name, held)


# ---------------------------------------------------------------------- what would be said of others


def flights_with(width, seeds=50):
    """Flights whose errors are so many times what they promise, 30 clusters that five numbers make."""
    rng, mix = np.random.default_rng(0), np.random.default_rng(1).normal(size=(5, 30))
    mix /= np.linalg.norm(mix, axis=0)
    made = []
    for seed in range(seeds):
        for robot in ROBOTS:
            errors, names = width * rng.normal(size=5) @ mix, tuple(map(str, range(30)))
            judged = ("good", "pass", (), 1.0, {}, {}, 0, 1.0, 1.0)
            made.append(Tried(robot.name, seed, names, errors, float(errors @ errors), 0, *judged))
    return made


def test_honest_intervals_break_no_promise():
    assert broken(flights_with(1.0)) == ()


def test_intervals_that_are_too_narrow_or_too_wide_are_told():
    for width in (1.3, 0.7):
        first, *robots = broken(flights_with(width))
        found = float(first.removeprefix("coverage of all is ").split(";")[0])
        assert found == pytest.approx(1.0 - 2.0 * norm.sf(HALF / width), abs=0.01)
        assert len(robots) > 4
        assert all(sentence.startswith("coverage of") for sentence in robots)


def test_one_robot_that_is_worse_than_the_others_is_named():
    flights = [replace(each, errors=1.5 * each.errors) if each.robot == "tug" else each for each in flights_with(1.0)]
    (sentence,) = [each for each in broken(flights) if "of all" not in each]
    assert sentence.startswith("coverage of tug is 0.8")


def test_failed_flights_and_verdicts_are_counted():
    flights = flights_with(1.0)
    flights[3] = replace(flights[3], outcome="refused", errors=np.zeros(0), said=("too few samples",))
    flights[4:26] = [replace(each, verdict="doubtful") for each in flights[4:26]]
    assert broken(flights) == ("378 of 400 predict unseen motion; promised: 95 %", "1 of 400 failed")
    text = page([flights[:200], flights[200:]])
    assert "| twins | 0 | 0 of 0 | refused | pass | too few samples |" in text
    assert "## What does not hold" in text
    assert "nan" not in text
