"""The noise of sensors of which nobody said it: what the model leaves of their readings.

Clusters and friction alone are fitted, which is all but linear, with readings weighed by what the fit before has left
of them. Clocks and whatever else bends the model wait until readings are weighed so: with weights that are far off
they would be spent on readings that hold little.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from freefloat.estimate.likelihood.effort import Effort
from freefloat.estimate.likelihood.finished import covariance_of, used_up
from freefloat.estimate.likelihood.likelihood import Likelihood
from freefloat.estimate.likelihood.noise_levels import Levels, levels_of_guesses, with_levels
from freefloat.estimate.likelihood.staged_fit import StagedFit
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.estimate.progress import say

_ROUNDS, _SAME = 8, 0.01  # a logarithm: levels that change by less have settled


def with_noise_left(problem: Problem) -> Problem:
    """The problem with such noise as a fit of clusters and friction leaves it."""
    if not problem.guesses_noise:
        return problem
    say("noise as it is")
    bare = replace(problem, nuisances=Nuisances.none())
    for _ in range(_ROUNDS):
        likelihood = Likelihood(bare)
        point = likelihood.start()
        likelihood.reweigh(point)
        fit = StagedFit(likelihood, Effort(bare)).fine(point)
        levels = levels_of_guesses(
            likelihood, likelihood.rows(fit.point, count=0), used_up(fit, covariance_of(likelihood, fit))
        )
        bare = with_levels(likelihood, levels)
        if have_settled(levels):
            break
    return replace(problem, flights=bare.flights)


def have_settled(levels: Levels) -> bool:
    """Whether weights by these levels are those that there were."""
    return all(float(np.abs(np.log(level)).max()) < _SAME for level in levels.values())
