"""Naveen's three steps: derivatives by seeds, limits, pruning rules, exchange, and the published numbers."""

from dataclasses import replace

import numpy as np
import pytest
from agreement import assert_agree
from random_trees import random_robot

from freefloat.excitation.goals.condition_number import ConditionNumber, true_condition_number
from freefloat.excitation.planned_motion import Conditions
from freefloat.excitation.procedures.interval_design import design_intervals, sampled_combinations
from freefloat.excitation.procedures.interval_exchange import exchange
from freefloat.excitation.procedures.interval_pruning import interval_record, prune, prune_as_printed
from freefloat.excitation.procedures.interval_seeds import SeedSpace, optimise_seeds
from freefloat.excitation.procedures.interval_task import IntervalTask
from freefloat.excitation.rows.momentum import MomentumDesignRows
from freefloat.models.model import Momentum
from freefloat.motion.cycloid import direction_combinations
from freefloat.motion.limits import limits_of
from freefloat.motion.trajectory import InvalidTrajectory
from freefloat.studies.catalogue import published, study_robot
from freefloat.studies.naveen.experiment import published_seeds
from freefloat.studies.naveen.plans import BOX_RAD, interval_task

STEP = 1e-5
PUBLISHED = published("naveen_dual_arm")
FLOWN = PUBLISHED["excitation"]
GUESS = interval_task(study_robot("naveen_dual_arm_offset"))
POOL = direction_combinations(9)
FINE = 20  # instants an interval


def random_task(seed, **settings):
    """A random robot with three joints and two wheels, and few directions."""
    robot = random_robot(seed, bodies=4, base="free", wheels=2, branched=True)
    limits = limits_of(robot, (*robot.joint_names, *(wheel.name for wheel in robot.wheels)))
    turns = np.arange(5) >= 3
    reach = np.where(turns, np.inf, 2.0)
    limits = replace(limits, lowest=-reach, highest=reach + 0.5, rate=np.where(turns, 8.0, 0.6))
    conditions = Conditions(robot)
    return IntervalTask(MomentumDesignRows(Momentum(robot), conditions), conditions, limits, instants=2, **settings)


# ---------------------------------------------------------------------- seeds


@pytest.mark.parametrize("signal_weight", [0.0, 1e-3], ids=["", "with signal"])
@pytest.mark.parametrize("seed", range(3))
def test_the_derivative_by_the_seeds_is_that_of_the_value(seed, signal_weight):
    task = random_task(seed, signal_weight=signal_weight)
    space = SeedSpace(task, sampled_combinations(5, 12, seed))
    x, goal = np.random.default_rng(seed).uniform(0.2, 0.8, 6), ConditionNumber(4.0)
    _, slope = space.value_and_slope(x, goal)
    ahead = [space.value_and_slope(x + STEP * unit, goal)[0] for unit in np.eye(6)]
    behind = [space.value_and_slope(x - STEP * unit, goal)[0] for unit in np.eye(6)]
    assert_agree(slope[None], (np.subtract(ahead, behind) / (2.0 * STEP))[None], 1e-6, 1.0)


def test_the_signal_term_is_the_inverse_mean_square_of_joint_rates_and_twist():
    plain, strong = random_task(4), random_task(4, signal_weight=0.7)
    directions = sampled_combinations(5, 12, 4)
    seeds = SeedSpace(plain, directions).seeds(np.full(6, 0.5))
    motion = plain.trajectory(seeds, directions).evaluate(plain.times(12))
    reacted = plain.rows.fill(plain.conditions.samples(plain.channels, motion)).motion.samples
    h = np.hstack([reacted.dq, reacted.v, reacted.w])
    expected = plain.value(seeds, directions) + 0.7 / (h**2).mean()
    assert strong.value(seeds, directions) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_every_choice_of_numbers_between_bounds_keeps_all_limits(seed):
    rng = np.random.default_rng(seed)
    space = SeedSpace(GUESS, POOL[rng.permutation(256)[:67]])
    low, high = np.transpose(space.bounds)
    for x in (low, high, rng.uniform(low, high), np.where(rng.random(12) < 0.5, low, high)):
        seeds = space.seeds(x)
        assert GUESS.within(seeds, space.directions)
        np.testing.assert_allclose(space.seeds(space.place(seeds)), seeds, atol=1e-12)


@pytest.mark.parametrize("reach", [BOX_RAD, 0.3], ids=["wide", "narrow"])
def test_the_longest_ranges_just_meet_a_limit(reach):
    limits = GUESS.limits
    turns = np.arange(9) >= 6
    lowest, highest = np.where(turns, -np.inf, -reach), np.where(turns, np.inf, reach)
    task = replace(GUESS, limits=replace(limits, lowest=lowest, highest=highest))
    seeds = SeedSpace(task, POOL).seeds(np.concatenate([np.ones(6), np.zeros(6)]))
    extremes = task.trajectory(seeds, POOL).extremes()
    margins = task.limits.margins(extremes)
    assert margins.within
    unused = np.minimum(margins.rate[:6], highest[:6] - extremes.highest[:6])
    assert unused == pytest.approx(np.zeros(6), abs=1e-12)
    assert extremes.lowest[:6] == pytest.approx(lowest[:6])


def test_accelerations_limit_ranges_too():
    slow = replace(GUESS, limits=replace(GUESS.limits, acceleration=np.full(9, 0.1)))
    assert (slow.largest_range <= 0.1 / (2 * np.pi)).all()
    seeds = SeedSpace(slow, POOL[:40]).seeds(np.full(12, 1.0))
    assert slow.trajectory(seeds, POOL[:40]).extremes().acceleration.max() == pytest.approx(0.1)


