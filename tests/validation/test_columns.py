"""Single columns of residuals: noise is left alone, more than noise is seen for what it is."""

import numpy as np
import pytest

from freefloat.validation.columns import check_column, lines_in

N = 900


def drawn(seed):
    return np.random.default_rng(seed).normal(size=N)


def test_noise_raises_no_more_false_alarms_than_was_asked_for():
    checks = [check_column(drawn(seed), 0.0, 0.1) for seed in range(400)]
    fired = sum(bool(check.louder or check.lines or not check.white) for check in checks)
    assert fired <= 40 + 3 * np.sqrt(40.0)
    assert fired > 4, "the test is not asleep either"


@pytest.mark.parametrize("level", [1.0, 1.03, 1.05, 1.08, 1.12, 1.2, 1.35])
def test_white_noise_of_any_level_is_white(level):
    rng = np.random.default_rng([7, round(100 * level)])
    checks = [check_column(level * rng.normal(size=6000), 0.0, 0.1) for _ in range(200)]
    odd = sum(bool(check.lines or not check.white) for check in checks)
    assert odd <= 15 + 3 * np.sqrt(15.0), "three quarters of a tenth of 200"
    louder = sum(check.louder for check in checks)
    assert louder == (200 if level > 1.3 else 0)
    beyond = sum(check.noise > 1.0 for check in checks)
    assert beyond <= 5 + 3 * np.sqrt(5.0) if level == 1.0 else beyond > 150


@pytest.mark.parametrize("frequency", [0.0123, 0.1, 0.3777])
def test_a_line_is_found_where_it_is_as_large_as_it_is(frequency):
    wave = 1.5 * np.sin(2.0 * np.pi * frequency * np.arange(N) + 0.4)
    check = check_column(drawn(1) + wave, 0.0, 0.01)
    (line,) = check.lines
    assert line.frequency == pytest.approx(frequency, abs=0.1 / N)
    assert line.amplitude == pytest.approx(1.5, abs=0.2)
    assert check.white
    assert not check.louder
    assert check.level == pytest.approx(1.0, abs=0.07)


def test_two_lines_are_taken_out_one_after_the_other():
    k = np.arange(N)
    lines, rest = lines_in(drawn(2) + 3.0 * np.sin(0.5 * k) + 1.0 * np.cos(1.1 * k), 1e-3)
    assert [line.frequency * 2.0 * np.pi for line in lines] == pytest.approx([0.5, 1.1], abs=2e-3)
    assert rest.std() == pytest.approx(1.0, abs=0.07)


def test_a_noisy_sensor_is_louder_and_white():
    check = check_column(3.0 * drawn(3), 0.0, 0.01)
    assert check.louder
    assert check.white
    assert not check.lines
    assert check.level == pytest.approx(3.0, rel=0.07)


def test_a_slow_drift_is_not_white():
    walk = np.cumsum(0.08 * drawn(4))
    assert not check_column(drawn(5) + walk - walk.mean(), 0.0, 0.01).white


def test_what_a_fit_used_up_is_allowed_for():
    r = np.zeros(N)
    r[::2] = drawn(6)[::2]
    assert check_column(r, N / 2.0, 0.01).level == pytest.approx(1.0, abs=0.1)


def test_rounding_is_no_signal():
    check = check_column(1e-12 * np.sin(0.1 * np.arange(N)), 0.0, 0.01)
    assert check.white
    assert not check.lines
