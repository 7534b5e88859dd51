"""Resampling, differentiation and cropping."""

from __future__ import annotations

import numpy as np
import pytest
from data.processing.n1_flight import ENCODER_SD, RATE, encoders, n1_motion, n1_times, rms

from freefloat.data.processing.cropping import crop, moving_span
from freefloat.data.processing.derivative_band_limited import BandLimited
from freefloat.data.processing.derivative_savitzky_golay import SavitzkyGolay
from freefloat.data.processing.derivative_through_samples import ThroughSamples
from freefloat.data.processing.differentiation import noise_gains
from freefloat.data.processing.filtering import LowPass
from freefloat.data.processing.resampling import CannotProcess, evenly, is_even, one_way_round, resample
from freefloat.data.recording import Recording
from freefloat.errors import ShapeError
from freefloat.robot.rotations import quaternions
from freefloat.sensors.channel import Channel

METHODS = [BandLimited(LowPass(2.0)), SavitzkyGolay(0.3), ThroughSamples()]


def band_limited(t, highest, seed=0):
    """A sum of sines up to a frequency [Hz], shape (n, 2)."""
    rng = np.random.default_rng(seed)
    f, phase = rng.uniform(0.0, highest, (40, 1, 2)), rng.uniform(0.0, 2 * np.pi, (40, 1, 2))
    return np.sin(2 * np.pi * f * t[:, None] + phase).sum(axis=0)


def test_band_limited_signals_are_recovered_between_their_samples():
    t = np.arange(1000) / 50.0
    onto = np.sort(np.random.default_rng(1).uniform(1.0, 19.0, 3000))
    found = resample(t, band_limited(t, 0.8 * 25.0), onto)
    np.testing.assert_allclose(found, band_limited(onto, 0.8 * 25.0), atol=2e-6)
    # A spline, which looks at fewer samples, cannot do that.
    assert rms(resample(t, band_limited(t, 0.8 * 25.0), onto, "spline") - band_limited(onto, 0.8 * 25.0)) > 0.1


def test_near_the_ends_slow_signals_are_recovered_too():
    t = np.arange(1000) / 50.0
    onto = np.linspace(0.0, t[-1], 4001)
    np.testing.assert_allclose(resample(t, band_limited(t, 1.0), onto), band_limited(onto, 1.0), atol=1e-4)


def test_samples_stay_what_they_are():
    t, x = np.arange(300) / 10.0, np.random.default_rng(2).normal(size=(300, 3))
    np.testing.assert_array_equal(resample(t, x, t), x)
    np.testing.assert_allclose(resample(t, x, t[40:200]), x[40:200], atol=1e-12)


def test_uneven_samples_are_joined_by_splines():
    rng = np.random.default_rng(3)
    t = np.sort(rng.uniform(0.0, 20.0, 1500))
    assert not is_even(t)
    onto = np.linspace(1.0, 19.0, 1000)
    np.testing.assert_allclose(resample(t, band_limited(t, 1.0), onto), band_limited(onto, 1.0), atol=1e-3)
    even = evenly(t, band_limited(t, 1.0))
    assert is_even(even.t)
    assert even.t[-1] <= t[-1]


def test_there_is_nothing_outside_the_samples():
    t = np.arange(100) / 10.0
    with pytest.raises(CannotProcess, match=r"values are asked for from 0 to 10 s; allowed: 0 to 9.9 s"):
        resample(t, t, [0.0, 10.0])


def test_attitudes_of_either_sign_are_one_smooth_motion():
    def attitude(t):
        return quaternions(np.stack([2.0 * np.sin(0.3 * t), 2.5 * np.cos(0.2 * t), 0.7 * t], axis=1))

    t = np.arange(400) / 20.0
    onto = np.linspace(2.0, 18.0, 777)
    signs = np.random.default_rng(4).choice([-1.0, 1.0], (400, 1))
    found = resample(t, one_way_round(signs * attitude(t)), onto)
    np.testing.assert_allclose(np.abs((found * attitude(onto)).sum(axis=1)), 1.0, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(one_way_round(found), axis=1), 1.0, atol=1e-14)


# ---------------------------------------------------------------------- derivatives


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_derivatives_are_right_and_without_lag(method):
    t = np.arange(3000) / 100.0
    onto = np.linspace(3.0, 27.0, 500)
    w = 2 * np.pi * 0.25
    found = method.motion(t, np.sin(w * t)[:, None], onto)
    np.testing.assert_allclose(found.position[:, 0], np.sin(w * onto), atol=1e-5)
    np.testing.assert_allclose(found.rate[:, 0], w * np.cos(w * onto), atol=2e-5)
    np.testing.assert_allclose(found.acceleration[:, 0], -(w**2) * np.sin(w * onto), atol=1e-3)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_noise_comes_out_of_derivatives_as_stated(method):
    noise = np.random.default_rng(5).normal(size=(4000, 8))
    found = method.motion(np.arange(4000) / 100.0, noise)
    stated = noise_gains(method, 4000, 100.0)
    for values, gain in zip((found.position, found.rate, found.acceleration), stated, strict=True):
        assert rms(values[200:-200]) == pytest.approx(gain, rel=0.06)


@pytest.mark.parametrize("method", [BandLimited(LowPass(0.55)), SavitzkyGolay(2.0)], ids=["filter", "polynomials"])
def test_filters_too_are_far_better_than_central_differences(method):
    seen, true = encoders(n1_motion().position), n1_motion()
    central = (seen[2:] - seen[:-2]) * (0.5 * RATE)
    found = method.motion(n1_times(), seen)
    assert 20.0 * rms(found.rate - true.rate) < rms(central - true.rate[1:-1])


def test_a_window_that_does_not_fit_is_refused():
    with pytest.raises(CannotProcess, match=r"a window of 0.03 s holds 3 of 100 samples"):
        SavitzkyGolay(0.03).motion(np.arange(100) / 100.0, np.zeros(100))


# ---------------------------------------------------------------------- cropping


def test_motion_is_found_between_two_rests():
    t = np.arange(0.0, 200.0, 0.01)
    moving = np.interp(t, n1_times() + 20.0, n1_motion().position[:, 0])[:, None]
    both = encoders(np.hstack([moving, np.zeros_like(moving)]), 6)
    start, end = moving_span(t, both, margin_s=0.0)
    assert 20.0 < start < 21.5
    assert 168.5 < end < 170.0
    assert moving_span(t, both, noise_sd=np.full(2, ENCODER_SD))[0] == pytest.approx(start - 1.0, abs=0.1)
    assert moving_span(t, encoders(np.zeros((t.size, 1)), 7)) == (0.0, t[-1])
    with pytest.raises(ShapeError, match="positions must have shape"):
        moving_span(t, both[:5])


def test_cropping_keeps_every_channel_on_its_own_time_base():
    fast = Channel("gyro", np.arange(100) / 10.0, np.zeros((100, 3)), tuple("xyz"), "rad_s")
    slow = Channel("q", np.arange(10.0), np.zeros((10, 1)), ("j1",), "rad")
    late = Channel("tau", 9.0 + np.arange(3.0), np.zeros((3, 1)), ("j1",), "Nm")
    found = crop(Recording([fast, slow, late]), 2.05, 6.0)
    assert (found["gyro"].t[0], found["gyro"].t[-1], len(found["gyro"])) == (2.1, 6.0, 40)
    assert found["q"].t.tolist() == [3.0, 4.0, 5.0, 6.0]
    assert "tau" not in found
    assert found.notes == ("cropped to 2.05 ... 6 s",)
