"""Matrices that a motion fills, pulled back to the coefficients of the trajectory, against central differences."""

from dataclasses import replace

import numpy as np
import pytest
from random_trees import random_robot

from freefloat.dynamics.momentum_rows import momentum
from freefloat.dynamics.torque import inverse_dynamics
from freefloat.errors import ShapeError
from freefloat.excitation.planned_motion import Conditions
from freefloat.excitation.rows.angular_momentum import AngularMomentumDesignRows, FilledAngularMomentum
from freefloat.excitation.rows.energy import EnergyDesignRows
from freefloat.excitation.rows.momentum import MomentumDesignRows
from freefloat.excitation.rows.torque import TorqueDesignRows
from freefloat.models.angular_momentum import AngularMomentum
from freefloat.models.model import BaseWrench, Energy, Momentum, NotApplicable, Torque
from freefloat.motion.fourier import Fourier
from freefloat.motion.random_motion import random_trajectory
from freefloat.studies.catalogue import published, study_robot

STEP = 1e-5
ARMS = {"prismatic": True, "branched": True, "fixed_bodies": True}


def momentum_rows(base, wheels):
    robot = random_robot(21, bodies=7, base=base, wheels=wheels, **ARMS)
    return MomentumDesignRows(
        Momentum(robot, known=(robot.body_names[-1],)), Conditions(robot, wheel_rates=np.full(wheels, 5.0))
    )


def angular_rows(base, wheels):
    robot = random_robot(22, bodies=6, base=base, wheels=wheels, **ARMS)
    model = AngularMomentum(robot, zero=(f"{robot.body_names[-1]}.products",))
    conditions = Conditions(robot, wheel_rates=np.full(wheels, 5.0))
    return AngularMomentumDesignRows(model, conditions, np.arange(0, len(model.minimal), 7))


def turning_rows(make):
    """The same rows at a total momentum, under which the base turns all the time."""

    def made(base, wheels):
        rows = make(base, wheels)
        momentum = np.array([2.0, -1.0, 3.0]) if base == "free" else np.array([0.0, 0.0, 3.0])
        return replace(rows, conditions=replace(rows.conditions, momentum=momentum))

    made.__name__ = f"{make.__name__} that turn"
    return made


def energy_rows(base, wheels):
    return EnergyDesignRows(
        Energy(random_robot(23, bodies=7, base=base, wheels=wheels, gravity=base == "fixed", **ARMS))
    )


def torque_rows(base, wheels):
    return TorqueDesignRows(
        Torque(random_robot(24, bodies=7, base=base, wheels=wheels, gravity=base == "fixed", **ARMS))
    )


def base_wrench_rows(base, wheels):
    return TorqueDesignRows(BaseWrench(random_robot(25, bodies=7, base=base, wheels=wheels, gravity=True, **ARMS)))


CASES = [
    pytest.param(make, base, wheels, id=f"{make.__name__}, {base}, {wheels} wheels")
    for make, base, wheels in (
        (momentum_rows, "free", 2),
        (momentum_rows, "planar", 0),
        (angular_rows, "free", 2),
        (angular_rows, "planar", 1),
        (turning_rows(momentum_rows), "free", 2),
        (turning_rows(momentum_rows), "planar", 0),
        (turning_rows(angular_rows), "free", 1),
        (energy_rows, "free", 2),
        (energy_rows, "planar", 0),
        (energy_rows, "fixed", 0),
        (torque_rows, "free", 0),
        (torque_rows, "planar", 0),
        (torque_rows, "fixed", 0),
        (base_wrench_rows, "fixed", 0),
    )
]


def conditions_of(rows):
    return rows.conditions if hasattr(rows, "conditions") else Conditions(rows.model.robot)


def a_motion(robot, instants=10):
    """A trajectory of all joints and wheels, and its map at some instants."""
    channels = (*robot.joint_names, *(wheel.name for wheel in robot.wheels))
    trajectory = random_trajectory(robot, 20.0, 5, harmonics=2, channels=channels)
    return trajectory, trajectory.linear_map(np.linspace(1.0, 19.0, instants))


def filled(rows, channels, linear, coefficients):
    return rows.fill(conditions_of(rows).samples(channels, linear.motion(coefficients)))


def central_differences(value, coefficients):
    """Gradient by coefficients, steps relative to their size."""
    found = np.empty_like(coefficients)
    for place in np.ndindex(coefficients.shape):
        change = np.zeros_like(coefficients)
        change[place] = STEP * np.abs(coefficients).max(axis=0)[place[1]]
        found[place] = (value(coefficients + change) - value(coefficients - change)) / (2.0 * change[place])
    return found


def assert_same_gradient(ours, theirs, tolerance=1e-6):
    """Column by column: channels have different units."""
    size = np.abs(theirs).max(axis=0)
    assert (size > 0.0).all()
    assert np.abs((ours - theirs) / size).max() <= tolerance


@pytest.mark.parametrize(("make", "base", "wheels"), CASES)
def test_rows_pulled_back_are_the_derivative_by_the_coefficients(make, base, wheels):
    rows = make(base, wheels)
    robot = rows.model.robot
    trajectory, linear = a_motion(robot)
    whole = filled(rows, trajectory.channels, linear, trajectory.coefficients)
    assert whole.matrix.shape[1] == len(rows.names)
    Z = np.random.default_rng(1).normal(size=whole.matrix.shape)
    slope = whole.pull_back(Z).by_coefficients(robot, trajectory.channels, linear)
    value = lambda at: float((Z * filled(rows, trajectory.channels, linear, at).matrix).sum())  # noqa: E731
    assert_same_gradient(slope, central_differences(value, trajectory.coefficients))


