"""What holds for trajectories of every shape."""

from __future__ import annotations

import json

import numpy as np
import pytest
from motion.motion_shapes import CHANNELS, DURATION, JUMPING, SHAPES, limited_robot

from freefloat.errors import ShapeError, UnknownName
from freefloat.motion.trajectory import InvalidTrajectory
from freefloat.motion.trajectory_file import load_trajectory, trajectory_from_document

every_shape = pytest.mark.parametrize("trajectory", SHAPES.values(), ids=SHAPES.keys())
T = np.linspace(0.0, DURATION, 241)


def parts_of(motion):
    return motion.position, motion.rate, motion.acceleration


@every_shape
def test_the_motion_is_offset_plus_basis_times_coefficients(trajectory):
    found, C, linear = trajectory.evaluate(T), trajectory.coefficients, trajectory.linear_map(T)
    pairs = [
        (found.position, linear.offset + linear.basis @ C),
        (found.rate, linear.offset_rate + linear.basis_rate @ C),
        (found.acceleration, linear.offset_acceleration + linear.basis_acceleration @ C),
    ]
    for values, expected in pairs:
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-11 * (1 + np.abs(expected).max()))
    assert linear.basis.shape == (T.size, len(C))
    assert found.position.shape == linear.offset.shape == (T.size, len(CHANNELS))


@every_shape
def test_doubling_the_coefficients_doubles_what_they_add(trajectory):
    once, twice = trajectory.evaluate(T), trajectory.with_coefficients(2 * trajectory.coefficients).evaluate(T)
    still = trajectory.with_coefficients(0 * trajectory.coefficients).evaluate(T)
    for one, two, none in zip(parts_of(once), parts_of(twice), parts_of(still), strict=True):
        np.testing.assert_allclose(two - one, one - none, atol=1e-11 * (1 + np.abs(one).max()))


@every_shape
def test_a_batch_of_coefficients_gives_a_batch_of_motions(trajectory):
    linear = trajectory.linear_map(T)
    batch = np.stack([trajectory.coefficients, 3 * trajectory.coefficients])
    motions = linear.motion(batch)
    np.testing.assert_array_equal(motions.rate[1], linear.motion(batch[1]).rate)
    assert motions.position.shape == (2, T.size, len(CHANNELS))


@every_shape
def test_rates_and_accelerations_are_the_derivatives(trajectory):
    inside, span = np.linspace(0.11, DURATION - 0.1, 97), 1e-5
    before, here, after = (trajectory.evaluate(inside + shift) for shift in (-span, 0.0, span))
    for low, exact, high in (
        (before.position, here.rate, after.position),
        (before.rate, here.acceleration, after.rate),
    ):
        np.testing.assert_allclose((high - low) / (2 * span), exact, atol=1e-6 * (1 + np.abs(exact).max()))


@every_shape
def test_the_integral_of_the_rate_is_the_way_gone(trajectory):
    nodes, weights = np.polynomial.legendre.leggauss(8)
    breaks = [part.t for part in getattr(trajectory, "parts", [trajectory]) if hasattr(part, "t")]
    edges = np.unique(np.concatenate([np.linspace(0.0, DURATION, 49), *breaks]))
    middle, half = 0.5 * (edges[1:] + edges[:-1]), 0.5 * np.diff(edges)
    t = middle[:, None] + half[:, None] * nodes
    motion, ends = trajectory.evaluate(t.ravel()), trajectory.evaluate([0.0, DURATION])
    for rate, way in ((motion.rate, ends.position), (motion.acceleration, ends.rate)):
        if way is ends.rate and trajectory in (SHAPES[name] for name in JUMPING):
            continue  # at the very end the value on the right of a jump is taken
        gone = np.einsum("pnc,n,p->c", rate.reshape(*t.shape, -1), weights, half)
        np.testing.assert_allclose(gone, way[1] - way[0], atol=1e-9 * (1 + np.abs(rate).max()))


def peaks(motion):
    """Lowest and highest position, largest rate and acceleration of samples, each of shape (channels,)."""
    fastest, hardest = np.abs(motion.rate).max(axis=0), np.abs(motion.acceleration).max(axis=0)
    return np.stack([-motion.position.min(axis=0), motion.position.max(axis=0), fastest, hardest])


@every_shape
def test_extremes_are_never_below_a_dense_grid_and_equal_one_that_holds_their_times(trajectory):
    found = trajectory.extremes()
    true = np.stack([-found.lowest, found.highest, found.rate, found.acceleration])
    dense = np.linspace(0.0, DURATION, 20001)
    assert (true >= peaks(trajectory.evaluate(dense)) - 1e-12 * (1 + np.abs(true))).all()
    times = np.concatenate([found.lowest_at, found.highest_at, found.rate_at, found.acceleration_at])
    # Where an acceleration jumps, the larger one may be that before the jump.
    times = np.concatenate([dense, times, np.nextafter(times, 0.0)])
    np.testing.assert_allclose(true, peaks(trajectory.evaluate(times)), rtol=1e-9, atol=1e-9)


@every_shape
def test_extremes_are_reached_when_they_say(trajectory):
    found, columns = trajectory.extremes(), np.arange(len(CHANNELS))
    for values, times, part in (
        (found.lowest, found.lowest_at, "position"),
        (found.highest, found.highest_at, "position"),
        (found.rate, found.rate_at, "rate"),
    ):
        reached = getattr(trajectory.evaluate(times), part)[columns, columns]
        reached = np.abs(reached) if part == "rate" else reached
        np.testing.assert_allclose(reached, values, atol=1e-9)


