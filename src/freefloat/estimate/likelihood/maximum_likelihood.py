"""Maximum likelihood on the measured base motion: the default.

The base's rates (and velocities, attitude, position where they are measured) are compared with those that the
clusters predict, everything else that the data may hold being estimated along: biases, time offset and drift,
misalignment, joint zeros, errors of the joints' curves, momentum, external torque. The CAD model is a soft prior,
known values have spreads; both are as much data as any sensor. Because the measured rates do not enter the
regressor, their noise does not shrink the estimates, as it does in least squares (errors in variables). What the
estimate says of a fit, covariance and budget included, is in `finished.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.reaction import NotPossible
from freefloat.estimate.cause import Cause
from freefloat.estimate.causes.claims import NOTHING, Suspected
from freefloat.estimate.causes.diagnosis import refuse_too_few
from freefloat.estimate.causes.suspicions import refuse_too_fast, refuse_unusable
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimated_springs import with_untold_springs
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.likelihood.effort import Effort, is_plausible, misfit_of
from freefloat.estimate.likelihood.everything import everything_beside
from freefloat.estimate.likelihood.finished import (
    Doubts,
    covariance_of,
    finished,
    stacked,
    used_up,
    white,
    with_unknown_noise,
)
from freefloat.estimate.likelihood.held_friction import Free, negative_friction, with_held, with_rotor_words
from freefloat.estimate.likelihood.kept_swings import with_swings
from freefloat.estimate.likelihood.levenberg_marquardt import Fit
from freefloat.estimate.likelihood.likelihood import SETTLED, SETTLING, WRONG_MODEL, Likelihood, Rows
from freefloat.estimate.likelihood.local_curves import LocalCurves
from freefloat.estimate.likelihood.momentum_start import momentum_start
from freefloat.estimate.likelihood.noise_left import have_settled, with_noise_left
from freefloat.estimate.likelihood.noise_levels import Levels, levels_of, levels_of_guesses, with_levels
from freefloat.estimate.likelihood.prior_spread import KINDS, wider_spread
from freefloat.estimate.likelihood.spring_guesses import guessed_springs
from freefloat.estimate.likelihood.staged_fit import StagedFit
from freefloat.estimate.likelihood.swing_start import swing_start
from freefloat.estimate.likelihood.time_blocks import variance_by_blocks
from freefloat.estimate.one_thread import one_blas_thread
from freefloat.estimate.problem import Problem
from freefloat.estimate.progress import say
from freefloat.estimate.recorded_flight import on_finer_knots

_ROUNDS = 3  # of weights that depend on the estimate
_ROUNDS_OF_NOISE = 3  # that nobody said, once all is fitted
_REFINEMENTS = 2  # of the joints' curves, at most
_HOPELESS = 50.0  # times the noise left: data of another robot, or recorded wrongly, for which nothing is refined
_WILD = 1e4  # times the noise left: nothing is nearly linear
_MUCH_WIDER = 2.5  # times the CAD model's spread: less is chance, for its errors are not normal to the tail
_WORTH = 0.9  # of what was left before: a refinement that leaves more is the last


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """A fit, what was fitted, and the residuals there."""

    likelihood: Likelihood
    fit: Fit
    rows: tuple[Rows, ...]


@dataclass(frozen=True)
class MaximumLikelihood(Estimator):
    """The default estimator.

    huber: residuals beyond this many standard deviations count less (robust loss); None for none.
    seeks_swings: whether frequency, damping and axis of what swings are looked for where an oscillation is left.
    """

    name: ClassVar[str] = "maximum-likelihood"

    huber: float | None = None
    seeks_swings: bool = False

    @property
    def reads_own_instants(self) -> bool:
        """Yes."""
        return True

    def estimate(self, problem: Problem) -> Estimate:
        """Estimate the clusters of a problem.

        Where a residual is coloured and joints are curves, these get knots half as far apart, a few times.
        """
        refuse_unusable(problem)
        refuse_too_fast(problem)
        try:
            return self._estimated(problem)
        except NotPossible:  # data so wrong that bent links make no robot: without these, what is wrong can be said
            if problem.nuisances == problem.nuisances.on_paper:
                raise
            return self._estimated(replace(problem, nuisances=problem.nuisances.on_paper))

    def _estimated(self, problem: Problem) -> Estimate:
        likelihood = Likelihood(with_noise_left(problem))
        refuse_too_few(_measured(likelihood), problem)
        with one_blas_thread():
            say("first fit")
            effort = Effort(problem)
            found, levels = self._fit(likelihood, effort), Levels()
            found = self._with_noise_left(found, effort)
            hopeless = effort.is_in_vain or misfit_of(found.fit.residual) > _HOPELESS
            found = found if hopeless else self._with_noise_left(self._refined(found, effort), effort)
            say("what may be wrong")
            suspected = NOTHING if effort.is_in_vain else self._suspected(found)
            if not hopeless:
                found, levels = self._weighed(found, effort)
                found = self._with_wider_prior(found, effort)
            found, held = self._without_negative(found, effort)
            likelihood, fit = found.likelihood, found.fit
            say("intervals")
            of_curves = _curve_share(likelihood, fit) if likelihood.has_local_curves else None
            by_blocks = None
            if white(found.rows) is False and not effort.is_in_vain:
                by_blocks = variance_by_blocks(likelihood.rows(fit.point), fit.information - fit.data)
            suspected = _or_the_prior(suspected, problem, likelihood.problem)
            doubts = Doubts(problem, levels, by_blocks, suspected, effort.mistakes)
            shown = "torque" if problem.robot.base == "fixed" else "momentum"
            left = likelihood.left(found.rows)
            estimate = finished(self.name, likelihood, fit, found.rows, left, shown, of_curves, doubts)
            estimate = with_untold_springs(estimate, likelihood.unknowns)
            told = with_rotor_words(with_held(_with_curve_words(estimate, problem, likelihood), held), problem)
            told = with_swings(told, likelihood, fit.point)
            return with_unknown_noise(told) if problem.guesses_noise else told

    def _suspected(self, found: _Found) -> Suspected:
        """What may be wrong; nothing can be said of what is left by a fit that is wild."""
        stands = found.likelihood.problem.robot.base == "fixed"
        if stands or not misfit_of(found.fit.residual) < _WILD:
            return NOTHING
        with suppress(NotPossible):
            beside = everything_beside(found.likelihood, found.fit.point)
            if not beside.fit.is_usable:
                return NOTHING
            return beside.suspected(refit=found.fit.converged, seek=self.seeks_swings)
        return NOTHING

    def _refined(self, found: _Found, effort: Effort) -> _Found:
        """With finer curves where what is left is coloured."""
        for _ in range(_REFINEMENTS if found.likelihood.has_local_curves else 0):
            before = misfit_of(stacked(found.rows)[0])
            fine = white(found.rows) is not False or not np.isfinite(found.likelihood.unsettled)
            best = fine or before > WRONG_MODEL or effort.is_spent
            finer = None if best else with_finer_curves(found.likelihood.problem)
            if finer is None:
                break
            say("finer curves of the joints")
            found = self._fit(Likelihood(finer), effort, found.fit.point)
            if misfit_of(stacked(found.rows)[0]) > _WORTH * before:
                break
        return found

    def _with_noise_left(self, found: _Found, effort: Effort) -> _Found:
        """With sensors of which nobody said the noise weighed by what they leave, until that settles."""
        for _ in range(_ROUNDS_OF_NOISE):
            used = used_up(found.fit, covariance_of(found.likelihood, found.fit))
            levels = levels_of_guesses(found.likelihood, found.rows, used)
            if have_settled(levels) or effort.is_spent:
                break
            say("noise as it is")
            found = self._fit(Likelihood(with_levels(found.likelihood, levels)), effort, found.fit.point)
        return found

    def _weighed(self, found: _Found, effort: Effort) -> tuple[_Found, Levels]:
        """With sensors that are noisier than declared weighed by what they leave, and how much noisier they are."""
        used = used_up(found.fit, covariance_of(found.likelihood, found.fit))
        levels = levels_of(found.likelihood, found.rows, used) if self.huber is None else {}
        if not levels or effort.is_spent:
            return found, Levels()
        say("noise as it is")
        weighed = self._fit(Likelihood(with_levels(found.likelihood, levels)), effort, found.fit.point)
        return (found, Levels()) if _is_lost(weighed, found) else (weighed, levels)

    def _without_negative(self, found: _Found, effort: Effort) -> tuple[_Found, Free]:
        """With friction that would be negative held at zero, and what the fit had found of it."""
        held = dict[str, tuple[float, float]]()
        while not effort.is_spent:
            likelihood, fit = found.likelihood, found.fit
            problem = likelihood.problem
            below = negative_friction(problem, likelihood.unknowns, fit.point, covariance_of(likelihood, fit))
            if not below:
                break
            held |= below
            say("friction that is not negative")
            there = replace(problem, frictionless=(*problem.frictionless, *below))
            found = self._fit(Likelihood(there), effort, fit.point)
        return found, held

    def _with_wider_prior(self, found: _Found, effort: Effort) -> _Found:
        """With spreads of the CAD model that the data do not deny; what is left of torques is no noise to judge by."""
        problem = found.likelihood.problem
        stands = problem.robot.base == "fixed"
        wider = None if stands or effort.is_spent else wider_spread(problem, found.likelihood.unknowns, found.fit)
        if wider is None:
            return found
        say("wider spread of the CAD model")
        widened = self._fit(Likelihood(replace(problem, prior=wider)), effort, found.fit.point)
        return found if _is_lost(widened, found) else widened

    def _fit(self, likelihood: Likelihood, effort: Effort, end: Array | None = None) -> _Found:
        """The fit that starts from the end of another, if given; from elsewhere if that leads to no plausible one."""
        point = likelihood.start() if end is None else end
        if end is None and likelihood.problem.robot.passive.size:
            say("springs of passive joints")
            point = guessed_springs(likelihood, point)
            point = StagedFit(likelihood, effort).softened(point)
        weighted = likelihood.reweigh(point)
        staged = self._staged(likelihood, point, effort)
        there, rough = staged.coarse(point, fitted=end is not None)
        fit = staged.fine(there)
        if not is_plausible(likelihood.problem, fit) and effort.begin_elsewhere():
            fit = self._from_elsewhere(likelihood, fit, rough, effort)
        if likelihood.has_local_curves:
            fit = self._with_curves(likelihood, fit, effort)
        else:
            for _ in range(_ROUNDS - 1 if weighted or self.huber else 0):
                likelihood.reweigh(fit.point)
                fit = self._staged(likelihood, fit.point, effort).again(fit.point)
        return _Found(likelihood, fit, likelihood.rows(fit.point, count=0))

    def _staged(self, likelihood: Likelihood, point: Array, effort: Effort) -> StagedFit:
        """The fit that starts from a point."""
        weights = None if self.huber is None else _huber_weights(likelihood.rows(point, count=0), self.huber)
        return StagedFit(likelihood, effort, weights)

    def _from_elsewhere(self, likelihood: Likelihood, fit: Fit, rough: float, effort: Effort) -> Fit:
        """The fit, or that from another start if it leaves less, also where the coarse one leaves `rough`."""
        supposed = likelihood.beside
        with suppress(NotPossible):
            swings = bool(likelihood.problem.robot.passive.size)
            start = swing_start(likelihood, effort) if swings else momentum_start(likelihood)
            staged = self._staged(likelihood, start, effort)
            there, left = staged.coarse(start)
            if not left > rough and misfit_of((other := staged.fine(there)).residual) < misfit_of(fit.residual):
                return other
        likelihood.beside = supposed
        return fit

    def _with_curves(self, likelihood: Likelihood, fit: Fit, effort: Effort) -> Fit:
        """The fit, and the curves that all sensors make most likely with it."""
        for _ in range(SETTLING):
            likelihood.unsettled = likelihood.settle(fit.point)
            if not np.isfinite(likelihood.unsettled):
                break
            supposed = likelihood.beside
            try:
                fit = self._staged(likelihood, fit.point, effort).again(fit.point)
            except NotPossible:  # data so wrong that the fit ended at the edge of what can be
                likelihood.beside = supposed
                break
            left = misfit_of(fit.residual)
            if left > WRONG_MODEL or likelihood.unsettled < SETTLED * max(left, 1.0) or effort.is_spent:
                break
        return fit


def _or_the_prior(suspected: Suspected, given: Problem, used: Problem) -> Suspected:
    """What is suspected; if that is nothing, but the data deny the CAD model's spreads, these."""
    if suspected.strange or given.prior is None or used.prior is None or given.prior == used.prior:
        return suspected
    widened = [getattr(used.prior, kind) / getattr(given.prior, kind) for kind in KINDS if getattr(given.prior, kind)]
    if max(widened, default=1.0) < _MUCH_WIDER:
        return suspected
    what = f"the CAD model is worse than was said of it, its spreads up to {max(widened):.2g} times as wide"
    cure = "widen the prior in the mission file, or correct the robot file"
    return Suspected((Cause("prior", "", what, max(widened), np.nan, np.nan, cure=cure),), strange=True)


