"""Case Studies 1 and 2 of Spirolazzi's thesis: what is assumed of them, and which figures hold."""

from dataclasses import replace

import numpy as np
import pytest

from freefloat.motion.fourier import Fourier
from freefloat.studies.catalogue import published, study_robot
from freefloat.studies.spirolazzi.case_studies import CaseStudy, case_checks, settled
from freefloat.studies.spirolazzi.fitted_noise import fit_noise, noise_checks, printed_spread

EACH = (
    "condition_number",
    "max_mean_relative_error",
    "default.max_mean_relative_error",
    "max_relative_spread",
    "max_relative_spread.n1_noise",
)
NAMES = {f"spirolazzi.case{number}.{name}" for number in (1, 2) for name in EACH}
NAMES |= {"spirolazzi.case2.cause.wheel_momentum.condition_number"}
NAMES |= {"spirolazzi.case2.window_s", "spirolazzi.case2.noisy_window_s"}
DO_NOT_HOLD = {
    "spirolazzi.case1.max_relative_spread",
    "spirolazzi.case2.max_relative_spread",
    "spirolazzi.case1.max_relative_spread.n1_noise",
    "spirolazzi.case2.max_relative_spread.n1_noise",
    "spirolazzi.case2.condition_number",
    "spirolazzi.case2.noisy_window_s",
}


@pytest.fixture(scope="module", params=[1, 2])
def case(request):
    return CaseStudy.of(request.param, study_robot)


def condition_number(number, **assumed):
    """Of a case study with other assumptions."""
    case = CaseStudy.of(number, study_robot)
    case.__dict__.update(assumed)
    return np.linalg.cond(case.rows(case.exact)[0].reshape(-1, 19))


def test_a_glance_gives_every_figure_once():
    found = list(case_checks(study_robot, "glance", lambda _: None))
    assert len(found) == len(NAMES)
    assert {check.name for check in found} == NAMES
    for check in found:
        assert np.isfinite([check.ours, check.published]).all()
        assert check.note
        assert not check.comparable


@pytest.mark.slow
def test_the_usual_effort_holds_but_where_it_is_said_why_not():
    found = {check.name: check for check in case_checks(study_robot, "usual", lambda _: None)}
    assert {name for name, check in found.items() if not check.holds} == DO_NOT_HOLD
    for number in (1, 2):
        theirs, ours = (found[f"spirolazzi.case{number}.{name}"] for name in EACH[1:3])
        assert ours.ours < theirs.ours < 0.3 * theirs.published


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
def test_white_noise_gives_the_printed_spreads_or_the_printed_mean_errors_but_not_both(number):
    case = CaseStudy.of(number, study_robot)
    found = {check.name.split(".", 2)[2]: check for check in noise_checks(case, 40)}
    assert found["fitted_noise.median_relative_spread"].holds
    assert found["noise_of_mean_errors.median_mean_relative_error"].holds
    assert not found["fitted_noise.median_mean_relative_error"].holds
    fitted = fit_noise(case, 40)
    assert np.corrcoef(np.log(printed_spread(case)), np.log(fitted.spread))[0, 1] > 0.85


# ---------------------------------------------------------------------- the experiments


def test_momentum_is_what_the_rows_say_it_is(case):
    Y, right = case.rows(case.exact)
    assert np.abs(Y @ case.clusters.angular.values() - right).max() < 1e-11 * np.abs(case.momentum).max()


def test_the_last_window_is_least_squares_over_all_samples(case):
    Y, right = case.rows(case.noisy(3))
    whole = np.linalg.lstsq(Y.reshape(-1, 19), right.ravel())[0]
    np.testing.assert_allclose(case.windows(3)[-1], case.clusters.pi_of(whole), rtol=1e-9)


def test_with_the_noise_of_n1_joints_are_exact_and_the_gyro_holds_its_error(case):
    noisy = case.noisy_as_n1(2)
    np.testing.assert_array_equal(noisy.q, case.exact.q)
    np.testing.assert_array_equal(noisy.dq, case.exact.dq)
    wrong = (noisy.w - case.exact.w)[:800].reshape(200, 4, 3)
    np.testing.assert_allclose(wrong.std(axis=1), 0.0, atol=1e-15)
    assert 0.0 < np.abs(case.relative_errors(noisy)).max() < 0.01
    assert np.abs(case.relative_errors(case.exact)).max() < 1e-9


def test_rates_that_lag_would_err_more_than_printed(case):
    t = case.exact.t
    late = np.diff(case.exact.q, axis=0, prepend=case.exact.q[:1]) / (t[1] - t[0])
    Y, right = case.rows(replace(case.exact, dq=late))
    found = case.clusters.pi_of(np.linalg.lstsq(Y.reshape(-1, 19), right.ravel())[0])
    entries = published("thesis_cs1_servicer")["parameters"][case.group]["entries"]
    printed = max(abs(entry["mean_error_pct"]) for entry in entries)
    assert 100.0 * np.abs(found / case.clusters.pi - 1.0).max() > 2.0 * printed


def test_exact_windows_end_at_the_truth(case):
    t, found = case.exact_windows()
    errors = np.abs(found / case.clusters.pi - 1.0).max(axis=1)
    assert len(t) == len(errors)
    assert errors[-1] < 1e-8


def test_the_duration_is_the_only_one_in_whole_tens_with_the_printed_condition_number():
    robot, table = study_robot("thesis_cs1_servicer"), published("thesis_cs1_servicer")["trajectory"]
    found = {}
    for duration in range(10, 130, 10):
        motion = Fourier.from_harmonics(robot.joint_names, table["a_rad_s"], table["b_rad_s"], float(duration))
        found[duration] = round(condition_number(1, motion=motion))
    assert [duration for duration, rounded in found.items() if rounded == 42] == [40]


def test_wheels_that_give_the_named_momentum_or_the_printed_condition_number():
    case, said = CaseStudy.of(2, study_robot), published("thesis_cs1_servicer")
    own = np.linalg.norm(case.rows(case.exact)[1], axis=1).max()
    assert round(own) == said["momentum_case_study_2_Nms"]
    assert round(condition_number(2, wheel_momentum=np.full(3, 22.0))) == 78


def test_an_error_is_settled_where_it_last_crosses_the_limit():
    t = np.arange(0.0, 5.0, 0.5)
    assert settled(t, np.exp(-t), 0.05) == pytest.approx(-np.log(0.05))
    error = np.where(t < 2.2, 1e-3, np.exp(-t))
    error[2] = np.nan
    assert settled(t, error, 0.05) == pytest.approx(-np.log(0.05))
    assert settled(t, np.full(t.size, 1e-3), 0.05) == 0.0
    assert settled(t, np.ones(t.size), 0.05) == np.inf
