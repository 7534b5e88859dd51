"""Points joined by quintics, and the shortest intervals between them."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import ShapeError
from freefloat.motion.extremes import polynomial_extremes
from freefloat.motion.limits import Limits
from freefloat.motion.quintic import quintic_polynomials
from freefloat.motion.quintic_points import QuinticPoints
from freefloat.motion.shortest_intervals import SHORTEST_S, shortest_intervals
from freefloat.motion.trajectory import InvalidTrajectory
from freefloat.robot.model import Robot
from freefloat.robot.parts import Body, Joint
from freefloat.studies.catalogue import published


def limits(rate=np.inf, acceleration=np.inf, position=np.inf, channels=1):
    full = np.full(channels, 1.0)
    names = tuple(f"j{number + 1}" for number in range(channels))
    return Limits(names, ("rad",) * channels, -position * full, position * full, rate * full, acceleration * full)


def one_interval(start, end, length, accelerations=(0.0, 0.0)):
    """Positions and rates (q, dq) at both ends of one interval of one channel."""
    points = np.array([start, end])
    return QuinticPoints.from_points(
        ("j1",), [0.0, length], points[:, :1], points[:, 1:], np.array(accelerations)[:, None]
    )


def shortest(start, end, given, accelerations=(0.0, 0.0)):
    points = np.array([start, end])
    [length] = shortest_intervals(points[:, :1], points[:, 1:], np.array(accelerations)[:, None], given)
    return length


def admissible(start, end, lengths, given, accelerations=(0.0, 0.0)):
    """For each length, whether the quintic keeps the limits, up to rounding."""
    lengths = np.atleast_1d(lengths)
    ends = np.array([*start, accelerations[0], *end, accelerations[1]])[:, None]
    each = np.broadcast_to(ends, (lengths.size, 6, 1))
    margins = given.margins(polynomial_extremes(quintic_polynomials(each, lengths), lengths))
    least = [margins.position / 6.0, margins.rate / given.rate, margins.acceleration / given.acceleration]
    return np.min(least, axis=0)[:, 0] > -1e-9


def test_points_are_passed_with_their_rates_and_accelerations():
    rng = np.random.default_rng(3)
    t = np.cumsum([0.0, 1.0, 0.2, 3.0])
    q, dq, ddq = rng.normal(size=(3, 4, 2))
    found = QuinticPoints.from_points(("x", "y"), t, q, dq, ddq).evaluate(t)
    for values, expected in ((found.position, q), (found.rate, dq), (found.acceleration, ddq)):
        np.testing.assert_allclose(values, expected, atol=1e-11)


def test_the_polynomial_is_the_printed_one():
    A, va, vb, uf = 0.7, 0.4, -0.3, 1.7
    u = np.linspace(0.0, uf, 23)
    a3 = 10 * A * uf**-3 - (6 * va + 4 * vb) * uf**-2
    a4 = -15 * A * uf**-4 + (8 * va + 7 * vb) * uf**-3
    a5 = 6 * A * uf**-5 - 3 * (va + vb) * uf**-4
    found = one_interval((0.2, va), (0.2 + A, vb), uf).evaluate(u)
    np.testing.assert_allclose(found.position[:, 0], 0.2 + va * u + a3 * u**3 + a4 * u**4 + a5 * u**5, atol=1e-13)


def test_extremes_are_where_the_corrected_equations_say():
    rng = np.random.default_rng(4)
    lengths = rng.uniform(0.2, 3.0, 60)
    for (A, va, vb), uf in zip(rng.normal(size=(60, 3)), lengths, strict=True):
        a3 = 10 * A * uf**-3 - (6 * va + 4 * vb) * uf**-2
        a4 = -15 * A * uf**-4 + (8 * va + 7 * vb) * uf**-3
        a5 = 6 * A * uf**-5 - 3 * (va + vb) * uf**-4
        segment = one_interval((0.0, va), (A, vb), uf)
        for equation, part in (([10 * a5, 6 * a4, 3 * a3], "rate"), ([10 * a5, 4 * a4, a3], "acceleration")):
            roots = np.roots(equation)
            inside = [u.real for u in roots if abs(u.imag) < 1e-12 and 0.0 < u.real < uf]
            values = getattr(segment.evaluate([0.0, *inside, uf]), part)
            np.testing.assert_allclose(getattr(segment.extremes(), part)[0], np.abs(values).max(), rtol=1e-9)


def test_the_largest_acceleration_may_grow_with_the_interval():
    none, more = (one_interval((0.0, 1.0), (1.0, 1.0), length).extremes() for length in (1.0, 2.0))
    assert none.acceleration[0] < 1e-13
    np.testing.assert_allclose(more.acceleration[0], 1.4434, atol=1e-4)


def test_from_rest_to_rest_the_shortest_interval_has_a_closed_form():
    # The largest rate is 15/8 of the mean one; the largest acceleration 10/sqrt(3) A / T^2.
    np.testing.assert_allclose(shortest((0, 0), (2, 0), limits(rate=0.5)), 15 / 8 * 2 / 0.5, rtol=1e-9)
    np.testing.assert_allclose(
        shortest((0, 0), (2, 0), limits(acceleration=0.5)), np.sqrt(10 / np.sqrt(3) * 2 / 0.5), rtol=1e-9
    )


@pytest.mark.parametrize("given", [(0.0, 0.0), (0.4, -0.3)], ids=["no accelerations", "given accelerations"])
def test_the_shortest_interval_is_admissible_and_a_shorter_one_is_not(given):
    rng = np.random.default_rng(5)
    bounds = limits(rate=1.0, acceleration=2.0, position=3.0)
    found = 0
    for qa, qb, va, vb in rng.uniform(-1, 1, size=(100, 4)):
        start, end = (2 * qa, 0.9 * va), (2 * qb, 0.9 * vb)
        try:
            length = shortest(start, end, bounds, given)
        except InvalidTrajectory:
            continue
        found += 1
        assert admissible(start, end, length, bounds, given)
        assert not admissible(start, end, 0.99 * length, bounds, given)
    assert found > 75


def test_no_shorter_interval_is_admissible_at_all():
    rng = np.random.default_rng(6)
    bounds = limits(rate=1.0, acceleration=0.7)
    several = 0
    for qa, qb, va, vb in rng.uniform(-1, 1, size=(150, 4)):
        length = shortest((qa, va), (qb, vb), bounds)
        shorter = length * np.linspace(0.01, 0.999, 200)
        assert not admissible((qa, va), (qb, vb), shorter, bounds).any()
        longer = length * np.linspace(1.001, 3.0, 60)
        several += not admissible((qa, va), (qb, vb), longer, bounds).all()
    assert several > 5  # admissible lengths came in several ranges, and the first was found


def test_a_narrow_range_of_admissible_lengths_is_not_stepped_over():
    bounds = limits(rate=2.0, acceleration=1e-4)
    length = shortest((0, 1), (1, 1), bounds)
    assert 0.999 < length < 1.0
    assert admissible((0, 1), (1, 1), length, bounds)
    assert not admissible((0, 1), (1, 1), 1.01, bounds)


def test_position_limits_end_what_rates_would_allow():
    # From here on at full rate: a long interval would swing far out and back.
    bounds = limits(rate=1.0, acceleration=5.0, position=1.0)
    length = shortest((0.9, 0.3), (0.8, -0.3), bounds)
    assert admissible((0.9, 0.3), (0.8, -0.3), length, bounds)
    with pytest.raises(InvalidTrajectory, match="points 0 and 1 cannot be joined within the limits of j1"):
        shortest((0.99, 0.9), (0.99, -0.9), limits(rate=1.0, acceleration=1.0, position=1.0))


def test_without_motion_or_limits_an_interval_is_as_short_as_any():
    assert shortest((1, 0), (1, 0), limits(rate=1.0, acceleration=1.0)) == SHORTEST_S
    assert shortest((0, 0), (1, 0), limits()) == SHORTEST_S


def test_a_point_beyond_a_limit_is_named():
    with pytest.raises(InvalidTrajectory, match=r"at the points, j1 exceeds its rate limit by 0\.5 rad/s"):
        shortest((0, 1.5), (1, 0), limits(rate=1.0))


def test_the_published_points_become_a_motion_within_limits():
    computed = published("gautier_khalil_arm")["computed"]
    points = np.array(computed["points"])
    edge = np.radians(computed["limits"]["position_deg"])
    rate = computed["limits"]["rate_rad_s"]
    bodies = [Body("base")]
    for number in (2, 3):
        joint = Joint(f"j{number}", position=(-1.5 * edge, 1.5 * edge), rate=rate, acceleration=3.0)
        bodies.append(Body(f"link{number}", bodies[-1].name, joint))
    robot = Robot("arm", tuple(bodies), base="fixed")
    motion = QuinticPoints.shortest(robot, ("j2", "j3"), points[:, :2], points[:, 3:])
    assert motion.t.size == 31
    assert motion.check(robot).within
    passed = motion.evaluate(motion.t)
    np.testing.assert_allclose(passed.position, points[:, :2], atol=1e-12)
    np.testing.assert_allclose(passed.rate, points[:, 3:], atol=1e-12)
    lengths = np.diff(motion.t)
    for index in range(30):
        squeezed = lengths.copy()
        squeezed[index] *= 0.99
        t = np.concatenate([[0.0], np.cumsum(squeezed)])
        faster = QuinticPoints.from_points(("j2", "j3"), t, points[:, :2], points[:, 3:])
        assert not faster.check(robot).within


@pytest.mark.parametrize(
    ("t", "rows", "error", "said"),
    [
        ([0.0, 1.0], 3, ShapeError, "2 positions, then 2 rates, found 3 rows"),
        ([0.0], 2, ShapeError, "t must have shape"),
        ([1.0, 2.0], 4, InvalidTrajectory, "t starts at 1 s; allowed: 0"),
        ([0.0, 2.0, 2.0], 6, InvalidTrajectory, "t does not increase after 2 s"),
        ([0.0, np.inf], 4, InvalidTrajectory, "t holds a number that is not finite"),
    ],
)
def test_what_makes_no_points_is_refused(t, rows, error, said):
    with pytest.raises(error, match=said):
        QuinticPoints(("x",), np.ones((rows, 1)), t, np.zeros((len(t), 1)))
    with pytest.raises(ShapeError, match="accelerations must have shape"):
        QuinticPoints(("x",), np.ones((4, 1)), [0.0, 1.0], np.zeros((3, 1)))
