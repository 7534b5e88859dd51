"""Designs of exciting motions: what they reach and cost, and exact gradients against forward differences."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import measure
import numpy as np
from excitation_gradients import gradients
from measure import Row, shortest_times
from other_solvers import augmented_lagrangian, ipopt
from rich.console import Console
from rich.table import Table

from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.linear.least_squares import LeastSquares
from freefloat.excitation.excitation import Excitation
from freefloat.excitation.finding import find_excitation
from freefloat.excitation.goals.condition_number import true_condition_number
from freefloat.excitation.plan import Plan
from freefloat.excitation.procedures.interval_design import design_intervals
from freefloat.excitation.procedures.optimum_points import optimum_points
from freefloat.excitation.solver.local_search import random_starts
from freefloat.excitation.solver.planned_task import PlannedTask
from freefloat.excitation.solver.sequential_quadratic import TOLERANCE, minimise
from freefloat.motion.trajectory import Trajectory
from freefloat.studies.ayusawa.experiment import DESIGNS, ITERATIONS, standing_plan
from freefloat.studies.ayusawa.humanoid import humanoid_plan
from freefloat.studies.ayusawa.tables import selected_motions
from freefloat.studies.catalogue import study_robot
from freefloat.studies.christidi.plan import christidi_plan
from freefloat.studies.gautier.experiment import points_problem
from freefloat.studies.naveen.experiment import STEP_S, Recordings, intervals_motion
from freefloat.studies.naveen.plans import BOX_RAD, fourier_plan, interval_task
from freefloat.studies.spirolazzi.plans import big_deviations, n1_plan, oossim_plan

BEST_KNOWN_N1 = -6.991864  # of 64 starts, seed 100, 16 November 2026: benchmarks/best_known_n1.py
NEAR_ENOUGH = 0.03  # of the standard deviations, whose logarithms have this mean
N1_STARTS, N1_SHAKES, N1_SEEDS = 4, 4, (0, 1, 2)
# Of so many rows: the condition number wanted, and starts.
POINTS = {15: (20.0, 32), 20: (16.0, 8), 30: (10.5, 12), 50: (7.0, 6), 100: (5.5, 4)}
WIDE = Console(width=150)


@dataclass(frozen=True, slots=True)
class Design:
    """One design: what it is called, what it cost, and what it reached beside what was published and is wanted."""

    problem: str
    variables: int
    seconds: float
    iterations: int | None
    reached: str
    published: str
    wanted: str
    met: bool


def compare(quick: bool) -> list[Row]:
    """All comparisons; designs and solvers have tables of their own."""
    began, rounds = time.perf_counter(), 1 if quick else 5
    n1, designs = n1_designs(quick)
    designs += [*condition_designs(quick), christidi_design(quick), naveen_design(quick)]
    designs += [naveen_fourier_design(quick), *point_designs(quick)]
    designs += [*standing_designs(quick), *humanoid_designs(quick)]
    WIDE.print(designs_table(designs))
    WIDE.print(solvers_table(quick))
    rows = [*gradients(rounds), n1_against_differences(n1, rounds)]
    print(f"all of this took {time.perf_counter() - began:.0f} s")
    return rows


# ---------------------------------------------------------------------- designs


def designed(
    plan: Plan,
    quick: bool,
    starts: int,
    most_iterations: int = 300,
    seed: int = 0,
    shakes: int = 0,
    tolerance: float = TOLERANCE,
    workers: int | None = None,
) -> Excitation:
    """A design, by as many processes as there are processors unless given."""
    effort = (1, 10, 0) if quick else (starts, most_iterations, shakes)
    most = {"most_iterations": effort[1], "shakes": effort[2], "tolerance": tolerance}
    return find_excitation(plan, effort[0], seed, workers, **most)


def n1_designs(quick: bool) -> tuple[list[Excitation], list[Design]]:
    """N1 by predicted accuracy for some seeds: against the published motion, and against the best known."""
    plan = n1_plan(study_robot("spirolazzi_n1"))
    all_found, designs = [], []
    for seed in N1_SEEDS[:1] if quick else N1_SEEDS:
        found = designed(plan, quick, N1_STARTS, seed=seed, shakes=N1_SHAKES, workers=1)
        before, after = (big_deviations(plan, plan.bound(each)) for each in (plan.shape, found.trajectory))
        better, away = float(np.median(before / after)), _from_best(found)
        reached = f"{better:.2f} times the accuracy (24 big clusters); {away:+.1%} from the best known"
        met = better >= 2.0 and away <= NEAR_ENOUGH
        wanted = f"≥ 2.0; ≤ {NEAR_ENOUGH:.0%}"
        designs.append(_row(f"N1 by accuracy, seed {seed}", plan, found, reached, "1", wanted, met))
        all_found.append(found)
    return all_found, designs


def _from_best(found: Excitation) -> float:
    """How much larger its standard deviations are, in the geometric mean."""
    return float(np.exp(found.value - BEST_KNOWN_N1) - 1.0)


def condition_designs(quick: bool) -> list[Design]:
    """N1 and the air-bearing experiment by condition number."""
    designs = []
    for name, plan, wanted in (
        ("N1 by condition number", n1_plan(study_robot("spirolazzi_n1"), goal="condition-number"), 60),
        ("OOS-SIM by condition number, attitude limited", oossim_plan(study_robot("spirolazzi_oossim")), 80),
    ):
        found, published = designed(plan, quick, 2), plan.condition_number(plan.shape)
        met, reached = found.condition_number <= wanted, f"{found.condition_number:.1f}"
        designs.append(_row(name, plan, found, reached, f"{published:.0f}", f"≤ {wanted}", met))
    return designs


def christidi_design(quick: bool) -> Design:
    """Three joints, a base that turns: mean accuracy against the published motion."""
    plan = christidi_plan(study_robot("christidi_servicer"))
    found = designed(plan, quick, 2)
    before, after = plan.bound(plan.shape).relative, plan.bound(found.trajectory).relative
    counts = np.isfinite(before)  # not those of value zero
    better = before[counts].mean() / after[counts].mean()
    reached = f"{better:.2f} times the accuracy"
    return _row("Christidi by accuracy", plan, found, reached, "1", "≥ 2.0", better >= 2.0)


def naveen_design(quick: bool) -> Design:
    """Intervals designed for the offset guess, judged on the true robot."""
    task, truth = (
        interval_task(study_robot("naveen_dual_arm_offset")),
        interval_task(study_robot("naveen_dual_arm"), 10),
    )
    began = time.perf_counter()
    found = design_intervals(task, most=67, tries=20 if quick else 1500, starts=1 if quick else 4)
    seconds = time.perf_counter() - began
    reached = true_condition_number(truth.matrix(found.trajectory))
    said = f"{reached:.1f} with {len(found.directions)} intervals"
    name = f"Naveen by three steps, box ±{np.degrees(BOX_RAD):.0f}°"
    return Design(name, 12, seconds, None, said, "248.8 with 67", "≤ 248.8", reached <= 248.8)


def naveen_fourier_design(quick: bool) -> Design:
    """A Fourier motion for the offset guess: the run's worst error against that of least squares on his intervals."""
    truth, guess = study_robot("naveen_dual_arm"), study_robot("naveen_dual_arm_offset")
    plan = fourier_plan(guess, STEP_S)
    found = designed(plan, quick, 4, 2000, tolerance=1e-4)
    runs = 1 if quick else 5
    theirs = Recordings(truth, guess, intervals_motion(truth)).worst_errors(LeastSquares(), runs).mean()
    ours = Recordings(truth, guess, found.trajectory).worst_errors(MaximumLikelihood(), runs).mean()
    reached = f"{theirs / ours:.2f} times smaller worst error ({ours:.0%} after {theirs:.0%})"
    name = f"Naveen by a Fourier motion, box ±{np.degrees(BOX_RAD):.0f}°"
    return _row(name, plan, found, reached, "1", "≥ 4", theirs >= 4.0 * ours)


