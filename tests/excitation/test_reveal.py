"""What a motion tells of modes: the goal that asks for it, and what is predicted of springs and modes."""

from dataclasses import replace

import numpy as np
import pytest
from excitation.small_plans import SENSORS, body, small_robot
from random_trees import random_robot
from scipy.signal import lsim

from freefloat.dynamics.mode_slopes import mode_slopes
from freefloat.dynamics.modes import system_modes
from freefloat.estimate.bound.bound import cramer_rao_bound
from freefloat.estimate.planned import planned_problem
from freefloat.excitation.excitation_file import load_excitation
from freefloat.excitation.finding import find_excitation
from freefloat.excitation.goals.reveal import Reveal
from freefloat.excitation.limits.joint import joint_limits
from freefloat.excitation.limits.swing import Deflection
from freefloat.excitation.plan import Plan
from freefloat.excitation.revealing import CannotReveal
from freefloat.motion.fourier import Fourier
from freefloat.robot.parts import Joint
from freefloat.robot.spring import Spring
from freefloat.sensors.kinds import make_sensor

STEP = 1e-6
TRACKER = make_sensor("star", {"kind": "star-tracker", "noise_arcsec": 10, "rate_Hz": 4})


def with_panel():
    robot = small_robot()
    hinge = Joint("hinge", "revolute", np.array([1.0, 0.1, 0.0]), passive=Spring(9.0, 0.12))
    panel = body("panel", "base", hinge, (0.0, -0.4, 0.1), 5.0, (0.02, -0.7, 0.01), (3.3, 0.25, 3.4))
    return replace(robot, bodies=(*robot.bodies, panel))


def plan_with_panel(**changes):
    robot, channels = with_panel(), ("j1", "j2", "wx")
    settings = {"limits": joint_limits(robot, channels), "known": {"load": 0.01}, "goal": "reveal"}
    return Plan(robot, Fourier(channels, np.zeros((8, 3)), 20.0), SENSORS, **(settings | changes))


def motion_of(plan, seed=0):
    rng = np.random.default_rng(seed)
    return plan.shape.with_coefficients(np.array([0.1, 0.1, 5.0]) * rng.normal(size=plan.shape.coefficients.shape))


def differences(function, at, seed=0, step=STEP):
    direction = np.random.default_rng([seed, 5]).normal(size=at.shape) * np.abs(at)
    return direction, (function(at + step * direction) - function(at - step * direction)) / (2.0 * step)


@pytest.mark.parametrize("seed", range(4))
def test_derivatives_of_modes_by_parameters_and_springs(seed):
    robot = random_robot(seed, bodies=6, base=("free", "planar")[seed % 2], passive=2)
    found = mode_slopes(robot)

    def both(slopes):
        return np.concatenate([np.log(slopes.frequency_Hz), slopes.damping_ratio])

    direction, expected = differences(lambda phi: both(mode_slopes(robot.with_parameters(phi))), robot.parameters)
    by = np.concatenate([found.frequency_by_parameters, found.damping_by_parameters])
    assert np.abs(by @ direction - expected).max() <= 1e-6 * np.abs(expected).max()

    def sprung(numbers):
        return both(mode_slopes(robot.with_springs([Spring(*each) for each in numbers.reshape(2, -1).T])))

    springs = np.array([[each.stiffness for each in robot.springs], [each.damping for each in robot.springs]]).ravel()
    direction, expected = differences(sprung, springs)
    by = np.concatenate([found.frequency_by_springs, found.damping_by_springs])
    assert np.abs(by @ direction - expected).max() <= 1e-6 * np.abs(expected).max()


def test_modes_are_those_of_the_robot_to_the_square_of_its_damping():
    robot = random_robot(3, bodies=6, base="free", passive=3)
    modes, found = system_modes(robot), mode_slopes(robot)
    assert np.allclose(found.frequency_Hz, [each.frequency_Hz for each in modes], rtol=1e-2)
    assert np.allclose(found.damping_ratio, [each.damping_ratio for each in modes], rtol=5e-2)


def test_the_columns_are_what_a_mode_does_by_another_integration():
    """A mode, pulled at in straight lines between the instants, as scipy simulates it."""
    plan = plan_with_panel()
    motion = motion_of(plan)
    objective = plan.objective()
    rows, n = objective.rows, objective.rows.t.size
    filled = rows.fill(plan.conditions().samples(motion.channels, motion.evaluate(rows.t)))
    pull = filled.swing.law.acceleration @ rows.modes.weights
    (omega,), (zeta,) = rows.modes.frequencies, rows.modes.damping_ratios

    def rates(frequency, damping, first=(0.0, 0.0), pulled=1.0):
        law = [[0.0, 1.0], [-(frequency**2), -2.0 * damping * frequency]]
        return lsim((law, [[0.0], [1.0]], [[0.0, 1.0]], [[0.0]]), pulled * pull[:, 0], rows.t, first)[1]

    for block, factor in enumerate((1.0, 0.8, 1.2)):
        own, h = factor * omega, 1e-4
        by_frequency = (rates(own * (1.0 + h), zeta) - rates(own * (1.0 - h), zeta)) / (2.0 * h)
        by_damping = (rates(own, zeta * (1.0 + 10 * h)) - rates(own, zeta * (1.0 - 10 * h))) / (20.0 * h)
        apart = [rates(own, zeta, first, 0.0) for first in ((1.0, 0.0), (0.0, 1.0))]
        expected = np.stack([by_frequency, by_damping, rates(own, zeta), *apart], axis=1)
        turns = rows.modes.turns[:, 0] / rows.noise
        C = filled.matrix[3 * n * block : 3 * n * (block + 1), 8 * block : 8 * block + 5].reshape(n, 3, 5)
        for part in range(5):
            whole = turns[None, :] * expected[:, part, None]
            assert np.abs(C[:, :, part] - whole).max() <= 2e-5 * np.abs(whole).max(), part


