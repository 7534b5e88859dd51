"""What an alternative to a fit saves is what a fit that allows for it costs less, and chance saves chi-square."""

import numpy as np
import pytest
from scipy.stats import chi2, kstest

from freefloat.estimate.causes.alternatives import Alternative
from freefloat.estimate.causes.claims import claims, contenders, in_words, worth
from freefloat.estimate.causes.score import FittedRows, Score
from freefloat.estimate.causes.spectral_lines import ChannelRows, strongest_line

ROWS, FITTED, DORMANT = 300, 6, 3


def made(rng, wrong=None):
    """A fit of some unknowns with spreads, others left out, at a point that is not quite its end; and the truth."""
    J = rng.normal(size=(ROWS, FITTED + DORMANT))
    root = rng.normal(size=(FITTED, FITTED))
    information = np.zeros((FITTED + DORMANT,) * 2)
    information[:FITTED, :FITTED] = root @ root.T
    truth = np.zeros(FITTED + DORMANT)
    truth[:FITTED] = np.linalg.solve(root.T, rng.normal(size=FITTED))
    truth += 0.0 if wrong is None else wrong
    off = np.zeros(FITTED + DORMANT)
    off[:FITTED] = truth[:FITTED] + 0.1 * rng.normal(size=FITTED)
    r = J @ (truth - off) + rng.normal(size=ROWS)
    fitted = np.arange(FITTED + DORMANT) < FITTED
    return FittedRows(r, J, fitted, information, off, np.zeros_like(information))


def least_cost(fit, columns, information):
    """Of a fit of all these columns, by stacking the prior below the data."""
    values, vectors = np.linalg.eigh(information)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    start = np.zeros(columns.shape[1])
    start[: fit.off.size] = fit.off
    A, y = np.vstack([columns, root.T]), np.concatenate([fit.r, -root.T @ start])
    step = np.linalg.lstsq(A, y, rcond=1e-12)[0]
    return float(((y - A @ step) ** 2).sum())


@pytest.mark.parametrize("seed", range(5))
def test_what_is_saved_is_the_difference_of_two_fits(seed):
    rng = np.random.default_rng(seed)
    fit = made(rng)
    own = fit.J[:, :FITTED]
    small = fit.information[:FITTED, :FITTED]
    bare = FittedRows(fit.r, own, np.ones(FITTED, bool), small, fit.off[:FITTED], np.zeros_like(small))
    before = least_cost(bare, own, small)
    assert fit.cost == pytest.approx(before, rel=1e-9)
    wide = np.zeros((FITTED + DORMANT,) * 2)
    wide[:FITTED, :FITTED] = small
    assert fit.of_dormant(np.arange(FITTED, FITTED + DORMANT)).gain == pytest.approx(
        before - least_cost(fit, fit.J, wide), rel=1e-6
    )
    freed = np.zeros((FITTED + DORMANT, 2))
    freed[:FITTED] = rng.normal(size=(FITTED, 2))
    relaxed = fit.relaxed(freed)[:FITTED, :FITTED]
    assert fit.of_prior(freed).gain == pytest.approx(before - least_cost(bare, own, relaxed), rel=1e-6)


@pytest.mark.parametrize("count", [1, 3])
def test_a_step_at_any_instant_is_scored_as_its_columns_are(count):
    rng = np.random.default_rng(3)
    fit, t, columns = made(rng), np.sort(rng.uniform(size=ROWS)), rng.normal(size=(ROWS, count))
    places = np.array([0.2, 0.5, 0.8])
    alone = [fit.of_columns(columns * (t > place)[:, None]) for place in places]
    best = max(range(3), key=lambda k: alone[k].gain)
    score, place = fit.of_steps(columns, t, places)
    assert place == places[best]
    assert score.gain == pytest.approx(alone[best].gain, rel=1e-9)
    assert score.amount == pytest.approx(alone[best].amount, rel=1e-9)


def test_chance_saves_chi_square_and_a_mistake_its_own_size():
    rng, off = np.random.default_rng(11), np.zeros(FITTED + DORMANT)
    places = np.arange(FITTED, FITTED + DORMANT)
    chance = [made(rng).of_dormant(places) for _ in range(300)]
    assert kstest([score.gain for score in chance], chi2(DORMANT).cdf).pvalue > 0.01
    assert kstest([made(rng).of_prior(np.eye(9)[:, :2]).gain for _ in range(300)], chi2(2).cdf).pvalue > 0.01
    off[FITTED] = 1.0
    found = made(rng, off).of_dormant(places)
    assert found.amount[0] == pytest.approx(1.0, abs=5.0 * found.sd[0])


