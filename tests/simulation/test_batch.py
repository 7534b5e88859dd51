"""Many flights at once: each is the flight it would be alone, and nothing grows that should not."""

import sys
import tracemalloc
from dataclasses import fields, replace

import numpy as np
import pytest
from random_trees import random_robot

from freefloat.errors import ShapeError, UnknownName
from freefloat.motion.combined import Combined
from freefloat.motion.fourier import Fourier, PlainFourier
from freefloat.motion.random_motion import random_trajectory
from freefloat.motion.sampled import Sampled
from freefloat.simulation import batch
from freefloat.simulation.batch import Runs, simulate_batch
from freefloat.simulation.simulate import CannotFly, Disturbance, Pulse, Start, simulate_motion

DURATION = 3.0
NAMES = [field.name for field in fields(Runs) if field.name != "t"]


def robot_with(base="free", wheels=3):
    return random_robot(3, bodies=6, base=base, branched=True, prismatic=True, wheels=wheels, gravity=True)


def starts(runs, seed=1):
    """Every run with an attitude, a place and a momentum of its own, given in one way or another; some zero."""
    rng = np.random.default_rng(seed)
    moving = [Start(rng.normal(size=4), rng.normal(size=3), *0.3 * rng.normal(size=(2, 3))) for _ in range(runs)]
    at_rest = [Start(start.attitude, start.position) for start in moving]
    spinning = [replace(start, rate=None, angular_momentum=rng.normal(size=3)) for start in moving]
    return [
        (start, start, spin, rest)[run % 4]
        for run, (start, spin, rest) in enumerate(zip(moving, spinning, at_rest, strict=True))
    ]


def of_every_kind(robot):
    """Runs that share a basis, runs that share a shape but not its ends, splines, wheels, and joints left out."""
    rng, joints = np.random.default_rng(2), robot.joint_names
    wheels = tuple(wheel.name for wheel in robot.wheels)
    series = [Fourier(joints, 0.3 * rng.normal(size=(6, len(joints))), DURATION) for _ in range(4)]
    others = [random_trajectory(robot, DURATION, seed) for seed in range(2)]
    t = np.linspace(0.0, DURATION, 9)
    splines = [Sampled.from_positions(joints[:2], t, 0.2 * rng.normal(size=(9, 2))) for _ in range(2)]
    spun = [Fourier(wheels, 20.0 * rng.normal(size=(4, len(wheels))), DURATION) for _ in range(2)]
    both = [Combined((arm, spin)) for arm, spin in zip(series, spun, strict=False)]
    one = PlainFourier(joints[1:2], 0.2 * rng.normal(size=(3, 1)), DURATION, 2.0)
    mixed = [*series, *others, *splines, *spun, *both, one]
    return [mixed[i] for i in rng.permutation(len(mixed))]


def assert_each_is_alone(flown, robot, trajectories, t, each, wheels, rates, *surroundings):
    assert len(flown) == len(trajectories)
    for run, trajectory in enumerate(trajectories):
        alone = simulate_motion(robot, trajectory, t, each[run], wheels, rates[run], *surroundings)
        for name in NAMES:
            np.testing.assert_array_equal(getattr(flown, name)[run], getattr(alone, name), err_msg=name)
            np.testing.assert_array_equal(getattr(flown[run], name), getattr(alone, name), err_msg=name)


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
@pytest.mark.parametrize("wheels", ["held", "free"])
def test_every_run_is_the_flight_it_would_be_alone(base, wheels, monkeypatch):
    robot, t = robot_with(base), np.sort(np.append(np.linspace(0.0, DURATION, 30), [0.11, 0.6]))
    trajectories = of_every_kind(robot)
    each, rates = starts(len(trajectories)), np.random.default_rng(4).normal(size=(len(trajectories), 3)) * 30.0
    pulse = Pulse(0.5, 1.0, [3.0, -1.0, 2.0], [0.2, 0.4, -0.3])
    push = Disturbance([1.0, -2.0, 0.5], [0.2, 0.1, -0.3], 0.2)
    monkeypatch.setattr(batch, "_CHUNK_BYTES", 5 * 8 * t.size * 118)  # a few runs at a time
    flown = simulate_batch(robot, trajectories, t, each, wheels, rates, (pulse,), push)
    assert_each_is_alone(flown, robot, trajectories, t, each, wheels, rates, (pulse,), push)
    if base != "fixed":
        assert len({tuple(w[-1]) for w in flown.w}) == len(flown)


