"""Designs of a small robot: within all limits, the same for a seed, better than where they began."""

import numpy as np
import pytest
from excitation.small_plans import small_plan, small_robot

from freefloat.errors import UnknownName
from freefloat.estimate.problem_data import Nuisances
from freefloat.excitation.finding import find_excitation
from freefloat.excitation.limits.attitude import BaseAttitude
from freefloat.excitation.limits.base_rate import BaseRate
from freefloat.excitation.limits.infeasible import Infeasible
from freefloat.excitation.limits.joint import JointAcceleration, JointPosition, JointRate, joint_limits
from freefloat.excitation.plan import InvalidPlan
from freefloat.excitation.solver.local_search import Errand, random_starts, run_errand
from freefloat.motion.bspline import BSpline
from freefloat.motion.combined import Combined
from freefloat.motion.fourier import Fourier, PlainFourier
from freefloat.robot.rotations import rotations
from freefloat.simulation.simulate import simulate_motion

GOALS = ("accuracy", "worst-accuracy", "condition-number", "frobenius", "d-optimal", "a-optimal", "e-optimal")


def found(plan, **settings):
    return find_excitation(plan, **({"starts": 2, "seed": 3, "workers": 1, "shakes": 0} | settings))


@pytest.mark.parametrize("goal", GOALS)
def test_every_goal_is_bettered_within_the_limits(goal):
    plan = small_plan(goal=goal)
    task = plan.task()
    began = [task.value(y)[0] for y in random_starts(task, 2, 3)]
    excitation = found(plan)
    assert excitation.value < min(began)
    assert excitation.feasible
    assert excitation.trajectory.check(plan.robot).within


def test_true_extremes_keep_the_limits_and_are_the_margins():
    excitation = found(small_plan())
    margins = excitation.trajectory.check(small_robot())
    said = {margin.limit: margin.slack for margin in excitation.margins}
    for index, name in enumerate(("j1", "j2")):
        assert said[f"position of {name}"] == pytest.approx(margins.position[index], abs=1e-9)
        assert said[f"rate of {name}"] == pytest.approx(margins.rate[index], abs=1e-9)
    assert margins.within


def test_the_end_is_a_minimum():
    """No small step within the limits promises a better value: what is left of the gradient is held by limits."""
    excitation = found(small_plan(), starts=1, tolerance=1e-7)
    assert excitation.optimality < 1e-3


def test_a_seed_gives_one_motion_whatever_the_number_of_workers():
    alone, again = found(small_plan(), starts=3), found(small_plan(), starts=3)
    shared = found(small_plan(), starts=3, workers=2)
    np.testing.assert_array_equal(alone.trajectory.coefficients, again.trajectory.coefficients)
    np.testing.assert_array_equal(alone.trajectory.coefficients, shared.trajectory.coefficients)
    assert alone.how.values == shared.how.values
    assert found(small_plan(), seed=4).value != alone.value


def test_shakes_make_it_no_worse_and_are_the_same_for_a_seed():
    plain, shaken = found(small_plan(), starts=1, seed=0), found(small_plan(), starts=1, seed=0, shakes=6)
    again = found(small_plan(), starts=1, seed=0, shakes=6, workers=2)
    assert shaken.value < plain.value - 1e-3
    assert shaken.how.shakes == 6
    assert shaken.feasible
    assert shaken.how.iterations > plain.how.iterations
    np.testing.assert_array_equal(shaken.trajectory.coefficients, again.trajectory.coefficients)


def test_base_limits_are_kept_in_simulation():
    highest = 0.012
    limits = [*joint_limits(small_robot(), ("j1", "j2")), BaseRate(highest), BaseAttitude("pitch", -0.02, 0.03)]
    plan = small_plan(limits=limits)
    free, held = found(small_plan()), found(plan)
    t = np.linspace(0.0, 30.0, 3001)
    flown = simulate_motion(plan.robot, held.trajectory, t)
    assert np.linalg.norm(flown.w, axis=1).max() <= highest * (1.0 + 1e-6)
    pitch = np.arcsin(-rotations(flown.attitude)[:, 2, 0])
    assert -0.02 - 1e-6 <= pitch.min() <= pitch.max() <= 0.03 + 1e-6
    assert held.value > free.value


@pytest.mark.parametrize(
    "shape",
    [
        PlainFourier(("j1", "j2"), np.zeros((5, 2)), 30.0, 30.0),
        BSpline(("j1", "j2"), np.zeros((5, 2)), 30.0),
        BSpline(("j1", "j2"), np.zeros((9, 2)), 30.0, rest=False),
        Combined((Fourier(("j1",), np.zeros((4, 1)), 30.0), BSpline(("j2",), np.zeros((5, 1)), 30.0))),
        Fourier(("j1", "j2", "wx"), np.zeros((4, 3)), 30.0),
    ],
    ids=["plain fourier", "b-spline", "free b-spline", "combined", "with a wheel"],
)
def test_every_shape_is_searched_and_rests_at_its_ends(shape):
    plan = small_plan(shape=shape, limits=joint_limits(small_robot(), shape.channels))
    excitation = found(plan, starts=1)
    motion = excitation.trajectory.evaluate([0.0, 30.0])
    np.testing.assert_allclose(motion.rate, 0.0, atol=1e-9)
    np.testing.assert_allclose(motion.acceleration, 0.0, atol=1e-9)
    assert excitation.feasible


