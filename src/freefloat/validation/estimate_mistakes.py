"""Which mistake of the estimate explains what the tests found.

Every hypothesis changes the estimate in one way: a cluster that is off, a body that is missing or there in excess, two
axes of a body that are swapped; or a flight: a body that was there although it was declared absent. Each is fitted
anew within the estimate's uncertainty; the one that lowers the cost most, at a price of log(rows) for a number that
it may choose (G. Schwarz, "Estimating the dimension of a model", Annals of Statistics, 1978), is named, with those
that cannot be told from it. What not even free parameters explain is no fault of the estimate: oscillations, noise,
or a mistake in the recording (`estimate/causes/fault_search.py`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from freefloat.arrays import Array
from freefloat.errors import FreefloatError
from freefloat.estimate.cause import Cause
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.problem import Problem
from freefloat.estimate.uncertain import HALF
from freefloat.models.names import cluster_words
from freefloat.robot.parameters import INDEX, PER_BODY
from freefloat.validation.fits import FEW, FittedPrediction, Freedom, at, fit
from freefloat.validation.prediction import Predictor

_TRIED = 4  # hypotheses of each kind that are fitted exactly
_ALIKE = 6.0  # difference in cost that does not tell two hypotheses apart
_LEAST_GAIN = 10.0
_EXPLAINS = 0.75  # of what free parameters explain
_WHOLE = 0.15  # from minus or plus one: a body that is missing or in excess
_SHOWN = 1e-9  # of a direction, squared, that the estimate's uncertainty and everything else leave over
_SWAPS = {
    ("x", "y"): (("mx", "my"), ("Ixx", "Iyy"), ("Ixz", "Iyz")),
    ("x", "z"): (("mx", "mz"), ("Ixx", "Izz"), ("Ixy", "Iyz")),
    ("y", "z"): (("my", "mz"), ("Iyy", "Izz"), ("Ixy", "Ixz")),
}


@dataclass(frozen=True, slots=True, eq=False)
class _Hypothesis:
    """A mistake that may have been made.

    kind, name: as of `Cause`. sentence: in words, given the amount and its standard deviation, NaN where it has none.
    theta: what the estimate should have been, but for a free amount along a direction where there is one.
    start: from where it is fitted.
    """

    kind: str
    name: str
    sentence: Callable[[float, float], str]
    theta: Array
    direction: Array | None
    start: FittedPrediction


def changed_estimates(
    problem: Problem, estimate: Estimate, start: FittedPrediction, cost: float, least: float
) -> tuple[Cause, ...]:
    """Changes of the estimate, or of what was there, that explain the recordings, the best first; none if none does.

    start: the estimate before any fit: one that is wrong drags sensors and clocks along. cost, least: of fits within
    the estimate's uncertainty and with free parameters.
    """
    tried = list[tuple[float, Cause]]()
    for hypothesis in itertools.chain(_hypotheses(estimate, start), _present(problem, start)):
        with suppress(FreefloatError):
            tried.append(_tried(hypothesis, cost, least))
    if not tried:
        return ()
    best = min(price for price, _ in tried)
    good = [each for each in tried if each[0] < best + _ALIKE and each[1].share > _EXPLAINS]
    gained = cost - best
    return tuple(cause for _, cause in sorted(good, key=lambda each: each[0])) if gained > _LEAST_GAIN else ()


def _tried(hypothesis: _Hypothesis, cost: float, least: float) -> tuple[float, Cause]:
    """Cost with price, and the cause that a hypothesis would be."""
    start = hypothesis.start
    freedom = Freedom.within(hypothesis.theta, start.freedom.root)
    if hypothesis.direction is not None:
        freedom = freedom.along(hypothesis.direction)
    found = fit(start.prediction, freedom, start.nu, iterations=FEW)
    price = found.cost + (freedom.size - start.freedom.size) * float(np.log(found.residual.size))
    share = (cost - found.cost) / max(cost - least, cost - found.cost, 1e-300)
    amount = sd = np.nan
    if hypothesis.direction is not None:
        amount, place = float(found.xi[-1]), freedom.size - 1
        sd = float(np.sqrt(found.covariance[place, place]))
    sentence = hypothesis.sentence(amount, sd)
    return price, Cause(hypothesis.kind, hypothesis.name, sentence, amount, sd, float(share), cost - found.cost)


def _hypotheses(estimate: Estimate, start: FittedPrediction) -> Iterator[_Hypothesis]:
    yield from _clusters(estimate, start)
    whole = [*_bodies(estimate, start), *_axes(estimate, start)]
    costs = [_screened(hypothesis.theta, start) for hypothesis in whole]
    for place in np.argsort(costs)[:_TRIED].tolist():
        if np.isfinite(costs[place]):
            yield whole[place]
    yield from _scaled(estimate, start)


def _screened(theta: Array, start: FittedPrediction) -> float:
    """Cost of an estimate, but for one linear step exact; infinite if it cannot be."""
    with suppress(FreefloatError):
        rows = start.prediction.rows(np.concatenate([theta, start.nu]), False)
        return start.linear_cost(np.concatenate([part.values.ravel() for part in rows]))
    return np.inf


def _gains(start: FittedPrediction, directions: Array) -> Array:
    """By how much a free amount along each direction (p, k) lowers the cost, to first order, shape (k,)."""
    j = start.by_point[:, : start.freedom.theta.size] @ directions
    rest = j - start.J @ (start.covariance @ (start.J.T @ j))
    size = np.einsum("ij,ij->j", rest, j)
    shown = size > _SHOWN * np.einsum("ij,ij->j", j, j)
    return np.where(shown, (j.T @ start.stepped) ** 2 / np.where(shown, size, 1.0), 0.0)


def _clusters(estimate: Estimate, start: FittedPrediction) -> Iterator[_Hypothesis]:
    """A cluster that is off by an amount."""
    claimed = start.prediction.claimed
    for place in np.argsort(-_gains(start, claimed.by_cluster))[:_TRIED].tolist():
        name = claimed.names[place]
        number = estimate.names.index(name)
        sentence = partial(_cluster_off, cluster_words(name, estimate.formulas[number]), float(estimate.values[number]))
        yield _Hypothesis("cluster", name, sentence, claimed.theta, claimed.by_cluster[:, place], start)


def _bodies(estimate: Estimate, start: FittedPrediction) -> Iterator[_Hypothesis]:
    """A body of the CAD model that is not there, and one that is there twice."""
    theta = start.prediction.claimed.theta
    for name, own in _body_directions(estimate, start.prediction):
        yield _Hypothesis("body", f"-{name}", partial(_body_missing, name), theta - own, None, start)
        yield _Hypothesis("body", f"+{name}", partial(_body_in_excess, name), theta + own, None, start)


def _present(problem: Problem, start: FittedPrediction) -> Iterator[_Hypothesis]:
    """A body that was there in a flight which was declared to be without it."""
    for index, flight in enumerate(problem.flights):
        for body in flight.without:
            flights = list(problem.flights)
            flights[index] = replace(flight, without=tuple(name for name in flight.without if name != body))
            with suppress(FreefloatError):
                prediction = start.prediction.on(replace(problem, flights=tuple(flights)))
                claimed, nu = prediction.claimed, prediction.start()[prediction.claimed.theta.size :]
                freedom = Freedom.within(claimed.theta, claimed.root)
                first = at(prediction, freedom, np.concatenate([np.zeros(freedom.size), nu]))
                sentence = partial(_body_present, body, flight.name)
                yield _Hypothesis("presence", f"{body} in {flight.name}", sentence, claimed.theta, None, first)


def _scaled(estimate: Estimate, start: FittedPrediction) -> Iterator[_Hypothesis]:
    """A body that is heavier or lighter as a whole: the one that explains most."""
    named = list(_body_directions(estimate, start.prediction))
    if named:
        gains = _gains(start, np.column_stack([direction for _, direction in named]))
        name, direction = named[int(np.argmax(gains))]
        yield _Hypothesis("body", name, partial(_body_off, name), start.prediction.claimed.theta, direction, start)


def _body_directions(estimate: Estimate, prediction: Predictor) -> Iterator[tuple[str, Array]]:
    """What each body that is not the base adds to theta."""
    robot = estimate.robot
    nothing = prediction.shifted(np.zeros(robot.parameters.size))
    for index, name in enumerate(robot.body_names[1:], start=1):
        phi = np.zeros(robot.parameters.size)
        own = slice(PER_BODY * index, PER_BODY * (index + 1))
        phi[own] = robot.parameters[own]
        theta = prediction.shifted(phi)
        if theta is not None and nothing is not None and (theta - nothing).any():
            yield name, theta - nothing


def _axes(estimate: Estimate, start: FittedPrediction) -> Iterator[_Hypothesis]:
    """Two axes of a body exchanged."""
    prediction = start.prediction
    if prediction.shifted(np.zeros(estimate.robot.parameters.size)) is None:
        return
    phi = estimate.parameters
    for (body, name), ((first, second), pairs) in itertools.product(
        enumerate(estimate.robot.body_names), _SWAPS.items()
    ):
        swapped = np.array(phi)
        for one, other in pairs:
            a, b = PER_BODY * body + INDEX[one], PER_BODY * body + INDEX[other]
            swapped[[a, b]] = phi[[b, a]]
        theta = prediction.shifted(swapped)
        if theta is not None and not np.array_equal(swapped, phi):
            sentence = partial(_axes_swapped, name, first, second)
            yield _Hypothesis("axes", f"{name} {first} {second}", sentence, theta, None, start)


# ---------------------------------------------------------------------- in words, by amount and standard deviation


def _cluster_off(cluster: str, value: float, amount: float, sd: float) -> str:
    """value: the estimate's, which should be larger by the amount."""
    right = value + amount
    off = -100.0 * amount / abs(right) if right else np.inf
    how = f"{abs(off):.2g} % too {'large' if off * np.sign(value) > 0.0 else 'small'}"
    return f"{cluster} is off: the recordings ask for {right:.4g} ± {HALF * sd:.2g}, not {value:.4g} ({how})"


def _body_missing(body: str, amount: float, sd: float) -> str:
    return f"the recordings are as if {body} were not there, which the estimate has"


def _body_in_excess(body: str, amount: float, sd: float) -> str:
    return f"the estimate is as if {body} were not there, which the recordings show"


def _body_off(body: str, amount: float, sd: float) -> str:
    """amount: of what the CAD model says of the body; about minus one if it is not there, about one if twice."""
    if abs(amount + 1.0) < _WHOLE:
        return _body_missing(body, amount, sd)
    if abs(amount - 1.0) < _WHOLE:
        return _body_in_excess(body, amount, sd)
    return f"{body} is off as a whole: by {amount:+.3f} ± {HALF * sd:.2g} of what the CAD model says of it"


def _body_present(body: str, flight: str, amount: float, sd: float) -> str:
    return f"it seems that {body} was there in {flight}, which was said to be without it"


def _axes_swapped(body: str, first: str, second: str, amount: float, sd: float) -> str:
    return f"the estimate's {body} has its axes {first} and {second} swapped"
