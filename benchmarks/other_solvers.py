"""Solvers that a design could have used instead of ours, with the same exact derivatives, limits and starts."""

from __future__ import annotations

from collections.abc import Callable

import casadi
import numpy as np
from scipy.optimize import minimize

from freefloat.excitation.solver.planned_task import PlannedTask

Array = np.ndarray


def augmented_lagrangian(task: PlannedTask, start: Array, rounds: int = 12, steps: int = 60) -> tuple[Array, int]:
    """An augmented Lagrangian, minimised by L-BFGS-B; coordinates, and how many steps it took.

    After J. Nocedal, S. J. Wright, "Numerical Optimization", 2006, section 17.4.
    """
    y, weight, taken = start, 10.0, 0
    pulls, before = np.zeros(task.margins(y).size), np.inf

    def lagrangian(y: Array) -> tuple[float, Array]:
        value, gradient = task.value(y)
        if not np.isfinite(value):
            return 1e6, np.zeros_like(y)
        pull = np.maximum(0.0, pulls - weight * task.margins(y))
        rows = np.flatnonzero(pull)
        return value + 0.5 * (pull @ pull) / weight, gradient() - task.jacobian(y, rows).T @ pull[rows]

    for _ in range(rounds):
        found = minimize(lagrangian, y, jac=True, method="L-BFGS-B", options={"maxiter": steps})
        y, taken = found.x, taken + found.nit
        margins = task.margins(y)
        pulls, excess = np.maximum(0.0, pulls - weight * margins), max(0.0, -float(margins.min()))
        weight, before = (weight * 4.0 if excess > 0.25 * before else weight), excess
    return y, taken


class _Evaluated(casadi.Callback):
    """A function of y for CasADi, and its derivative where there is one."""

    def __init__(self, inputs: list[int], shape: tuple[int, int], evaluate: Callable, derivative: Callable | None):
        casadi.Callback.__init__(self)
        self.inputs, self.shape, self.evaluate, self.derivative = inputs, shape, evaluate, derivative
        self.kept: list[_Evaluated] = []  # CasADi does not keep derivatives alive
        self.construct("evaluated", {})

    def get_n_in(self) -> int:
        return len(self.inputs)

    def get_n_out(self) -> int:
        return 1

    def get_sparsity_in(self, index: int) -> casadi.Sparsity:
        return casadi.Sparsity.dense(self.inputs[index], 1)

    def get_sparsity_out(self, index: int) -> casadi.Sparsity:
        return casadi.Sparsity.dense(*self.shape)

    def eval(self, arguments: list) -> list:
        return [self.evaluate(np.array(arguments[0]).ravel())]

    def has_jacobian(self) -> bool:
        return self.derivative is not None

    def get_jacobian(self, name: str, inputs: list, outputs: list, options: dict) -> casadi.Function:
        rows, size = self.shape[0], self.inputs[0]
        self.kept.append(_Evaluated([size, rows], (rows, size), self.derivative, None))
        return self.kept[-1]


def ipopt(task: PlannedTask, start: Array, most_iterations: int = 150) -> tuple[Array, int]:
    """IPOPT with limited-memory curvature, through CasADi; coordinates, and how many iterations it took."""
    size, rows = start.size, task.margins(start).size
    goal = _Evaluated([size], (1, 1), lambda y: task.value(y)[0], lambda y: task.value(y)[1]()[None])
    limits = _Evaluated([size], (rows, 1), task.margins, lambda y: task.jacobian(y, np.arange(rows)))
    y = casadi.MX.sym("y", size)
    options = {
        "print_time": False,
        "ipopt.print_level": 0,
        "ipopt.sb": "yes",
        "ipopt.hessian_approximation": "limited-memory",
        "ipopt.tol": 1e-3,
        "ipopt.acceptable_tol": 1e-2,
        "ipopt.max_iter": most_iterations,
    }
    solver = casadi.nlpsol("design", "ipopt", {"x": y, "f": goal(y), "g": limits(y)}, options)
    found = solver(x0=start, lbg=1e-7, ubg=np.inf)
    return np.array(found["x"]).ravel(), int(solver.stats()["iter_count"])
