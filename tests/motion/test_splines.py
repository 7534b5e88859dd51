"""B-splines and sampled commands."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import interpolate

from freefloat.errors import ShapeError
from freefloat.motion.bspline import BSpline
from freefloat.motion.combined import Combined
from freefloat.motion.sampled import Sampled
from freefloat.motion.trajectory import InvalidTrajectory

RNG = np.random.default_rng(11)
T = np.concatenate([[0.0], np.sort(RNG.uniform(0.2, 7.8, 14)), [8.0]])


def smooth(t):
    """A smooth motion of two channels, its rate and its acceleration."""
    w = np.array([1.1, 0.7])
    angle = t[:, None] * w
    return np.sin(angle), w * np.cos(angle), -(w**2) * np.sin(angle)


# ---------------------------------------------------------------------- B-splines


@pytest.mark.parametrize("degree", [3, 4, 5])
def test_control_points_pull_as_scipys_do(degree):
    points = RNG.normal(size=(9, 2))
    spline = BSpline(("x", "y"), points, 6.0, degree, rest=False)
    inner = np.linspace(0.0, 6.0, 9 - degree + 1)
    knots = np.concatenate([[0.0] * degree, inner, [6.0] * degree])
    t = np.linspace(0.0, 6.0, 50)
    np.testing.assert_allclose(
        spline.linear_map(t).basis, interpolate.BSpline.design_matrix(t, knots, degree).toarray(), atol=1e-14
    )
    ends = spline.evaluate([0.0, 6.0]).position
    np.testing.assert_allclose(ends, points[[0, -1]], atol=1e-14)


@pytest.mark.parametrize("degree", [3, 4, 5])
def test_at_rest_both_ends_are_still_and_on_the_outer_points(degree):
    points = RNG.normal(size=(6, 2))
    ends = BSpline(("x", "y"), points, 6.0, degree).evaluate([0.0, 6.0])
    np.testing.assert_allclose(ends.position, points[[0, -1]], atol=1e-14)
    np.testing.assert_allclose(ends.rate, 0.0, atol=1e-13)
    np.testing.assert_allclose(ends.acceleration, 0.0, atol=1e-12)


def test_a_spline_stays_within_its_control_points():
    points = RNG.normal(size=(12, 2))
    found = BSpline(("x", "y"), points, 6.0).extremes()
    assert (found.lowest >= points.min(axis=0)).all()
    assert (found.highest <= points.max(axis=0)).all()


@pytest.mark.parametrize(
    ("build", "error", "said"),
    [
        (
            lambda: BSpline(("x",), np.ones((9, 1)), 1.0, degree=2),
            InvalidTrajectory,
            "degree is 2; allowed: 3, 4, 5",
        ),
        (
            lambda: BSpline(("x",), np.ones((5, 1)), 1.0, rest=False),
            ShapeError,
            "at least 6 control points, found 5",
        ),
        (lambda: BSpline(("x",), np.ones((1, 1)), 1.0), ShapeError, "at least 2 control points, found 1"),
        (lambda: BSpline(("x",), np.ones((9, 1)), np.nan), InvalidTrajectory, "duration_s is nan"),
    ],
)
def test_what_makes_no_spline_is_refused(build, error, said):
    with pytest.raises(error, match=said):
        build()


# ---------------------------------------------------------------------- sampled commands


@pytest.mark.parametrize("degree", [3, 5])
@pytest.mark.parametrize("with_rates", [False, True], ids=["positions", "positions and rates"])
def test_samples_are_passed(degree, with_rates):
    q, dq, _ = smooth(T)
    found = Sampled.from_positions(("x", "y"), T, q, dq if with_rates else None, degree).evaluate(T)
    np.testing.assert_allclose(found.position, q, atol=1e-12)
    if with_rates:
        np.testing.assert_allclose(found.rate, dq, atol=1e-11)


@pytest.mark.parametrize("degree", [2, 4])
def test_rates_alone_are_integrated(degree):
    t = np.linspace(0.0, 8.0, 81)
    q, dq, _ = smooth(t)
    found = Sampled.from_rates(("x", "y"), t, dq, start=[0.5, -0.5], degree=degree).evaluate(t)
    np.testing.assert_allclose(found.rate, dq, atol=1e-11)
    np.testing.assert_allclose(found.position - [0.5, -0.5], q, atol={2: 2e-3, 4: 1e-6}[degree])
    np.testing.assert_allclose(found.position[0], [0.5, -0.5], atol=1e-14)


def test_rates_joined_by_lines_are_the_trapezoidal_rule():
    _, dq, _ = smooth(T)
    found = Sampled.from_rates(("x", "y"), T, dq, degree=2).evaluate(T)
    way = np.cumsum(0.5 * np.diff(T)[:, None] * (dq[1:] + dq[:-1]), axis=0)
    np.testing.assert_allclose(found.position[1:], way, atol=1e-12)


@pytest.mark.parametrize(("degree", "with_rates"), [(3, False), (5, False), (3, True), (5, True)])
def test_polynomials_of_its_degree_come_back_exactly(degree, with_rates):
    curve = np.polynomial.Polynomial(RNG.normal(size=degree + 1), domain=[0.0, 8.0])
    q, dq = curve(T)[:, None], curve.deriv()(T)[:, None]
    spline = Sampled.from_positions(("x",), T, q, dq if with_rates else None, degree)
    t = np.linspace(0.0, 8.0, 77)
    found = spline.evaluate(t)
    np.testing.assert_allclose(found.position[:, 0], curve(t), atol=1e-11)
    np.testing.assert_allclose(found.acceleration[:, 0], curve.deriv(2)(t), atol=1e-9)


def test_it_agrees_with_scipys_splines():
    q, dq, _ = smooth(T)
    t = np.linspace(0.0, 8.0, 123)
    hermite = interpolate.CubicHermiteSpline(T, q, dq)
    mine = Sampled.from_positions(("x", "y"), T, q, dq, degree=3).evaluate(t)
    np.testing.assert_allclose(mine.acceleration, hermite(t, 2), atol=1e-10)
    for degree in (3, 5):
        other = interpolate.make_interp_spline(T, q, k=degree)
        mine = Sampled.from_positions(("x", "y"), T, q, degree=degree).evaluate(t)
        np.testing.assert_allclose(mine.rate, other(t, 1), atol=1e-9)


def test_a_smooth_command_keeps_its_acceleration():
    t = np.linspace(0.0, 8.0, 81)
    q, dq, ddq = smooth(t)
    between = np.linspace(1.0, 7.0, 333)
    for rates in (None, dq):
        found = Sampled.from_positions(("x", "y"), t, q, rates).evaluate(between)
        np.testing.assert_allclose(found.acceleration, smooth(between)[2], atol=1e-6)
    assert np.abs(ddq).max() > 1.0


def test_many_samples_need_no_square_matrix():
    t = 0.01 * np.arange(20001)
    found = Sampled.from_positions(("x", "y"), t, smooth(t)[0])
    extremes = found.extremes()
    np.testing.assert_allclose([extremes.highest, extremes.lowest], [[1, 1], [-1, -1]], atol=1e-9)
    np.testing.assert_allclose(found.evaluate(t[:50]).position, smooth(t[:50])[0], atol=1e-12)


@pytest.mark.parametrize(
    ("build", "error", "said"),
    [
        (
            lambda: Sampled.from_positions(("x",), np.arange(5.0), np.ones((5, 1))),
            ShapeError,
            r"t must have shape \(n,\) with n at least 6, found \(5,\)",
        ),
        (
            lambda: Sampled.from_positions(("x",), np.arange(9.0), np.ones((8, 1))),
            ShapeError,
            "must have 9 rows",
        ),
        (
            lambda: Sampled.from_positions(("x",), np.arange(9.0), np.ones((9, 1)), np.ones((8, 1))),
            ShapeError,
            r"rates must have shape \(9, 1\)",
        ),
        (
            lambda: Sampled.from_positions(("x",), np.arange(9.0), np.ones((9, 1)), degree=4),
            InvalidTrajectory,
            "degree is 4; allowed for position: 5 or 3",
        ),
        (
            lambda: Sampled(("x",), np.ones((9, 1)), np.arange(9.0), "speed"),
            InvalidTrajectory,
            "given is 'speed'; allowed: position",
        ),
        (
            lambda: Sampled.from_positions(("x",), [0, 1, 2, 2, 3, 4, 5], np.ones((7, 1))),
            InvalidTrajectory,
            "t does not increase after 2 s",
        ),
        (
            lambda: Sampled.from_positions(("x",), np.arange(9.0), [[0.0]] * 8 + [[np.nan]]),
            InvalidTrajectory,
            "positions holds a number that is not finite",
        ),
    ],
)
def test_what_makes_no_samples_is_refused(build, error, said):
    with pytest.raises(error, match=said):
        build()


# ---------------------------------------------------------------------- several at once


def test_parts_move_as_they_would_alone():
    arm = BSpline(("x", "y"), RNG.normal(size=(6, 2)), 8.0)
    wheel = Sampled.from_rates(("w",), T, RNG.normal(size=(T.size, 1)))
    both = Combined((arm, wheel))
    assert both.channels == ("x", "y", "w")
    t = np.linspace(0.0, 8.0, 33)
    np.testing.assert_array_equal(both.evaluate(t).rate[:, :2], arm.evaluate(t).rate)
    np.testing.assert_array_equal(both.evaluate(t).rate[:, 2:], wheel.evaluate(t).rate)
    np.testing.assert_array_equal(both.extremes().rate, [*arm.extremes().rate, *wheel.extremes().rate])


def test_parts_must_fit_together():
    arm = BSpline(("x", "y"), RNG.normal(size=(6, 2)), 8.0)
    with pytest.raises(InvalidTrajectory, match="parts last 8, 5 s; allowed: one duration"):
        Combined((arm, BSpline(("w",), np.ones((4, 1)), 5.0)))
    with pytest.raises(InvalidTrajectory, match="channels are x, y, y; allowed"):
        Combined((arm, BSpline(("y",), np.ones((4, 1)), 8.0)))
    with pytest.raises(InvalidTrajectory, match="parts are none"):
        Combined(())
    both = Combined((arm, BSpline(("w",), np.ones((4, 1)), 8.0)))
    with pytest.raises(InvalidTrajectory, match="beside the parts' blocks"):
        both.with_coefficients(np.ones_like(both.coefficients))
