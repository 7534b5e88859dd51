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
    assert "- 1 of 24 that were told right failed" in text


def test_a_short_flight_with_a_prior_holds_what_it_says():
    """Of one flight's clusters about five are independent: fewer than half inside would come once in a thousand."""
    flight = covered(Told(True, 10.0, False), 0)
    assert flight.outcome == "good"
    assert flight.coverage(informed_only=False) > 0.5


def agrees(flights, told):
    """Whether ten flights or so can be of what is promised: not too narrow, nor more than twice too wide.

    Too narrow: Student's 99 % interval of the mean coverage is below what is promised. Too wide: intervals of half the
    width would do. Of honest ones these hold 67 %, and in the mean of ten flights of five independent clusters each
    95 % would be four standard deviations away.
    """
    informed_only = told.times > 1.0
    whole, halved = (np.array([flight.coverage(informed_only, width) for flight in flights]) for width in (1.0, 0.5))
    whole, halved = whole[np.isfinite(whole)], halved[np.isfinite(halved)]  # some tell nothing beyond the prior
    half = t.isf(0.005, whole.size - 1) * whole.std(ddof=1) / np.sqrt(whole.size)
    return whole.mean() + half >= (FARTHER if informed_only else NOMINAL) and halved.mean() < NOMINAL


@pytest.mark.parametrize(("width", "expected"), [(1.0, True), (2.0, False), (0.4, False)])
def test_ten_flights_agree_unless_intervals_are_far_too_narrow_or_too_wide(width, expected):
    flights = flights_with(width, seeds=10)
    assert {agrees([flight for flight in flights if flight.told == told], told) for told in EVERY} == {expected}


@pytest.mark.slow
@pytest.mark.parametrize("told", EVERY, ids=str)
def test_a_tenth_of_the_proof(told):
    flights = [covered(told, seed) for seed in range(10)]
    assert not [flight.said for flight in flights if flight.outcome in ("failed", "refused")]
    assert agrees(flights, told), [flight.errors for flight in flights]
