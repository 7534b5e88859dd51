"""The experiment of Gautier and Khalil: noise as stated, and what its figures are."""

import numpy as np
import pytest
from studies.figures_listed import GAUTIER, usual

from freefloat.studies.catalogue import published, study_robot
from freefloat.studies.gautier.experiment import STUDY, Arm, arm_limits
from freefloat.studies.reproducing import reproduce

ARM = Arm(study_robot(STUDY))


def points(r=30, count=200):
    rng = np.random.default_rng(0)
    return [ARM.random_points(r, rng)] * count


# ---------------------------------------------------------------------- the experiment


def test_the_base_parameters_are_those_of_table_6():
    printed = [entry["true_value"] for entry in published(STUDY)["parameters"]["base"]["entries"]]
    assert np.linalg.norm(ARM.base_parameters) == pytest.approx(np.linalg.norm(printed), rel=1e-4)


def test_random_points_fill_the_box():
    x = np.array([ARM.task.points(each) for each in (ARM.random_points(500, np.random.default_rng(0)),)])[0]
    limits = arm_limits(ARM.robot)
    for values, largest in zip(x, (limits.highest, limits.rate), strict=True):
        assert (np.abs(values) <= largest).all()
        assert (np.abs(values).max(axis=0) > 0.98 * largest).all()


def test_random_sets_are_those_nearest_to_the_condition_number():
    found = [np.linalg.cond(ARM.task.matrix(x)) for x in ARM.random_sets(30, 10, 1020.8)]
    assert len(found) == 10
    assert 0.6 < np.median(found) / 1020.8 < 1.5
    assert np.std(np.log(found)) < 0.6


def test_without_noise_least_squares_is_exact():
    drawn = ARM.perturbed(points(count=2), 0.0, 0, "both")
    assert drawn.error.max() < 1e-9
    assert drawn.right.max() == drawn.regressor.max() == 0.0


def test_noise_on_the_energy_leaves_the_regressor_and_scales_with_its_level():
    small, large = (ARM.perturbed(points(), k, 0, "right") for k in (0.001, 0.01))
    assert small.regressor.max() == 0.0
    np.testing.assert_allclose(large.error, 10.0 * small.error, rtol=1e-6)
    x = points(count=1)[0]
    W = ARM.task.matrix(x)
    Y = W @ ARM.base_parameters
    expected = 0.01 / 4.0 * np.abs(Y).max() * np.sqrt(np.trace(np.linalg.inv(W.T @ W)))
    found = np.sqrt(np.mean(large.error**2)) * np.linalg.norm(ARM.base_parameters)
    assert found == pytest.approx(expected, rel=0.15)


def test_deviations_of_the_printed_parameters_are_those_of_drawn_estimates():
    x, rng = points(count=1)[0], np.random.default_rng(1)
    W = ARM.task.matrix(x)
    Y = W @ ARM.base_parameters
    noise = 0.01 / 4.0 * np.abs(Y).max() * rng.normal(size=(4000, Y.size))
    drawn = np.linalg.lstsq(W, (Y + noise).T)[0]
    np.testing.assert_allclose((ARM.printed_of_ours @ drawn).std(axis=1), ARM.deviations(x, 0.01), rtol=0.06)


def test_worse_sets_have_the_condition_number_that_is_asked_for():
    x = 0.5 * np.array(published(STUDY)["computed"]["points"])
    start = np.zeros((2, len(x), 3))
    start[0, :, 1:], start[1] = x[:, :2], x[:, 2:]
    found = [np.linalg.cond(ARM.task.matrix(each)) for each in ARM.worse_sets(start, 3, 400.0)]
    np.testing.assert_allclose(found, 400.0, rtol=0.05)


def test_noise_on_the_state_leaves_the_energy():
    drawn = ARM.perturbed(points(), 0.001, 0, "regressor")
    assert drawn.right.max() == 0.0
    assert drawn.regressor.min() > 0.0


# ---------------------------------------------------------------------- figures


def test_a_glance_has_all_figures():
    (study,) = reproduce(["gautier"], "glance")
    assert {check.name for check in study.checks} == GAUTIER.names
    assert {check.name for check in study.checks if check.comparable} == {
        "gautier.base_parameters",
        *(f"gautier.true.{what}" for what in ("max_relative_deviation", "worst_rounding_units")),
        *(f"gautier.bound.eq{number}" for number in (12, 13)),
        *(name for name in GAUTIER.names if ".appendix." in name),
    }
    assert all(np.isfinite(check.ours).all() for check in study.checks)


@pytest.mark.slow
def test_designs_are_as_good_as_promised():
    found = {name.removeprefix("gautier."): check.ours for name, check in usual("gautier").items()}
    assert found["condition_number.r15"] <= 20.0
    assert found["condition_number.r20"] <= 16.0
    assert found["condition_number.r30"] <= 10.5
    assert found["equilibrium.r15"] <= 180.0
    assert found["equilibrium.condition_number.r15"] <= 27.0
