"""Total least squares: the matrix errs as well as the right-hand side.

The smallest correction of [G b] that makes the equations hold, where columns err together with a known covariance
C up to one unknown factor: the x and the smallest lambda with

    ([G b]^T [G b] - lambda C) [x; -1] = 0

(generalised total least squares: S. Van Huffel, J. Vandewalle, "The total least squares problem", SIAM, 1991).
Columns that do not err, where C is zero, stay exact (G. H. Golub, A. Hoffman, G. W. Stewart, "A generalization of the
Eckart-Young-Mirsky matrix approximation theorem", Linear Algebra and its Applications, 1987). C is that of
`rate_noise`; lambda is the level of the noise in units of what the sensors say. Plain total least squares instead
gives every column of a cluster and the right-hand side errors of the same size, whatever their units.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np
import scipy.linalg

from freefloat.arrays import Array
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.linear.linear_estimate import linear_estimate
from freefloat.estimate.linear.rate_noise import rate_noise
from freefloat.estimate.linear.solution import solution_of
from freefloat.estimate.linear.system import LinearSystem, plain_roots
from freefloat.estimate.problem import Problem
from freefloat.estimate.rows.equations import Equations

Scaling = Literal["sensors", "plain"]
_ROUNDING = 1e-14  # of the right-hand side


@dataclass(frozen=True)
class TotalLeastSquares(Estimator):
    """Total least squares with exact columns. scaling: how columns err, as the sensors say or all alike."""

    name: ClassVar[str] = "total-least-squares"

    scaling: Scaling = "sensors"

    def __post_init__(self) -> None:
        if self.scaling not in get_args(Scaling):
            raise InvalidProblem(f"scaling is {self.scaling!r}; allowed: {', '.join(get_args(Scaling))}")

    def estimate(self, problem: Problem) -> Estimate:
        """Clusters of the smallest correction; all columns err alike where the sensors' noise is not known."""
        equations = problem.equations()
        system = LinearSystem.of(equations, plain_roots(equations))
        by_sensors = self.scaling == "sensors" and equations.noise_known
        noise = rate_noise(equations, system.roots) if by_sensors else _alike(equations)
        level = _smallest_level(system, noise)
        fit = system.compensated(level * noise)
        notes = (f"noise is {np.sqrt(level):.3g} times what the sensors say",) if by_sensors else ()
        if self.scaling == "sensors" and not by_sensors:
            notes = ("the sensors' noise is not known: all columns count as erring alike",)
        return linear_estimate(problem, equations, self.name, solution_of(system, fit, biased=False, notes=notes))


def _alike(equations: Equations) -> Array:
    """Errors of the same size in every cluster's column and the right-hand side; nuisances are exact."""
    u, further = equations.matrix.shape[1], equations.stacks[0].right.shape[2]
    noise = np.zeros((u + further, u + further))
    err = np.append(np.arange(len(equations.minimal)), u)
    noise[err, err] = 1.0
    return noise


def _smallest_level(system: LinearSystem, noise: Array) -> float:
    """The smallest lambda for which a solution exists."""
    basis, u = system.space.basis, system.space.basis.shape[0]
    turn = np.zeros((u + 1, basis.shape[1] + 1))  # from (z, -1) to (x, -1)
    turn[:u, :-1], turn[:u, -1], turn[-1, -1] = basis, -system.space.origin, 1.0
    both = np.column_stack([system.F, system.g[:, 0]])
    R = scipy.linalg.qr(both, mode="r")[0][: both.shape[1]]
    R[-1, -1] = np.copysign(max(abs(R[-1, -1]), _ROUNDING * np.linalg.norm(both[:, -1])), R[-1, -1])
    half = scipy.linalg.solve_triangular(R, turn.T @ noise[: u + 1, : u + 1] @ turn, trans="T")
    largest = scipy.linalg.eigvalsh(scipy.linalg.solve_triangular(R, half.T, trans="T"))[-1]
    return float(1.0 / largest) if largest > 0.0 else 0.0
