"""Nothing silent: what is wrong with data, robot file or fit is noticed, named, and comes with advice.

`diagnosed` completes an estimate with what it holds at the CAD model, with warnings and with an outcome: good without
warnings, failed if its numbers describe a mistake rather than the robot, else doubtful. Looking for mistakes takes
time, so it is done only where a fit leaves more than noise, or ends farther away than was expected: data that a
plausible model explains to within their noise hold no mistake that shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from freefloat.arrays import Array
from freefloat.data.processing.measured_curves import LOUDER
from freefloat.estimate.cause import Cause
from freefloat.estimate.causes.advice import SCALE, lost_sentence, never_sentence, residual_sentences, two_digits
from freefloat.estimate.causes.claims import NOTHING, Suspected, in_words
from freefloat.estimate.causes.impossible import least_distance
from freefloat.estimate.causes.mistakes import MISFIT, Mistake, mistakes
from freefloat.estimate.causes.outcome import FitFigures, explained_part, outcome_by, reasons_to_fail
from freefloat.estimate.causes.suspicions import (
    Suspicions,
    nothing_known,
    recording_notes,
    recording_sentences,
    suspicions,
)
from freefloat.estimate.causes.torque_mistakes import torque_mistakes
from freefloat.estimate.causes.weak_directions import WeakDirections, never_shown, weak_directions
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimate_parts import MODEL, Quantity, Residual
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.joint_curves import ProjectedCurves, SplineCurves
from freefloat.estimate.problem import Problem
from freefloat.estimate.rows.equations import Equations
from freefloat.estimate.unknowns import TIME_OFFSET, PlacedGroup, Unknowns
from freefloat.sensors.unknowns import UnknownGroup

FAR = 16.0  # mean square distance from the CAD model, in its spreads, beyond which mistakes are looked for
_CONTRADICTED, _FEW, _SINGLE = 4.0, 20.0, 5.0  # what chance hardly reaches: mean square of many, of one; one cluster
_BEYOND, _ABSURD = 4.0, 10.0  # declared standard deviations of a nuisance: a warning, a reason to look for mistakes
_LATE = 5.0  # standard deviations of a time offset that is worth a note
_MANY = 0.1  # of the clusters: so many directions that this motion does not show, though another would
_MOSTLY = 0.5  # of the directions
_NAMED = 3
_OF_THE_ROBOT = ("geometry", "known", "mass")  # causes for which it may be another robot altogether


@dataclass(frozen=True, slots=True)
class _Large:
    """A nuisance, the group that it belongs to, and its size in standard deviations that were declared of it."""

    quantity: Quantity
    group: PlacedGroup
    size: float

    @property
    def denies(self) -> bool:
        """Whether it says that something declared known is not so: all that rests on it is wrong then."""
        return self.group.is_of_known_values and self.size > _ABSURD

    @property
    def in_words(self) -> str:
        value = f"{self.quantity.value:.3g} {self.quantity.unit}".rstrip()
        return f"{self.quantity.name} is {value}, {two_digits(self.size)} of its standard deviations"


def refuse_too_few(rows: int, problem: Problem) -> None:
    """Raise if data alone, of so many rows, are to determine more clusters than that."""
    if problem.prior is None and rows < len(problem.minimal):
        raise InvalidProblem(
            f"{rows} measured values cannot determine {len(problem.minimal)} clusters; allowed: at least as many, or a "
            "prior"
        )


def diagnosed(
    estimate: Estimate,
    problem: Problem,
    unknowns: Unknowns,
    converged: bool,
    suspected: Suspected = NOTHING,
    looked: tuple[Mistake, ...] | None = None,
) -> Estimate:
    """The estimate with its warnings, notes and outcome. looked: mistakes, where they have been looked for before."""
    samples, weak = suspicions(problem), weak_directions(estimate, problem)
    if _of_filtered(problem) and estimate.residual.white is False:
        suspected = NOTHING  # what a filter colours, no other cause explains
    distance, large = distance_from_cad(estimate, problem), _large(estimate, unknowns)
    strange = estimate.residual.ratio > MISFIT or distance > FAR or any(each.size > _ABSURD for each in large)
    made = _mistakes(problem, samples, estimate.residual, strange) if looked is None else looked
    explained = estimate.residual.ratio <= MISFIT
    if explained or (suspected.named and suspected.named[0].kind not in _OF_THE_ROBOT):
        made = tuple(mistake for mistake in made if not mistake.is_another_robot)
    found = tuple(mistake.sentence for mistake in made)
    about_data = _about_recordings(problem, samples, made)
    warnings, notes = [*found, *about_data], [*recording_notes(problem, samples)]
    if not found:  # else the rest follows from it
        few = [*_few(estimate, problem, weak)]
        lost, never = _lost(problem, samples, weak) if not few else ([], [])
        warnings += [*few, *lost]
        warnings += [] if converged else ["the fit did not converge: its numbers are those where it stopped"]
        slight = all(cause.kind == "noise" and cause.amount < LOUDER for cause in suspected.named)
        if suspected.named:
            (notes if slight else warnings).append(in_words(suspected.named))
        if slight:
            if not problem.guesses_noise:  # else it is what is left
                warnings += residual_sentences(estimate.residual, _of_filtered(problem), _widened(estimate))
            warnings += _contradicted(estimate, problem, distance)
            warnings += _more_than_allowed(large)
            warnings += [in_words(suspected.causes)] if suspected.causes and not (suspected.named or warnings) else []
        else:
            warnings += _more_than_allowed([each for each in large if each.denies])
        notes += [*never, *_late(estimate, problem, unknowns, large)]
    failures = reasons_to_fail(figures_of(estimate))
    warnings += () if found else failures
    denied = tuple(each.in_words for each in large if each.denies)
    return replace(
        estimate,
        held=tuple(dict.fromkeys(weak.held)),
        outcome=outcome_by((*found, *denied, *failures), bool(warnings or estimate.warnings)),
        warnings=(*estimate.warnings, *warnings),
        notes=(*estimate.notes, *notes),
        causes=_claimed(made, suspected),
    )


def _widened(estimate: Estimate) -> bool:
    """Whether intervals are as wide as blocks of time disagree."""
    return estimate.budget is not None and MODEL in estimate.budget.sources


def _of_filtered(problem: Problem) -> str:
    """What cures a residual that is not white, where joints were filtered: their errors then last for many samples."""
    known = ProjectedCurves, SplineCurves
    filtered = (not isinstance(flight.curves, known) and "dq" in flight.noise for flight in problem.flights)
    if not problem.robot.joints or not any(filtered):
        return ""
    return "; joints were filtered, which makes the encoders' noise last: give the commanded motion, if it is known"


def figures_of(estimate: Estimate) -> FitFigures:
    """What the rule of outcomes reads."""
    unknown = () if estimate.prior is None else estimate.prior.unknown  # of which the CAD model gives no size
    expected = max(1e-300, *np.abs(estimate.cad).tolist(), *(float(body.sd().max()) for body in unknown))
    size = np.abs(estimate.values).max(initial=0.0) / expected
    return FitFigures(
        ratio=estimate.residual.ratio,
        white=estimate.residual.white,
        explained=explained_part(estimate.residuals),
        away=least_distance(estimate),
        size=float(size),
        finite=bool(np.isfinite(estimate.values).all()),
        nothing_seen=len(estimate.unseen) == len(estimate.values),
    )


def linear_mistakes(
    problem: Problem, equations: Equations, x: Array, sd: Array, residual: Residual
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Sentences about mistakes, and about the recordings, for a linear estimate.

    x, sd: unknowns and their standard deviations, shape (columns,).
    """
    samples, count = suspicions(problem), len(equations.minimal)
    variance = np.diagonal(equations.cad_covariance) + sd[:count] ** 2
    away = (x[:count] - equations.cad) ** 2 / np.where(variance > 0.0, variance, np.inf)
    unknown_and_strange = np.isnan(residual.ratio) and residual.white is False
    strange = residual.ratio > MISFIT or unknown_and_strange or float(away.mean()) > FAR
    made = torque_mistakes(problem) or _mistakes(problem, samples, residual, strange)
    return tuple(mistake.sentence for mistake in made), _about_recordings(problem, samples, made)


