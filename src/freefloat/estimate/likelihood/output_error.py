"""Output error: the base motion that the clusters predict against the measured one, and nothing else.

After L. Ljung, "System Identification: Theory for the User", 1999, who names it; R. Lampariello, G. Hirzinger,
"Modeling and experimental design for the on-orbit inertial parameter identification of free-flying space robots",
ASME IDETC 2005, compare rates of the base in this way. It is maximum likelihood (`maximum_likelihood.py`) without a
prior and without nuisances: the only further unknowns are those without which nothing can be predicted, such as the
momentum where it is not known. Noise of the measured rates stays out of the regressor and does not shrink the
estimates, but a bias, a time offset or a joint's zero moves them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.causes.suspicions import refuse_fixed_base
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.flight import Flight
from freefloat.estimate.likelihood.finished import with_unknown_noise
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.sensors.kinds import readings_among

_ROUNDS, _SETTLED = 4, 0.01  # of the noise that the residual shows: at most; relative change
_FIRST, _LEAST = 1e-3, 1e-7  # standard deviation of rates over their size: first guess, and rounding


@dataclass(frozen=True)
class OutputError(Estimator):
    """Predicted base motion against measured base motion."""

    name: ClassVar[str] = "output-error"

    def estimate(self, problem: Problem) -> Estimate:
        """Clusters that predict the measured base motion best.

        Where no noise is known of what was measured in some flight, rates count alike in all flights, velocities by
        their size; their standard deviation is then that of the residual.
        """
        refuse_fixed_base(problem, self.name)
        problem.refuse_passive("output error takes joints as they were measured")
        flights = tuple(_bare(flight) for flight in problem.flights)
        bare = replace(problem, flights=flights, prior=None, nuisances=Nuisances.none())
        if all({"w", "attitude"} & set(flight.noise) for flight in flights):
            return replace(MaximumLikelihood().estimate(bare), method=self.name, prior=problem.prior)
        noise, found = _FIRST, MaximumLikelihood().estimate(_with_noise(bare, _FIRST))
        for _ in range(_ROUNDS):
            before, noise = noise, max(noise * found.residual.ratio, _LEAST)
            if abs(noise - before) <= _SETTLED * before:
                break
            found = MaximumLikelihood().estimate(_with_noise(bare, noise))
        return replace(with_unknown_noise(found), method=self.name, prior=problem.prior)


def _bare(flight: Flight) -> Flight:
    """The flight with joints that are exact, and biases that do not walk."""
    measured = [reading.array for reading in readings_among(flight.noise)]
    return replace(
        flight,
        noise={name: flight.noise[name] for name in measured},
        walks={},
        curves=None,
        own_instants=None,
        wheels=None,
    )


def _with_noise(problem: Problem, relative: float) -> Problem:
    """The problem with a noise of all rates that is this share of their root mean square."""
    sizes = {name: _size([getattr(flight.samples, name) for flight in problem.flights]) for name in ("w", "v")}
    noise = {name: np.full(3, relative * size) for name, size in sizes.items() if size > 0.0}
    return replace(problem, flights=tuple(replace(flight, noise=noise) for flight in problem.flights))


def _size(parts: list[Array | None]) -> float:
    given = [part for part in parts if part is not None]
    return float(np.sqrt(np.mean(np.concatenate(given) ** 2))) if given else 0.0
