"""Another start for a fit of what swings: that of ever longer parts of the flights.

A natural frequency that is off by a few percent is half a period off after ten or twenty swings, and no fit of a whole
flight finds back from there. In the first swings it is off by little; what these say brings it so near that twice as
many can be taken. A part counts as if it were noisy while much is left of it, so that the prior keeps steps short.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.reaction import NotPossible
from freefloat.dynamics.swinging import fastest_swing
from freefloat.estimate.likelihood.effort import Effort, misfit_of
from freefloat.estimate.likelihood.finished import stacked, units_of
from freefloat.estimate.likelihood.levenberg_marquardt import levenberg_marquardt
from freefloat.estimate.likelihood.likelihood import Likelihood

_SWINGS, _LONGER = 2.0, 2.0  # of the fastest joint in the first part; how much longer each part is
_MOST = 12  # iterations with one part and one weight
_SOFTENED, _LEAVES, _PAYS = 6, 3.0, 0.7  # how often a part is fitted, first as if it were so noisy that this is left


def swing_start(likelihood: Likelihood, effort: Effort) -> Array:
    """Where a fit may start, (unknowns,): the end of those of ever longer parts, geometry as it was."""
    unknowns, problem = likelihood.unknowns, likelihood.problem
    point, count, own = likelihood.start(), unknowns.coarse, slice(0, unknowns.coarse)
    information, units = np.array(unknowns.information[own, own]), units_of(likelihood)
    if units is not None:  # as if the CAD model were a prior: a part says little
        information += np.diag(np.where(np.isnan(units), 0.0, units**-2.0)[own])
    since, length = _since(likelihood, point), _SWINGS / max(fastest_swing(problem.robot), 1e-9)
    while length < since.max():
        counts, there, before = (since <= length).astype(float), point[count:], np.inf

        def evaluate(
            at: Array, derivatives: bool, there: Array = there, weights: Array = counts
        ) -> tuple[Array, Array]:
            r, J = stacked(likelihood.rows(np.concatenate([at, there]), count if derivatives else 0))
            return r * weights, J * weights[: len(J), None]

        for _ in range(_SOFTENED):
            with suppress(NotPossible):
                likelihood.reweigh(point)
            left = _level(stacked(likelihood.rows(point, 0))[0], counts)
            if not left < _PAYS * before:
                break
            before, softer = left, max(1.0, left / _LEAVES)
            softened = partial(evaluate, weights=counts / softer)
            with suppress(NotPossible):
                start = point[own], unknowns.mean[own], information
                found = effort.count(levenberg_marquardt(softened, *start, most_iterations=_MOST))
                point = np.concatenate([found.point, there])
            if softer == 1.0:
                break
        length *= _LONGER
    return point


def _level(residual: Array, counts: Array) -> float:
    """Root mean square of a residual as far as it counts."""
    return misfit_of(residual[counts > 0.0])


def _since(likelihood: Likelihood, point: Array) -> Array:
    """Of all rows, how long after the first of their flight they were read, (rows,) [s]."""
    parts = likelihood.rows(point, 0)
    times = [likelihood.flights[part.flight].nodes[part.channel].t for part in parts]
    first = {part.flight: np.inf for part in parts}
    for part, t in zip(parts, times, strict=True):
        first[part.flight] = min(first[part.flight], float(t[0]))
    each = zip(parts, times, strict=True)
    return np.concatenate([np.repeat(t - first[part.flight], part.values.shape[1]) for part, t in each])
