"""What cannot be kept is said in words, and what can be kept is never refused."""

import re
from dataclasses import replace

import numpy as np
import pytest
from random_trees import random_robot

from freefloat.excitation.limits.attitude import BaseAttitude, BaseCone
from freefloat.excitation.limits.base_rate import BaseRate
from freefloat.excitation.limits.clearance import Clearance
from freefloat.excitation.limits.infeasible import Infeasible, conflict_sentence, refuse_impossible, violations
from freefloat.excitation.limits.joint import JointPosition, JointRate, joint_limits
from freefloat.excitation.limits.wheels import TotalWheelMomentum, WheelRate, wheel_limits
from freefloat.excitation.planned_motion import Conditions, PlannedMotion
from freefloat.motion.fourier import Fourier, PlainFourier
from freefloat.motion.random_motion import random_trajectory
from freefloat.robot.shapes import Sphere

JOINTS = ("joint1", "joint2", "joint3")
CHANNELS = (*JOINTS, "wheel0")
START = (0.1, -0.2, 0.3, 0.0)


def robot():
    built = random_robot(5, bodies=4, base="free", wheels=2, prismatic=False)
    return replace(built, bodies=tuple(replace(body, shapes=(Sphere(np.zeros(3), 0.05),)) for body in built.bodies))


def planned(start=START, wheel_rates=None, momentum=(0.0, 0.0, 0.0), scale=0.0):
    """From rest at `start` to rest there; scale: of random coefficients."""
    ends = np.zeros((6, len(CHANNELS)))
    ends[[0, 3]] = start
    rows = scale * np.random.default_rng(1).normal(size=(4, len(CHANNELS)))
    return on_grid(Fourier(CHANNELS, rows, 20.0, ends), wheel_rates, momentum)


