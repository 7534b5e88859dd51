"""Filters: no lag, stated gains, and warnings when a cut-off eats the motion."""

from __future__ import annotations

import numpy as np
import pytest
from data.processing.n1_flight import (
    ENCODER_SD,
    RATE,
    encoders,
    n1_command,
    n1_motion,
    n1_robot,
    n1_times,
    n1_truth,
    rms,
)

from freefloat.data.processing.cutoffs import (
    command_frequency,
    cutoff_warnings,
    lost_motion,
    propose_cutoff,
    round_trip,
    round_trip_warning,
)
from freefloat.data.processing.filtering import LowPass
from freefloat.data.processing.resampling import CannotProcess
from freefloat.data.processing.spectrum import motion_power, noise_level, rounding_step
from freefloat.motion.combined import Combined
from freefloat.motion.fourier import PlainFourier
from freefloat.motion.sampled import Sampled

PUBLISHED_JOINTS, PUBLISHED_GYRO = LowPass(0.05), LowPass(0.2)


@pytest.mark.parametrize("order", [1, 2, 4])
def test_a_sine_keeps_its_phase(order):
    t = np.arange(6000) / 100.0
    sine, cosine = np.sin(2 * np.pi * 1.5 * t), np.cos(2 * np.pi * 1.5 * t)
    left = LowPass(2.0, order).apply(sine, 100.0)[1000:5000]
    along, across = (float(left @ wave[1000:5000]) / 2000.0 for wave in (sine, cosine))
    # One pass alone would turn this sine by 47 degrees for order one, more for the others.
    assert abs(np.degrees(np.arctan2(across, along))) < 1e-4
    assert along == pytest.approx(1.0 / (1.0 + 0.75 ** (2 * order)), rel=2e-3)


def test_an_impulse_comes_out_symmetric():
    impulse = np.zeros(2001)
    impulse[1000] = 1.0
    response = LowPass(3.0).apply(impulse, 100.0)
    np.testing.assert_allclose(response, response[::-1], atol=1e-12)
    assert int(np.argmax(response)) == 1000


def test_the_gain_is_one_half_at_the_cutoff():
    low_pass = LowPass(3.0)
    np.testing.assert_allclose(low_pass.gain([1e-3, 3.0], 100.0), [1.0, 0.5], rtol=1e-9)