def test_every_candidate_column_of_angular_momentum_is_pulled_back():
    rows = angular_rows("free", 0)
    robot, every = rows.model.robot, np.arange(len(rows.model.candidates))
    trajectory, linear = a_motion(robot)
    at = trajectory.coefficients
    motion = filled(rows, trajectory.channels, linear, at).motion
    Z = np.random.default_rng(2).normal(size=(3 * len(motion.samples), every.size))

    def matrix(coefficients):
        samples = filled(rows, trajectory.channels, linear, coefficients).motion.samples
        return rows.model.candidate_rows(samples).reshape(-1, every.size)

    slope = FilledAngularMomentum(rows.model, motion, every, matrix(at)).pull_back(Z)
    ours = slope.by_coefficients(robot, trajectory.channels, linear)
    assert_same_gradient(ours, central_differences(lambda moved: float((Z * matrix(moved)).sum()), at))


@pytest.mark.parametrize("base", ["free", "planar"])
def test_the_base_of_momentum_rows_reacts_at_zero_momentum(base):
    rows = momentum_rows(base, 2 if base == "free" else 0)
    robot = rows.model.robot
    trajectory, linear = a_motion(robot)
    samples = filled(rows, trajectory.channels, linear, trajectory.coefficients).motion.samples
    allowed = [0, 1, 2, 3, 4, 5] if base == "free" else [0, 1, 5]
    assert np.abs(momentum(robot, samples)[:, allowed]).max() < 1e-12 * robot.mass
    assert np.abs(samples.w).max() > 1e-4


def test_the_base_of_momentum_rows_turns_with_the_momentum_it_is_given():
    rows = turning_rows(momentum_rows)("free", 2)
    trajectory, linear = a_motion(rows.model.robot)
    samples = filled(rows, trajectory.channels, linear, trajectory.coefficients).motion.samples
    found = momentum(rows.model.robot, samples)
    np.testing.assert_allclose(np.linalg.norm(found[:, 3:], axis=1), np.linalg.norm([2.0, -1.0, 3.0]), rtol=1e-9)
    np.testing.assert_allclose(found[0], [0.0, 0.0, 0.0, 2.0, -1.0, 3.0], atol=1e-9)


@pytest.mark.parametrize("base", ["free", "planar"])
def test_the_base_of_torque_rows_flies_without_a_wrench(base):
    rows = torque_rows(base, 0)
    robot = rows.model.robot
    trajectory, linear = a_motion(robot)
    samples = filled(rows, trajectory.channels, linear, trajectory.coefficients).motion.samples
    allowed = [0, 1, 2, 3, 4, 5] if base == "free" else [0, 1, 5]
    assert np.abs(inverse_dynamics(robot, samples)[:, allowed]).max() < 1e-10
    assert np.abs(samples.dw).max() > 1e-4


def test_energy_rows_are_what_each_state_has_more_than_the_one_before():
    rows = energy_rows("fixed", 0)
    robot = rows.model.robot
    trajectory, linear = a_motion(robot)
    samples = conditions_of(rows).samples(trajectory.channels, linear.motion(trajectory.coefficients))
    each = rows.model.rows(samples)[:, 0] @ rows.model.values()
    gained = rows.fill(samples).matrix @ rows.model.values()
    np.testing.assert_allclose(gained, np.diff(each), rtol=1e-12, atol=1e-12)
    with pytest.raises(ShapeError, match="found 1; allowed: 2 or more"):
        rows.fill(samples[:1])


def test_rows_that_do_not_apply_are_refused():
    robot = random_robot(25, bodies=4, base="free", wheels=1)
    falling = random_robot(25, bodies=4, base="free", gravity=True)
    trajectory, linear = a_motion(robot)
    samples = Conditions(robot).samples(trajectory.channels, linear.motion(trajectory.coefficients))
    with pytest.raises(NotApplicable, match="wheels"):
        TorqueDesignRows(Torque(robot)).fill(samples)
    with pytest.raises(NotApplicable, match="gravity"):
        EnergyDesignRows(Energy(falling))


def zero_moments(robot):
    """First moments that links of the published robots do not have, as selectors."""
    moments = robot.parameters.reshape(-1, 10)[1:, 1:4]
    names = [[f"{body}.{moment}" for moment in ("mx", "my", "mz")] for body in robot.body_names[1:]]
    return np.array(names)[moments == 0.0].tolist()


@pytest.mark.parametrize(("study", "condition"), [("spirolazzi_n1", 298.2), ("spirolazzi_oossim", 288.5)])
def test_the_published_trajectories_have_their_condition_numbers(study, condition):
    robot, printed = study_robot(study), published(study)["trajectory"]
    model = AngularMomentum(robot, known=("load",), zero=("*.products", *zero_moments(robot)))
    rows = AngularMomentumDesignRows(model, Conditions(robot), model.known_clusters())
    motion = Fourier.from_harmonics(robot.joint_names, printed["a_rad_s"], printed["b_rad_s"], printed["duration_s"])
    t = np.arange(printed["samples"]) / printed["rate_Hz"]
    matrix = rows.fill(Conditions(robot).samples(motion.channels, motion.evaluate(t))).matrix
    assert np.linalg.cond(matrix) == pytest.approx(condition, abs=0.05)
