"""Motions of intervals for any robot: limits of every kind, momentum, many channels, as few as will do, missions."""

from dataclasses import replace

import numpy as np
import pytest
import yaml
from cli.calling import ended
from excitation.fedorov import fewest_by_fedorov
from excitation.small_mission import small_mission
from random_trees import random_robot

import freefloat as ff
from freefloat.excitation.limits.base_rate import BaseRate
from freefloat.excitation.limits.infeasible import NoMotionFound
from freefloat.excitation.limits.joint import joint_limits
from freefloat.excitation.limits.wheels import WheelMomentum, WheelRate
from freefloat.excitation.plan import InvalidPlan, Plan
from freefloat.excitation.procedures.interval_design import combinations_for, design_intervals
from freefloat.excitation.procedures.interval_excitation import find_intervals, interval_task_of
from freefloat.excitation.procedures.interval_settings import Intervals
from freefloat.mission.mission_file import InvalidMission
from freefloat.motion.cycloid import Cycloid
from freefloat.motion.trajectory import InvalidTrajectory
from freefloat.robot.model import Robot
from freefloat.simulation.simulate import Start
from freefloat.studies.catalogue import study_robot
from freefloat.studies.naveen.experiment import peak_rates
from freefloat.studies.naveen.plans import interval_task

QUICK = Intervals(rounds=1, tries=10, most=10)
PUBLISHED_CONDITION, PUBLISHED_INTERVALS = 248.8, 67


def limited_robot(seed, joints=3, wheels=2):
    """A random tree whose joints and wheels have ends."""
    robot = random_robot(seed, bodies=1 + joints, base="free", wheels=wheels, prismatic=False)
    bodies = [
        replace(body, joint=replace(body.joint, kind="revolute", position=(-2.0, 2.0), rate=0.6))
        if body.joint
        else body
        for body in robot.bodies
    ]
    spun = [replace(wheel, max_rate=8.0 / wheel.spin_inertia) for wheel in robot.wheels]
    return replace(robot, bodies=tuple(bodies), wheels=tuple(spun))


def plan_for(robot: Robot, **settings):
    names = (*robot.joint_names, *(wheel.name for wheel in robot.wheels))
    shape = Cycloid(names, np.zeros((2, len(names))), 1.0)
    wheels = [WheelRate(wheel.name, -wheel.max_rate, wheel.max_rate) for wheel in robot.wheels]
    limits = (*joint_limits(robot, names), *wheels, *settings.pop("limits", ()))
    return Plan(robot, shape, (), limits, goal="condition-number", model="momentum", **settings)


# ---------------------------------------------------------------------- limits


def test_a_limit_on_the_base_s_rate_shortens_ranges_until_it_is_kept():
    robot = limited_robot(3)
    free = find_intervals(plan_for(robot, limits=(BaseRate(10.0),)), QUICK, starts=1)
    rate = next(10.0 - margin.slack for margin in free.margins if margin.limit == "base rate")
    held = find_intervals(plan_for(robot, limits=(BaseRate(0.5 * rate),)), QUICK, starts=1)
    assert free.feasible
    assert held.feasible
    assert next(margin.share for margin in held.margins if margin.limit == "base rate") < 0.2
    assert np.isfinite(held.condition_number)
    assert len(held.trajectory.coefficients) == 1 + QUICK.most


def test_a_wheel_s_momentum_limits_its_range():
    robot = limited_robot(4)
    wheel = robot.wheels[0]
    task = interval_task_of(plan_for(robot, limits=(WheelMomentum(wheel.name, -1.0, 1.0),)), QUICK)
    fastest = 2.0 * task.largest_range[len(robot.joints) :] * robot.wheel_inertias
    np.testing.assert_allclose(fastest, [1.0, 8.0], rtol=1e-3)


def test_what_no_range_keeps_is_refused_by_name():
    robot = limited_robot(5)
    start = Start(angular_momentum=np.array([20.0, 0.0, 0.0]))
    with pytest.raises(NoMotionFound, match="no motion was found that keeps base rate"):
        find_intervals(
            plan_for(robot, start=start, limits=(BaseRate(1e-4),)), replace(QUICK, most=4, tries=1), starts=1
        )


# ---------------------------------------------------------------------- momentum, channels, repetitions


def test_a_total_momentum_changes_the_design_and_is_kept_by_its_forecast():
    robot = limited_robot(6)
    start = Start(angular_momentum=np.array([0.5, -0.2, 0.3]))
    still, turning = (
        find_intervals(plan_for(robot, start=each), replace(QUICK, tries=5), starts=1) for each in (Start(), start)
    )
    assert still.feasible
    assert turning.feasible
    assert not np.allclose(still.trajectory.coefficients, turning.trajectory.coefficients)


