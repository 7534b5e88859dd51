"""The thesis' N1 and OOS-SIM, run again: what holds, what does not, and the laws behind the figures."""

from dataclasses import replace

import numpy as np
import pytest

from freefloat.dynamics.reaction import base_reaction
from freefloat.dynamics.samples import Samples
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.studies.catalogue import published, study_robot
from freefloat.studies.spirolazzi import validation_sines
from freefloat.studies.spirolazzi.accuracy import printed_means
from freefloat.studies.spirolazzi.cluster_table import SMALL_ROWS, cluster_table, simple_model
from freefloat.studies.spirolazzi.n1 import N1, real_arm
from freefloat.studies.spirolazzi.oossim import OosSim
from freefloat.studies.spirolazzi.oossim_delay import WAYS, explained
from freefloat.studies.spirolazzi.reconstruction import RateSlopes, reconstructed_rates
from freefloat.studies.spirolazzi.study import FREE_OF_MASSES, checks
from freefloat.studies.spirolazzi.validation_sines import Departures, SineTest

HOLD = {
    "spirolazzi.pi.max_deviation",
    "spirolazzi.oossim.pi.max_deviation",
    "spirolazzi.n1.condition_number",
    "spirolazzi.oossim.condition_number",
    "spirolazzi.influence.least_rows",
    "spirolazzi.ols.spread_ratio",
    "spirolazzi.ols.spread_ratio.least",
    "spirolazzi.ols.spread_ratio.greatest",
    "spirolazzi.ols.expected_spread_ratio",
    "spirolazzi.ols.big_rms",
    "spirolazzi.default.big_rms",
    "spirolazzi.default.over_cramer_rao",
    "spirolazzi.lag.recovered_ms",
    "spirolazzi.oossim.lag.failed_rows_correlation",
    "spirolazzi.oossim.lag.worst_row",
    "spirolazzi.oossim.lag.rate_error",
    "spirolazzi.design.condition_number",
    "spirolazzi.design.accuracy_gain",
    "spirolazzi.oossim.design.condition_number",
    "spirolazzi.validation.max_rate_error",
    "spirolazzi.validation.aligned.max_rate_error",
    "spirolazzi.validation.mean_estimate_rate_error",
    "spirolazzi.validation.ols.mean_estimate_rate_error",
    "spirolazzi.real_arm.default.big_rms",
    "spirolazzi.planar.total_mass",
    "spirolazzi.imu.accelerometer.max_deviation",
    "spirolazzi.imu.gyro.max_deviation",
    "spirolazzi.oossim.delay.lag_and_gain.explained",
}
NOT_PUBLISHED = {  # noise, lag or target are ours
    "spirolazzi.ols.spread_ratio",
    "spirolazzi.ols.spread_ratio.least",
    "spirolazzi.ols.spread_ratio.greatest",
    "spirolazzi.ols.expected_spread_ratio",
    "spirolazzi.ols.big_rms",
    "spirolazzi.default.big_rms",
    "spirolazzi.lag.recovered_ms",
    "spirolazzi.oossim.lag.failed_rows_correlation",
    "spirolazzi.oossim.lag.worst_row",
    "spirolazzi.oossim.lag.rate_error",
    "spirolazzi.validation.max_rate_error",
    "spirolazzi.validation.aligned.max_rate_error",
    "spirolazzi.validation.base_axes.max_rate_error",
    "spirolazzi.validation.mean_estimate_rate_error",
    "spirolazzi.validation.ols.mean_estimate_rate_error",
    "spirolazzi.real_arm.default.big_rms",
    "spirolazzi.real_arm.simplified.big_rms",
    "spirolazzi.planar.total_mass",
    "spirolazzi.imu.accelerometer.max_deviation",
    "spirolazzi.imu.gyro.max_deviation",
    *(f"spirolazzi.oossim.delay.{way}.explained" for way in WAYS),
}
LATE = {f"spirolazzi.oossim.delay.{way}.explained" for way in ("constant_lag", "drifting_lag", "delayed_admittance")}
FAIL = {"spirolazzi.real_arm.simplified.big_rms", "spirolazzi.validation.base_axes.max_rate_error", *LATE}
CASES = ("spirolazzi.case1.", "spirolazzi.case2.")


