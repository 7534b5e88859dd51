"""Figures of M. Gautier, W. Khalil (IJRR 1992) beside ours.

"Exciting trajectories for the identification of base inertial parameters of robots", International Journal of Robotics
Research 11(4): the effect of the number of equations (Table 2), and of noise (Tables 3 to 12).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.states import random_states
from freefloat.excitation.goals.condition_number import true_condition_number
from freefloat.excitation.procedures.optimum_points import OptimumPoints, optimum_points
from freefloat.models.model import Energy
from freefloat.robot.model import Robot
from freefloat.studies.catalogue import published
from freefloat.studies.check import Check, Effort, Robots, Watch
from freefloat.studies.gautier.experiment import STUDY, Arm, points_problem

# Rows of energy differences do not depend on masses, only what is estimated from them does.
FREE_OF_MASSES = frozenset(
    {
        "gautier.base_parameters",
        *(f"gautier.condition_number.r{r}" for r in (15, 20, 30)),
        *(f"gautier.equilibrium.{name}r{r}" for name in ("", "condition_number.") for r in (15, 30)),
        *(f"gautier.random.condition_number.r{r}" for r in (15, 20, 30, 50, 100, 200, 300, 500)),
        *(
            f"gautier.perturbation.{noise}.{points}_r{r}.regressor"
            for noise in ("state", "both")
            for points in ("optimum", "random")
            for r in (15, 30)
        ),
    }
)

_LIMITS = (
    "limits are not printed; ours: 45 deg either way, 0.88 rad/s, chosen so that the random rows of Table 2 nearly "
)
_LIMITS += "come out, and 20 rad/s^2"
_EQUILIBRIUM_WEIGHTS = {30: 0.45, 15: 0.3}  # of log S beside log cond
_SAMPLES = 10  # random sequences of which Table 2 prints the mean
_MOST_SCATTER = 0.5
_LEVEL = 0.01  # k of Table 6


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
    yield from _identification(arm, found[30], size.draws)
    yield from _perturbations(arm, found, size.draws, watch)


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
    """S of so many equations, and what condition number is left with it."""
    results, weight = published(STUDY)["results"], _EQUILIBRIUM_WEIGHTS[r]
    found = optimum_points(*points_problem(robot), r, starts=starts, equilibrium_weight=weight)
    note = f"{_LIMITS}; nor are the weights of both, ours: 1 and {weight:g}; a lower S costs condition number"
    (scaling,) = (optimum for rows, optimum, _ in results["scaling"] if rows == r)
    figures = (
        (f"gautier.equilibrium.r{r}", f"equilibrium S, {r} equations", scaling, found.equilibrium),
        (
            f"gautier.equilibrium.condition_number.r{r}",
            f"condition number with that equilibrium, {r} equations",
            dict(results["optimum_condition_numbers"])[r],
            found.condition_number,
        ),
    )
    for name, quantity, printed, ours in figures:
        yield Check(name, quantity, printed, ours, better="lower", way="default", comparable=False, note=note)


def _random(arm: Arm, draws: int, watch: Watch) -> Iterator[Check]:
    """Means of ten random sequences, Table 2."""
    for r, _, mean, _ in published(STUDY)["results"]["random_condition_numbers"]:
        watch(f"random points, {r} equations")
        rng = np.random.default_rng(r)
        values = [true_condition_number(arm.task.matrix(arm.random_points(r, rng))) for _ in range(draws)]
        means = np.mean(np.reshape(values, (-1, _SAMPLES)), axis=1)
        yield Check(
            f"gautier.random.condition_number.r{r}",
            f"condition number of random points, mean of {_SAMPLES}, {r} equations",
            mean,
            float(np.median(means)),
            tolerance=_scatter(means, mean),
            comparable=False,
            note="neither limits nor the law of random points are printed; ours, uniform within 45 deg and 0.88 rad/s, "
            "were chosen so that these rows nearly come out, as others would; ours is the median of such means; "
            f"tolerance: how far 9 of 10 means of {_SAMPLES} scatter, at most a half",
        )


# ---------------------------------------------------------------------- noise

_POINTS = "the published points exist only as figures, and limits are not printed"


def _identification(arm: Arm, found: OptimumPoints, draws: int) -> Iterator[Check]:
    """Table 6: error of least squares with optimum points, noise on the energy."""
    entries = published(STUDY)["parameters"]["base"]["entries"]
    true = np.array([entry["true_value"] for entry in entries])
    estimates, spreads = np.array([entry["optimum_30"] for entry in entries]).T
    errors = arm.perturbed([arm.placed(found)] * draws, _LEVEL, 0, energy=True, state=False).parameters
    size = float(np.linalg.norm(true))
    figures = (
        ("relative_error", "relative error, 30 equations", estimates - true, np.median(errors)),
        ("expected_relative_error", "expected relative error, 30 equations", spreads, np.sqrt(np.mean(errors**2))),
    )
    for name, quantity, printed, ours in figures:
        yield Check(
            f"gautier.identification.{name}",
            quantity,
            float(np.linalg.norm(printed)) / size,
            float(ours),
            better="lower",
            comparable=False,
            note=f"k = {_LEVEL:g}, norms over all parameters; {_POINTS}; noise is a share of the largest energy, so "
            "that limits decide the figure, not the condition number alone",
        )


def _perturbations(arm: Arm, found: dict[int, OptimumPoints], draws: int, watch: Watch) -> Iterator[Check]:
    """Tables 3 to 5 and 8 to 10."""
    levels, results = published(STUDY)["noise"]["levels"], published(STUDY)["results"]
    points = {("optimum", r): [arm.placed(found[r])] * draws for r in (15, 30)}
    for r, condition_number in results["random_condition_numbers_used"]:
        points["random", r] = arm.random_sets(r, draws, condition_number)
    for row in results["perturbations"]:
        r, kind, noise = row["intervals"], row["points"], row["noise"]
        watch(f"noise on {noise}, {kind} points, {r} equations")
        flown = points[kind, r]
        drawn = [arm.perturbed(flown, k, 1, energy=noise != "state", state=noise != "energy") for k in levels]
        for name, words in _SIZES_OF.items():
            if name in row:
                values = [getattr(each, name) for each in drawn]
                yield Check(
                    f"gautier.perturbation.{noise}.{kind}_r{r}.{name}",
                    f"{words}, noise on {noise}, {kind} points, {r} equations",
                    tuple(row[name]),
                    tuple(float(np.median(each)) for each in values),
                    tolerance=max(_scatter(*each) for each in zip(values, row[name], strict=True)),
                    comparable=False,
                    note=_remark(row, name),
                )


_SIZES_OF = {
    "energy": "perturbation of the energy",
    "regressor": "perturbation of the regressor",
    "parameters": "relative error",
}


def _scatter(values: Array, printed: float) -> float:
    """How far nine of ten values are from their median, over a printed one, in whole per cent, at most a half."""
    low, middle, high = np.quantile(values, [0.05, 0.5, 0.95])
    return min(float(np.ceil(100.0 * max(high - middle, middle - low) / printed) / 100.0), _MOST_SCATTER)


def _remark(row: dict[str, object], name: str) -> str:
    """What there is to say about one row of the tables of perturbations."""
    text = f"k = 0.001, 0.01, 0.1; one draw is printed, ours is the median; {_POINTS}"
    if row["points"] == "random":
        text += ", ours: random sets of nearly the printed condition number"
    text += "; tolerance: how far 9 of 10 draws scatter, at most a half"
    if name != "regressor":
        return text
    odd = {"Table 9": "; 0.037 is probably 0.0037", "Table 10": "; 0.055 is probably 0.0055"}
    text += "; noise as stated perturbs the regressor more than is printed"
    return text + (odd.get(str(row["table"]), "") if row["points"] == "random" else "")
