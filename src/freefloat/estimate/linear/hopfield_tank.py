"""A Hopfield-Tank network whose energy is the sum of squares of the equations' errors.

Tank and Hopfield, Simple "Neural" Optimization Networks (IEEE T-CAS 1986), without decay of the neurons as Abe
(IJCNN 1989) has it. One neuron for each cluster; its input u is integrated, its output s is bounded,

    du/dt = W s + k,     s = centre + half tanh(u / theta),     W = -A^T A,     k = A^T b,

so that du/dt = -dE/ds of E = |A s - b|^2 / 2, which falls until the network rests at the least sum of squares within
the bounds. (Signs of k differ between texts; these are the ones with which E falls. theta is the square of a neuron's
column, so that all have the same pace.)

It is no more accurate than least squares and slower, and is here for completeness. What it has in hand is its bounds:
with data so poor that least squares leaves the range of anything physical, the network stays within the spread of the
CAD model. It agrees with least squares, or at the bounds with the constrained minimum, to 1e-8 of their width at
scaled condition numbers up to 1e4.

The flow is stiff, so it is integrated by implicit Euler steps, stable and with falling energy at any length of step:

    u' = u + A^T lambda,     lambda = h (b - A s(u'))

which, with lambda as the unknown, is the minimum of a smooth convex function and is found by Newton's method. The
steps grow tenfold each until the network rests; a last one has no end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.linear.linear_estimate import linear_estimate
from freefloat.estimate.linear.seen_space import weighted
from freefloat.estimate.linear.solution import solution_of
from freefloat.estimate.linear.system import LinearSystem, plain_roots
from freefloat.estimate.problem import Problem
from freefloat.estimate.rows.equations import COUNTS, Equations

_STEPS, _NEWTON = 60, 50
_LONGEST = 1e12  # step, in units of a neuron's own time
_LONG = 1e10  # a step that would show if even the weakest direction of a sound problem still moved
_ROUNDING = 1e9  # longest step times error, in units of a neuron's weight: rounding moves its input by 1e-7
_REST = 1e-7  # change of an output, in units of its bounds, that ends the integration
_NEAR = 1e-3  # the same, that a last step without end may make
_SATURATED = 19.0  # tanh of it is one; inputs stay within it, so that a neuron driven back returns at once
_NAMED = 3  # clusters at their bounds that are named


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Neurons in their own units: output s = tanh(u), E = |synapses (weight s) - target|^2 / 2.

    synapses: columns of unit norm, shape (m, n). weight: shape (n,). target: shape (m,).
    """

    synapses: Array
    weight: Array
    target: Array

    def lacks(self, u: Array) -> Array:
        """Target minus what the outputs make, shape (m,)."""
        return self.target - self.synapses @ (self.weight * np.tanh(u))

    def rest(self) -> tuple[Array, bool]:
        """Outputs when the network rests, shape (n,), from zero; whether it came to rest."""
        u, h = np.zeros(self.weight.size), 1.0
        for _ in range(_STEPS):
            after = np.clip(self._step(u, h), -_SATURATED, _SATURATED)
            moved = np.abs(np.tanh(after) - np.tanh(u)).max()
            u, longest = after, self._longest(after)
            if moved < _REST and h >= min(_LONG, longest):
                break
            h = min(10.0 * h, longest)
        return self._last_step(np.tanh(u))

    def _last_step(self, s: Array) -> tuple[Array, bool]:
        """Outputs after a step without end of the neurons that are not saturated; whether it is a small one."""
        free = np.abs(s) < 1.0 - _REST
        columns = self.synapses[:, free]
        left = scipy.linalg.lstsq(columns, self.target - self.synapses @ (self.weight * s), cond=COUNTS)[0]
        after = np.array(s)
        after[free] += left / self.weight[free]
        if np.abs(after - s).max() < _NEAR and np.abs(after).max() <= 1.0 + _REST:
            return np.clip(after, -1.0, 1.0), True
        return s, False

    def _longest(self, u: Array) -> float:
        """The longest step whose rounding errors do not show."""
        free = self.weight[np.abs(u) < _SATURATED]
        error = max(float(np.linalg.norm(self.lacks(u))), 1e-300)
        return min(_LONGEST, _ROUNDING * float(free.min(initial=np.inf)) / error)

    def _step(self, before: Array, h: float) -> Array:
        """One implicit step: Newton's method on the convex function of lambda, shortened while it overshoots."""
        S, w = self.synapses, self.weight
        lambda_, u = np.zeros(self.target.size), before
        slope = -self.lacks(u)
        for _ in range(_NEWTON):
            gain = S / np.cosh(np.minimum(np.abs(u), 300.0))  # square root of the activation's slope
            curvature = gain @ gain.T + np.eye(self.target.size) / h
            towards = -scipy.linalg.solve(curvature, slope, assume_a="pos")
            share, descent = 1.0, -slope @ towards
            while True:
                tried = lambda_ + share * towards
                after = before + (S.T @ tried) / w
                slope_there = tried / h - self.lacks(after)
                if slope_there @ towards <= 0.5 * descent or share < 1e-6:
                    break
                share *= 0.3
            moved = np.abs(np.tanh(after) - np.tanh(u)).max()
            lambda_, u, slope = tried, after, slope_there
            if share == 1.0 and moved < 0.1 * _REST:
                break
        return u


