"""Random motions that nobody flew: how surely an estimate predicts them, and how well where the truth is known."""

from dataclasses import replace

import numpy as np
import pytest
from estimate.problems import cad_of, fly
from random_trees import random_robot

from freefloat.dynamics.reaction import base_reaction
from freefloat.dynamics.samples import Samples
from freefloat.estimate.flight import Flight
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.motion.sine_motions import RandomSines
from freefloat.validation.prediction import InvalidValidation, UnfitEstimate
from freefloat.validation.random_motions import _geometry, _predicted, predict_random_motions


def flown(seed, base="free", noise=1e-5):
    """A random tree and an estimate of it from one noisy flight, its last body known."""
    robot = random_robot(seed, bodies=4, base=base, prismatic=False)
    samples, _ = fly(robot, seed, 150, "zero")
    w = samples.w + noise * np.random.default_rng(seed).normal(size=samples.w.shape) * (samples.w.any(axis=0))
    known = {robot.body_names[-1]: 0.0}
    flight = Flight(replace(samples, v=None, w=w), {"w": noise})
    cad = cad_of(robot, known, 0.05, seed)
    return robot, MaximumLikelihood().estimate(Problem(cad, (flight,), known=known, nuisances=Nuisances.none()))


@pytest.mark.parametrize(("seed", "base"), [(2, "free"), (5, "planar")])
def test_errors_of_random_motions_are_as_large_as_they_are_said_to_be(seed, base):
    robot, estimate = flown(seed, base)
    found = predict_random_motions(estimate, 50, seed=1, truth=robot)
    assert found.largest_rate.shape == found.largest_sd.shape == found.largest_error.shape == (50, 3)
    turning = found.largest_rate.any(axis=0)
    assert turning.tolist() == ([True] * 3 if base == "free" else [False, False, True])
    ratio = found.largest_error[:, turning] / found.largest_sd[:, turning]
    assert 0.05 < np.sqrt((ratio**2).mean()) < 3.0
    assert found.within > 0.6  # one estimate: its errors go together
    mine = robot.with_separate(estimate.robot.separate).with_parameters(estimate.parameters)
    assert predict_random_motions(estimate, 5, truth=mine).largest_error.max() < 1e-12
    assert predict_random_motions(estimate, 5).within is None


def test_where_no_intervals_are_stated_none_are_of_random_motions():
    robot, estimate = flown(2)
    stated, unstated = (
        predict_random_motions(each, 5, truth=robot) for each in (estimate, replace(estimate, no_interval="biased"))
    )
    np.testing.assert_array_equal(unstated.largest_error, stated.largest_error)
    assert np.isnan(unstated.largest_sd).all()
    assert unstated.within is None
    assert unstated.summary()["axes"]["x"]["mean_of_largest_sd_rad_s"] is None


def test_standard_deviations_are_those_of_the_covariance_by_exact_derivatives():
    _, estimate = flown(2)
    robot, kept = estimate.robot, estimate.minimal.kept
    samples = next(RandomSines.drawn(robot, 1, 60.0, 0.1).pieces())[0]
    direction = np.sqrt(np.diagonal(estimate.covariance)) * np.linspace(-1.0, 1.0, kept.size)

    def rates(step):
        phi = np.array(estimate.parameters)
        phi[kept] += step * direction
        return base_reaction(robot.with_parameters(phi), Samples(samples.q, dq=samples.dq))[1]

    _, sd = _predicted(estimate, samples, np.outer(direction, direction), *_geometry(estimate))
    np.testing.assert_allclose(sd, np.abs(rates(0.5) - rates(-0.5)), rtol=1e-3, atol=1e-9)


def test_sines_stay_within_limits_about_the_middle_where_zero_is_not_allowed():
    robot = random_robot(3, bodies=4, base="free")
    shifted = tuple(
        replace(body, joint=replace(body.joint, position=(0.5, 1.5), rate=0.2)) if body.joint else body
        for body in robot.bodies
    )
    for samples, _ in RandomSines.drawn(replace(robot, bodies=shifted), 30, 20.0, 5.0).pieces():
        assert samples.q.min() >= 0.5
        assert samples.q.max() <= 1.5
        assert np.abs(samples.dq).max() <= 0.2


def test_what_cannot_be_predicted_is_refused():
    _, estimate = flown(2)
    with pytest.raises(InvalidValidation, match="has the joints"):
        predict_random_motions(estimate, 5, truth=random_robot(4, bodies=6, base="free"))
    with pytest.raises(UnfitEstimate, match="with a covariance"):
        predict_random_motions(replace(estimate, covariance=np.full_like(estimate.covariance, np.nan)), 5)