@pytest.fixture(scope="module")
def robot():
    return study_robot("spirolazzi_n1")


@pytest.fixture(scope="module")
def model(robot):
    return simple_model(robot)


def own(effort):
    """Figures of N1 and OOS-SIM by name."""
    found = [each for each in checks(study_robot, effort, lambda _: None) if not each.name.startswith(CASES)]
    by_name = {each.name: each for each in found}
    assert len(by_name) == len(found)
    return by_name


# ---------------------------------------------------------------------- the study


def test_a_glance_yields_every_figure():
    told = []
    found = {each.name: each for each in checks(study_robot, "glance", told.append)}
    assert set(found) >= HOLD | FAIL
    assert set(found) >= FREE_OF_MASSES
    assert any("run 1 of" in words for words in told)
    for check in found.values():
        assert check.name.startswith("spirolazzi.")
        assert np.isfinite(np.atleast_1d(check.ours)).all(), check.name
        assert check.tolerance <= 0.05 or check.note, check.name
    apart = {name for name, check in found.items() if not check.comparable and not name.startswith(CASES)}
    assert apart == NOT_PUBLISHED
    assert all(found[name].note for name in apart)
    target = found["spirolazzi.validation.max_rate_error"]
    assert (target.published, target.tolerance) == (pytest.approx(np.radians(1.5e-4)), 0.0)
    assert found["spirolazzi.lag.recovered_ms"].unit == "ms"


@pytest.mark.slow
def test_every_promised_figure_holds():
    found = own("usual")
    assert set(found) == HOLD | FAIL
    assert {name for name, check in found.items() if not check.holds} == FAIL
    for name in FAIL:
        assert found[name].note
    assert found["spirolazzi.default.big_rms"].ours <= 0.00115
    assert found["spirolazzi.design.condition_number"].ours <= 60.0
    assert found["spirolazzi.oossim.design.condition_number"].ours <= 80.0
    assert found["spirolazzi.design.accuracy_gain"].ours >= 2.0
    assert np.degrees(found["spirolazzi.validation.max_rate_error"].ours) <= 1.5e-4


@pytest.mark.slow
def test_numbers_of_the_ways_to_be_late_are_the_best_there_are_and_a_gain_explains_most():
    experiment = OosSim(study_robot("spirolazzi_oossim"))
    best = {}
    for way in WAYS:
        numbers = published("spirolazzi_oossim")["delays"][way]
        best[way] = explained(experiment, way)
        for name, value in numbers.items():
            for factor in (0.8, 1.25):
                assert explained(experiment, way, {**numbers, name: factor * value}) <= best[way] + 1e-3, (way, name)
    assert max(best, key=best.get) == "lag_and_gain"
    assert best["lag_and_gain"] > 0.95 > 0.75 > best["drifting_lag"] > best["constant_lag"]


# ---------------------------------------------------------------------- tables


@pytest.mark.parametrize("study", ["spirolazzi_n1", "spirolazzi_oossim"])
def test_the_tables_have_30_rows_24_of_them_big(study):
    table = cluster_table(study)
    assert (len(table.entries), int(table.big.sum())) == (30, 24)
    rows = [entry["table_row"] for entry in table.entries.values()]
    assert rows == list(range(1, 31))
    size = np.abs(table.column("true_value"))
    assert size[~table.big].max() < 0.02 < 0.2 < size[table.big].min()
    assert tuple(published("spirolazzi_n1")["influence"]["least_rows"]) == SMALL_ROWS


