"""Splines on even knots against scipy's, and their roughness against quadrature."""

import numpy as np
import pytest
from scipy.interpolate import BSpline

from freefloat.motion.even_splines import ORDER, EvenSpline

SPLINES = [EvenSpline(-0.3, 0.17, 9), EvenSpline.over(2.0, 31.0, 40), EvenSpline(0.0, 3.0, 1)]


def drawn(spline, curves=2, seed=0):
    return np.random.default_rng(seed).normal(size=(spline.count, curves))


def scipys(spline, c):
    knots = spline.start_s + spline.spacing_s * np.arange(-(ORDER - 1), spline.pieces + ORDER)
    return BSpline(knots, c, ORDER - 1)


def dense(band):
    """A symmetric matrix from its lower band."""
    P = np.diag(band[0])
    for lag in range(1, len(band)):
        P += np.diag(band[lag, :-lag], -lag) + np.diag(band[lag, :-lag], lag)
    return P


def parabolas(spline):
    """Coefficients of 1, t and t^2, shape (count, 3)."""
    at = spline.start_s + spline.spacing_s * (np.arange(spline.count) - 2.0)
    return np.column_stack([np.ones(spline.count), at, at**2 - 0.5 * spline.spacing_s**2])


@pytest.mark.parametrize("spline", SPLINES)
def test_values_and_derivatives_are_scipys(spline):
    c, theirs = drawn(spline), scipys(spline, drawn(spline))
    t = np.random.default_rng(1).uniform(spline.start_s, spline.end_s, 300)
    found = spline.functions(t, 5)
    assert len(found) == 6
    for order, functions in enumerate(found):
        asked = theirs(t, nu=order)
        assert np.abs(functions.of(c) - asked).max() < 1e-11 * np.abs(asked).max()


@pytest.mark.parametrize("spline", SPLINES)
def test_beyond_the_ends_curves_stay(spline):
    c = np.random.default_rng(4).normal(size=(spline.count, 2))
    for edge, side in ((spline.start_s, -1.0), (spline.end_s, 1.0)):
        at, beyond = (spline.functions(np.array([edge + side * away]))[0].of(c) for away in (0.0, 7.0))
        np.testing.assert_allclose(beyond, at, atol=1e-12)


@pytest.mark.parametrize("spline", SPLINES)
def test_what_readings_gather_is_that_of_the_dense_matrix(spline):
    rng = np.random.default_rng(5)
    t, y = rng.uniform(spline.start_s, spline.end_s, 60), rng.normal(size=60)
    functions = spline.functions(t)[0]
    B = functions.of(np.eye(spline.count))
    np.testing.assert_allclose(functions.gathered(y, spline.count), B.T @ y, atol=1e-13)
    np.testing.assert_allclose(dense(functions.gram(spline.count)), B.T @ B, atol=1e-13)


def test_at_a_time_that_is_no_number_a_curve_is_none():
    spline = SPLINES[0]
    found = spline.functions(np.array([np.nan, 0.1]))[0].of(drawn(spline))
    assert np.isnan(found[0]).all()
    assert np.isfinite(found[1]).all()


@pytest.mark.parametrize("spline", SPLINES)
def test_coefficients_of_a_parabola_are_those_of_the_formula(spline):
    t = np.linspace(spline.start_s, spline.end_s, 50)
    found = spline.functions(t)[0].of(parabolas(spline))
    scale = np.abs(found).max()
    np.testing.assert_allclose(found, np.column_stack([np.ones(50), t, t**2]), atol=1e-13 * scale)


@pytest.mark.parametrize("spline", SPLINES)
def test_roughness_is_the_integral_of_the_squared_third_derivative(spline):
    c = drawn(spline)
    nodes, weights = np.polynomial.legendre.leggauss(3)  # exact to the fifth power, the jerk's square has the fourth
    places = np.arange(spline.pieces)[:, None] + 0.5 * (1.0 + nodes)
    t, w = spline.start_s + spline.spacing_s * places.ravel(), np.tile(0.5 * spline.spacing_s * weights, spline.pieces)
    jerk = scipys(spline, c)(t, nu=3)
    P = dense(spline.roughness)
    np.testing.assert_allclose(c.T @ P @ c, (w[:, None] * jerk).T @ jerk, rtol=1e-9)
    for k in range(2):
        value, slope = spline.roughness_of(c[:, k])
        assert value == pytest.approx(w @ jerk[:, k] ** 2, rel=1e-12)
        np.testing.assert_allclose(slope, P @ c[:, k], atol=1e-11 * np.abs(P).max())


def test_roughness_of_a_nearly_parabolic_curve_keeps_its_digits():
    spline, small = EvenSpline.over(0.0, 100.0, 3000), drawn(EvenSpline.over(0.0, 100.0, 3000), 1, 3)[:, 0]
    bent = parabolas(spline) @ [3.0, 1.0, 0.1] + 1e-6 * small
    exact = 1e-12 * spline.roughness_of(small)[0]
    assert spline.roughness_of(bent)[0] == pytest.approx(exact, rel=1e-4)
    by_band = bent @ (dense(spline.roughness) @ bent)
    assert abs(by_band / exact - 1.0) > 1e-3  # which is why the band does not serve


@pytest.mark.parametrize("spline", SPLINES[:2])
def test_the_determinant_is_that_of_the_eigenvalues(spline):
    P, N = dense(spline.roughness), parabolas(spline)
    values = np.linalg.eigvalsh(P)
    assert np.abs(values[:3]).max() < 1e-10 * values[-1]
    asked = np.log(values[3:]).sum() - np.linalg.slogdet(N.T @ N)[1]
    assert spline.log_determinant == pytest.approx(asked, abs=1e-6)


@pytest.mark.parametrize("spline", SPLINES)
def test_halved_knots_hold_the_same_curve(spline):
    c, fine = drawn(spline), spline.halved()
    assert (fine.start_s, fine.end_s, fine.pieces) == (spline.start_s, pytest.approx(spline.end_s), 2 * spline.pieces)
    t = np.linspace(spline.start_s, spline.end_s, 97)
    found = spline.halved_coefficients(c)
    assert found.shape == (fine.count, 2)
    np.testing.assert_allclose(fine.functions(t)[0].of(found), spline.functions(t)[0].of(c), atol=1e-13)
