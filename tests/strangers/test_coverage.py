"""Intervals hold the truth of robots that MuJoCo flew: three flights here, a tenth of the proof's where slow ones run.

The flight is the unit of evidence. `make prove` flies 100 of each robot (docs/proof/strangers.md).
"""

import pytest
from scipy.stats import chi2
from strangers.robots import ROBOTS
from strangers.trying import tried

from proof.prove_strangers import BAD, broken

FEW = ((0, 1), (1, 1), (5, 1))  # robot, seed: quick ones, one of them with wheels
FALSE_ALARM = 1e-3


@pytest.fixture(scope="module")
def flights():
    return [tried(*which) for which in FEW]


def test_three_flights_are_not_failed_and_leave_noise(flights):
    for flight in flights:
        assert flight.outcome not in BAD, flight.said
        assert flight.open == 0
        assert flight.ratio == pytest.approx(1.0, abs=0.05), flight.said


def test_errors_of_three_flights_are_those_of_their_covariance(flights):
    """Squared errors in units of the covariance are of as many degrees of freedom as there are clusters."""
    squared, clusters = (sum(each) for each in zip(*((f.squared, f.errors.size) for f in flights), strict=True))
    assert squared < chi2.isf(FALSE_ALARM, clusters), [(f.robot, f.squared, f.errors.size) for f in flights]


def test_most_intervals_of_three_flights_hold_the_truth(flights):
    """Were a flight's clusters five independent ones, 11 of 15 inside or fewer would come once in 180 times."""
    assert sum(flight.coverage for flight in flights) / len(flights) > 0.75, [f.coverage for f in flights]


@pytest.mark.slow
def test_a_tenth_of_the_proof_holds():
    shown = [tried(index, seed) for seed in range(10) for index in range(len(ROBOTS))]
    assert broken(shown) == ()
