"""Curves that sensors measured: against dense algebra, and whether their standard deviations are honest."""

import numpy as np
import pytest

from freefloat.data.processing import measured_curves as module
from freefloat.data.processing.measured_curves import (
    CurveReadings,
    measured_curves,
    on_knots,
    window_covariances,
)
from freefloat.data.processing.resampling import CannotProcess
from freefloat.motion.even_splines import ORDER, EvenSpline

NOISE = 1e-4
LASTS_S = 24.0


class Sines:
    """A sum of six sines, read at uneven instants."""

    def __init__(self, seed, n=1200, noise=NOISE):
        rng = np.random.default_rng([seed, 41])
        self.f = rng.uniform(0.05, 0.6, 6)
        self.size, self.phase = rng.normal(size=6) / (1.0 + self.f / 0.2), rng.uniform(0.0, 2.0 * np.pi, 6)
        self.t = np.sort(rng.uniform(0.0, LASTS_S, n))
        self.read = self.value(self.t) + noise * rng.normal(size=n)

    def value(self, t):
        return (self.size * np.sin(2.0 * np.pi * self.f * t[:, None] + self.phase)).sum(axis=1)

    def slope(self, t):
        return (2.0 * np.pi * self.f * self.size * np.cos(2.0 * np.pi * self.f * t[:, None] + self.phase)).sum(axis=1)

    def readings(self, sd=NOISE, among=slice(None)):
        return CurveReadings(self.t[among], self.read[among, None], np.array([sd]))


def spread(curves, t):
    """Standard deviations of value and slope of the first curve at times t, shape (n,) each."""
    covariance = window_covariances(*curves.chain)[:, 0]
    return [
        np.sqrt(np.einsum("na,nab,nb->n", part.values, covariance[part.first], part.values))
        for part in curves.spline.functions(t, 1)
    ]


def errors(curves, sines, t):
    """Errors of value and slope over their standard deviations, shape (n,) each."""
    motion = curves.motion(t)
    found = motion.position[:, 0] - sines.value(t), motion.rate[:, 0] - sines.slope(t)
    return [error / sd for error, sd in zip(found, spread(curves, t), strict=True)]


def dense(band):
    L = sum(np.diag(band[lag, : band.shape[1] - lag], -lag) for lag in range(len(band)))
    return L + np.tril(L, -1).T


# ---------------------------------------------------------------------- against dense algebra


def test_precision_mean_chain_and_windows_are_those_of_dense_matrices():
    sines = Sines(0, n=80)
    read = np.column_stack([sines.read, sines.read[::-1]])
    spline, jerk, sd = EvenSpline.over(-0.2, LASTS_S + 0.2, 25), np.array([0.3, 20.0]), np.array([1e-3, 2e-2])
    curves = on_knots(CurveReadings(sines.t, read, sd), spline, jerk)
    B = spline.functions(sines.t)[0].of(np.eye(spline.count))
    weights, own = curves.chain
    for k in range(2):
        precision = B.T @ B / sd[k] ** 2 + dense(spline.roughness) / jerk[k]
        scale = np.abs(precision).max()
        np.testing.assert_allclose(dense(curves.precision[k]), precision, atol=1e-12 * scale)
        mean = np.linalg.solve(precision, B.T @ read[:, k] / sd[k] ** 2)
        np.testing.assert_allclose(curves.coefficients[:, k], mean, atol=1e-9)
        W = np.eye(spline.count)
        for i in range(spline.count):
            for b in range(min(i, ORDER - 1)):
                W[i, i - b - 1] = -weights[i, k, b]
        np.testing.assert_allclose(W.T @ np.diag(own[:, k] ** -2.0) @ W, precision, atol=1e-11 * scale)
        covariance = np.linalg.inv(precision)
        windows = window_covariances(weights, own)[:, k]
        for piece, window in enumerate(windows):
            part = covariance[piece : piece + ORDER, piece : piece + ORDER]
            np.testing.assert_allclose(window, part, atol=1e-8 * np.abs(part).max())
        right = np.random.default_rng(k).normal(size=(spline.count, 2))
        np.testing.assert_allclose(curves.moved(right)[:, k], covariance @ right[:, k], rtol=1e-6)
    at = np.linspace(0.0, LASTS_S, 90)
    for order, part in enumerate(spline.functions(at, 2)):
        rows = part.of(np.eye(spline.count))
        variance = np.einsum("na,ab,nb->n", rows, covariance, rows)
        assert curves.sd(at)[order, 1] == pytest.approx(np.sqrt(variance.mean()), rel=1e-6)


