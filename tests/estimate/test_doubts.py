"""What maximum likelihood makes of data that are not what was said: noise, prior, model, directions not shown."""

from dataclasses import replace

import numpy as np
import pytest
from estimate.problems import make_case

from freefloat.estimate.likelihood.likelihood import Rows
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.likelihood.time_blocks import variance_by_blocks
from freefloat.estimate.prior import CadSpread, drawn_robot

GYRO = 1e-5


def drawn_case(seed, spread, declared=GYRO, n=300):
    """A robot as far from its CAD model as the spread says, flown with a gyro, told the default spread."""
    case = make_case("momentum", seed, base="free", bodies=5, n=n, noise={"w": GYRO}, declared={"w": declared})
    rng = np.random.default_rng([seed, 5])
    cad = drawn_robot(case.robot, spread.root(case.robot), rng.standard_normal)
    return case, replace(case.problem, robot=cad, nuisances=replace(case.problem.nuisances, joint_zero_rad=None))


def test_a_sensor_noisier_than_declared_is_weighed_by_what_it_leaves():
    _, problem = drawn_case(4, CadSpread(0.05, 0.05, 0.05), declared=GYRO / 3.0)
    _, honest = drawn_case(4, CadSpread(0.05, 0.05, 0.05))
    found, right = MaximumLikelihood().estimate(problem), MaximumLikelihood().estimate(honest)
    assert found.residual.ratio == pytest.approx(3.0, rel=0.05)
    assert any("3" in note and "times the noise" in note for note in found.notes)
    np.testing.assert_allclose(found.sd, right.sd, rtol=0.1)
    np.testing.assert_allclose(found.values, right.values, atol=0.1 * right.sd.max())
    assert found.residual.white


def test_spreads_that_the_data_do_not_deny_stay():
    kept = sum(
        MaximumLikelihood().estimate(drawn_case(seed, CadSpread())[1]).prior == CadSpread() for seed in range(4, 10)
    )
    assert kept >= 5


def test_spreads_that_the_data_deny_are_widened_by_as_much():
    _, problem = drawn_case(4, CadSpread())
    found = MaximumLikelihood().estimate(replace(problem, prior=CadSpread(0.02, 0.02, 0.02)))
    scales = np.array([found.prior.mass, found.prior.com, found.prior.inertia])
    assert (scales >= 0.02).all()
    assert 0.05 < scales.max() < 0.2
    assert any("deny the CAD model's spreads" in note for note in found.notes)


def test_blocks_of_time_give_the_variance_of_noise_and_more_where_it_lasts():
    rng, truth = np.random.default_rng(0), np.array([1.0, -2.0])
    ratios = []
    for lasting in (False, True):
        found = []
        for _ in range(40):
            J = rng.normal(size=(480, 1, 2))
            J[:, 0, 1] = np.repeat(J[::20, 0, 1], 20)  # a slow column feels what lasts
            noise = rng.normal(size=480)
            noise += 3.0 * np.repeat(rng.normal(size=24), 20) if lasting else 0.0
            N = J[:, 0].T @ J[:, 0]
            fitted = np.linalg.solve(N, J[:, 0].T @ (J[:, 0] @ truth + noise))
            rows = (Rows("w", 0, (J[:, 0] @ (truth - fitted) + noise)[:, None], J),)
            found.append(variance_by_blocks(rows, np.zeros_like(N)) / np.diagonal(np.linalg.inv(N)))
        ratios.append(np.mean(found, axis=0))
    assert (ratios[0] > 0.9).all()
    assert (ratios[0] < 2.5).all()  # the widest of several lengths of blocks, with Student's factor for few of them
    assert ratios[1][1] > 50.0  # 20 readings of a block err together by three times their noise: 1 + 9 * 20


@pytest.mark.parametrize("seed", [4, 5, 7])
def test_what_a_short_cut_does_not_show_is_uncertain_and_the_rest_is_not(seed):
    case = make_case("momentum", seed, base="free", bodies=5, n=300, noise={"w": GYRO})
    flight = case.problem.flights[0]
    short = replace(flight, samples=flight.samples[:40], curves=None)
    found = MaximumLikelihood().estimate(replace(case.problem, flights=(short,), prior=None))
    spread = np.sqrt(np.diagonal(case.problem.cad_covariance))
    assert len(found.unseen)
    assert np.isfinite(found.sd).all()
    assert (found.sd > 10.0 * spread).any()
    assert (np.abs(found.values - case.truth()) < 3.0 * found.sd).mean() > 0.95
