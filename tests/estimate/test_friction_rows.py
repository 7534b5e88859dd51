"""Friction and rotors as columns of torque and energy rows: the truth without noise, honest intervals with it."""

from dataclasses import replace

import numpy as np
import pytest
from estimate.driven_problems import driven_case, found_drives, true_drives
from estimate.problems import true_clusters, with_noise

from freefloat.estimate.linear.adaline import Adaline
from freefloat.estimate.linear.least_squares import LeastSquares
from freefloat.estimate.linear.recursive import Recursive
from freefloat.estimate.linear.total_least_squares import TotalLeastSquares
from freefloat.estimate.linear.weighted import Weighted
from freefloat.robot.drive import drive_name

FRICTION = ("coulomb", "viscous", "offset", "asymmetric", "stribeck")


@pytest.mark.parametrize("models", ["torque", "energy", ("torque", "energy")], ids=str)
@pytest.mark.parametrize(
    "estimator",
    [LeastSquares(), Weighted(), TotalLeastSquares("plain"), Recursive(), Adaline()],
    ids=lambda each: each.name,
)
def test_without_noise_clusters_and_friction_are_found(estimator, models):
    problem, robot = driven_case(models, 3, FRICTION, bodies=3, flights=2 if models == "torque" else 1)
    estimate, equations = estimator.estimate(problem), problem.equations()
    assert estimate.held == ()
    truth, units = true_clusters(problem, robot, equations), np.sqrt(np.diagonal(equations.cad_covariance))
    assert (np.abs(estimate.values - truth) / units).max() < 1e-6
    np.testing.assert_allclose(found_drives(estimate), true_drives(robot), atol=1e-6)


def test_a_rotor_shows_but_for_that_of_the_first_joint_which_is_one_with_its_link():
    friction = ("coulomb", "viscous", "rotor")
    problem, robot = driven_case("torque", 3, friction, bodies=4)
    estimate, true = LeastSquares().estimate(problem), true_drives(robot)
    assert len(estimate.held) == 1
    assert "_body1" in estimate.held[0]
    np.testing.assert_allclose(found_drives(estimate)[1:], true[1:], atol=1e-6)
    np.testing.assert_allclose(found_drives(estimate)[0, :-1], true[0, :-1], atol=1e-6)
    first, *others = (drive_name("rotor", joint) for joint in robot.joint_names)
    assert estimate.value(first)[1] == np.inf, "what it is beside its link is the CAD model's"
    assert all(np.isfinite(estimate.value(name)[1]) for name in others)
    assert all(np.isfinite(each.sd) for each in estimate.nuisances if each.name != first)
    (said,) = [note for note in estimate.notes if note.startswith(first)]
    assert "only their sum shows" in said


@pytest.mark.parametrize("model", ["torque", "energy"])
def test_errors_of_clusters_and_friction_are_chi_squared(model):
    """All together, for they err together: 30 runs tell the mean to about 5 %."""
    noise, friction = {"torques": 0.05}, ("coulomb", "viscous", "offset")
    problem, robot = driven_case(model, 5, friction, bodies=3, n=800)
    (flight,), rng, squares = problem.flights, np.random.default_rng(2), []
    truth = true_clusters(problem, robot, problem.equations())
    rubbing = true_drives(robot)[:, : len(friction)].T.ravel()
    for _ in range(30):
        noisy = replace(flight, samples=with_noise(flight.samples, noise, rng), noise=noise)
        estimate = Weighted().estimate(replace(problem, flights=(noisy,)))
        found = [estimate.value(name) for name in problem_friction(problem)]
        errors = np.array([value for value, _ in found]) - rubbing
        squares.append(np.mean((errors / [sd for _, sd in found]) ** 2))
        e = estimate.values - truth
        squares.append(e @ np.linalg.solve(estimate.covariance, e) / e.size)
    assert np.mean(squares) == pytest.approx(1.0, abs=0.2)


def problem_friction(problem):
    return [drive_name(term, joint) for term in problem.friction for joint in problem.robot.joint_names]


@pytest.mark.parametrize("channel", ["dq", "ddq"])
def test_slopes_of_torque_rows_hold_those_of_friction(channel):
    """Central differences of the rows by a rate or an acceleration of one joint."""
    problem, robot = driven_case("torque", 3, (*FRICTION, "rotor"), bodies=3, n=60)
    (flight,), step = problem.flights, 1e-6
    levels = {"torques": 0.1, "dq": 0.05, "ddq": 0.05}
    problem = replace(problem, robot=robot, flights=(replace(flight, noise=levels),))
    rng = np.random.default_rng(0)
    x = np.concatenate([problem.cad, rng.uniform(0.2, 1.0, len(problem.equations().nuisances))])

    def missing(change):
        (stack,) = moved(problem, channel, change).equations().stacks
        return stack.matrix @ x - stack.right[..., 0]

    (stack,) = problem.equations().stacks
    place = [(c.name, c.index) for c in stack.channels].index((channel, 1))
    slopes = stack.usual_errors(x)[..., place] / levels[channel]
    np.testing.assert_allclose(slopes, (missing(step) - missing(-step)) / (2.0 * step), rtol=1e-6, atol=1e-6)


def moved(problem, channel, change):
    (flight,) = problem.flights
    values = np.array(getattr(flight.samples, channel))
    values[:, 1] += change
    return replace(problem, flights=(replace(flight, samples=replace(flight.samples, **{channel: values})),))


def test_near_standstill_torques_count_for_little_and_friction_there_harms_little():
    """Torques of a slow joint are wrong by all of its friction."""
    problem, robot = driven_case("torque", 7, ("coulomb",), bodies=3, n=2000)
    (flight,) = problem.flights
    samples, coulomb = flight.samples, true_drives(robot)[:, 0]
    slow = np.abs(samples.dq) < 0.005 * np.sqrt((samples.dq**2).mean(axis=0))
    assert 5 < slow.sum() < 0.1 * slow.size
    stuck = samples.torques - np.where(slow, coulomb * np.sign(samples.dq), 0.0)
    problem = replace(problem, flights=(replace(flight, samples=replace(samples, torques=stuck)),))
    (stack,) = problem.equations().stacks
    assert stack.doubt[slow].min() > 20.0
    assert np.median(stack.doubt) == pytest.approx(1.0)
    found = found_drives(LeastSquares().estimate(problem))[:, 0]
    np.testing.assert_allclose(found, coulomb, rtol=1e-3)


def test_intervals_hold_errors_of_torques_that_last():
    """Errors that last over twenty samples: noise alone would promise four times too little."""
    problem, robot = driven_case("torque", 5, ("viscous",), bodies=3, n=1500)
    (flight,), rng = problem.flights, np.random.default_rng(4)
    truth, squares = true_clusters(problem, robot, problem.equations()), []
    for _ in range(12):
        white = rng.normal(size=(1519, flight.samples.torques.shape[1]))
        lasting = np.lib.stride_tricks.sliding_window_view(white, 20, axis=0).sum(axis=2) / np.sqrt(20.0)
        samples = replace(flight.samples, torques=flight.samples.torques + 0.05 * lasting)
        found = Weighted().estimate(
            replace(problem, flights=(replace(flight, samples=samples, noise={"torques": 0.05}),))
        )
        assert found.residual.white is False
        assert "model" in found.budget.sources
        squares.append(np.mean(((found.values - truth) / found.sd) ** 2))
    assert 0.2 < np.mean(squares) < 1.5