def marginal(readings, spline, jerk, sd):
    """Logarithm of how likely readings are, parabolas having any size with equal right: dense, without curves.

    The curve is a parabola and a part whose first three coefficients are zero; readings of the latter have a
    covariance, and the former is integrated over.
    """
    P = dense(spline.roughness)[3:, 3:] / jerk
    B = spline.functions(readings.t)[0].of(np.eye(spline.count))[:, 3:]
    V = sd**2 * np.eye(readings.t.size) + B @ np.linalg.solve(P, B.T)
    T, y = np.vander(readings.t - readings.t.mean(), 3), readings.values[:, 0]
    inner = T.T @ np.linalg.solve(V, T)
    rest = y - T @ np.linalg.solve(inner, T.T @ np.linalg.solve(V, y))
    log = np.linalg.slogdet(V)[1] + np.linalg.slogdet(inner)[1] + rest @ np.linalg.solve(V, rest)
    return -0.5 * (log + (y.size - 3) * np.log(2.0 * np.pi))


@pytest.mark.parametrize("pieces", [3, 11, 24])
@pytest.mark.parametrize("jerk", [1e-3, 0.1, 3.0])
def test_evidence_is_the_marginal_likelihood(pieces, jerk):
    sines = Sines(1, n=60, noise=0.5)
    readings, spline = sines.readings(0.5), EvenSpline.over(-0.2, LASTS_S + 0.2, pieces)
    found = on_knots(readings, spline, np.array([jerk])).evidence[0]
    constant = 0.5 * (readings.t.size - 3) * np.log(2.0 * np.pi)
    assert found - constant == pytest.approx(marginal(readings, spline, jerk, 0.5), abs=1e-5)


def test_the_level_of_jerk_is_the_most_likely_one():
    sines = Sines(2, n=200, noise=0.01)
    spline = EvenSpline.over(-0.2, LASTS_S + 0.2, 40)
    best = on_knots(sines.readings(0.01), spline)
    around = [on_knots(sines.readings(0.01), spline, best.jerk * 10.0**x).evidence[0] for x in np.linspace(-6, 6, 61)]
    assert best.evidence[0] > max(around) - 1e-2


def test_unknown_noise_is_found_with_its_own_evidence():
    sines = Sines(3, n=300, noise=0.02)
    spline = EvenSpline.over(-0.2, LASTS_S + 0.2, 40)
    found = on_knots(sines.readings(np.nan), spline)
    assert found.noise_sd[0] == pytest.approx(0.02, rel=4.0 / np.sqrt(2 * 250))
    told = [on_knots(sines.readings(found.noise_sd[0] * factor), spline).evidence[0] for factor in (0.9, 1.0, 1.1)]
    assert told[1] > max(told[0], told[2])
    assert found.evidence[0] == pytest.approx(told[1], abs=1e-2)


# ---------------------------------------------------------------------- honesty


@pytest.mark.parametrize("said", [True, False])
def test_standard_deviations_of_position_and_rate_are_honest(said):
    inside, squares = np.linspace(0.5, LASTS_S - 0.5, 1500), []
    for seed in range(12):
        sines = Sines(seed)
        curves = measured_curves(sines.readings(NOISE if said else np.nan))
        assert curves.white.all()
        assert 0.9 * NOISE < curves.noise_sd[0] < 1.1 * NOISE
        squares.append([(z**2).mean() for z in errors(curves, sines, inside)])
    # of some 50 independent values of a curve, 12 curves: a spread of about four in a hundred
    assert np.sqrt(np.mean(squares, axis=0)) == pytest.approx(1.0, abs=0.12)