@pytest.mark.parametrize(("cutoff", "rate"), [(0.05, 1000.0), (1.0, 100.0), (30.0, 100.0)])
def test_noise_comes_out_as_stated(cutoff, rate):
    low_pass = LowPass(cutoff)
    impulse = np.zeros(int(40 * rate / cutoff) + 1 if cutoff < 1.0 else 20001)
    impulse[impulse.size // 2] = 1.0
    assert low_pass.noise_gain(rate) == pytest.approx(np.linalg.norm(low_pass.apply(impulse, rate)), rel=2e-3)


def test_a_straight_line_passes_unchanged_to_its_very_ends():
    line = np.linspace(3.0, 8.0, 1500)
    np.testing.assert_allclose(LowPass(0.7).apply(line, 50.0), line, atol=1e-7)


def test_impossible_cutoffs_are_refused():
    with pytest.raises(CannotProcess, match="allowed: less than 50 Hz, half the rate"):
        LowPass(50.0).apply(np.zeros(100), 100.0)
    with pytest.raises(CannotProcess, match="allowed: greater than zero"):
        LowPass(0.0)


# ---------------------------------------------------------------------- what a cut-off eats


def test_the_published_cutoffs_are_warned_of():
    seen, w = encoders(n1_motion().position), n1_truth().samples.w
    said = cutoff_warnings(PUBLISHED_JOINTS, "the joints", seen, RATE, n1_command())
    assert len(said) == 2
    assert "a cut-off of 0.05 Hz is 1.9 times the highest frequency of the command, 0.0267 Hz" in said[0]
    assert "of the measured motion lies above the cut-off of 0.05 Hz and is lost" in said[1]
    assert len(cutoff_warnings(PUBLISHED_GYRO, "the gyro", encoders(w, 1, 3e-5), RATE, n1_command())) == 2
    # Also where nobody knows the command.
    assert len(cutoff_warnings(PUBLISHED_JOINTS, "the joints", seen, RATE)) == 1


def test_half_a_hertz_is_not_warned_of():
    seen, w = encoders(n1_motion().position), n1_truth().samples.w
    assert cutoff_warnings(LowPass(0.5), "the joints", seen, RATE, n1_command()) == ()
    assert cutoff_warnings(LowPass(0.5), "the gyro", encoders(w, 1, 3e-5), RATE, n1_command()) == ()


@pytest.mark.parametrize("order", [2, 4])
def test_the_published_chain_puts_joints_and_base_apart_without_any_noise(order):
    trip = round_trip(n1_command(), n1_robot(), LowPass(0.05, order), LowPass(0.2, order))
    assert trip.disagreement > 0.02
    assert trip.rate > 0.03
    (said,) = round_trip_warning(trip)
    assert "without any noise these filters change joint rates by" in said


def test_half_a_hertz_leaves_them_together():
    trip = round_trip(n1_command(), n1_robot(), LowPass(0.5), LowPass(0.5))
    assert trip.disagreement < 2e-6
    assert round_trip_warning(trip) == ()
    untouched = round_trip(n1_command(), n1_robot(), None, None)
    assert (untouched.position, untouched.base_rate) == (0.0, 0.0)
    assert untouched.disagreement < 1e-14


def test_lost_motion_is_measured_and_noise_is_not_motion():
    t = np.arange(20000) / 100.0
    seen = np.sin(2 * np.pi * 0.1 * t) + 0.01 * np.sin(2 * np.pi * 6.0 * t)
    seen = encoders(seen[:, None], 7, 1e-3)
    assert lost_motion(seen, 100.0, LowPass(2.0))[0] == pytest.approx(0.01 / np.sqrt(2.0), rel=0.02)
    assert lost_motion(seen, 100.0, LowPass(20.0))[0] == 0.0


def test_the_proposed_cutoff_keeps_the_motion_and_drops_the_noise():
    seen = encoders(n1_motion().position)
    for command in (None, n1_command()):
        proposed = propose_cutoff(seen, RATE, command)
        assert 0.3 < proposed.cutoff_Hz < 2.0
        assert cutoff_warnings(proposed, "the joints", seen, RATE, n1_command()) == ()
        quiet = proposed.apply(seen, RATE)
        assert rms(quiet - n1_motion().position) < 0.15 * ENCODER_SD


def test_there_is_no_cutoff_to_propose_where_motion_fills_the_spectrum():
    t = np.arange(4000) / 20.0
    assert propose_cutoff(encoders(np.sin(2 * np.pi * 7.0 * t)[:, None]), 20.0) is None


def test_the_highest_frequency_of_a_command():
    assert command_frequency(n1_command()) == pytest.approx(4.0 / 150.0)
    fast = PlainFourier(("wx",), np.ones((7, 1)), 150.0, 30.0)
    assert command_frequency(Combined((n1_command(), fast))) == pytest.approx(0.1)
    t = np.linspace(0.0, 150.0, 301)
    sampled = Sampled.from_positions(n1_robot().joint_names, t, n1_command().evaluate(t).position)
    assert 0.015 < command_frequency(sampled) < 0.05


# ---------------------------------------------------------------------- spectra


def test_noise_is_read_beneath_a_motion_a_hundred_thousand_times_larger():
    np.testing.assert_allclose(noise_level(encoders(n1_motion().position)), ENCODER_SD, rtol=0.06)


def test_where_motion_sinks_into_noise():
    t = np.arange(10000) / 100.0
    seen = encoders((np.sin(2 * np.pi * 0.2 * t) + 1e-3 * np.sin(2 * np.pi * 8.0 * t))[:, None], 3, 1e-3)
    found = motion_power(seen, 100.0)
    assert found.frequency_Hz[found.power[:, 0] > 0.0].max() == pytest.approx(8.0, abs=0.2)
    assert not motion_power(encoders(np.zeros((10000, 1)), 4), 100.0).power.any()


def test_rounding_is_recognised():
    seen = encoders(n1_motion().position[:, :2])
    np.testing.assert_array_equal(rounding_step(seen), 0.0)
    np.testing.assert_allclose(rounding_step(np.round(seen / 7e-5) * 7e-5), 7e-5, rtol=1e-6)
    np.testing.assert_array_equal(rounding_step(np.ones((30, 1))), 0.0)
    assert n1_times().size == seen.shape[0]
