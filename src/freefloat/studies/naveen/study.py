"""Figures of B. Naveen, S. V. Shah, A. K. Misra (2019) beside ours.

"Momentum model-based minimal parameter identification of a space robot", Journal of Guidance, Control, and Dynamics:
Tables 4 to 6, the pruning of intervals and figure 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.linear.least_squares import LeastSquares
from freefloat.estimate.problem import Problem
from freefloat.excitation.goals.condition_number import true_condition_number
from freefloat.excitation.limits.infeasible import NoMotionFound
from freefloat.excitation.procedures.interval_design import design_intervals
from freefloat.excitation.procedures.interval_pruning import interval_record, prune
from freefloat.excitation.procedures.interval_task import IntervalTask
from freefloat.models.model import Momentum
from freefloat.motion.cycloid import direction_combinations
from freefloat.robot.model import Robot
from freefloat.studies.catalogue import published
from freefloat.studies.check import Check, Effort, Robots, Watch, Way
from freefloat.studies.naveen.experiment import (
    GUESS,
    STEP_S,
    STUDY,
    Recordings,
    channels,
    intervals_motion,
    published_seeds,
)
from freefloat.studies.naveen.plans import BOX_RAD, interval_task
from freefloat.studies.naveen.table6 import prediction_checks
from freefloat.studies.printed_table import half_a_digit, table_checks

FREE_OF_MASSES = frozenset(  # counts
    {
        "naveen.pruning.intervals",
        "naveen.significant_singular_values",
        "naveen.cause.first_intervals.case3.max_relative_error",
    }
)

_EXACT = 1e-9  # what rounding leaves of a fit to exact data, condition number 250
_GOOD_ORDER = 973  # OURS: seed of an order in which the updated rule keeps few intervals
_INSTANTS = 10  # of an interval, where its singular values are counted
_FLOWN = "which intervals are flown and the sampling step are not printed; ours: 67 of equal condition number, "
_FLOWN += f"{STEP_S:g} s"


@dataclass(frozen=True, slots=True)
class _NaveenSize:
    """How much is computed: runs with noise; choices of other intervals; rounds, tries, starts of exchange; step."""

    runs: int
    choices: int
    rounds: int
    tries: int
    starts: int
    step_s: float = STEP_S


_SIZES: dict[Effort, _NaveenSize] = {
    "glance": _NaveenSize(1, 1, 1, 20, 1, 0.1),
    "usual": _NaveenSize(5, 30, 6, 1500, 1),
    "full": _NaveenSize(20, 120, 6, 1500, 4),
}


def checks(robots: Robots, effort: Effort, watch: Watch) -> Iterator[Check]:
    """All figures of the article."""
    truth, guess, size = robots(STUDY), robots(GUESS), _SIZES[effort]
    yield from _minimal(truth)
    watch("intervals one after the other")
    yield from _intervals(truth)
    yield from _design(truth, guess, size, watch)
    flown = Recordings(truth, guess, intervals_motion(truth), size.step_s)
    yield from _without_noise(flown)
    yield from _few_intervals(truth, guess, size, watch)
    yield from _with_noise(flown, size, watch)


# ---------------------------------------------------------------------- Table 4, true values


def _minimal(truth: Robot) -> Iterator[Check]:
    values = _by_printed_name(truth)
    entries = published(STUDY)["parameters"]["minimal"]["entries"]
    legible = [entry for entry in entries if entry["true_value"] is not None]
    printed = np.array([entry["true_value"] for entry in legible])
    ours = np.array([values[entry["name"]] for entry in legible])
    note = (
        f"{len(legible)} of {len(entries)} entries are legible; Table 2 prints -0.45 for y of link 2, all of Table 4 "
    )
    note += "says -0.04"
    half = half_a_digit(STUDY, "minimal")
    yield from table_checks("naveen.minimal", "parameter from Table 4", ours, printed, half, note)


def _by_printed_name(truth: Robot) -> dict[str, float]:
    """Minimal parameters by the names in Table 4, where links lead with Ixx - Iyy."""
    model = Momentum(truth)
    names = [
        f"{leader} - Iyy_{leader.removeprefix('Ixx_')}" if leader.startswith("Ixx_link") else leader
        for leader in model.minimal.leaders
    ]
    return dict(zip(names, model.values().tolist(), strict=True))


# ---------------------------------------------------------------------- intervals


def _intervals(truth: Robot) -> Iterator[Check]:
    """Figure 4, condition numbers and the pruning rule on all 256 intervals in our order."""
    results = published(STUDY)["results"]
    task, pool = interval_task(truth, _INSTANTS), direction_combinations(len(channels(truth)))
    blocks = task.blocks(task.trajectory(published_seeds(), pool))
    record = interval_record(blocks[:64])
    growth = results["significant_singular_values_by_intervals"]
    order = "the order of the intervals is not printed; ours was chosen because it comes nearest"
    yield Check(
        "naveen.significant_singular_values",
        f"significant singular values after {', '.join(str(count) for count, _ in growth)} intervals",
        tuple(float(significant) for _, significant in growth),
        tuple(float(record.significant_so_far[count - 1]) for count, _ in growth),
        tolerance=0.03,
        comparable=False,
        note=f"{order}; tolerance: one of 38",
    )
    yield Check(
        "naveen.surrogate.condition_number",
        "condition number, 67 intervals",
        results["condition_number"],
        true_condition_number(task.matrix(intervals_motion(truth))),
        tolerance=0.01,
        comparable=False,
        note="published seeds, 67 intervals that we chose so that this number comes out; "
        f"all 256 have {true_condition_number(blocks.reshape(-1, blocks.shape[2])):.4g}, for which none is printed",
    )
    yield Check(
        "naveen.pruning.updated_rule.intervals",
        "intervals kept",
        float(published(STUDY)["excitation"]["intervals_kept"]),
        float(prune(blocks).size),
        better="lower",
        comparable=False,
        note="Algorithm 1 as printed never updates its reference values and keeps all 256; here it does; cause: the "
        f"order of the intervals, which is not printed, see the next row; {order}",
    )
    yield _in_another_order(blocks)


def _in_another_order(blocks: Array) -> Check:
    """Intervals kept of blocks (intervals, m, columns), and their condition number, in one of many other orders."""
    shuffled = blocks[np.random.default_rng(_GOOD_ORDER).permutation(len(blocks))]
    kept = prune(shuffled)
    return Check(
        "naveen.cause.order.intervals",
        "intervals kept and their condition number, intervals in another order",
        (float(published(STUDY)["excitation"]["intervals_kept"]), published(STUDY)["results"]["condition_number"]),
        (float(kept.size), true_condition_number(shuffled[kept].reshape(-1, blocks.shape[2]))),
        better="lower",
        comparable=False,
        note="the rule with updated reference values; of 1500 random orders, which keep 62 to 124, the one that keeps "
        "the fewest; figure 4 does not come out in it",
    )


def _design(truth: Robot, guess: Robot, size: _NaveenSize, watch: Watch) -> Iterator[Check]:
    """The three steps with an exchange of intervals, designed for the guess, judged on the true robot."""
    watch("design of 67 intervals for the offset guess")
    excitation, wanted = published(STUDY)["excitation"], published(STUDY)["results"]["condition_number"]
    most, task, judged = excitation["intervals_kept"], interval_task(guess), interval_task(truth, _INSTANTS)
    found = design_intervals(task, most=most, rounds=size.rounds, tries=size.tries, starts=size.starts)
    note = "designed for the offset guess, judged on the true robot; position limits are not printed; "
    note += f"ours: {np.degrees(BOX_RAD):.0f} deg either way"
    yield Check(
        "naveen.pruning.condition_number",
        "condition number, 67 intervals",
        wanted,
        true_condition_number(judged.matrix(found.trajectory)),
        better="lower",
        way="default",
        note=note,
    )
    watch("as few intervals as give the published condition number")
    yield Check(
        "naveen.pruning.intervals",
        "intervals kept",
        most,
        _fewest(interval_task(truth), most, wanted, size),
        better="lower",
        way="default",
        note="designed for the robot as published, with a condition number no larger than the published one; position "
        f"limits are not printed; ours: {np.degrees(BOX_RAD):.0f} deg either way",
    )


def _fewest(task: IntervalTask, most: int, condition_number: float, size: _NaveenSize) -> float:
    """Intervals that the search keeps; infinite if it finds none so good among so many."""
    try:
        found = design_intervals(
            task,
            most=most,
            condition_number=condition_number,
            rounds=size.rounds,
            tries=size.tries,
            starts=size.starts,
        )
    except NoMotionFound:
        return np.inf
    return float(len(found.directions))


# ---------------------------------------------------------------------- Table 5


def _without_noise(flown: Recordings) -> Iterator[Check]:
    """Angles of joints as they are, and as Appendix C has them."""
    errors = flown.errors(LeastSquares().estimate(flown.problem(None)))
    yield Check(
        "naveen.noiseless.max_relative_error",
        "largest relative error without noise",
        0.0,
        float(errors.max()),
        tolerance=_EXACT,
        note="the article says that estimates match exactly, which they do if joint angles are exact",
    )
    errors = flown.errors(LeastSquares().estimate(flown.integrated(None)))
    yield Check(
        "naveen.noiseless.euler_steps.max_relative_error",
        "largest relative error without noise, joint angles by Euler steps",
        0.0,
        float(errors.max()),
        tolerance=_EXACT,
        comparable=False,
        note=f"eq. 47 adds up joint rates in Euler steps; in steps of {flown.step_s:g} s, which are ours, that alone "
        "leaves this error",
    )


def _few_intervals(truth: Robot, guess: Robot, size: _NaveenSize, watch: Watch) -> Iterator[Check]:
    """Cases 2 and 3: least squares on too few intervals."""
    for case in ("case2", "case3"):
        printed = published(STUDY)["results"][case]
        count = printed["intervals"]
        watch(f"least squares, {count} intervals")
        flown = Recordings(truth, guess, intervals_motion(truth, np.arange(count)), size.step_s)
        errors = [flown.errors(LeastSquares().estimate(flown.integrated(run))) for run in range(size.runs)]
        for kind, value in (("median", np.median(errors, axis=1)), ("max", np.max(errors, axis=1))):
            yield Check(
                f"naveen.ols.{case}.{kind}_relative_error",
                f"{_WORDS[kind]}, {count} intervals",
                printed[f"{kind}_error_pct"] / 100.0,
                float(np.mean(value)),
                better="lower",
                tolerance=0.3,
                comparable=False,
                note="which intervals come first is not printed; too few to see all parameters, so figures scatter: "
                "see naveen.cause.first_intervals",
            )
    watch("least squares, other intervals first")
    yield _other_intervals_first(truth, guess, size)


def _other_intervals_first(truth: Robot, guess: Robot, size: _NaveenSize) -> Check:
    """Case 3 with 40 intervals drawn from all 256."""
    printed, worst = published(STUDY)["results"]["case3"], list[float]()
    for choice in range(size.choices):
        rng = np.random.default_rng([choice, 40])
        intervals = rng.choice(256, printed["intervals"], replace=False)
        flown = Recordings(truth, guess, intervals_motion(truth, intervals), size.step_s)
        worst.append(float(flown.errors(LeastSquares().estimate(flown.integrated(choice))).max()))
    low, middle, high = np.quantile(worst, [0.05, 0.5, 0.95])
    return Check(
        "naveen.cause.first_intervals.case3.max_relative_error",
        f"largest relative error, {printed['intervals']} intervals: share of other choices below the printed one",
        0.5,
        float(np.mean(np.less(worst, printed["max_error_pct"] / 100.0))),
        tolerance=0.9,
        comparable=False,
        note=f"which intervals come first is not printed; of {len(worst)} choices 9 of 10 are {low:.3g} to {high:.3g}"
        f", the median {middle:.3g}; tolerance: from 5 to 95 %",
    )


_WORDS = {"median": "median relative error", "max": "largest relative error"}


def _with_noise(flown: Recordings, size: _NaveenSize, watch: Watch) -> Iterator[Check]:
    """Case 1 by least squares and by maximum likelihood: errors, and predictions of unseen motions."""
    found = dict[Way, Array]()
    default = "readings of a joint-rate sensor, as in Appendix C; the guess is up to 120 % off: no prior"
    ways: tuple[tuple[Estimator, str, Way], ...] = (
        (LeastSquares(), "ols", "published"),
        (MaximumLikelihood(), "default", "default"),
    )
    for estimator, label, way in ways:
        problem = flown.integrated if way == "published" else flown.measured
        errors, found[way] = _runs(flown, problem, estimator, size.runs, watch)
        yield from _errors(errors, label, way, _FLOWN if label == "ols" else default)
    yield from prediction_checks(flown.truth, found)


def _runs(
    flown: Recordings, problem: Callable[[int], Problem], estimator: Estimator, runs: int, watch: Watch
) -> tuple[Array, Array]:
    """Relative errors, shape (runs, 52), and standard parameters, shape (runs, parameters)."""
    errors, parameters = [], []
    for run in range(runs):
        watch(f"{estimator.name}, run {run + 1} of {runs}")
        estimate = estimator.estimate(problem(run))
        errors.append(flown.errors(estimate))
        parameters.append(estimate.parameters)
    return np.array(errors), np.array(parameters)


def _errors(errors: Array, label: str, way: Way, note: str) -> Iterator[Check]:
    printed = published(STUDY)["results"]["case1"]
    as_printed = label == "ols"
    yield Check(
        f"naveen.{label}.median_relative_error",
        _WORDS["median"],
        printed["median_error_pct"] / 100.0,
        float(np.median(errors, axis=1).mean()),
        better="equal" if as_printed else "lower",
        tolerance=0.3 if as_printed else 0.0,
        way=way,
        note=f"{note}; tolerance: steps of 0.01 to 0.2 s and ways to integrate give 1.5 to 2.4 %"
        if as_printed
        else note,
    )
    yield Check(
        f"naveen.{label}.max_relative_error",
        _WORDS["max"],
        printed["max_error_pct"] / 100.0,
        float(errors.max(axis=1).mean()),
        better="lower",
        way=way,
        note=note,
    )
