"""Optimum points, and designs on energy rows, by mission file: of arms that no article knows."""

import numpy as np
import pytest
from excitation.points_mission import limited, points_mission, random_arm
from random_trees import random_robot

import freefloat as ff
from freefloat.errors import FileError, FreefloatError
from freefloat.excitation.limits.infeasible import Infeasible, NoMotionFound
from freefloat.excitation.plan import InvalidPlan
from freefloat.excitation.procedures import optimum_points as procedure
from freefloat.excitation.procedures.optimum_points import equilibrium_front, optimum_points
from freefloat.mission import designing_points
from freefloat.mission.designing import plan_of, points_front
from freefloat.mission.designing_points import PlannedPoints
from freefloat.mission.mission_file import InvalidMission


@pytest.fixture(scope="module", autouse=True)
def _short_searches():
    """What is looked at here, points of a few steps have as well."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(procedure, "_MOST_STEPS", 20)
        yield


@pytest.fixture(scope="module")
def mission(tmp_path_factory):
    return points_mission(tmp_path_factory.mktemp("points"))


@pytest.fixture(scope="module")
def found(mission):
    return ff.design(mission, starts=2)


def energy_matrix(mission, motion, t):
    plan = plan_of(mission)
    return plan.rows().fill(plan.conditions().samples(motion.channels, motion.evaluate(t))).matrix


def test_a_mission_that_asks_for_points_gets_a_motion_that_passes_them(mission, found):
    rows = plan_of(mission).rows()
    assert found.feasible
    assert found.goal == "condition-number"
    assert found.trajectory.kind == "quintic-points"
    passed = found.trajectory.passed
    assert passed.size == 2 * len(rows.names) + 1, "two for each unknown, and one"
    assert np.linalg.cond(energy_matrix(mission, found.trajectory, passed)) == pytest.approx(found.condition_number)
    assert found.value == pytest.approx(np.log(found.condition_number))
    assert "optimum points, equilibrium" in found.how.solver
    ends = found.trajectory.evaluate([0.0, found.trajectory.duration_s])
    np.testing.assert_array_equal(ends.position, np.zeros((2, 2)))
    np.testing.assert_array_equal(ends.rate, np.zeros((2, 2)))


def test_points_are_better_than_random_ones(mission, found):
    task_motion = [ff.random_motion(mission, seed) for seed in range(5)]
    t = np.linspace(0.0, 10.0, found.trajectory.passed.size)
    random = [np.linalg.cond(energy_matrix(mission, motion, t)) for motion in task_motion]
    assert found.condition_number < 0.5 * min(random)


def test_what_takes_designs_takes_points(mission, found, tmp_path):
    found.save(tmp_path / "points.json")
    assert ff.load_excitation(tmp_path / "points.json") == found
    recording = ff.simulate(mission, found)
    estimate = ff.identify(mission, recording, method="weighted")
    assert (np.abs(estimate.values - plan_of(mission).rows().values) < 5.0 * estimate.sd).all()
    assert found.sheet.duration_s == found.trajectory.duration_s


def test_points_of_a_free_robot_are_found_where_its_energy_shows_all(tmp_path):
    robot = limited(random_robot(1, bodies=4, base="free", branched=True))
    free = points_mission(tmp_path, robot, sensors={}, excitation={"shape": {"kind": "points", "points": 30}})
    found = ff.design(free, starts=1)
    assert found.feasible
    assert found.condition_number < 1e5


@pytest.mark.parametrize("joints", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_the_energy_of_a_free_robot_with_few_joints_lacks_rank_and_that_is_said(tmp_path, seed, joints):
    robot = limited(random_robot(seed, bodies=joints + 1, base="free", prismatic=False))
    free = points_mission(tmp_path, robot, sensors={})
    rows, rng = plan_of(free).rows(), np.random.default_rng(0)
    states = ff.Samples(*rng.uniform(-1.0, 1.0, (2, 200, joints)), np.zeros((200, joints)))
    assert np.linalg.matrix_rank(rows.fill(states).matrix, rtol=1e-9) < len(rows.names)
    with pytest.raises(InvalidMission, match="the energy at such points lacks rank"):
        ff.design(free, starts=1)


def test_a_limit_of_torques_draws_the_box_in(tmp_path, monkeypatch):
    robot = limited(random_robot(5, bodies=3, base="fixed", prismatic=False), torque=np.inf)  # no gravity to hold
    wide = ff.design(points_mission(tmp_path, robot), starts=1)
    plan = plan_of(points_mission(tmp_path, robot))
    samples = wide.trajectory.samples(robot, np.linspace(0.0, wide.trajectory.duration_s, 2000))
    torques = ff.dynamics.inverse_dynamics(plan.robot, samples)[:, 6:]
    weak = limited(robot, torque=0.6 * float(np.abs(torques).max()))
    narrow = ff.design(points_mission(tmp_path, weak), starts=1)
    assert narrow.feasible
    assert "of the joints' ranges for the sake of other limits" in narrow.how.solver
    monkeypatch.setattr(designing_points, "_SHARES", (0.999,))
    with pytest.raises(NoMotionFound, match="no way through optimum points was found that keeps torque of"):
        ff.design(points_mission(tmp_path, weak), starts=1)


def test_what_cannot_be_held_at_home_is_said_before_the_search(tmp_path):
    with pytest.raises(Infeasible, match=r"is short by .* at rest at home, where every motion begins"):
        ff.design(points_mission(tmp_path, random_arm(torque=1e-3)))


def test_points_complement_an_earlier_motion(mission, found):
    again = ff.design(mission, starts=1, earlier=[found])
    assert again.condition_number < found.condition_number


def test_a_goal_of_ones_choice_is_made_small(mission):
    by_name = ff.design(mission, starts=1, goal="frobenius")
    by_hand = ff.design(mission, starts=1, goal=ff.excitation.Frobenius())
    assert by_name.goal == "frobenius"
    assert by_name.value == by_hand.value
    np.testing.assert_array_equal(by_name.trajectory.coefficients, by_hand.trajectory.coefficients)


def test_the_front_has_the_best_points_of_every_weight(mission):
    weights = (0.0, 0.5)
    points = PlannedPoints(plan_of(mission), mission.settings.excitation.shape)
    front = equilibrium_front(points.rows, points.limits(), points.differences, weights, starts=1)
    for weight, each in zip(weights, front, strict=True):
        alone = optimum_points(points.rows, points.limits(), points.differences, starts=1, equilibrium_weight=weight)
        np.testing.assert_array_equal(each.positions, alone.positions)
        assert each.values.min() == pytest.approx(np.log(each.condition_number) + weight * np.log(each.equilibrium))
    shown = points_front(mission, weights, starts=1)
    assert [each.condition_number for each in shown] == [each.condition_number for each in front]
    assert shown[-1].equilibrium < shown[0].equilibrium


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"shape": {"kind": "points", "points": 3}}, "excitation.shape.points is 3; allowed: at least "),
        ({"shape": {"kind": "points"}, "goal": "accuracy"}, "which accuracy does not read; allowed: condition-number"),
        ({"shape": {"kind": "points"}, "robust": {"guesses": 2}}, "points are sought for one robot"),
    ],
)
def test_what_points_do_not_do_is_said_in_a_sentence(tmp_path, changes, words):
    with pytest.raises(InvalidMission, match=words) as told:
        ff.design(points_mission(tmp_path, excitation=changes), starts=1)
    assert str(told.value).startswith(str(tmp_path / "arm.yaml"))


def test_a_robot_without_limits_of_rates_is_told_so(tmp_path):
    with pytest.raises(InvalidMission, match="has no finite box of positions and rates"):
        ff.design(points_mission(tmp_path, random_arm(rate=np.inf)))


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (
            {"kind": "cycloid"},
            "excitation.shape.kind is 'cycloid'; allowed: fourier, bspline, intervals, points, selection",
        ),
        ({"kind": "points", "harmonics": 3}, "excitation.shape.harmonics is not a field.*equilibrium_weight"),
        ({"harmonics": 3, "points": 9}, "excitation.shape.points is not a field.*harmonics"),
    ],
)
def test_a_shape_that_there_is_not_is_refused(tmp_path, shape, words):
    with pytest.raises(FileError, match=words):
        points_mission(tmp_path, excitation={"shape": shape})


def test_a_front_is_of_points_and_of_weights_that_are_not_negative(mission, tmp_path):
    with pytest.raises(InvalidMission, match="a weight of the equilibrium is -1; allowed: 0 or more"):
        points_front(mission, [-1.0])
    with pytest.raises(InvalidMission, match=r"excitation\.shape\.kind is fourier; allowed: points"):
        points_front(points_mission(tmp_path, excitation={}), [0.0])


# ---------------------------------------------------------------------- designs on energy rows


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_goals_on_energy_rows_are_bettered(tmp_path, base):
    robot = limited(random_robot(1, bodies=4, base=base, gravity=base == "fixed", branched=True))
    excitation = {"shape": {"harmonics": 2}, "duration_s": 10.0, "goal": "condition-number"}
    arm = points_mission(tmp_path, robot, sensors={}, excitation=excitation)
    plan = plan_of(arm)
    assert plan.model == "energy"
    found = ff.design(arm, starts=1, shakes=0, workers=1)
    random = min(plan.condition_number(ff.random_motion(arm, seed)) for seed in range(5))
    assert found.feasible
    assert found.condition_number < 0.7 * random


def test_an_arm_is_designed_by_its_rows_unless_told_otherwise_and_has_no_predicted_accuracy(tmp_path):
    robot = limited(random_robot(1, bodies=4, base="fixed", gravity=True, branched=True))
    excitation = {"shape": {"harmonics": 2}, "duration_s": 10.0}
    assert plan_of(points_mission(tmp_path, robot, excitation=excitation)).goal == "condition-number"
    arm = points_mission(tmp_path, robot, excitation={**excitation, "goal": "accuracy"})
    with pytest.raises(InvalidPlan, match=r"accuracy is of a base that moves, and .* fixed; allowed: condition-number"):
        ff.design(arm, starts=1, shakes=0, workers=1)


def test_a_tumbling_robot_has_no_design_on_energy_rows(tmp_path):
    robot = limited(random_robot(6, bodies=3, base="free", wheels=1, prismatic=False))
    name = robot.wheels[0].name
    excitation = {"shape": {"kind": "points"}}
    spun = points_mission(tmp_path, robot, sensors={}, excitation=excitation, momentum={"wheels_Nms": {name: 0.001}})
    with pytest.raises(FreefloatError, match="those of a robot at zero momentum"):
        ff.design(spun, starts=1)