def _claimed(made: tuple[Mistake, ...], suspected: Suspected) -> tuple[Cause, ...]:
    """Mistakes, else what else may be wrong; another robot, which anything explains, only beside that."""
    causes = tuple(cause for mistake in made for cause in mistake.causes)
    if not made or all(mistake.is_another_robot for mistake in made):
        return (*suspected.causes, *causes)
    return causes


def _mistakes(problem: Problem, samples: Suspicions, residual: Residual, strange: bool) -> tuple[Mistake, ...]:
    """Mistakes, which are looked for if something is strange."""
    return tuple(mistakes(problem, samples, residual.ratio)) if strange else ()


def _about_recordings(problem: Problem, samples: Suspicions, made: tuple[Mistake, ...]) -> tuple[str, ...]:
    """Sentences about the recordings that no mistake has said."""
    sentences = tuple(mistake.sentence for mistake in made)
    return tuple(recording_sentences(problem, samples, sentences, any(mistake.joint_units for mistake in made)))


# ---------------------------------------------------------------------- what the data do not show


def _few(estimate: Estimate, problem: Problem, weak: WeakDirections) -> Iterator[str]:
    """Whether there are too few data, or they hold too little."""
    count, rows = len(estimate.values), estimate.residual.rows
    if rows < count:
        yield (
            f"{rows} measured values for {count} clusters: most of them stay at the CAD model; record for longer, or "
            "more often"
        )
    elif len(weak.held) > _MOSTLY * count:
        seconds = sum(float(flight.t[-1] - flight.t[0]) for flight in problem.flights)
        yield (
            f"the data show only {count - len(weak.held)} of {count} directions, the rest is the CAD model's: "
            f"{seconds:.3g} s of this motion are too short, or move too little"
        )