def test_more_than_twenty_channels_are_sampled():
    robot = limited_robot(7, joints=3, wheels=18)
    found = find_intervals(plan_for(robot), replace(QUICK, combinations=40, tries=1), starts=1)
    assert len(found.trajectory.channels) == 21
    assert found.feasible
    assert found.condition_number < 1e6


@pytest.mark.parametrize(
    ("channels", "count", "intervals", "many"), [(9, 256, 60, 256), (3, 256, 20, 40), (2, 9, 1, 2)]
)
def test_few_combinations_are_joined_by_their_opposites_and_repeated(channels, count, intervals, many):
    pool = combinations_for(channels, count, intervals, 0)
    assert pool.shape == (many, channels)
    assert len(np.unique(pool, axis=0)) == min(many, 2**channels if 2 ** (channels - 1) < 2 * intervals else many)


def test_what_intervals_cannot_be_designed_for_is_refused():
    plan = plan_for(limited_robot(8))
    with pytest.raises(InvalidPlan, match="found several robots"):
        find_intervals(replace(plan, guesses=(plan.robot,)), QUICK)
    with pytest.raises(InvalidTrajectory, match=r"number of intervals is 1, too few .* allowed: at least 2"):
        find_intervals(plan, replace(QUICK, most=1))
    with pytest.raises(InvalidTrajectory, match="a condition number of 9 by the updated rule"):
        find_intervals(plan, replace(QUICK, rule="updated", condition_number=9.0))


# ---------------------------------------------------------------------- as few as will do


def test_as_few_intervals_are_flown_as_keep_the_condition_number():
    plan = plan_for(limited_robot(9))
    task = interval_task_of(plan, QUICK)
    pool = combinations_for(5, 256, QUICK.most, 0)
    whole = design_intervals(task, combinations=pool, most=QUICK.most, rounds=1, tries=10, starts=1)
    largest = 1.2 * whole.condition_number
    few = find_intervals(plan, replace(QUICK, condition_number=largest), starts=1)
    assert few.condition_number <= largest * 1.001
    assert len(few.trajectory.coefficients) - 1 < QUICK.most
    with pytest.raises(NoMotionFound, match=r"10 intervals was found with a condition number of at most 1\.01"):
        find_intervals(plan, replace(QUICK, condition_number=1.01, tries=1), starts=1)


@pytest.mark.slow
def test_the_published_robot_needs_no_more_intervals_than_printed_at_the_printed_condition_number():
    task = interval_task(study_robot("naveen_dual_arm"))
    usual = Intervals()
    found = design_intervals(
        task,
        most=PUBLISHED_INTERVALS,
        condition_number=PUBLISHED_CONDITION,
        starts=1,
        rounds=usual.rounds,
        tries=usual.tries,
    )
    assert found.condition_number <= PUBLISHED_CONDITION
    assert len(found.directions) <= 30  # 22; printed: 67