def test_a_gap_is_as_uncertain_as_the_errors_in_it():
    within, outside, squares = np.linspace(11.05, 11.95, 60), np.linspace(3.0, 9.0, 200), []
    for seed in range(12):
        sines = Sines(seed)
        curves = measured_curves(sines.readings(among=(sines.t < 11.0) | (sines.t > 12.0)))
        squares.append([(z**2).mean() for z in errors(curves, sines, within)])
        wide, usual = spread(curves, within), spread(curves, outside)
        assert all(there.max() > 3.0 * here.max() for there, here in zip(wide, usual, strict=True))
    assert (np.sqrt(np.mean(squares, axis=0)) < 1.5).all()
    assert (np.sqrt(np.mean(squares, axis=0)) > 0.3).all()


@pytest.mark.parametrize("noise", [NOISE, 0.0])
@pytest.mark.parametrize("said", [True, False])
@pytest.mark.parametrize("slope", [0.0, 0.3])
def test_curves_that_do_not_bend_are_found_stiff(noise, said, slope):
    rng, t = np.random.default_rng(5), np.linspace(0.0, 20.0, 1001)
    y = 1.234 + slope * t + noise * rng.normal(size=t.size)
    curves = measured_curves(CurveReadings(t, y[:, None], np.array([NOISE if said else np.nan])))
    motion, (sd, slope_sd) = curves.motion(t), spread(curves, t)
    floor = 1e-9  # ten times the least noise that readings may have
    assert (np.abs(motion.position[:, 0] - 1.234 - slope * t) < 4.5 * sd + floor).all()
    assert (np.abs(motion.rate[:, 0] - slope) < 4.5 * slope_sd + floor).all()
    level = curves.noise_sd[0]
    assert level == pytest.approx(NOISE if said else noise, rel=0.1, abs=floor)
    inner = sd[100:-100]  # a parabola has three coefficients; what is stiff knows its value as well as those
    assert np.sqrt((inner**2).mean()) < 4.0 * level * np.sqrt(3.0 / t.size) + floor


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_steps_of_an_encoder_are_no_colour_that_finer_knots_would_explain(seed):
    """Errors of rounding are white only while a joint moves fast; this one begins and ends slowly."""
    step, t = 1e-3, np.arange(10000) / 1000.0
    true = Sines(seed).value(0.5 * t) * 0.5 * (1.0 - np.cos(2.0 * np.pi * t / 10.0))
    read, sd = (np.round(true / step) * step)[:, None], np.array([step / np.sqrt(12.0)])
    found = measured_curves(CurveReadings(t, read, sd, rounding=np.array([step])))
    assert found.spline.spacing_s > 0.05
    assert found.unexplained("encoder", ("a",)) == []
    away = found.motion(t).position[:, 0] - true
    assert np.sqrt((away**2).mean()) < sd[0]
    bent = read + 2e-3 * np.sign(np.sin(2.0 * np.pi * 3.0 * t))[:, None]
    jumping = measured_curves(CurveReadings(t, bent, sd, rounding=np.array([step])))
    assert jumping.unexplained("encoder", ("a",)), "what rounding does not explain is said"


# ---------------------------------------------------------------------- limits


def test_many_readings_go_the_short_way(monkeypatch):
    sines = Sines(7, n=4000)
    whole = measured_curves(sines.readings())
    monkeypatch.setattr(module, "_LONG", 1500)
    quick = measured_curves(sines.readings())
    t = np.linspace(0.2, LASTS_S - 0.2, 3000)
    for order, which in enumerate(("position", "rate")):
        difference = getattr(quick.motion(t), which) - getattr(whole.motion(t), which)
        assert np.sqrt((difference**2).mean()) < max(whole.sd(t)[order, 0], quick.sd(t)[order, 0])
    for curves in (whole, quick):
        assert [np.sqrt((z**2).mean()) for z in errors(curves, sines, t)] == pytest.approx([1.0, 1.0], abs=0.2)


def test_more_readings_than_are_looked_at_for_levels_agree_with_fewer():
    sines = Sines(8, n=21000)
    many, few = measured_curves(sines.readings()), measured_curves(sines.readings(among=slice(0, 20000)))
    t = np.linspace(0.2, sines.t[19900], 3000)
    difference = many.motion(t).position - few.motion(t).position
    assert np.sqrt((difference**2).mean()) < few.sd(t)[0, 0]
    assert np.sqrt((errors(many, sines, t)[0] ** 2).mean()) == pytest.approx(1.0, abs=0.3)


