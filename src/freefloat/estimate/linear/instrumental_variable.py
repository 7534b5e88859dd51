"""Instrumental variables: multiply by a matrix that does not share the measured matrix' errors.

    Z^T W G x = Z^T W b

Z is the regressor at the base motion that the estimate itself predicts from the joints (simulated instruments, as
P. C. Young, "Recursive estimation and time-series analysis", Springer, 1984; for robots A. Janot, P.-O. Vandanjon,
M. Gautier, "A generic instrumental variable approach for industrial robot identification", IEEE Transactions on
Control Systems Technology, 2014). The gyro's and the velocity's noise, which bias least squares, are not in it, and
need not be known. Noise of the joints' rates is, and stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.linear.linear_estimate import linear_estimate
from freefloat.estimate.linear.reweighting import reweighted, settled
from freefloat.estimate.linear.solution import solution_of
from freefloat.estimate.linear.system import LinearFit, LinearSystem
from freefloat.estimate.linear.weighted import least_squares
from freefloat.estimate.problem import Problem


@dataclass(frozen=True)
class InstrumentalVariable(Estimator):
    """Instruments from the predicted base motion. rounds: most renewals of them."""

    name: ClassVar[str] = "instrumental-variable"

    rounds: int = 20

    def estimate(self, problem: Problem) -> Estimate:
        """Clusters at which the instruments predict what they find."""
        equations = problem.equations()
        rough = reweighted(equations, None, least_squares, self.rounds)
        system, x = rough.system, rough.x
        fit, done = rough.fit, False
        for _ in range(self.rounds):
            fit = self._with_instruments(system, x)
            now = system.space.at(fit.z[:, 0])
            done, x = settled(system, fit, now - x), now
            if done:
                break
        warnings = () if done else (f"the instruments did not settle in {self.rounds} rounds",)
        solution = solution_of(system, fit, biased=False, warnings=warnings)
        return linear_estimate(problem, equations, self.name, solution)

    def _with_instruments(self, system: LinearSystem, x: Array) -> LinearFit:
        predicted = [stack.instruments(x) for stack in system.equations.stacks]
        return system.instrumental(np.ascontiguousarray(system.on_basis(predicted)))