def within(matrix: Array, right: Array, centre: Array, half: Array) -> tuple[Array, bool]:
    """The network's answer to matrix x = right with |x - centre| < half; whether it came to rest.

    matrix: shape (m, n). right: shape (m,). centre, half: shape (n,).
    """
    triangle = scipy.linalg.qr(np.column_stack([matrix * half, right - matrix @ centre]), mode="r")[0]
    triangle = triangle[: half.size]
    size = np.linalg.norm(triangle[:, :-1], axis=0)
    weight = np.where(size > 0.0, size, 1.0)
    s, rests = Network(triangle[:, :-1] / weight, weight, triangle[:, -1]).rest()
    return centre + half * s, rests


@dataclass(frozen=True)
class HopfieldTank(Estimator):
    """A network with one neuron for each cluster. spreads: bounds, in spreads of the CAD model to either side of it."""

    name: ClassVar[str] = "hopfield-tank"

    spreads: float = 10.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.spreads) and self.spreads > 0.0):
            raise InvalidProblem(f"bounds of {self.spreads} spreads are none; allowed: more than 0")

    def estimate(self, problem: Problem) -> Estimate:
        """Clusters within their bounds with the smallest sum of squared residuals; covariance of least squares."""
        equations = problem.equations()
        system = LinearSystem.of(equations, plain_roots(equations))
        half = self.spreads * system.space.units
        x, rests = _unknowns(system, half)
        at_bound = np.abs(x[: half.size] - equations.cad) > (1.0 - _NEAR) * half
        warnings = self._warnings(equations, at_bound, rests)
        solution = solution_of(system, system.least_squares(), biased=True, warnings=warnings)
        return linear_estimate(problem, equations, self.name, replace(solution, x=x))

    def _warnings(self, equations: Equations, at_bound: NDArray[np.bool_], rests: bool) -> tuple[str, ...]:
        warnings = () if rests else ("the network did not come to rest: take least-squares",)
        if not at_bound.any():
            return warnings
        names = [name for name, there in zip(equations.minimal.leaders, at_bound, strict=True) if there]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return (
            *warnings,
            f"{', '.join(names[:_NAMED])}{more} stopped at {self.spreads:g} spreads from the CAD model: the data are "
            "poor or the CAD model is wrong; intervals are those without bounds",
        )


def _unknowns(system: LinearSystem, half: Array) -> tuple[Array, bool]:
    """Clusters within their bounds, then nuisances, which have none, shape (u,); whether the network rests."""
    equations, c = system.equations, half.size
    M = weighted(equations, system.roots, [stack.matrix for stack in equations.stacks])
    b = weighted(equations, system.roots, [stack.right[..., :1] for stack in equations.stacks])
    clusters, further = M[:, :c], M[:, c:]
    both = np.column_stack([clusters, b])
    without = both - further @ scipy.linalg.lstsq(further, both, cond=COUNTS)[0] if further.size else both
    # Directions that the data do not show are held at the CAD model by rows of their own.
    hold = np.linalg.norm(without[:, :-1] * half) * system.space.unseen / half
    matrix = np.vstack([without[:, :-1], hold])
    values, rests = within(matrix, np.append(without[:, -1], hold @ equations.cad), equations.cad, half)
    left = (b[:, 0] - clusters @ values)[:, None]
    nuisances = scipy.linalg.lstsq(further, left, cond=COUNTS)[0][:, 0] if further.size else np.zeros(0)
    return np.concatenate([values, nuisances]), rests