@pytest.mark.parametrize("n", [16, 17, 20, 31, 100])
def test_there_are_never_more_coefficients_than_readings(n):
    rng = np.random.default_rng(n)
    readings = CurveReadings(np.sort(rng.uniform(0.0, 10.0, n)), rng.normal(size=(n, 2)), np.full(2, 1e-3))
    curves = measured_curves(readings)  # noise is said to be small, so that knots are wanted
    assert curves.spline.count < n
    finer = curves.finer()
    assert finer is None or finer.spline.count < n


def test_too_few_readings_are_refused_in_one_sentence():
    with pytest.raises(CannotProcess, match="15 readings; allowed: at least 16 of a curve"):
        measured_curves(CurveReadings(np.arange(15.0), np.zeros((15, 1)), np.ones(1)))


def test_curves_reach_beyond_readings_and_as_far_as_asked():
    sines = Sines(9, n=200)
    own, asked = measured_curves(sines.readings()), measured_curves(sines.readings(), (-2.0, 30.0))
    assert own.spline.start_s < sines.t[0]
    assert own.spline.end_s > sines.t[-1]
    assert asked.spline.start_s < -2.0
    assert asked.spline.end_s > 30.0
    assert spread(asked, np.array([29.9]))[0] > 10.0 * spread(asked, np.array([12.0]))[0]


def test_a_long_rest_does_not_decide_how_smooth_a_slew_is(monkeypatch):
    """Knots and levels of very many readings are those of where curves move."""
    monkeypatch.setattr(module, "_LONG", 400)
    t = np.linspace(0.0, 60.0, 3000)
    true = 0.4 * (np.tanh(3.0 * (t - 10.0)) + np.tanh(4.0 * (t - 46.0)))
    rng = np.random.default_rng(5)
    found = measured_curves(CurveReadings(t, (true + 1e-4 * rng.normal(size=t.size))[:, None], np.array([1e-4])))
    away = found.motion(t).position[:, 0] - true
    assert np.sqrt((away**2).mean()) < 1e-4
    assert np.abs(away).max() < 6e-4
    assert found.white.all()


def test_readings_beyond_the_knots_are_left_out():
    sines = Sines(2)
    inner = EvenSpline.over(5.0, 15.0, 40)
    found = on_knots(sines.readings(), inner)
    within = (sines.t >= 5.0) & (sines.t <= 15.0)
    alone = on_knots(sines.readings(among=within), inner)
    np.testing.assert_array_equal(found.coefficients, alone.coefficients)
    with pytest.raises(CannotProcess, match="readings from 100 to 110 s"):
        on_knots(sines.readings(), EvenSpline.over(100.0, 110.0, 40))


def test_readings_that_are_noisier_than_declared_are_taken_as_they_are():
    """Else the curve follows their noise, and its standard deviation is of another."""
    sines, t = Sines(5, noise=6.0 * NOISE), np.linspace(1.0, LASTS_S - 1.0, 400)
    curves = measured_curves(sines.readings())
    assert curves.noise_sd[0] == pytest.approx(6.0 * NOISE, rel=0.1)
    assert curves.level[0] == pytest.approx(6.0, rel=0.1)
    assert curves.declared[0] == NOISE
    assert 0.6 < np.sqrt((errors(curves, sines, t)[0] ** 2).mean()) < 1.4
    assert curves.unexplained("encoder", ("j1",))[0].startswith("encoder of j1: readings leave 5.")
    finer = curves.finer()
    assert finer is not None
    assert (finer.declared[0], finer.level[0]) == (NOISE, pytest.approx(6.0, rel=0.1))


def test_readings_that_are_as_noisy_as_declared_keep_what_was_declared():
    curves = measured_curves(Sines(5).readings())
    assert curves.noise_sd[0] == NOISE
    assert curves.level[0] == pytest.approx(1.0, rel=0.1)
    assert curves.unexplained("encoder", ("j1",)) == []
