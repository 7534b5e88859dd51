"""Drawn guesses can exist, differ by their spread, and leave what is known alone."""

import numpy as np
from excitation.small_plans import small_plan, small_robot
from random_trees import random_robot

from freefloat.estimate.problem_data import Nuisances
from freefloat.excitation.finding import find_excitation
from freefloat.excitation.guesses import drawn_guesses
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.physicality import check_physicality
from freefloat.robot.selection import select_parameters


def test_guesses_can_exist_whatever_their_spread():
    for seed in range(4):
        for guess in drawn_guesses(random_robot(seed, bodies=6), 3, spread=1.2, seed=seed):
            assert not check_physicality(guess)


def test_masses_vary_by_the_spread_and_known_bodies_not_at_all():
    robot = small_robot()
    guesses = drawn_guesses(robot, 400, spread=0.2, seed=1, known=("load",))
    factors = np.array([guess.parameters[::PER_BODY] / robot.parameters[::PER_BODY] for guess in guesses])
    assert np.log(factors[:, :2]).std() == np.clip(np.log(factors[:, :2]).std(), 0.18, 0.22)
    np.testing.assert_array_equal(factors[:, 2], 1.0)


def test_a_body_of_which_some_is_known_can_exist_and_keeps_that():
    robot = small_robot()
    for known in ("load.m", "load.moments", "load.inertias"):
        guesses = drawn_guesses(robot, 40, spread=0.8, seed=3, known=(known,))
        assert not [found for guess in guesses for found in check_physicality(guess) if found.body == "load"]
        kept = select_parameters(robot, known)
        assert all((guess.parameters[kept] == robot.parameters[kept]).all() for guess in guesses)
        load = np.array([guess.parameters[2 * PER_BODY :] for guess in guesses])
        assert (load != robot.parameters[2 * PER_BODY :]).any(axis=1).mean() > 0.5


def test_a_design_for_the_worst_guess_is_better_for_it_than_one_that_knew_none():
    robot = small_robot()
    guesses = drawn_guesses(robot, 3, spread=0.8, seed=2, known=("load",))
    built = {"nuisances": Nuisances().on_paper}  # else guesses hardly differ

    def worst(trajectory):
        plans = [small_plan(robot=guess, **built) for guess in (robot, *guesses)]
        return max(plan.objective().value(trajectory.coefficients)[0] for plan in plans)

    plain, careful = (
        find_excitation(plan, starts=4, seed=0, workers=1, shakes=0).trajectory
        for plan in (small_plan(**built), small_plan(guesses=guesses, robust="worst", **built))
    )
    assert worst(careful) < worst(plain)