def point_designs(quick: bool) -> list[Design]:
    """Optimum points of Gautier and Khalil; the limits are ours."""
    rows, limits, published = *points_problem(study_robot("gautier_khalil_arm")), {15: "53", 20: "30", 30: "11.2"}
    designs = []
    for r, (wanted, starts) in POINTS.items():
        began = time.perf_counter()
        found = optimum_points(rows, limits, r, starts=1 if quick else starts)
        seconds, name = time.perf_counter() - began, f"Gautier-Khalil, r = {r}"
        shown = f"{found.condition_number:.2f}", published.get(r, "failed"), f"≤ {wanted:g}"
        designs.append(Design(name, 6 * (r + 1), seconds, None, *shown, found.condition_number <= wanted))
    began = time.perf_counter()
    found = optimum_points(rows, limits, 15, starts=1 if quick else 24, equilibrium_weight=0.3)
    reached = f"{found.condition_number:.1f}, S = {found.equilibrium:.0f}"
    met = found.condition_number <= 27.0 and found.equilibrium <= 180.0
    cost = time.perf_counter() - began, None
    name = "Gautier-Khalil, r = 15, with equilibrium"
    return [*designs, Design(name, 96, *cost, reached, "53, S = 968", "≤ 27, S ≤ 180", met)]


def standing_designs(quick: bool) -> list[Design]:
    """Three designs of Ayusawa's size, each complementing those before, against as many of 30 random motions."""
    robot = study_robot("standing_two_arms")
    plans = partial(standing_plan, robot)
    return _one_after_the_other("Ayusawa-sized", plans, quick, ITERATIONS, 30, ("47.6", "35.7", "33.9"))


