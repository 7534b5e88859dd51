"""The experiment of Naveen, Shah and Misra: that it is the printed one, and what its figures are."""

import numpy as np
import pytest
from studies.figures_listed import NAVEEN, usual

from freefloat.models.model import Momentum
from freefloat.studies.catalogue import published, study_robot
from freefloat.studies.naveen.experiment import (
    GUESS,
    STUDY,
    Recordings,
    channels,
    intervals_motion,
    peak_rates,
    printed_noise,
    published_seeds,
)
from freefloat.studies.naveen.prediction import PERIOD_S, UnseenMotions, telling_motion, unseen_motion
from freefloat.studies.reproducing import reproduce

TRUTH = study_robot(STUDY)


# ---------------------------------------------------------------------- the experiment


def test_the_motion_has_the_printed_peak_rates_and_67_intervals():
    motion = intervals_motion(TRUTH)
    assert motion.channels == channels(TRUTH)
    assert motion.duration_s == published(STUDY)["excitation"]["intervals_kept"]
    np.testing.assert_allclose(motion.extremes().rate, peak_rates())
    wheels = peak_rates()[6:] * TRUTH.wheel_inertias
    np.testing.assert_allclose(wheels, published(STUDY)["excitation"]["wheels"]["peak_momentum_Nms"], rtol=1e-5)


def test_a_recording_differs_from_the_exact_one_by_the_printed_noise_and_is_the_same_again():
    flown = Recordings(TRUTH, study_robot(GUESS), intervals_motion(TRUTH), 0.1)
    samples, again = (flown.problem(3).flights[0].samples for _ in range(2))
    for name, sd in printed_noise().items():
        drawn = getattr(samples, name) - getattr(flown.exact, name)
        assert np.std(drawn) == pytest.approx(sd, rel=0.1)
        np.testing.assert_array_equal(getattr(samples, name), getattr(again, name))
    np.testing.assert_array_equal(samples.q, flown.exact.q)


def test_joint_angles_are_those_of_euler_steps_of_the_measured_rates():
    flown = Recordings(TRUTH, study_robot(GUESS), intervals_motion(TRUTH, np.arange(3)), 0.01)
    samples = flown.integrated(2).flights[0].samples
    np.testing.assert_array_equal(samples.q[0], flown.exact.q[0])
    np.testing.assert_allclose(np.diff(samples.q, axis=0), 0.01 * samples.dq[:-1], atol=1e-12)
    off = np.abs(samples.q - flown.exact.q).max(axis=0)
    assert (off > 0.0).all()
    assert (off < 0.01 * peak_rates()[:6]).all(), "as far as a step is long"


def test_sensors_are_those_of_appendix_c_and_nobody_reads_joint_angles():
    flown = Recordings(TRUTH, study_robot(GUESS), intervals_motion(TRUTH, np.arange(3)), 0.01)
    assert [sensor.kind for sensor in flown.sensors] == ["gyro", "velocity", "joint-rate", "tachometer"]
    (flight,) = flown.measured(1).flights
    assert flight.curves is not None
    q = flight.samples.q
    at = np.searchsorted(flown.exact.t, flight.samples.t[:-1] - 1e-9)
    np.testing.assert_allclose(q[:-1], flown.exact.q[at], atol=1e-4)
    assert np.abs(q[:-1] - flown.exact.q[at]).max() > 0.0


def test_the_telling_motion_has_the_printed_form_and_swings_farther_than_those_of_table_3():
    motion = telling_motion(TRUTH.joint_names)
    assert motion.frequencies == pytest.approx([np.pi / 20.0, np.pi / 10.0])
    t, table = np.array([0.0, 7.0]), published(STUDY)["computed"]["unseen_motion"]
    angles = np.pi / 20.0 * np.outer(t, [1.0, 2.0])
    way = np.sin(angles) @ np.radians(table["sines_deg"]) + np.cos(angles) @ np.radians(table["cosines_deg"])
    np.testing.assert_allclose(motion.evaluate(t).position - published_seeds()[0, :6], way, atol=1e-12)
    farther = UnseenMotions(TRUTH, (motion,)).swings[1]
    assert farther > UnseenMotions.drawn(TRUTH, 5).swings[1]


def test_unseen_motions_reach_the_peak_rates_of_table_3_about_its_start():
    motion = unseen_motion(TRUTH.joint_names, 0)
    assert motion.frequencies == pytest.approx([np.pi / 20.0, np.pi / 10.0])
    assert motion.duration_s == PERIOD_S
    np.testing.assert_allclose(motion.extremes().rate, peak_rates()[:6])
    np.testing.assert_allclose(
        np.degrees(motion.coefficients[0]), published(STUDY)["excitation"]["joints"]["start_deg"]
    )
    assert not np.array_equal(motion.coefficients, unseen_motion(TRUTH.joint_names, 1).coefficients)


def test_minimal_parameters_predict_all_and_a_wrong_one_shows():
    unseen, minimal = UnseenMotions.drawn(TRUTH, 3), Momentum(TRUTH).minimal
    phi = np.zeros(TRUTH.parameters.size)
    phi[minimal.kept] = minimal.values(TRUTH.parameters)
    sizes = np.mean(unseen.true**2, axis=0)
    assert (unseen.squares(phi) < 1e-20 * sizes).all()
    phi[minimal.kept[-1]] *= 1.01
    assert (unseen.squares(phi) > 1e-12 * sizes).any()


# ---------------------------------------------------------------------- figures


def test_a_glance_has_all_figures():
    (study,) = reproduce(["naveen"], "glance")
    assert {check.name for check in study.checks} == NAVEEN.names
    assert {check.name for check in study.checks if not check.comparable} == NAVEEN.unprinted
    assert all(np.isfinite(check.ours).all() for check in study.checks if check.name != "naveen.pruning.intervals")


@pytest.mark.slow
def test_predictions_are_three_times_better_than_table_6_and_than_least_squares_in_every_channel():
    default, least = (
        usual("naveen")["naveen.prediction.by_channel"],
        usual("naveen")["naveen.ols.prediction.by_channel"],
    )
    assert len(default.ours) == 12
    assert (np.array(default.published) >= 3.0 * np.array(default.ours)).all()
    assert (np.array(least.ours) >= 3.0 * np.array(default.ours)).all()
    for kind in ("base_linear", "base_angular", "torque"):
        assert usual("naveen")[f"naveen.prediction.least_squares_over_default.{kind}"].ours >= 3.0