def with_finer_curves(problem: Problem) -> Problem | None:
    """The problem with joints' curves on knots half as far apart; None if there are none, or too few readings."""
    flights = [on_finer_knots(flight) for flight in problem.flights]
    if all(flight is None for flight in flights):
        return None
    chosen = (finer or given for finer, given in zip(flights, problem.flights, strict=True))
    return replace(problem, flights=tuple(chosen))


def _with_curve_words(estimate: Estimate, problem: Problem, likelihood: Likelihood) -> Estimate:
    """The estimate with what there is to say of the curves: knots that were refined, curves that did not settle."""
    notes = tuple(_knots_noted(problem, likelihood))
    if likelihood.unsettled < SETTLED * max(estimate.residual.ratio, 1.0):
        return replace(estimate, notes=(*estimate.notes, *notes))
    why = f"they still move readings by {likelihood.unsettled:.2g} of their noise"
    if not np.isfinite(likelihood.unsettled):
        why = "readings contradict the model by far, so that they are those of the encoders alone"
    return replace(
        estimate,
        outcome="doubtful" if estimate.outcome == "good" else estimate.outcome,
        warnings=(*estimate.warnings, f"curves of the joints have not settled: {why}"),
        notes=(*estimate.notes, *notes),
    )


def _knots_noted(problem: Problem, likelihood: Likelihood) -> Iterator[str]:
    """Where knots are that were refined since the problem was given."""
    for flight, given in zip(likelihood.flights, problem.flights, strict=True):
        before = LocalCurves.of(given)
        if flight.local is not None and before is not None and flight.local.spline.spacing_s < before.spline.spacing_s:
            yield (
                f"{flight.flight.name}: what was left was coloured, so that curves got finer knots: every "
                f"{flight.local.spline.spacing_s:.3g} s, {flight.local.spline.count} coefficients each"
            )


def _curve_share(likelihood: Likelihood, fit: Fit) -> Array:
    """Variance of clusters that errors of the joints' and wheels' curves make, (clusters,)."""
    top = covariance_of(likelihood, fit)[: len(likelihood.problem.minimal)]
    found = np.zeros(len(top))
    for flight in likelihood.flights:
        found += flight.curve_share(likelihood.phi(fit.point), fit.point, top)
    return found


def _measured(likelihood: Likelihood) -> int:
    """How many values were measured."""
    return sum(
        reading.data.t.size * int(reading.axes.size)
        for flight in likelihood.flights
        for reading in flight.readings.values()
    )


def _huber_weights(rows: tuple[Rows, ...], huber: float) -> Array:
    size = np.abs(np.concatenate([part.values.ravel() for part in rows]))
    return np.sqrt(np.minimum(1.0, huber / np.maximum(size, 1e-300)))


def _is_lost(refined: _Found, before: _Found) -> bool:
    """Whether a refinement did not converge where what it refines did."""
    return before.fit.converged and not refined.fit.converged