def test_places_follow_names_not_numbers(model):
    table, leaders = cluster_table("spirolazzi_n1"), model.minimal.leaders
    assert [leaders[place] for place in table.places(leaders)] == list(table.entries)
    backwards = leaders[::-1]
    np.testing.assert_array_equal(table.places(backwards), len(leaders) - 1 - table.places(leaders))


# ---------------------------------------------------------------------- flights


def test_noise_is_held_and_biased_as_the_file_says(robot):
    experiment = N1(robot)
    noise = experiment.noisy(3).flights[0].samples.w - experiment.samples.w - np.radians(0.1) / 3600.0
    np.testing.assert_allclose(noise[:448].reshape(112, 4, 3).std(axis=1), 0.0, atol=1e-15)
    assert noise[::4].std() == pytest.approx(5.2e-6, rel=0.12)
    assert np.abs(experiment.noisy(4).flights[0].samples.w - experiment.noisy(3).flights[0].samples.w).max() > 1e-6


def test_a_late_gyro_shows_what_was(robot):
    experiment, late = OosSim(study_robot("spirolazzi_oossim")), 1.0 / 3.0
    shown = experiment.problem(late).flights[0].samples.w
    np.testing.assert_allclose(shown[1:], experiment.samples.w[:-1], atol=1e-12)


def test_the_real_arm_keeps_masses_base_and_load(robot):
    real = real_arm(robot)
    before, after = (each.parameters.reshape(-1, 10) for each in (robot, real))
    np.testing.assert_array_equal(after[[0, -1]], before[[0, -1]])
    np.testing.assert_array_equal(after[:, 0], before[:, 0])
    off = (after[1:-1, 1:4] - before[1:-1, 1:4]) / before[1:-1, :1]
    np.testing.assert_allclose(np.linalg.norm(off, axis=1), 0.003 * np.sqrt(2.0), rtol=1e-9)


# ---------------------------------------------------------------------- reconstruction, and the sines


def test_rates_from_clusters_are_those_of_the_robot(robot, model):
    samples = N1(robot).samples
    found = reconstructed_rates(model, samples, model.values())
    np.testing.assert_allclose(found, samples.w, atol=1e-14)


def test_slopes_of_the_rates_are_exact(robot, model):
    """Against differences of the rates themselves, for clusters, joint positions and a turned gyro."""
    samples, pi, step = N1(robot).samples[::50], model.values(), 1e-6
    slopes = RateSlopes.at(model, samples)
    for k in range(pi.size):
        change = step * np.eye(pi.size)[k]
        ends = [reconstructed_rates(model, samples, pi + sign * change) for sign in (1.0, -1.0)]
        np.testing.assert_allclose(slopes.by_clusters[..., k], (ends[0] - ends[1]) / (2.0 * step), atol=1e-8)
    for k in range(7):
        change = step * np.eye(7)[k]
        ends = [base_reaction(robot, replace(samples, q=samples.q + sign * change))[1] for sign in (1.0, -1.0)]
        np.testing.assert_allclose(slopes.by_positions[..., k], (ends[0] - ends[1]) / (2.0 * step), atol=1e-8)
    turn = np.array([1.0, -2.0, 3.0])
    np.testing.assert_allclose(slopes.by_turn @ turn, -np.cross(turn, samples.w), atol=1e-14)


def exact_mean_largest_errors(test, departures):
    """Mean over motions of the largest error of one estimate, without linearisation, (3,) [rad/s]."""
    true, speed = test.model.values(), 2.0 * np.pi / test.motions.duration_s
    (changed,), (zeros,), (turn,) = departures.clusters, departures.zeros, departures.turns
    phase = speed / test.motions.rate_Hz * np.arange(round(test.motions.duration_s * test.motions.rate_Hz) + 1)[:, None]
    largest = []
    for amplitudes in test.motions.amplitudes:
        samples = Samples(q=amplitudes * np.sin(phase), dq=amplitudes * speed * np.cos(phase))
        w = reconstructed_rates(test.model, samples, true)
        shown = reconstructed_rates(test.model, Samples(samples.q + zeros, samples.dq), true + changed)
        largest.append(np.abs(shown - np.cross(turn, shown) - w).max(axis=0))
    return np.mean(largest, axis=0)