def line_in(rng, amplitude, frequency=1.3, gap_s=0.0):
    """Readings of three axes for 20 s, in the middle of which some are missing, and the strongest line in them."""
    t = np.arange(600) / 30.0
    t = t[(t < 10.0) | (t >= 10.0 + gap_s)]
    left = rng.normal(size=(t.size, 3)) + amplitude * np.sin(2.0 * np.pi * frequency * t[:, None] + [0.0, 1.0, 2.0])
    fit = FittedRows(left.ravel(), np.zeros((left.size, 1)), np.ones(1, bool), np.eye(1), np.zeros(1), np.eye(1))
    return strongest_line(fit, ChannelRows("gyro", 0, slice(0, left.size), 3, t)), fit


@pytest.mark.parametrize("frequency", [1.3, 1.325])  # a whole number of cycles, and a half more
def test_a_gap_hides_no_line(frequency):
    whole, half = (line_in(np.random.default_rng(5), 0.5, frequency, gap_s)[0] for gap_s in (0.0, 1.6))
    assert half.amount[0] == pytest.approx(frequency, abs=0.03)
    assert half.gain > 0.8 * whole.gain
    assert line_in(np.random.default_rng(5), 0.5, 1.325)[0].gain > 0.9 * line_in(np.random.default_rng(5), 0.5)[0].gain


def test_a_weak_line_is_doubted_and_not_claimed():
    rng, causes = np.random.default_rng(7), []
    for amplitude in (0.0, 0.23):  # the latter costs 48 in the mean
        for _ in range(100):
            score, fit = line_in(rng, amplitude)
            causes.append(claims([Alternative("oscillation", "1.3 Hz", lambda _: "", "", score)], fit))
    noise, weak = causes[:100], causes[100:]
    assert sum(bool(each.causes) for each in noise) <= 4  # of which one was to be expected
    assert sum(bool(each.causes) for each in weak) >= 80
    assert not any(each.named for each in noise)
    doubted = [each for each in weak if each.causes and not each.named]
    assert len(doubted) >= 20
    assert all(not each.strange and "something at 1.3 Hz" in in_words(each.causes) for each in doubted)


def test_the_strongest_lines_are_claimed_too():
    for amplitude in (0.6, 3.0, 30.0, 1e3):
        score, fit = line_in(np.random.default_rng(1), amplitude)
        line = Alternative("oscillation", "1.3 Hz", lambda _: "", "", score)
        other = alternative("torque", 0.5 * score.gain)
        assert [cause.kind for cause in claims([line, other], fit).causes] == ["oscillation"]
        assert np.isfinite(worth(line))


def test_a_line_is_found_at_its_frequency_and_noise_has_none():
    rng = np.random.default_rng(5)
    found, _ = line_in(rng, 0.5)
    assert found.gain > 100.0
    assert found.amount[0] == pytest.approx(1.3, abs=0.03)
    for _ in range(200):
        score, fit = line_in(rng, 0.0)
        noise = Alternative("oscillation", "", lambda _: "", "", score)
        assert not claims([noise], fit).strange


def alternative(kind, gain, count=1):
    return Alternative(kind, "", lambda _: f"it is {kind}", f"mend {kind}", Score(gain, count, np.ones(1), np.ones(1)))


def test_what_saves_most_is_claimed_with_its_rivals_and_nothing_that_explains_little():
    fit = made(np.random.default_rng(2))
    assert not claims([alternative("a", 15.0)], fit).strange
    (cause,) = claims([alternative("a", 200.0), alternative("b", 170.0)], fit).causes
    assert (cause.kind, cause.gain) == ("a", 200.0)
    both = claims([alternative("a", 200.0), alternative("b", 190.0)], fit).causes
    assert [cause.kind for cause in both] == ["a", "b"]
    assert "it is a, or that it is b (the data do not tell which)" in in_words(both)
    loud = FittedRows(10.0 * fit.r, fit.J, fit.fitted, fit.information, fit.off, fit.steadying)
    nothing = claims([alternative("a", 200.0)], loud)
    assert (nothing.named, nothing.strange) == ((), True)
    assert [cause.kind for cause in nothing.causes] == ["none"]


def test_only_near_rivals_of_something_large_are_fitted_anew():
    assert contenders([alternative("a", 50.0), alternative("b", 49.0)]) == []
    again = contenders([alternative("a", 500.0), alternative("b", 490.0), alternative("c", 90.0)])
    assert [each.kind for each in again] == ["a", "b"]
