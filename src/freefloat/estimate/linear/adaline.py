"""Adaline, one linear neuron taught row by row: Widrow and Hoff, Adaptive Switching Circuits (IRE WESCON 1960).

    x <- x + rate a^T (b - a x)

for one weighted row a x = b after another. (In robot identification: Leboutet, Roux, Janot, Guadarrama-Olvera,
Cheng, "Inertial parameter identification in robotics: a survey", Applied Sciences, 2021.) It needs no matrix, no
more memory than x itself, and n multiplications a row; it is slower than least squares and never more accurate, and
is here for completeness.

How fast it learns hangs on the spread of the rows' singular values: columns are scaled to unit norm, or, unless told
otherwise, whitened altogether (Widrow and Stearns, Adaptive Signal Processing, 1985, call it LMS/Newton), which costs
what least squares costs. Rates are a share of the largest that is stable for every row, the same for all rows: a
rate of its own for each row, as in normalised LMS, would weigh the rows anew.

Epochs go through the rows in random order, a quarter of them at the full rate, the others at rates that fall as 1/k;
the later half of these is averaged (Polyak and Juditsky, SIAM J. Control Optim. 1992). Whitened, a hundred epochs
leave 0.02 standard deviations to the least-squares solution, and without noise 1e-9 of the CAD model's spread. With
scaled columns alone, thousands of epochs do not do at condition numbers of a hundred; the estimate says so.

With `tracks`, it goes once through the rows in the order of their times at a constant rate and keeps what it has at
the end: it follows slow changes of the parameters, which least squares averages.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

import numpy as np
import scipy.linalg

from freefloat.arrays import Array, read_only
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.linear.adaline_kernel import learn, response
from freefloat.estimate.linear.linear_estimate import linear_estimate
from freefloat.estimate.linear.recursive import time_order
from freefloat.estimate.linear.solution import Solution, solution_of
from freefloat.estimate.linear.system import LinearFit, LinearSystem, plain_roots
from freefloat.estimate.problem import Problem

Whitening = Literal["full", "columns"]
_NEAR = 0.1  # standard deviations from the least-squares solution that count as learnt ...
_ROUNDING = 1e-7  # ... or so many spreads of the CAD model


@dataclass(frozen=True)
class Adaline(Estimator):
    """The rule of Widrow and Hoff.

    epochs: how often it goes through the rows. rate: share of the largest stable one, more than 0, less than 2.
    whitening: `full`, or `columns` to scale these only. tracks: once, in order of time, at a constant rate.
    seed: of the order of rows.
    """

    name: ClassVar[str] = "adaline"

    epochs: int = 100
    rate: float = 1.0
    whitening: Whitening = "full"
    tracks: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0.0 < self.rate < 2.0:
            raise InvalidProblem(f"a rate of {self.rate} does not converge; allowed: more than 0, less than 2")
        if self.epochs < 2:
            raise InvalidProblem(f"epochs are {self.epochs}; allowed: 2 or more")
        if self.whitening not in get_args(Whitening):
            raise InvalidProblem(f"whitening is {self.whitening!r}; allowed: {', '.join(get_args(Whitening))}")

    def estimate(self, problem: Problem) -> Estimate:
        """Clusters near the least-squares solution, with its covariance, or what tracking has at the end."""
        equations = problem.equations()
        system = LinearSystem.of(equations, plain_roots(equations))
        solution = self._tracked(system) if self.tracks else self._learnt(system)
        return linear_estimate(problem, equations, self.name, solution)

    def _rows(self, system: LinearSystem) -> tuple[Array, Array, float]:
        """Whitened rows a^T, what turns their weights into unknowns, and the rate."""
        Q, R = system.factors
        rows, back = (Q, R) if self.whitening == "full" else (system.F, np.eye(R.shape[0]))
        largest = float((rows**2).sum(axis=1).max())
        return read_only(rows), back, self.rate / largest

    def _learnt(self, system: LinearSystem) -> Solution:
        """The average of the later epochs; a warning if it is far from the least-squares solution."""
        rows, back, rate = self._rows(system)
        right, rng = read_only(system.g[:, 0]), np.random.default_rng(self.seed)
        full = self.epochs // 4
        averaged = (self.epochs - full + 1) // 2
        weights, total = np.zeros(rows.shape[1]), np.zeros(rows.shape[1])
        for epoch in range(self.epochs):
            falling = rate / max(1, epoch - full + 1)
            mean = learn(rows, right, rng.permutation(right.size), falling, weights)
            if epoch >= self.epochs - averaged:
                total += mean / averaged
        x = system.space.at(scipy.linalg.solve_triangular(back, total))
        exact = solution_of(system, system.least_squares(), biased=True)
        return replace(exact, x=x, warnings=_far_off(x - exact.x, exact, system.space.units))

    def _tracked(self, system: LinearSystem) -> Solution:
        """What is left at the end, and how it answers to errors of each row."""
        rows, back, rate = self._rows(system)
        order, _ = time_order(system.equations)
        weights = np.zeros(rows.shape[1])
        learn(rows, read_only(system.g[:, 0]), order, rate, weights)
        gain = scipy.linalg.solve_triangular(back, response(rows, order, rate).T).T
        z = scipy.linalg.solve_triangular(back, weights)
        return solution_of(system, LinearFit(np.column_stack([z, gain.T @ system.g[:, 1:]]), gain), biased=False)


def _far_off(step: Array, exact: Solution, units: Array) -> tuple[str, ...]:
    """A sentence if some cluster is not that of least squares to within a fraction of its standard deviation."""
    sd = np.sqrt(np.maximum(np.diagonal(exact.covariance)[: units.size], 0.0))
    off = np.abs(step[: units.size]) / np.maximum(sd, _ROUNDING / _NEAR * units)
    if off.max(initial=0.0) <= _NEAR:
        return ()
    return (
        f"the neuron is up to {off.max():.2g} standard deviations from the least-squares solution: give it more "
        "epochs, full whitening, or take least-squares",
    )