def test_optimised_seeds_are_better_than_published_ones_and_reproducible():
    chosen = POOL[FLOWN["surrogate_intervals"]]
    seeds, value = optimise_seeds(GUESS, chosen, published_seeds())
    again, _ = optimise_seeds(GUESS, chosen, published_seeds())
    assert value < GUESS.value(published_seeds(), chosen)
    np.testing.assert_array_equal(seeds, again)
    np.testing.assert_array_equal(seeds[:, 6:], published_seeds()[:, 6:])


# ---------------------------------------------------------------------- pruning


def published_blocks(study):
    task = interval_task(study_robot(study), FINE)
    return task.blocks(task.trajectory(published_seeds(), POOL))


def test_intervals_show_what_the_article_says_they_show():
    record = interval_record(published_blocks("naveen_dual_arm"))
    for intervals, significant in PUBLISHED["results"]["significant_singular_values_by_intervals"]:
        assert abs(record.significant_so_far[intervals - 1] - significant) <= 1
    assert 8 <= record.significant_alone.min() <= record.significant_alone.max() <= 11
    assert record.condition_alone.min() > 1e12
    assert (np.diff(record.significant_so_far) >= -2).all()


def test_the_record_of_all_intervals_is_that_of_the_whole_matrix():
    blocks = published_blocks("naveen_dual_arm")[:70]
    record = interval_record(blocks)
    sigma = np.linalg.svd(blocks.reshape(-1, blocks.shape[2]), compute_uv=False)
    assert record.condition_so_far[-1] == pytest.approx(sigma[0] / sigma[-1])
    assert record.significant_so_far[-1] == (sigma > sigma[0] / 300).sum()


def test_the_algorithm_as_printed_prunes_nothing_and_the_updated_one_does():
    blocks = published_blocks("naveen_dual_arm")
    printed, updated = prune_as_printed(blocks), prune(blocks)
    assert printed.size == 256
    assert 67 < updated.size < 200
    kept = blocks[updated].reshape(-1, 52)
    assert true_condition_number(kept) < true_condition_number(blocks.reshape(-1, 52))


def test_an_interval_that_adds_nothing_new_is_pruned_once_patience_ends():
    rng = np.random.default_rng(0)
    useful = np.eye(4)[None].repeat(2, axis=0)
    biased = np.zeros((30, 4, 4))
    biased[:, 0, 0] = 1.0 + 0.1 * rng.random(30)  # more of what is there already
    kept = prune(np.concatenate([useful, biased]), patience=5)
    np.testing.assert_array_equal(kept, np.arange(2 + 5))


# ---------------------------------------------------------------------- combinations and exchange


@pytest.mark.parametrize("channels", [5, 12, 30])
def test_sampled_combinations_differ_and_start_forwards(channels):
    found = sampled_combinations(channels, 16, 3)
    assert found.shape == (16, channels)
    assert len(np.unique(found, axis=0)) == 16
    assert (found[:, 0] == 1.0).all()
    assert (np.abs(found) == 1.0).all()
    np.testing.assert_array_equal(found, sampled_combinations(channels, 16, 3))


def test_all_combinations_are_sampled_if_asked_for():
    found = sampled_combinations(5, 16, 0)
    np.testing.assert_array_equal(found, direction_combinations(5))
    with pytest.raises(InvalidTrajectory, match="17 combinations"):
        sampled_combinations(5, 17, 0)


def test_an_exchange_keeps_the_number_of_intervals_and_the_limits_and_never_gets_worse():
    chosen = np.sort(np.random.default_rng(1).choice(256, 67, replace=False))
    seeds, before = optimise_seeds(GUESS, POOL[chosen], 0)
    better = exchange(GUESS, seeds, POOL, chosen, 200, np.random.default_rng(0))
    assert np.unique(better).size == 67
    assert GUESS.value(seeds, POOL[better]) < before
    assert GUESS.within(seeds, POOL[better])


@pytest.mark.parametrize("seed", range(2))
def test_an_exchange_beats_the_rules_with_as_many_intervals(seed):
    task = random_task(seed)
    by_rule = [design_intervals(task, rule, starts=1, seed=seed) for rule in ("printed", "updated")]
    found = design_intervals(task, "exchange", starts=1, seed=seed, rounds=2, tries=100)
    assert len(found.directions) == len(by_rule[1].directions) <= len(by_rule[0].directions)
    assert found.value < min(by_rule[1].value, by_rule[0].value)
    assert found.steps[-1].value < found.steps[-2].value
    assert task.within(found.seeds, found.directions)
    assert len(found.record.significant_alone) == len(found.directions)


def test_what_cannot_be_designed_is_refused():
    with pytest.raises(InvalidTrajectory, match="only by exchange"):
        design_intervals(GUESS, "updated", most=67)
    with pytest.raises(InvalidTrajectory, match="j1 moves from -inf to inf"):
        replace(GUESS, limits=replace(GUESS.limits, lowest=np.full(9, -np.inf), highest=np.full(9, np.inf)))
    with pytest.raises(InvalidTrajectory, match="j1 has no largest rate"):
        replace(GUESS, limits=replace(GUESS.limits, rate=np.full(9, np.inf)))


@pytest.mark.slow
def test_three_steps_from_a_wrong_guess_need_no_more_intervals_than_published_and_do_better():
    found = design_intervals(GUESS, "exchange", most=FLOWN["intervals_kept"])
    truth = interval_task(study_robot("naveen_dual_arm"), FINE)
    assert len(found.directions) <= 67
    assert GUESS.within(found.seeds, found.directions)
    assert true_condition_number(truth.matrix(found.trajectory)) <= PUBLISHED["results"]["condition_number"]
