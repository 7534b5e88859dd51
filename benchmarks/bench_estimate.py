"""One default estimate against plain least squares, and its derivatives against forward differences."""

from __future__ import annotations

import sys
from dataclasses import replace

import measure  # before numpy: it holds every library to one thread
import numpy as np
from measure import Row, shortest_times

from freefloat.estimate.likelihood.likelihood import Likelihood
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.problem import Problem
from freefloat.models.angular_momentum import AngularMomentum
from freefloat.studies.catalogue import study_robot
from freefloat.studies.spirolazzi.cluster_table import SIMPLE
from freefloat.studies.spirolazzi.n1 import N1


def compare(quick: bool) -> list[Row]:
    """All comparisons."""
    robot, rounds = study_robot("spirolazzi_n1"), 2 if quick else 30
    problem = replace(N1(robot).drawn(1), robot=robot)
    return [estimate_against_least_squares(problem, rounds), derivatives_against_differences(problem, rounds)]


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
