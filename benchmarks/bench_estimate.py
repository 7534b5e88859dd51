"""One default estimate against plain least squares, and its derivatives against forward differences."""

from __future__ import annotations

import sys
from dataclasses import replace

import measure  # before numpy: it holds every library to one thread
import numpy as np
from measure import Row, shortest_times

from freefloat.estimate.flight import Flight
from freefloat.estimate.joint_curves import ProjectedCurves
from freefloat.estimate.likelihood import Likelihood
from freefloat.estimate.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.problem import Problem
from freefloat.experiment.processing.projection import project
from freefloat.motion.fourier import Fourier
from freefloat.regressor.angular_momentum import AngularMomentum
from freefloat.regressor.states import base_reaction
from freefloat.studies import published, study_robot

ALONG = {"link1": "mz", "link2": "my", "link3": "mz", "link4": "my", "link5": "mz", "link6": "my", "load": "mz"}
SIMPLE = (
    "*.products",
    *(f"{link}.{moment}" for link, kept in ALONG.items() for moment in ("mx", "my", "mz") if moment != kept),
)
GYRO_RAD_S, ENCODER_RAD = 1.04e-5, 2.5e-5


def compare(quick: bool) -> list[Row]:
    """All comparisons."""
    rounds, problem = 2 if quick else 30, n1_problem()
    return [estimate_against_least_squares(problem, rounds), derivatives_against_differences(problem, rounds)]


def n1_problem() -> Problem:
    """N1 with the thesis' simplifications: noisy gyro and encoders, all nuisances on, soft prior."""
    robot, said = study_robot("spirolazzi_n1"), published("spirolazzi_n1")["trajectory"]
    motion = Fourier.from_harmonics(robot.joint_names, said["a_rad_s"], said["b_rad_s"], said["duration_s"])
    t, rng = np.arange(said["samples"]) / said["rate_Hz"], np.random.default_rng(1)
    exact = motion.samples(robot, t)
    _, w = base_reaction(robot, exact)
    fitted = project(
        motion, t, exact.q + ENCODER_RAD * rng.normal(size=exact.q.shape), robot.joint_names, noise_sd=ENCODER_RAD
    )
    joints = fitted.motion(t)
    samples = replace(
        exact,
        q=joints.position,
        dq=joints.rate,
        ddq=joints.acceleration,
        w=w + GYRO_RAD_S * rng.normal(size=w.shape),
    )
    flight = Flight(samples, {"w": np.full(3, GYRO_RAD_S)}, curves=ProjectedCurves(fitted))
    return Problem(robot, (flight,), {"load": 0.0}, SIMPLE)


def estimate_against_least_squares(problem: Problem, rounds: int) -> Row:
    """One estimate, from data to budget, against solving the linear system of the thesis."""
    model = AngularMomentum(problem.robot, ("load",), SIMPLE)
    matrix = np.delete(model.rows(problem.flights[0].samples), model.known_clusters(), axis=2)
    matrix = matrix.reshape(-1, matrix.shape[2])
    right = np.random.default_rng(2).normal(size=matrix.shape[0])
    estimator = MaximumLikelihood()
    assert estimator.estimate(problem).outcome == "good"
    calls = {
        "ours": lambda: estimator.estimate(problem),
        "lstsq": lambda: np.linalg.lstsq(matrix, right, rcond=None),
    }
    times = shortest_times(calls, rounds)
    rows, columns = matrix.shape
    what = f"N1: maximum likelihood, numpy.linalg.lstsq of {rows} x {columns}"
    return Row(what, times["ours"], times["lstsq"], "estimate", 30.0, False)


def derivatives_against_differences(problem: Problem, rounds: int) -> Row:
    """All derivatives at once against forward differences of the same compiled residual."""
    likelihood = Likelihood(problem)
    point, count = likelihood.start(), len(likelihood.unknowns)
    times = shortest_times(
        {"ours": lambda: likelihood.rows(point), "residual": lambda: likelihood.rows(point, 0)}, rounds
    )
    what = f"N1: derivatives by {count} unknowns, forward differences of the residual"
    return Row(what, times["ours"], (count + 1) * times["residual"], "derivative", count / 4.0, True)


if __name__ == "__main__":
    sys.exit(measure.run("estimate", __doc__ or "", compare))
