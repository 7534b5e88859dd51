"""Many runs of N1 by one method, and how far their clusters are from the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.linear.least_squares import LeastSquares
from freefloat.estimate.linear.system import LinearSystem, plain_roots
from freefloat.estimate.problem import Problem
from freefloat.estimate.rows.equations import by_flight
from freefloat.models.angular_momentum import AngularMomentum
from freefloat.studies.check import Watch
from freefloat.studies.spirolazzi.cluster_table import cluster_table, simple_model
from freefloat.studies.spirolazzi.n1 import HELD_SAMPLES, N1, STUDY

_TELL = 25  # runs after which to say how far it is


def least_squares_clusters(experiment: N1, runs: int, watch: Watch) -> Array:
    """All clusters of `simple_model` by the thesis' method, (runs, 32); the load's are as known."""
    model, table = simple_model(experiment.robot), cluster_table(STUDY)
    pi = np.tile(model.values(), (runs, 1))
    places = table.places(model.minimal.leaders)
    for run in _told(range(runs), "least squares", watch):
        estimate = LeastSquares().estimate(experiment.noisy(run))
        pi[run, places] = estimate.values[table.places(estimate.names)]
    return pi


def default_estimates(
    make: Callable[[int], Problem], runs: Sequence[int], words: str, watch: Watch
) -> tuple[Estimate, ...]:
    """Our default on the problems of these runs."""
    return tuple(MaximumLikelihood().estimate(make(run)) for run in _told(runs, words, watch))


def estimated_clusters(model: AngularMomentum, estimates: Iterable[Estimate]) -> Array:
    """Clusters of a model from estimates of parameters, (estimates, c)."""
    theta = (model.underlying.minimal.values(estimate.parameters) for estimate in estimates)
    return np.array([model.structured(each) for each in theta])


def big_relative_errors(model: AngularMomentum, pi: Array) -> Array:
    """Relative errors of the big clusters of Table 5.3, (estimates, 24). model: of the robot that flew."""
    big = cluster_table(STUDY).big_places(model.minimal.leaders)
    return pi[:, big] / model.values()[big] - 1.0


def median_rms(errors: Array) -> float:
    """Median over clusters of the root mean square over estimates; errors: (estimates, clusters)."""
    return float(np.median(np.sqrt(np.mean(errors**2, axis=0))))


def expected_spread(experiment: N1) -> Array:
    """Standard deviations of least squares' clusters over all noise by its own gain, rows of Table 5.3, (30,)."""
    equations = experiment.exact().equations()
    system = LinearSystem.of(equations, plain_roots(equations))
    gain = by_flight(equations.stacks, system.least_squares().gain)[0]
    by_rate = equations.stacks[0].errors(equations.start).transpose(0, 2, 1) @ system.roots[0] @ gain
    held = np.add.reduceat(by_rate, np.arange(0, len(by_rate), HELD_SAMPLES), axis=0)
    moved = held.reshape(-1, gain.shape[2]) @ system.space.basis.T
    spread: Array = np.linalg.norm(moved, axis=0)
    return spread[cluster_table(STUDY).places(equations.minimal.leaders)]


def _told(runs: Sequence[int], words: str, watch: Watch) -> Iterable[int]:
    for number, run in enumerate(runs):
        if number % _TELL == 0:
            watch(f"{words}, run {number + 1} of {len(runs)}")
        yield run
