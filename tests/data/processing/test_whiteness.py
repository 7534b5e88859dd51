"""The whiteness test: its false-alarm rate is the stated one, and it sees what it should."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.data.processing.whiteness import whiteness
from freefloat.errors import ShapeError


@pytest.mark.parametrize("known", [None, 1.0])
def test_white_noise_is_called_coloured_as_often_as_stated(known):
    rng = np.random.default_rng(1)
    alarms = sum(not whiteness(rng.normal(size=700), known, false_alarm=0.05).white for _ in range(2000))
    assert 0.035 < alarms / 2000 < 0.065


def test_a_trace_of_slow_motion_is_seen():
    rng, t = np.random.default_rng(2), np.arange(15000) / 100.0
    noise = rng.normal(size=15000)
    assert whiteness(noise).white
    slow = whiteness(noise + 0.15 * np.sin(2 * np.pi * 0.02 * t))  # three periods, a tenth of the noise rms
    assert not slow.white
    assert slow.worst_band[0] <= 0.02 / 100.0 <= slow.worst_band[1]
    assert slow.excess > 5.0


def test_noise_that_is_larger_than_stated_is_seen_and_smaller_is_not():
    noise = np.random.default_rng(3).normal(size=3000)
    assert not whiteness(noise, 0.9).white
    assert whiteness(noise, 1.1).white


def test_coloured_noise_is_seen():
    white = np.random.default_rng(4).normal(size=5000)
    assert not whiteness(np.convolve(white, [1.0, 0.3], mode="same")).white


def test_rounding_may_hold_its_share_and_no_more():
    slow = 0.8 * np.sin(2 * np.pi * np.arange(4000) / 4000.0)  # moves slowly over a few steps
    rounding = np.round(slow) - slow
    assert not whiteness(rounding, 1e-3).white
    assert whiteness(rounding, 1e-3, rounding=1.0).white
    assert not whiteness(3.0 * rounding, 1e-3, rounding=1.0).white


def test_numerical_dust_is_not_motion():
    dust = 1e-16 * np.linspace(-1.0, 1.0, 500)
    assert not whiteness(dust).white
    assert whiteness(dust, floor=1e-12).white


def test_too_few_samples_are_refused():
    with pytest.raises(ShapeError, match="at least 16"):
        whiteness(np.zeros(5))