def _lost(problem: Problem, samples: Suspicions, weak: WeakDirections) -> tuple[list[str], list[str]]:
    """Warnings and notes about what the data do not show at all and no other sentence names."""
    named = {SCALE} if samples.wheels_still and nothing_known(problem) else set()
    lost = tuple(words for words in dict.fromkeys(weak.lost) if words not in named)
    if not lost or (samples.still and SCALE not in lost):  # what a joint at rest hides is said with the joint
        return [], []
    hidden = len(weak.lost) - never_shown(problem)
    if problem.prior is None or SCALE in lost or hidden > _MANY * len(problem.minimal):
        return [lost_sentence(lost, open_=problem.prior is None)], []
    return [], [lost_sentence(lost) if hidden > 0 else never_sentence(lost)]


# ---------------------------------------------------------------------- what contradicts the CAD model


def distance_from_cad(estimate: Estimate, problem: Problem) -> float:
    """Mean square distance of the clusters from the CAD model, in units of its spread (without prior also of noise)."""
    return mean_square_distance(problem, estimate.values, estimate.covariance)


def mean_square_distance(problem: Problem, values: Array, covariance: Array) -> float:
    """The same of values of the clusters, (c,), that are uncertain by a covariance, (c, c)."""
    away = values - problem.cad
    spread = problem.cad_covariance + (covariance if problem.prior is None else 0.0)
    return float(away @ np.linalg.solve(spread, away)) / away.size if away.size else 0.0


def _contradicted(estimate: Estimate, problem: Problem, distance: float) -> Iterator[str]:
    if problem.prior is None or not estimate.values.size:
        return
    sizes: Array = np.abs(estimate.values - estimate.cad) / np.sqrt(np.diagonal(problem.cad_covariance))
    if distance < _CONTRADICTED + _FEW / sizes.size and sizes.max() < _SINGLE:
        return
    worst = np.argsort(-sizes)[:_NAMED]
    listed = ", ".join(f"{estimate.names[k]} by {two_digits(sizes[k])}" for k in worst)
    yield (
        f"the data contradict the CAD model: clusters differ from it by more of its spreads than it allows ({listed}); "
        "either it is worse than that, so that the prior should be wider, or the data hold what was not allowed for"
    )


# ---------------------------------------------------------------------- nuisances


def _large(estimate: Estimate, unknowns: Unknowns) -> list[_Large]:
    """Nuisances that are larger than was declared, and are so beyond their own uncertainty."""
    all_of_them = [
        (_Large(quantity, group, abs(quantity.value - mean) * precision), abs(quantity.value - mean))
        for group, quantities in _by_group(estimate, unknowns)
        for quantity, mean, precision in zip(quantities, group.mean.tolist(), _precision(group), strict=True)
    ]
    return [each for each, off in all_of_them if each.size > _BEYOND and off > _BEYOND * each.quantity.sd]


def _by_group(estimate: Estimate, unknowns: Unknowns) -> Iterator[tuple[PlacedGroup, list[Quantity]]]:
    """The groups of unknowns whose values the estimate lists, with these."""
    listed = {quantity.name: quantity for quantity in estimate.nuisances}
    for group in unknowns.parts[1:]:
        if group.labels[0] in listed:
            yield group, [listed[label] for label in group.labels]


def _precision(part: UnknownGroup) -> list[float]:
    """One over the standard deviation that is declared of each unknown; zero where nothing is."""
    alone = np.diagonal(part.information)
    if np.count_nonzero(part.information) > alone.size:  # a bias that walks, known values that err together
        alone = 1.0 / np.diagonal(np.linalg.inv(part.information))
    return np.sqrt(alone).tolist()


def _more_than_allowed(large: list[_Large]) -> Iterator[str]:
    listed = ", ".join(each.in_words for each in sorted(large, key=lambda each: -each.size)[:_NAMED])
    if any(each.denies for each in large):
        yield (
            f"the data deny what was declared known, as far as it was: {listed}; correct the robot file, or trust it "
            "less (`known`)"
        )
    elif large:
        yield (
            f"what was estimated beside the clusters is more than was assumed of it: {listed}; check the calibration, "
            "or allow for more in the nuisances"
        )


def _late(estimate: Estimate, problem: Problem, unknowns: Unknowns, large: list[_Large]) -> Iterator[str]:
    """Time offsets that are seen and are no larger than was declared."""
    warned = {each.group.place.start for each in large}
    for group, (quantity, *_) in _by_group(estimate, unknowns):
        if not group.kind.startswith(TIME_OFFSET) or group.place.start in warned or group.flight is None:
            continue
        if abs(quantity.value) > _LATE * quantity.sd:
            where = f" in {problem.flights[group.flight].name}" if len(problem.flights) > 1 else ""
            how = "late" if quantity.value > 0.0 else "early"
            clock = group.kind.removeprefix(f"{TIME_OFFSET} of ")
            what = "the base's sensors are" if clock == group.kind else f"the clock of {clock} is"
            yield f"{what} {how} by {1e3 * abs(quantity.value):.3g} ms{where}; it is allowed for"