def on_grid(trajectory, wheel_rates=None, momentum=(0.0, 0.0, 0.0)):
    conditions = Conditions(robot(), np.array(momentum), wheel_rates=wheel_rates)
    linear = trajectory.linear_map(np.linspace(0.0, 20.0, 41))
    return PlannedMotion(conditions, trajectory.channels, linear, trajectory.coefficients)


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (
            JointPosition("joint2", -0.1, 1.0),
            "position of joint2 is -11.46° at 0 s, which no coefficient can change; allowed: -5.73° to 57.3°",
        ),
        (JointPosition("joint3", -1.0, 0.2), "position of joint3 is 17.19° at 0 s, .* allowed: -57.3° to 11.46°"),
        (
            JointPosition("joint1", 0.5, -0.5),
            "position of joint1 has no room: the lowest value allowed is 28.65°, the highest -28.65°",
        ),
        (
            BaseAttitude("pitch", 0.1, 0.2),
            "base pitch is 0° at 0 s, which no coefficient can change; allowed: 5.73° to 11.46°",
        ),
        (BaseAttitude("roll", 0.2, 0.1), "base roll has no room"),
        (
            WheelRate("wheel0", -100.0, 100.0),
            "rate of wheel0 is 120 rad/s at .* s, .* allowed: -100 rad/s to 100 rad/s",
        ),
        (WheelRate("wheel1", -10.0, 10.0), "rate of wheel1 is 20 rad/s at .* s, which no coefficient can change"),
        (BaseCone([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], 1.0), "base cone is short by 32.7° at 0 s"),
        (Clearance("base", "body3", 9.0), r"clearance of base and body3 is short by \S+ m at 0 s"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_what_no_coefficient_can_change_is_refused_whatever_the_motion(limit, words):
    for scale in (0.0, 0.05):
        motion = planned(wheel_rates=np.array([120.0, 20.0]), scale=scale)
        with pytest.raises(Infeasible, match=words):
            refuse_impossible([JointRate("joint1", -1.0, 1.0), limit], motion)


def test_the_end_is_judged_as_the_start_is():
    ends = np.zeros((6, 3))
    ends[3] = 0.0, 2.0, 0.0
    motion = on_grid(Fourier(JOINTS, np.zeros((4, 3)), 20.0, ends))
    with pytest.raises(Infeasible, match=r"position of joint2 is 114\.6° at 20 s"):
        refuse_impossible([JointPosition("joint2", -1.0, 1.0)], motion)


def test_wheels_too_small_for_what_they_hold_are_refused_by_their_exact_shortfall():
    motion = planned(wheel_rates=np.array([120.0, 20.0]))
    limit = TotalWheelMomentum(1.0)
    held = np.linalg.norm(limit.vectors(motion)[0])
    tight = TotalWheelMomentum(0.4 * held)
    with pytest.raises(Infeasible, match=f"total wheel momentum is short by {0.6 * held:.3g} N m s at 0 s"):
        refuse_impossible([tight], motion)


def test_a_spinning_base_that_starts_too_fast_is_refused():
    motion = planned(momentum=(5.0, 0.0, 0.0))
    fastest = np.linalg.norm(motion.reaction.x[0, 3:])
    with pytest.raises(Infeasible, match="base rate is short by"):
        refuse_impossible([BaseRate(0.9 * fastest)], motion)
    refuse_impossible([BaseRate(1.1 * fastest)], motion)


@pytest.mark.parametrize("seed", range(4))
def test_limits_that_some_motion_keeps_are_never_refused(seed):
    trajectory = random_trajectory(robot(), 20.0, seed, harmonics=2, channels=CHANNELS)
    kept = on_grid(trajectory)
    limits = [*joint_limits(robot(), CHANNELS), *wheel_limits(robot())]
    limits += [JointPosition("joint1", *_range(kept, 0)), JointPosition("joint2", *_range(kept, 1))]
    assert all(limit.slack(kept) >= -1e-12 for limit in limits)
    for factor in (0.0, 1.0, 40.0):  # the last breaks them, but not where nothing can change
        refuse_impossible(limits, replace(kept, coefficients=factor * kept.coefficients))


def _range(motion, channel):
    position = motion.motion.position[:, channel]
    return position.min(), position.max()


def test_a_trajectory_that_can_move_its_start_is_not_refused_for_it():
    rows = np.zeros((5, 3))
    rows[0] = 3.0
    motion = on_grid(PlainFourier(JOINTS, rows, 20.0, 20.0))
    limits = [JointPosition("joint1", -1.0, 1.0), Clearance("base", "body3", 9.0)]
    assert min(limit.slack(motion) for limit in limits) < 0.0
    refuse_impossible(limits, motion)


def test_a_violation_with_zero_slope_is_not_taken_for_one_that_nothing_can_change():
    motion = planned(momentum=(5.0, 2.0, -3.0), scale=0.2)
    axis = np.array([0.6, 0.0, 0.8])
    opposite = -motion.attitude[20] @ axis  # the slope of the cone's margin vanishes at the worst point of all
    first = np.arccos(axis @ opposite)
    cone = BaseCone(axis, opposite, 0.5 * (first + np.pi))
    assert cone.margins(motion)[0] > 0.0 > cone.margins(motion)[20]
    assert np.abs(cone.jacobian(motion, np.array([20]))).max() < 1e-13 * np.abs(motion.turn).max()
    refuse_impossible([cone], motion)


def test_the_tightest_limits_are_named_first_with_shortfall_and_time():
    motion = planned(scale=0.2)
    position, rate = motion.motion.position[:, 1], motion.motion.rate[:, 0]
    limits = [
        JointRate("joint1", -0.9 * np.abs(rate).max(), 0.9 * np.abs(rate).max()),
        JointPosition("joint2", -10.0, position.max() - 5.0),
        JointPosition("joint3", -10.0, 10.0),
    ]
    sentence = conflict_sentence(limits, violations(limits, motion), motion)
    when, fast = motion.t[position.argmax()], motion.t[np.abs(rate).argmax()]
    assert sentence == (
        "no motion was found that keeps all limits: "
        f"position of joint2 (short by 286° at {when:.4g} s) conflicts with "
        f"rate of joint1 (short by {np.degrees(0.1 * np.abs(rate).max()):.3g} °/s at {fast:.4g} s)"
    )


def test_multipliers_name_limits_that_are_met_but_stand_in_the_way():
    motion = planned(scale=0.2)
    position = motion.motion.position
    limits = [
        JointPosition("joint1", -10.0, position[:, 0].max()),
        JointPosition("joint2", -10.0, position[:, 1].max() - 0.5),
        JointPosition("joint3", -10.0, 10.0),
    ]
    weights = [np.eye(82)[0] * weight for weight in (2.0, 1.0, 1e-5)]
    sentence = conflict_sentence(limits, weights, motion)
    assert "keeps all limits: position of joint1 (at its bound at" in sentence
    assert "conflicts with position of joint2 (short by 28.6° at" in sentence
    assert "joint3" not in sentence


def test_where_no_multiplier_says_anything_violations_do():
    motion = planned(scale=0.2)
    limits = [JointPosition("joint1", -10.0, 10.0), JointPosition("joint2", -1.0, -0.9)]
    nothing = [np.zeros(82), np.zeros(82)]
    assert conflict_sentence(limits, nothing, motion) == conflict_sentence(limits, violations(limits, motion), motion)
    assert "keeps position of joint2 (short by" in conflict_sentence(limits, nothing, motion)


def test_a_wheel_that_does_not_move_is_refused_for_what_it_holds():
    held = robot().wheel("wheel1").spin_inertia * 20.0
    motion = planned(wheel_rates=np.array([0.0, 20.0]))
    assert "wheel1" not in motion.channels
    refuse_impossible(wheel_limits(robot(), {"wheel1": 1.01 * held}), motion)
    with pytest.raises(Infeasible, match=f"momentum of wheel1 is {held:.4g} N m s at .* which no coefficient can"):
        refuse_impossible(wheel_limits(robot(), {"wheel1": 0.99 * held}), motion)


def test_one_limit_alone_and_none_at_all_have_their_own_words():
    motion = planned()
    limits = [JointPosition("joint1", -1.0, 0.0), JointPosition("joint2", -1.0, 1.0)]
    alone = conflict_sentence(limits, violations(limits, motion), motion)
    assert re.fullmatch(r"no motion was found that keeps position of joint1 \(short by 5.73° at \S+ s\)", alone)
    nothing = conflict_sentence(limits[1:], violations(limits[1:], motion), motion)
    assert nothing == "no motion was found that keeps every limit"