def test_predictions_are_the_bound_of_the_flight():
    plan = small_plan()
    excitation = found(plan, starts=1)
    bound = plan.bound(excitation.trajectory)
    np.testing.assert_allclose([each.sd for each in excitation.predictions], bound.sd)
    value = np.mean(np.log(bound.sd))
    assert excitation.value == pytest.approx(value, abs=1e-4)


def test_the_accuracy_of_the_models_clusters_has_an_exact_gradient():
    plan = small_plan(of_model=True)
    objective, rng = plan.objective(), np.random.default_rng(0)
    coefficients, direction = 0.02 * rng.normal(size=(2, *plan.shape.coefficients.shape))
    assert objective.goal.of.shape[0] != len(plan.problem(plan.shape).minimal)
    slopes = []
    for step in (3e-3, 1.5e-3):
        ahead, behind = (objective.value(coefficients + sign * step * direction)[0] for sign in (1.0, -1.0))
        slopes.append((ahead - behind) / (2.0 * step))
    slope = objective.value(coefficients)[1]()
    of_fourth_order = (4.0 * slopes[1] - slopes[0]) / 3.0
    assert (slope * direction).sum() == pytest.approx(of_fourth_order, rel=1e-6)


def test_a_weight_makes_its_cluster_better_known():
    leaders = small_plan().problem(small_plan().shape).minimal.leaders
    others = dict.fromkeys(leaders, 0.0)
    built = {"nuisances": Nuisances().on_paper}  # else geometry is what limits Ixx_base
    plain, weighted = found(small_plan(**built)), found(small_plan(weights=others | {"Ixx_base": 1.0}, **built))
    sd = [{each.name: each.sd for each in result.predictions}["Ixx_base"] for result in (plain, weighted)]
    assert sd[1] < sd[0]
    with pytest.raises(UnknownName, match="Ixx_moon"):
        small_plan(weights={"Ixx_moon": 1.0}).objective()


@pytest.mark.parametrize("goal", ["accuracy", "condition-number"])
def test_each_motion_complements_the_earlier_ones(goal):
    first = found(small_plan(goal=goal))
    second = found(small_plan(goal=goal, earlier=(first.trajectory,)))
    repeated = small_plan(goal=goal, earlier=(first.trajectory,))
    assert second.value < first.value
    assert second.value < repeated.objective().value(first.trajectory.coefficients)[0]


def test_the_prediction_with_earlier_motions_is_that_of_all_flights():
    first = found(small_plan(), starts=1).trajectory
    plan = small_plan(earlier=(first,))
    second = found(plan, starts=1)
    assert second.value == pytest.approx(np.mean(np.log(plan.bound(second.trajectory).sd)), abs=1e-3)


@pytest.mark.parametrize("robust", ["expected", "worst"])
def test_a_robust_design_looks_at_every_guess(robust):
    heavy = small_robot().with_parameters(1.6 * small_robot().parameters)
    plan = small_plan(guesses=(heavy,), robust=robust)
    excitation = found(plan, starts=1)
    values = [
        small_plan(robot=robot).objective().value(excitation.trajectory.coefficients)[0]
        for robot in (small_robot(), heavy)
    ]
    expected = np.mean(values) if robust == "expected" else max(values)
    assert excitation.value == pytest.approx(expected, abs=0.05)


def test_an_interrupt_keeps_the_best_so_far():
    def stop(standing):
        if standing.finished >= 1 and standing.progress.iteration >= 20 and standing.y is not None:
            raise KeyboardInterrupt

    shown = []
    excitation = found(small_plan(), starts=3, watch=lambda standing: (shown.append(standing.best), stop(standing)))
    assert excitation.how.interrupted
    assert excitation.value <= shown[-1] + 1e-3, "what was shown as the best, but for what mending costs"
    assert excitation.feasible
    assert np.isfinite(excitation.value)


# ---------------------------------------------------------------------- what cannot be done


def refused(limits, **changes):
    with pytest.raises(Infeasible) as caught:
        found(small_plan(limits=limits, **changes))
    return str(caught.value)


def test_a_start_outside_its_range_is_said():
    sentence = refused([JointPosition("j1", 0.2, 1.0)])
    assert "position of j1" in sentence
    assert "11.46°" in sentence


def test_a_box_without_room_is_said():
    assert "no room" in refused([JointRate("j2", 0.1, -0.1)])


def test_limits_that_conflict_are_named():
    """The base may not turn at all, yet joint 1 must move."""
    shape = PlainFourier(("j1", "j2"), np.zeros((5, 2)), 30.0, 30.0)
    narrow = [JointPosition("j1", 0.5, 0.6), JointPosition("j2", -0.2, 0.2), BaseAttitude("roll", 0.1, 0.2)]
    sentence = refused(narrow, shape=shape)
    assert "base roll" in sentence
    assert "no motion" in sentence or "no coefficient" in sentence


def test_an_acceleration_too_small_for_any_motion_leaves_a_small_motion():
    excitation = found(small_plan(limits=[JointAcceleration("j1", -1e-3, 1e-3), JointAcceleration("j2", -1e-3, 1e-3)]))
    assert excitation.trajectory.extremes().acceleration.max() <= 1e-3 * (1.0 + 1e-9)


def test_accuracy_without_sensors_is_refused():
    with pytest.raises(InvalidPlan, match="sensors"):
        small_plan(sensors=())


def test_a_followed_start_ends_no_worse_than_it_began():
    task = small_plan().task()
    start = random_starts(task, 1, 0)[0]
    assert run_errand(task, Errand(0, start), 100).value < task.value(start)[0]
