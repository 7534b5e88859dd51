"""A target that the arm has caught: its intervals hold the truth, whatever the robot file guesses of it."""

from dataclasses import replace

import numpy as np
import pytest
from excitation.small_mission import MISSION, write_small_mission
from random_trees import random_parameters

import freefloat as ff
from freefloat.estimate.prior import CadSpread, known_covariance
from freefloat.robot.parameters import PER_BODY, parameters_from_com

GUESS = parameters_from_com(1.0, [0.0, 0.0, 0.02], 0.001 * np.eye(3))
SEEDS = 20


def holding(mission, phi):
    """The mission with these ten parameters in the hand."""
    robot = mission.robot
    load = ff.Body("target", robot.bodies[-1].name, ff.Joint("grip", "fixed"), parameters=phi)
    return replace(mission, robot=replace(robot, bodies=(*robot.bodies, load), separate=frozenset({"target"})))


def drawn(robot, relative, rng):
    """A robot whose bodies but the target are off as far as they are said to be known."""
    known = {name: relative for name in robot.body_names if name != "target"}
    root = np.linalg.cholesky(known_covariance(robot, known) + 1e-18 * np.eye(robot.parameters.size))
    off = root @ rng.standard_normal(robot.parameters.size)
    off[PER_BODY * robot.body_names.index("target") :] = 0.0
    return robot.with_parameters(robot.parameters + off)


def flown(tmp_path, seed, rest_sd):
    """What is found of a random target, and what it is."""
    sensors = {**MISSION["sensors"], "wheels": {"kind": "tachometer", "noise_rad_s": 0.01, "rate_Hz": 10}}
    path = write_small_mission(tmp_path, known={}, sensors=sensors, excitation={"duration_s": 20})
    mission = ff.load_mission(path)
    rng = np.random.default_rng([seed, 71])
    truth = random_parameters(rng, float(rng.uniform(1.0, 8.0)), 0.2)
    held = holding(mission, truth)
    recording = ff.simulate(replace(held, robot=drawn(held.robot, rest_sd, rng)), seed=seed)
    return ff.find_target(holding(mission, GUESS), recording, rest_sd=rest_sd), truth


@pytest.mark.slow
@pytest.mark.parametrize("rest_sd", [0.0, 0.01])
def test_intervals_of_a_target_hold_the_truth_in_twenty_flights(tmp_path, rest_sd):
    inside, outcomes = [], []
    for seed in range(SEEDS):
        found, truth = flown(tmp_path, seed, rest_sd)
        assert len(found.names) == PER_BODY
        inside.append(np.abs(found.values - truth) < 1.96 * found.sd)
        outcomes.append(found.estimate.outcome)
    assert np.mean(inside) >= 0.90  # more than 95 % are expected: that joints may sit elsewhere is allowed for
    assert outcomes.count("good") >= SEEDS - 2  # each may be called doubtful by chance


def test_a_targets_guess_does_not_pull_and_a_cad_models_spread_would(tmp_path):
    found, truth = flown(tmp_path, 1, 0.0)
    estimate = found.estimate
    assert estimate.outcome == "good"
    assert (np.abs(found.values - truth) < 4.0 * found.sd).all()
    assert np.abs(estimate.cad - truth).max() > 20.0 * found.sd[0]
    assert estimate.prior.unknown[0].mass_kg == pytest.approx(estimate.robot.mass - GUESS[0])
    narrow = CadSpread().covariance(estimate.robot)[-PER_BODY:, -PER_BODY:]
    assert abs(truth[0] - GUESS[0]) > 3.0 * np.sqrt(narrow[0, 0])  # by which the CAD model's spread denies the truth