@pytest.mark.slow
def test_a_command_designs_fewer_intervals_than_printed_for_the_published_robot(tmp_path):
    study_robot("naveen_dual_arm").save(tmp_path / "naveen.yaml")
    robot = yaml.safe_load((tmp_path / "naveen.yaml").read_text())
    joints = [body["joint"] for body in robot["bodies"] if body["joint"]["kind"] != "fixed"]
    rates = peak_rates().tolist()
    for joint, rate in zip(joints, rates, strict=False):
        joint |= {"position_deg": [-180, 180], "rate_deg_s": float(np.degrees(rate))}
    wheels = robot["base"]["wheels"]
    for wheel, rate in zip(wheels, rates[len(joints) :], strict=True):
        wheel["max_rate_rad_s"] = rate
    (tmp_path / "naveen.yaml").write_text(yaml.safe_dump(robot))
    sensors = {
        "joints": {"kind": "encoder", "noise_rad": 1e-5, "rate_Hz": 10},
        "gyro": {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": 0.01, "rate_Hz": 10},
        "speed": {"kind": "velocity", "axes": "body", "noise_m_s": 1e-4, "rate_Hz": 10},
        "wheels": {"kind": "tachometer", "noise_rad_s": 0.001, "rate_Hz": 10},
    }
    shape = {"kind": "intervals", "interval_s": 1, "condition_number": PUBLISHED_CONDITION}
    channels = [each["name"] for each in (*joints, *wheels)]
    mission = {"format": "freefloat/mission@1", "mission": "naveen", "robot": "naveen.yaml", "sensors": sensors}
    mission["excitation"] = {"channels": channels, "duration_s": PUBLISHED_INTERVALS, "shape": shape}
    (tmp_path / "mission.yaml").write_text(yaml.safe_dump(mission))
    code, _, said = ended(["design", "mission.yaml", "--starts", 1, "-o", "found.json"], tmp_path)
    assert code == 0, said
    found = ff.load_excitation(tmp_path / "found.json")
    assert found.feasible
    assert found.condition_number <= PUBLISHED_CONDITION
    assert len(found.trajectory.coefficients) - 1 <= 30  # 23; printed: 67


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_random_robots_need_no_more_than_a_tenth_above_fedorov_s_exchange(seed):
    plan, usual = plan_for(limited_robot(seed, joints=4, wheels=2)), Intervals()
    task = replace(interval_task_of(plan, usual), instants=1)
    pruned = design_intervals(task, "updated", starts=1)
    largest, most = pruned.condition_number, len(pruned.directions)
    ours = find_intervals(plan, replace(usual, most=most, condition_number=largest), starts=1)
    count = len(ours.trajectory.coefficients) - 1
    pool = combinations_for(6, usual.combinations, most, 0)
    assert ours.condition_number <= largest * 1.001
    assert count <= 1.1 * fewest_by_fedorov(task, pool, largest, count)


# ---------------------------------------------------------------------- missions


INTERVALS = {"kind": "intervals", "interval_s": 2.0, "rule": "updated"}


def test_a_mission_designs_intervals_within_all_its_limits(tmp_path):
    limits = {"base_rate_deg_s": 3.0, "clearance_m": 0.01, "base_attitude_deg": {"pitch": [-30, 30]}}
    mission = small_mission(tmp_path, excitation={"shape": INTERVALS, "limits": limits})
    found = ff.design(mission, starts=1)
    assert isinstance(found.trajectory, Cycloid)
    assert found.trajectory.interval_s == 2.0
    assert found.goal == "condition-number"
    assert found.feasible
    assert found.sheet.go
    assert {"base rate", "base pitch", "clearance of base and link2"} <= {each.limit for each in found.margins}
    found.save(tmp_path / "found.json")
    assert ff.load_excitation(tmp_path / "found.json") == found
    estimate = ff.identify(mission, ff.simulate(mission, found, seed=1), motion=found)
    assert np.isfinite(estimate.values).all()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"home": {"j1": 0.1}}, "excitation.home is given, but intervals begin where it is best"),
        ({"robust": {}}, "excitation.robust is given, but intervals are designed for one robot"),
        (
            {"duration_s": 10, "shape": {"kind": "intervals", "interval_s": 2.0, "most": 6}},
            "6 intervals, which last 12 s; allowed: no",
        ),
        ({"goal": "accuracy"}, "accuracy is no goal of intervals"),
    ],
    ids=lambda each: next(iter(each)) if isinstance(each, dict) else "",
)
def test_what_a_mission_asks_of_intervals_in_vain_is_refused(tmp_path, changes, sentence):
    mission = small_mission(tmp_path, excitation={"shape": INTERVALS, **changes})
    with pytest.raises((InvalidMission, InvalidPlan), match=sentence):
        ff.plan_of(mission)


@pytest.mark.parametrize(
    ("shape", "sentence"),
    [
        ({"kind": "intervals", "harmonics": 3}, "excitation.shape.harmonics is not a field"),
        (
            {"kind": "intervals", "interval_s": 2, "patience": 3},
            "gives patience, which the rule exchange does not",
        ),
        ({**INTERVALS, "most": 9}, "gives most, which the rule updated does not read; allowed with it: "),
        ({"kind": "interval"}, "excitation.shape.kind is 'interval'; allowed: fourier, bspline, intervals"),
        ({"kind": "intervals", "condition_number": 0.5}, "allowed: a number not less than 1"),
    ],
    ids=["field", "of exchange", "of pruning", "kind", "value"],
)
def test_what_is_not_a_shape_is_said_in_one_sentence(tmp_path, shape, sentence):
    with pytest.raises(ff.FreefloatError, match=sentence):
        small_mission(tmp_path, excitation={"shape": shape})


def test_motions_drawn_beside_intervals_are_series(tmp_path):
    mission = small_mission(tmp_path, excitation={"shape": INTERVALS, "duration_s": 20})
    assert ff.random_motion(mission, 0).duration_s == 20.0
