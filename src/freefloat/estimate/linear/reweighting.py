"""Weights that depend on the answer: fit, weigh the rows by the sensors' noise at the fit, and again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.linear.system import LinearFit, LinearSystem, roots_at
from freefloat.estimate.rows.equations import Equations

_SETTLED = 1e-3  # of the standard deviations
_ROUNDING = 1e-9  # of the CAD model's spread


@dataclass(frozen=True, slots=True, eq=False)
class Reweighted:
    """The system with its last weights, its fit, and whether the weights settled."""

    system: LinearSystem
    fit: LinearFit
    settled: bool
    rounds: int

    @property
    def x(self) -> Array:
        """All unknowns."""
        return self.system.space.at(self.fit.z[:, 0])

    @property
    def warnings(self) -> tuple[str, ...]:
        """A sentence if the weights did not settle."""
        if self.settled:
            return ()
        return (f"the weights did not settle in {self.rounds} rounds: the values are those of the last one",)


def reweighted(
    equations: Equations, start: LinearSystem | None, solve: Callable[[LinearSystem, Array], LinearFit], rounds: int
) -> Reweighted:
    """Solve with weights by the sensors' noise until the answer stays where it is.

    start: a system to begin with; else that of the CAD model. solve: the fit of a system, given the unknowns at which
        its rows were weighed.
    """
    system = start or LinearSystem.of(equations, roots_at(equations, equations.start))
    x = equations.start
    fit = solve(system, x)
    for done in range(1, rounds + 1):
        now = system.space.at(fit.z[:, 0])
        if not equations.noise_known or settled(system, fit, now - x):
            return Reweighted(system, fit, settled=True, rounds=done)
        x, system = now, system.reweighted(roots_at(equations, now))
        fit = solve(system, x)
    return Reweighted(system, fit, settled=False, rounds=rounds)


def settled(system: LinearSystem, fit: LinearFit, step: Array) -> bool:
    """Whether a step of the unknowns is small against standard deviations, or against rounding."""
    clusters = system.space.units.size
    sd = np.linalg.norm(fit.gain @ system.space.basis[:clusters].T, axis=0)
    return bool((np.abs(step[:clusters]) <= np.maximum(_SETTLED * sd, _ROUNDING * system.space.units)).all())
