"""Intervals whatever is said of a robot: what the proof (proof/prove_honesty.py) counts."""

import numpy as np
import pytest
from scipy.stats import norm, t
from strangers.trying_spreads import EVERY, Covered, Told, covered

from proof.prove_honesty import FARTHER, NOMINAL, broken, page


def flights_with(width, prior_only=0.0, seeds=40):
    """Flights whose errors are so many times what they promise, more where only the prior speaks of robots farther.

    Errors of each cluster are spread evenly over the normal distribution, so that no chance is in the mean.
    """
    rng, even = np.random.default_rng(0), width * norm.ppf((np.arange(seeds) + 0.5) / seeds)
    informed, made = np.arange(20) < 15, []
    for told in EVERY:
        errors = np.column_stack([rng.permutation(even) for _ in informed])
        if told.times > 1.0:
            errors[:, ~informed] += prior_only
        made += [Covered(told, "cubesat", k, row, informed, 1, "good", (), 1.0) for k, row in enumerate(errors)]
    return sorted(made, key=lambda flight: flight.seed)


def test_every_case_is_there_once():
    assert len(set(EVERY)) == len(EVERY) == 15
    assert {(told.trusted, told.duration_s, told.tumbling) for told in EVERY} == {
        (trusted, s, tumbling) for trusted in (True, False) for s in (10.0, 20.0, 60.0) for tumbling in (True, False)
    }


def test_honest_intervals_break_no_promise_and_narrow_ones_all():
    assert broken(flights_with(1.0, prior_only=10.0)) == ()
    assert len(broken(flights_with(1.5))) == len(EVERY)


def test_the_page_counts_what_is_open_and_what_failed():
    flights = flights_with(1.0, seeds=2)
    none = np.zeros(0)
    flights[0] = Covered(EVERY[0], "cubesat", 0, none, none.astype(bool), 0, "refused", ("no",), 1.0)
    text = page([flights[: len(EVERY)], flights[len(EVERY) :]])
    assert "| 1 of 21 | 1 | 1 |" in text
    assert "- 1 of 30 failed" in text


def test_a_short_flight_with_a_prior_holds_what_it_says():
    """Of one flight's clusters about five are independent: fewer than half inside would come once in a thousand."""
    flight = covered(Told(True, 10.0, False), 0)
    assert flight.outcome == "good"
    assert flight.coverage(informed_only=False) > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("told", EVERY, ids=str)
def test_a_tenth_of_the_proof(told):
    """Ten flights of each case, of which Student's 99 % interval holds what is promised; none fails."""
    flights = [covered(told, seed) for seed in range(10)]
    assert not [flight.said for flight in flights if flight.outcome in ("failed", "refused")]
    parts = np.array([flight.coverage(informed_only=told.times > 1.0) for flight in flights])
    parts = parts[np.isfinite(parts)]  # a flight may tell nothing beyond the prior
    half = t.isf(0.005, parts.size - 1) * parts.std(ddof=1) / np.sqrt(parts.size)
    assert parts.mean() + half >= (FARTHER if told.times > 1.0 else NOMINAL), parts