@pytest.mark.parametrize("earlier", [False, True])
def test_the_gradient_is_the_derivative_of_the_goal(earlier):
    plan = plan_with_panel()
    if earlier:
        plan = replace(plan, earlier=(motion_of(plan, 7),))
    objective, motion = plan.objective(), motion_of(plan)
    value, slope = objective.value(motion.coefficients)
    assert np.isfinite(value)
    for seed in range(3):
        direction, expected = differences(lambda c: objective.value(c)[0], motion.coefficients, seed, 1e-5)
        assert (slope() * direction).sum() == pytest.approx(expected, rel=1e-6)


def test_an_earlier_motion_counts_by_its_own_length():
    """Twice as long, it tells what it would as the motion itself, biases and starts of its own taken out."""
    plan = plan_with_panel()
    shape = Fourier(plan.shape.channels, np.zeros((8, 3)), 40.0)
    longer = replace(plan, shape=shape)
    earlier = motion_of(longer, 7)
    itself, before = longer.objective(), plan.objective()
    C, lasting = itself.matrix(earlier.coefficients), before.rows.lasting
    F, own = C.T @ C, np.array(before.goal.prior)
    inner = (F + own)[np.ix_(~lasting, ~lasting)]
    across = F[np.ix_(lasting, ~lasting)]
    expected = F[np.ix_(lasting, lasting)] - across @ np.linalg.solve(inner, across.T)
    found = (replace(plan, earlier=(earlier,)).objective().goal.prior - own)[np.ix_(lasting, lasting)]
    size = np.sqrt(np.diagonal(expected))
    assert (np.abs(found - expected) < 0.05 * np.outer(size, size)).all()  # instants of the two are not the same


def test_modes_of_a_robust_design_are_those_of_each_guess():
    robot = with_panel()
    guesses = (robot.with_parameters(1.1 * robot.parameters),)
    plan = plan_with_panel(guesses=guesses)
    members = plan.objective().members
    assert [each.rows.modes.robot for each in members] == [robot, *guesses]
    motion, objective = motion_of(plan), plan.objective()
    direction, expected = differences(lambda c: objective.value(c)[0], motion.coefficients, 1, 1e-5)
    assert (objective.value(motion.coefficients)[1]() * direction).sum() == pytest.approx(expected, rel=1e-6)


def test_what_is_predicted_is_of_the_robot_that_swings(tmp_path):
    plan = plan_with_panel(goal="accuracy")
    found = find_excitation(plan, starts=1, shakes=0, workers=1, most_iterations=6)
    problem = planned_problem(with_panel(), found.trajectory, SENSORS, known={"load": 0.01})
    bound = cramer_rao_bound(problem)
    assert tuple(each.name for each in found.predictions) == bound.names
    assert np.allclose([each.sd for each in found.predictions], bound.sd, rtol=0.02)  # at another rate of samples
    names = [each.name for each in found.swings]
    assert names == [
        "stiffness of hinge",
        "damping of hinge",
        "frequency of mode 1 (hinge)",
        "damping ratio of mode 1 (hinge)",
    ]
    assert found.locked == ("hinge",)
    (mode,) = system_modes(with_panel())
    assert found.swings[2].value == pytest.approx(mode.frequency_Hz, rel=1e-3)
    assert all(0.0 < each.relative < 0.6 for each in found.swings)
    found.save(tmp_path / "motion.json")
    assert load_excitation(tmp_path / "motion.json") == found


def test_of_several_ends_the_best_with_the_swing_is_taken(monkeypatch):
    plan, asked = plan_with_panel(goal="accuracy"), []

    def value(self, motion):
        asked.append(float(np.abs(motion.coefficients).sum()))
        return asked[-1]

    monkeypatch.setattr(Plan, "value_with_swing", value)
    found = find_excitation(plan, starts=3, shakes=0, workers=1, most_iterations=4)
    assert len(asked) > 1
    assert np.abs(found.trajectory.coefficients).sum() == pytest.approx(min(asked))


def test_a_motion_that_reveals_shows_modes_better_than_one_that_is_accurate():
    """And keeps a limit on what swings."""
    robot = with_panel()
    limits = [*joint_limits(robot, ("j1", "j2")), Deflection((robot,), "hinge", 0.02)]
    shape = Fourier(("j1", "j2"), np.zeros((8, 2)), 20.0)
    relative = {}
    for goal in ("accuracy", "reveal"):
        plan = Plan(robot, shape, SENSORS, limits, known={"load": 0.01}, goal=goal)
        found = find_excitation(plan, starts=1, shakes=0, workers=1, most_iterations=25)
        assert found.feasible
        relative[goal] = np.array([each.relative for each in found.swings[2:]])
    better = relative["reveal"] / relative["accuracy"]
    assert (better < 1.0).all()
    assert np.exp(np.log(better).mean()) < 0.7  # the goal is the mean of such logarithms


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"robot": small_robot()}, "no joint of small does: none is passive"),
        ({"sensors": (TRACKER, SENSORS[1])}, "there is no gyro"),
        ({"momentum": [0.0, 1.0, 0.0]}, "zero momentum, found 0, 1, 0 N m s"),
    ],
)
def test_a_flight_that_reveals_nothing_is_refused(changes, words):
    plan = plan_with_panel()
    with pytest.raises(CannotReveal, match=words):
        replace(plan, **{"robot": with_panel(), **changes, "swinging": (), "locked": ()}).objective()


def test_the_words_of_a_value_are_per_cent():
    assert "2 % of frequencies and damping" in Reveal.words(np.log(0.02))