@every_shape
@pytest.mark.parametrize("name", ["motion.json", "motion.yaml"])
def test_a_saved_trajectory_comes_back_exactly(trajectory, name, tmp_path):
    trajectory.save(tmp_path / name)
    back = load_trajectory(tmp_path / name)
    assert type(back) is type(trajectory)
    assert back.document() == trajectory.document()
    np.testing.assert_array_equal(back.evaluate(T).acceleration, trajectory.evaluate(T).acceleration)
    if name.endswith("json"):
        assert json.loads((tmp_path / name).read_text()) == trajectory.document()


@every_shape
def test_the_document_is_plain_data(trajectory):
    document = json.loads(json.dumps(trajectory.document()))
    assert document["format"] == "freefloat/trajectory@1"
    assert trajectory_from_document(document, "a file").document() == document


@every_shape
def test_margins_are_distances_to_the_limits(trajectory):
    robot, found = limited_robot(), trajectory.extremes()
    margins = trajectory.check(robot)
    np.testing.assert_allclose(margins.rate, [0.5, 0.5, 10.0] - found.rate, atol=1e-12)
    np.testing.assert_allclose(margins.acceleration[:2], 0.3 - found.acceleration[:2], atol=1e-12)
    expected = np.minimum(found.lowest[:2] + 1.0, 2.0 - found.highest[:2])
    np.testing.assert_allclose(margins.position[:2], expected, atol=1e-12)
    assert np.isinf([margins.position[2], margins.acceleration[2]]).all()
    negative = sum((each < -1e-8).sum() for each in (margins.position, margins.rate, margins.acceleration))
    assert len(margins.faults()) == negative
    assert margins.within == (negative == 0)


def test_a_fault_is_said_with_its_size_and_unit():
    trajectory = SHAPES["cycloid from seeds"]
    robot = limited_robot(position=(-1.0, 2.0), rate=0.5, acceleration=0.3, max_rate=5.0)
    assert trajectory.check(robot).faults() == (
        "j2 exceeds its position limit by 0.2 m",
        "wx exceeds its rate limit by 1.27 rad/s",
    )
    assert trajectory.check(limited_robot(position=(-5.0, 5.0))).within


def test_samples_are_in_the_robots_order_and_missing_channels_rest():
    robot, whole = limited_robot(), SHAPES["fourier, given ends"]
    motion = whole.evaluate(T)
    samples = whole.samples(robot, T)
    np.testing.assert_array_equal(samples.q, motion.position[:, :2])
    np.testing.assert_array_equal(samples.ddq, motion.acceleration[:, :2])
    np.testing.assert_array_equal(samples.wheel_rates, motion.rate[:, 2:])
    np.testing.assert_array_equal(samples.wheel_accelerations, motion.acceleration[:, 2:])
    samples.check(robot)
    part = type(whole)(("j2",), whole.coefficients[:, 1:2], DURATION, whole.ends[:, 1:2]).samples(robot, T)
    np.testing.assert_allclose(part.dq, np.stack([0 * T, motion.rate[:, 1]], axis=1), atol=1e-13)
    assert not part.wheel_rates.any()


def test_a_channel_that_the_robot_lacks_is_named():
    trajectory = type(SHAPES["fourier"])(("elbow",), np.ones((2, 1)), 3.0)
    with pytest.raises(UnknownName, match=r"no moving joint or wheel named 'elbow'.*j1, j2, wx"):
        trajectory.samples(limited_robot(), [0.0])
    with pytest.raises(UnknownName, match="elbow"):
        trajectory.check(limited_robot())


@every_shape
def test_times_outside_are_refused_but_not_for_their_rounding(trajectory):
    ends = trajectory.evaluate([-1e-12, DURATION + 1e-12])
    np.testing.assert_array_equal(ends.position, trajectory.evaluate([0.0, DURATION]).position)
    for t in ([-0.1, 1.0], [0.0, DURATION + 0.1], [np.nan]):
        with pytest.raises(InvalidTrajectory, match=r"t runs from .* allowed: 0 to 12 s"):
            trajectory.evaluate(t)
    with pytest.raises(ShapeError, match=r"t must have shape \(n,\)"):
        trajectory.evaluate([[0.0]])
    assert trajectory.evaluate([]).rate.shape == (0, len(CHANNELS))
    assert trajectory.evaluate(1.0).rate.shape == (1, len(CHANNELS))


@every_shape
def test_other_coefficients_must_fit(trajectory):
    with pytest.raises(ShapeError, match="coefficients must have shape"):
        trajectory.with_coefficients(trajectory.coefficients[:-1])
    with pytest.raises(ShapeError, match="coefficients must have shape"):
        trajectory.with_coefficients(trajectory.coefficients[:, :-1])
    with pytest.raises(InvalidTrajectory, match="not finite"):
        trajectory.with_coefficients(trajectory.coefficients * np.nan)


@every_shape
def test_a_trajectory_does_not_change(trajectory):
    with pytest.raises(ValueError, match="read-only"):
        trajectory.coefficients[:1] = 0.0
    with pytest.raises(AttributeError):
        trajectory.duration_s = 1.0