@pytest.mark.parametrize("size", [1, 1 << 14, 1 << 30])
def test_the_size_of_chunks_changes_nothing(size, monkeypatch):
    robot, t = robot_with(wheels=0), np.linspace(0.0, DURATION, 40)
    trajectories = [random_trajectory(robot, DURATION, seed) for seed in range(7)]
    usual = simulate_batch(robot, trajectories, t, starts(7))
    monkeypatch.setattr(batch, "_CHUNK_BYTES", size)
    chunked = simulate_batch(robot, trajectories, t, starts(7))
    for name in NAMES:
        np.testing.assert_array_equal(getattr(chunked, name), getattr(usual, name))


def test_one_start_and_one_set_of_wheel_rates_serve_all_runs():
    robot, t = robot_with(), np.linspace(0.0, DURATION, 20)
    trajectories = [random_trajectory(robot, DURATION, seed) for seed in range(3)]
    start, rates = starts(1)[0], np.array([10.0, 20.0, -30.0])
    flown = simulate_batch(robot, trajectories, t, start, "free", rates)
    assert_each_is_alone(flown, robot, trajectories, t, [start] * 3, "free", [rates] * 3)
    assert_each_is_alone(simulate_batch(robot, trajectories, t), robot, trajectories, t, [None] * 3, "held", [None] * 3)


def series_runs(robot, runs):
    rng = np.random.default_rng(0)
    first = Fourier(robot.joint_names, np.zeros((8, len(robot.joints))), DURATION)
    return [first.with_coefficients(0.2 * rng.normal(size=first.coefficients.shape)) for _ in range(runs)]


def test_no_python_runs_per_sample():
    robot = robot_with()
    trajectories = series_runs(robot, 3)

    def calls(n):
        count, t = 0, np.linspace(0.0, DURATION, n)

        def profile(frame, event, arg):
            nonlocal count
            count += event in ("call", "c_call")

        simulate_batch(robot, trajectories, t, starts(3))  # compiled, and caches warm
        sys.setprofile(profile)
        try:
            simulate_batch(robot, trajectories, t, starts(3))
        finally:
            sys.setprofile(None)
        return count

    assert calls(20) == calls(600)


def test_what_is_needed_on_the_way_does_not_grow_with_the_runs(monkeypatch):
    robot, t = robot_with(), np.linspace(0.0, DURATION, 200)
    monkeypatch.setattr(batch, "_CHUNK_BYTES", 1 << 20)

    def extra(runs):
        trajectories, each = series_runs(robot, runs), starts(runs)
        tracemalloc.start()
        try:
            flown = simulate_batch(robot, trajectories, t, each)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        return peak - sum(getattr(flown, name).nbytes for name in NAMES)

    extra(20)
    few, many = extra(20), extra(200)
    assert few < 3 << 20
    assert many < few + (1 << 20)


def test_runs_cannot_be_written():
    flown = simulate_batch(robot_with(), series_runs(robot_with(), 2), [0.0, 1.0])
    with pytest.raises(ValueError, match="read-only"):
        flown.w[0, 0, 0] = 1.0
    assert [each.q.shape for each in flown] == [(2, 5), (2, 5)]


def test_numbers_that_do_not_fit_are_refused():
    robot, t = robot_with(), [0.0, 1.0]
    trajectories = series_runs(robot, 3)
    with pytest.raises(ShapeError, match="3 trajectories but 2 starts"):
        simulate_batch(robot, trajectories, t, starts(2))
    with pytest.raises(ShapeError, match=r"\(3,\) or \(3, 3\), found \(2, 3\)"):
        simulate_batch(robot, trajectories, t, wheel_rates=np.zeros((2, 3)))
    with pytest.raises(CannotFly, match="at least one trajectory"):
        simulate_batch(robot, [], t)
    with pytest.raises(CannotFly, match="increasing order"):
        simulate_batch(robot, trajectories, [0.0])


def test_a_channel_that_the_robot_does_not_have_is_refused():
    robot = robot_with()
    wrong = Fourier(("elbow",), np.zeros((2, 1)), DURATION)
    with pytest.raises(UnknownName, match="elbow"):
        simulate_batch(robot, [*series_runs(robot, 2), wrong], [0.0, 1.0])