def test_errors_of_an_estimate_are_linear_enough(robot, model):
    estimate = MaximumLikelihood().estimate(N1(robot).drawn(0))
    test, departures = SineTest.drawn(model, motions=40), Departures.of([estimate], model)
    (found,) = test.mean_largest_errors(departures)
    np.testing.assert_allclose(found, exact_mean_largest_errors(test, departures), rtol=2e-3)
    assert (found > 0.0).all()
    with_mounting, without = (test.mean_largest_errors(each)[0] for each in (departures, departures.in_base_axes))
    assert np.abs(with_mounting / without - 1.0).max() > 0.01


def test_an_estimate_predicts_as_its_parameters_do(robot, model):
    """Clusters by way of the table's model move the base as the estimate's standard parameters do."""
    estimate = MaximumLikelihood().estimate(N1(robot).drawn(1))
    samples = N1(robot).samples[::30]
    (change,) = Departures.of([estimate], model).clusters
    by_clusters = reconstructed_rates(model, samples, model.values() + change)
    _, w = base_reaction(robot.with_parameters(estimate.parameters), samples)
    np.testing.assert_allclose(by_clusters, w, atol=1e-12)


def test_half_of_the_samples_stand_for_all(model):
    """The largest errors over every instant of the published grid, without leaving any out."""
    test, rng = SineTest.drawn(model, motions=3), np.random.default_rng(1)
    changes = 1e-3 * rng.normal(size=(2, len(model.minimal)))
    departures = Departures(changes, 1e-4 * rng.normal(size=(2, 7)), 1e-4 * rng.normal(size=(2, 3)))
    phase = 2.0 * np.pi * np.arange(601) / 600.0
    largest = []
    for amplitude in test.motions.amplitudes:
        q, dq = np.outer(np.sin(phase), amplitude), np.outer(np.cos(phase), amplitude) * 2.0 * np.pi / 60.0
        slopes = RateSlopes.at(model, Samples(q, dq))
        errors = slopes.by_clusters @ changes.T + slopes.by_positions @ departures.zeros.T
        largest.append(np.abs(errors + slopes.by_turn @ departures.turns.T).max(axis=0))
    np.testing.assert_allclose(test.mean_largest_errors(departures), np.mean(largest, axis=0).T, rtol=1e-9)


def test_sines_keep_positions_and_rates_and_use_them(robot, model):
    test = SineTest.drawn(model)
    assert test.motions.amplitudes.shape == (1000, 7)
    positions = np.array([joint.position[1] for joint in robot.joints])
    rates = np.array([joint.rate for joint in robot.joints]) * 60.0 / (2.0 * np.pi)
    share = np.abs(test.motions.amplitudes).max(axis=0) / np.minimum(positions, rates)
    assert share.min() > 0.98
    assert share.max() <= 1.0


def test_printed_mean_clusters_err_by_what_the_thesis_says_and_most_about_z(model):
    test = SineTest.drawn(model, motions=200)
    (found,) = np.degrees(test.mean_largest_errors(printed_means(model)))
    said = published("spirolazzi_n1")["validation"]["mean_largest_rate_error_deg_s"]
    assert said < found.max() < 10.0 * said
    assert np.argmax(found) == 2


def test_many_estimates_err_as_they_do_one_by_one(model, monkeypatch):
    test, rng = SineTest.drawn(model, motions=3), np.random.default_rng(4)
    many = Departures(*(1e-4 * rng.normal(size=(7, width)) for width in (len(model.minimal), 7, 3)))
    whole = test.mean_largest_errors(many)
    monkeypatch.setattr(validation_sines, "_COLUMNS", 3)
    np.testing.assert_allclose(test.mean_largest_errors(many), whole, rtol=1e-12)
    assert whole.shape == (7, 3)