def humanoid_designs(quick: bool) -> list[Design]:
    """The same of a humanoid of 34 joints on one foot, all of them moving, on rows of the wrench under it."""
    return _one_after_the_other("humanoid, 34 joints", humanoid_plan, quick, 60, 12, ("47.6", "35.7", "33.9"))


def _one_after_the_other(
    name: str,
    plans: Callable[[tuple[Trajectory, ...]], Plan],
    quick: bool,
    most_iterations: int,
    draws: int,
    published: tuple[str, ...],
) -> list[Design]:
    """Condition numbers of each motion alone and of all so far; published: of another robot."""
    designs, earlier, last, alone = [], (), np.inf, plans(())
    chosen = selected_motions(alone, 3 if quick else draws, DESIGNS)
    for stage in range(1 if quick else DESIGNS):
        plan = plans(earlier)
        found = designed(plan, quick, 1, most_iterations, stage)
        random = plans(chosen[:stage]).condition_number(chosen[stage])
        own, whole = alone.condition_number(found.trajectory), found.condition_number
        reached = f"{whole:.4g} of the stack, {own:.4g} alone; selected of {draws} random motions {random:.4g}"
        met = whole < min(random, last)
        designs.append(
            _row(f"{name}, design {stage + 1}", plan, found, reached, f"{published[stage]} (HRP-4)", "falling", met)
        )
        earlier, last = (*earlier, found.trajectory), whole
    return designs


def _row(name: str, plan: Plan, found: Excitation, reached: str, published: str, wanted: str, met: bool) -> Design:
    """What a design reached; a target is met only within all limits."""
    cost = plan.variables.size, found.how.seconds, found.how.iterations
    return Design(name, *cost, reached, published, wanted, met and found.feasible)


def designs_table(designs: list[Design]) -> Table:
    """The designs for the eye."""
    shown = Table(title="designs, one process per processor; N1 by accuracy: one process")
    for heading in ("problem", "variables", "seconds", "iterations", "reached", "published", "wanted", "met"):
        shown.add_column(heading, justify="right" if heading in ("variables", "seconds", "iterations") else "left")
    for each in designs:
        iterations = "" if each.iterations is None else str(each.iterations)
        cost = str(each.variables), f"{each.seconds:.1f}", iterations
        shown.add_row(each.problem, *cost, each.reached, each.published, each.wanted, "yes" if each.met else "NO")
    return shown


# ---------------------------------------------------------------------- solvers


def solvers_table(quick: bool) -> Table:
    """N1 by accuracy from the same starts, limits on the same grid."""
    task = n1_plan(study_robot("spirolazzi_n1")).task()
    shown = Table(title="solvers on N1 by accuracy: same starts, derivatives, and limits on a grid")
    for heading in ("start", "solver", "seconds", "iterations", "value", "worst margin"):
        shown.add_column(heading, justify="right")
    solvers: dict[str, Callable[[PlannedTask, np.ndarray], tuple[np.ndarray, int]]] = {
        "ours": _ours,
        "augmented Lagrangian, L-BFGS-B": partial(augmented_lagrangian, rounds=1 if quick else 12),
        "IPOPT, limited memory": partial(ipopt, most_iterations=2 if quick else 150),
    }
    for number, start in enumerate(random_starts(task, 1 if quick else 2, 0)):
        for name, solve in solvers.items():
            began = time.perf_counter()
            y, iterations = solve(task, start)
            said = f"{time.perf_counter() - began:.1f}", str(iterations), f"{task.value(y)[0]:.4f}"
            shown.add_row(str(number), name, *said, f"{task.margins(y).min():.1e}")
    return shown


def _ours(task: PlannedTask, start: np.ndarray) -> tuple[np.ndarray, int]:
    found = minimise(task, start)
    return found.y, found.iterations


def n1_against_differences(found: list[Excitation], rounds: int) -> Row:
    """The whole design, the median of its seeds, against 150 gradients by forward differences; both by one thread."""
    plan = n1_plan(study_robot("spirolazzi_n1"))
    objective, coefficients = plan.objective(), plan.shape.coefficients
    value = shortest_times({"value": lambda: objective.value(coefficients)}, rounds)["value"]
    away = float(np.median([_from_best(each) for each in found]))  # the time alone says nothing
    seconds = float(np.median([each.how.seconds for each in found]))
    what = "N1 by accuracy: design, 150 difference gradients"
    note = f"{away:+.1%} from the best known (median of seeds)"
    return Row(what, seconds, 150 * (plan.variables.size + 1) * value, "design", 1.0, True, note)


if __name__ == "__main__":
    sys.exit(measure.run("excitation", __doc__ or "", compare))
