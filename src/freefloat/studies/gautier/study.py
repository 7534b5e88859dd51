"""Figures of M. Gautier, W. Khalil (IJRR 1992) beside ours.

"Exciting trajectories for the identification of base inertial parameters of robots", International Journal of Robotics
Research 11(4): the effect of the number of equations (Table 2), and of noise (Tables 3 to 12); the appendix; and, where
something is not printed, which value of it gives the printed figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from freefloat.dynamics.states import random_states
from freefloat.excitation.goals.equilibrium import equilibrium
from freefloat.excitation.procedures.optimum_points import OptimumPoints, equilibrium_front, optimum_points
from freefloat.models.model import Energy
from freefloat.robot.model import Robot
from freefloat.studies.catalogue import published
from freefloat.studies.check import Check, Effort, Robots, Watch
from freefloat.studies.gautier.appendix import appendix
from freefloat.studies.gautier.causes import causes
from freefloat.studies.gautier.experiment import SAMPLES, STUDY, Arm, ends_and_means, points_problem
from freefloat.studies.gautier.noise import Sets, estimates, perturbations, scatter

_EQUILIBRIUM_WEIGHTS = {30: (0.05, 0.15, 0.3, 0.45), 15: (0.1, 0.3)}  # of log S beside log cond
_APPENDIX = ("condition_number", "right", "error", "bound_over_error")

# Rows of energy differences do not depend on masses, only what is estimated from them does; counts hardly.
FREE_OF_MASSES = frozenset(
    {
        "gautier.base_parameters",
        *(f"gautier.condition_number.r{r}" for r in (15, 20, 30)),
        *(f"gautier.equilibrium.{name}r{r}" for name in ("", "condition_number.") for r in (15, 30)),
        *(f"gautier.random.equilibrium.r{r}" for r in (15, 30)),
        *(f"gautier.front.r{r}.w{weight:g}" for r, weights in _EQUILIBRIUM_WEIGHTS.items() for weight in weights),
        *(f"gautier.appendix.example{n}.{name}" for n in (1, 2) for name in _APPENDIX),
        "gautier.cause.other_limits",
        *(f"gautier.identification.{name}_r{r}.not_significant" for name in ("optimum", "random") for r in (15, 30)),
        *(
            f"gautier.random.{name}.r{r}"
            for name in ("condition_number", "extremes")
            for r in (15, 20, 30, 50, 100, 200, 300, 500)
        ),
        *(
            f"gautier.perturbation.{noise}.{points}_r{r}.regressor"
            for noise in ("state", "both")
            for points in ("optimum", "random")
            for r in (15, 30)
        ),
        *(
            f"gautier.perturbation.state.{points}_r{r}.perturbed_condition_number"
            for points in ("optimum", "random")
            for r in (15, 30)
        ),
        *(
            f"gautier.cause.less_position_noise.{noise}.{points}_r{r}.regressor"
            for noise in ("state", "both")
            for points in ("optimum", "random")
            for r in (15, 30)
        ),
        *(
            f"gautier.cause.less_position_noise.state.{points}_r{r}.perturbed_condition_number"
            for points in ("optimum", "random")
            for r in (15, 30)
        ),
        *(f"gautier.cause.limits_of_table_2.r{r}" for r in (15, 100, 500)),
        *(
            f"gautier.cause.wider_limits.{noise}.optimum_r{r}.regressor"
            for noise in ("state", "both")
            for r in (15, 30)
        ),
        *(f"gautier.cause.wider_limits.state.optimum_r{r}.perturbed_condition_number" for r in (15, 30)),
    }
)

_LIMITS = (
    "limits are not printed; ours: 45 deg either way, 0.88 rad/s, chosen so that the random rows of Table 2 nearly "
)
_LIMITS += "come out, and 20 rad/s^2"


@dataclass(frozen=True, slots=True)
class _GautierSize:
    """How much is computed: starts of the designs by number of rows, without and with equilibrium; random draws."""

    starts: dict[int, int]
    equilibrium_starts: dict[int, int]
    draws: int


_SIZES: dict[Effort, _GautierSize] = {
    "glance": _GautierSize({15: 1, 20: 1, 30: 1}, {30: 1, 15: 1}, 20),
    "usual": _GautierSize({15: 32, 20: 6, 30: 8}, {30: 12, 15: 18}, 200),
    "full": _GautierSize({15: 60, 20: 8, 30: 12}, {30: 24, 15: 24}, 1000),
}


def checks(robots: Robots, effort: Effort, watch: Watch) -> Iterator[Check]:
    """All figures of the article."""
    arm, size = Arm(robots(STUDY)), _SIZES[effort]
    yield _rank(arm.robot)
    found = {}
    for r, starts in size.starts.items():
        watch(f"optimum points, {r} equations")
        found[r] = optimum_points(*points_problem(arm.robot), r, starts=starts)
        yield _condition_number(r, found[r])
    for r, starts in size.equilibrium_starts.items():
        watch(f"optimum points with equilibrium, {r} equations")
        yield from _equilibrium(arm.robot, r, starts)
    yield from _random(arm, size.draws, watch)
    points = {("optimum", r): [arm.placed(found[r])] * size.draws for r in (15, 30)}
    for r, condition_number in published(STUDY)["results"]["random_condition_numbers_used"]:
        points["random", r] = arm.random_sets(r, size.draws, condition_number)
    yield from _random_equilibrium(arm, points)
    yield from estimates(arm, points)
    yield from perturbations(arm, points, watch)
    yield from causes(arm, points, size.equilibrium_starts[30], size.draws, watch)
    yield from appendix()


# ---------------------------------------------------------------------- rows


def _rank(robot: Robot) -> Check:
    """How many parameters energy differences show: the rank of the regressor of all 30."""
    energies = Energy(robot).standard_rows(random_states(robot, 500))[:, 0]
    return Check(
        "gautier.base_parameters",
        "base parameters",
        float(len(published(STUDY)["parameters"]["base"]["entries"])),
        float(np.linalg.matrix_rank(np.diff(energies, axis=0))),
        note="gravity is not printed; ours: 9.81 m/s^2 along the first axis; without it there would be 13",
    )


def _condition_number(r: int, found: OptimumPoints) -> Check:
    return Check(
        f"gautier.condition_number.r{r}",
        f"condition number of optimum points, {r} equations",
        dict(published(STUDY)["results"]["optimum_condition_numbers"])[r],
        found.condition_number,
        better="lower",
        way="default",
        comparable=False,
        note=_LIMITS,
    )


def _equilibrium(robot: Robot, r: int, starts: int) -> Iterator[Check]:
    """S of so many equations, and what condition number is left with it: weight by weight, then the heaviest alone."""
    results, weights = published(STUDY)["results"], _EQUILIBRIUM_WEIGHTS[r]
    front = equilibrium_front(*points_problem(robot), r, weights, starts=starts)
    (scaling,) = (optimum for rows, optimum, _ in results["scaling"] if rows == r)
    printed = dict(results["optimum_condition_numbers"])[r]
    for weight, each in zip(weights, front, strict=True):
        yield Check(
            f"gautier.front.r{r}.w{weight:g}",
            f"condition number and equilibrium S, {r} equations, weight {weight:g}",
            (printed, scaling),
            (each.condition_number, each.equilibrium),
            better="lower",
            way="default",
            comparable=False,
            note=f"{_LIMITS}; other limits give both: gautier.cause.other_limits",
        )
    found, weight = front[-1], weights[-1]
    note = f"{_LIMITS}; nor are the weights of both, ours: 1 and {weight:g}; a lower S costs condition number"
    figures = (
        (f"gautier.equilibrium.r{r}", f"equilibrium S, {r} equations", scaling, found.equilibrium),
        (
            f"gautier.equilibrium.condition_number.r{r}",
            f"condition number with that equilibrium, {r} equations",
            printed,
            found.condition_number,
        ),
    )
    for name, quantity, printed, ours in figures:
        yield Check(name, quantity, printed, ours, better="lower", way="default", comparable=False, note=note)


def _random(arm: Arm, draws: int, watch: Watch) -> Iterator[Check]:
    """Means, smallest and largest of ten random sequences, Table 2."""
    for r, least, mean, largest in published(STUDY)["results"]["random_condition_numbers"]:
        watch(f"random points, {r} equations")
        smallest, means, highest = ends_and_means(arm, r, draws)
        note = (
            "neither limits nor the law of random points are printed; ours, uniform within 45 deg and 0.88 rad/s, were "
            "chosen so that these rows nearly come out, as others would: see gautier.cause.limits_of_table_2"
        )
        yield Check(
            f"gautier.random.condition_number.r{r}",
            f"condition number of random points, mean of {SAMPLES}, {r} equations",
            mean,
            float(np.median(means)),
            tolerance=scatter(means, mean),
            comparable=False,
            note=f"{note}; ours is the median of such means; tolerance: how far 9 of 10 means of {SAMPLES} scatter, "
            "at most a half",
        )
        ends = smallest, highest
        yield Check(
            f"gautier.random.extremes.r{r}",
            f"condition numbers of random points, smallest and largest of {SAMPLES}, {r} equations",
            (least, largest),
            tuple(float(np.median(each)) for each in ends),
            tolerance=max(scatter(each, printed) for each, printed in zip(ends, (least, largest), strict=True)),
            comparable=False,
            note=f"{note}; ours are the medians of such extremes; tolerance: how far 9 of 10 scatter, at most a half",
        )


def _random_equilibrium(arm: Arm, points: Sets) -> Iterator[Check]:
    """S of the random points that are used, Tables 3 and 8. points: sets by kind and number of equations."""
    for r, _, printed in published(STUDY)["results"]["scaling"]:
        values = np.array([equilibrium(arm.task.matrix(x)) for x in points["random", r]])
        low, high = np.quantile(values, [0.05, 0.95])
        yield Check(
            f"gautier.random.equilibrium.r{r}",
            f"equilibrium S of random points, {r} equations",
            printed,
            float(np.median(values)),
            tolerance=scatter(values, printed),
            comparable=False,
            note="neither limits nor the law of random points are printed; S is one entry over another, and scatters: "
            f"9 of 10 sets have {low:.2g} to {high:.2g}, and {100.0 * np.mean(values <= printed):.2g} % of all no more "
            "than is printed of one set; ours is the median; tolerance: how far 9 of 10 scatter, at most a half",
        )
