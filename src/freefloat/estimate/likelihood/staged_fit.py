"""One fit of a likelihood, in stages: what is nearly linear first, then geometry and errors of the joints' curves."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.reaction import NotPossible
from freefloat.estimate.likelihood.effort import Effort, misfit_of
from freefloat.estimate.likelihood.finished import HELD, stacked, units_of
from freefloat.estimate.likelihood.kept_frequencies import KeptFrequencies
from freefloat.estimate.likelihood.levenberg_marquardt import Fit, Move, levenberg_marquardt
from freefloat.estimate.likelihood.likelihood import Likelihood
from freefloat.estimate.unknowns import GEOMETRY, JOINT_MOTION

_GLANCE = 20  # iterations of the first stage after which it is at a loss
_SOFTENED, _SOFT_MOST = 6, 4  # fits that take readings for noisier, iterations of each
_MUCH, _PAYS = 3.0, 0.7  # times the noise left: worth it; of what was left before: worth another one
_BENT, _STIFF = 100.0, 1e8  # spreads by which geometry is off that is none, and how much more is then known of it


@dataclass(frozen=True, slots=True, eq=False)
class StagedFit:
    """Fits of a likelihood within an effort. weights: of rows, (rows,), if they do not count alike."""

    likelihood: Likelihood
    effort: Effort
    weights: Array | None = None

    def again(self, point: Array) -> Fit:
        """The fit that starts from the end of another."""
        there, _ = self.coarse(point, fitted=True)
        return self.fine(there)

    def coarse(self, point: Array, fitted: bool = False) -> tuple[Array, float]:
        """Where the fit ends without geometry and errors of curves, which stay as they were, and what it leaves.

        The same point if these have been fitted before: they need no better start. fitted: the point is the end of
        another fit, which need not be found again from the CAD model.
        """
        unknowns, units, left = self.likelihood.unknowns, units_of(self.likelihood), np.nan
        if units is not None and not fitted:  # as if the CAD model were a prior: far from it nothing is nearly linear
            soft = unknowns.information + np.diag(np.where(np.isnan(units), 0.0, units**-2.0))
            point, left = self._coarse(point, soft, None)
        late, bends = point[unknowns.coarse :], any(part.kind == JOINT_MOTION for part in unknowns.parts)
        if late.size and (bends or not late.any()):
            point, left = self._coarse(point, unknowns.information, units)
        return point, left

    def softened(self, point: Array) -> Array:
        """Where fits end for which readings are as noisy as what is left of them, as often as much less is left then.

        While a swing is out of step nothing is explained well, and no parameter ought to go far for a bit of it.
        """
        unknowns, units, before = self.likelihood.unknowns, units_of(self.likelihood), np.inf
        for _ in range(_SOFTENED):
            r = stacked(self.likelihood.rows(point, 0))[0]
            left = misfit_of(r)
            if not _MUCH < left < _PAYS * before:
                break
            soft, before = replace(self, weights=np.full(r.size, 1.0 / left)), left
            found = soft._fit(point, unknowns.coarse, unknowns.information, units, _SOFT_MOST)
            point = np.concatenate([found.point, point[unknowns.coarse :]])
        return point

    def fine(self, point: Array) -> Fit:
        """The fit of all unknowns that starts from a point."""
        unknowns, units = self.likelihood.unknowns, units_of(self.likelihood)
        found = self._fit(point, point.size, unknowns.information, units, self.effort.most)
        place = unknowns.find(GEOMETRY)
        if place is None or _spreads_off(found.point[place], unknowns.information[place, place]) < _BENT:
            return found
        stiff, straight = np.array(unknowns.information), np.array(point)
        stiff[place, place] *= _STIFF
        straight[place] = 0.0
        return self._fit(straight, point.size, stiff, units, self.effort.most)

    def _coarse(self, start: Array, information: Array, units: Array | None) -> tuple[Array, float]:
        count, effort = self.likelihood.unknowns.coarse, self.effort
        found = self._fit(start, count, information, units, min(_GLANCE, effort.most))
        effort.look(found)
        if not found.converged and found.iterations == _GLANCE and not effort.is_in_vain:
            there = np.concatenate([found.point, start[count:]])
            found = self._fit(there, count, information, units, effort.most)
        return np.concatenate([found.point, start[count:]]), misfit_of(found.residual)

    def _fit(self, start: Array, count: int, information: Array, units: Array | None, most: int) -> Fit:
        """By so many leading unknowns, in so many iterations at most."""
        likelihood, weights, own = self.likelihood, self.weights, slice(0, count)

        def evaluate(at: Array, derivatives: bool) -> tuple[Array, Array]:
            r, J = stacked(likelihood.rows(np.concatenate([at, start[count:]]), count if derivatives else 0))
            return (r, J) if weights is None else (r * weights, J * weights[: len(J), None])

        shown = None if units is None else units[own]
        given = start[own], likelihood.unknowns.mean[own], information[own, own], shown, HELD, most
        with suppress(NotPossible):
            likelihood.suppose(start)
            return self.effort.count(levenberg_marquardt(evaluate, *given, move=self._move))
        likelihood.suppose(likelihood.problem.cad)  # a start so far off that the likeliest robot there is none
        return self.effort.count(levenberg_marquardt(evaluate, *given, move=self._move))

    @property
    def _move(self) -> Move:
        """Where steps lead."""
        kept = KeptFrequencies.of(self.likelihood)
        return np.add if kept is None else kept.moved


def _spreads_off(values: Array, information: Array) -> float:
    """Root mean square of values over what was assumed of them."""
    return float(np.sqrt(values @ information @ values / values.size))
