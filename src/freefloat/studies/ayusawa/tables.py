"""Tables I and II of Ayusawa et al.: designs one after the other, and motions selected from random ones.

Neither HRP-4 and its limits are printed, nor which rows the matrix has, nor how random motions were drawn, how large
and how many. So both row kinds are shown, joint torques and the wrench under the feet, and random motions of several
sizes: by the wrench and motions of about half their limits, Table II comes out as it is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.one_thread import one_blas_thread
from freefloat.excitation.excitation import Excitation
from freefloat.excitation.finding import find_excitation
from freefloat.excitation.goals.condition_number import true_condition_number
from freefloat.excitation.plan import Plan
from freefloat.excitation.procedures.random_selection import in_order, select_motions
from freefloat.excitation.solver.random_within import random_within
from freefloat.models.names import ModelName
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot
from freefloat.studies.ayusawa.experiment import DESIGNS, STUDY, standing_plan
from freefloat.studies.catalogue import published
from freefloat.studies.check import Check, Watch

OTHER_ROBOT = "HRP-4 and its limits are not printed; ours: a robot with as many joints"
FILLS = (1.0, 0.7, 0.53, 0.35)  # of its own limits, that every joint of a random motion fills before others count
FITTED = 0.53  # with which Table II comes out, on base-wrench rows
_ROWS: dict[ModelName, str] = {"torque": "", "base-wrench": "wrench."}
_WORDS: dict[ModelName, str] = {"torque": "rows of joint torques", "base-wrench": "rows of the wrench under the feet"}
_Numbers = tuple[tuple[float, ...], tuple[float, ...]]  # together, and each alone
TABLE_FIGURES = frozenset(
    f"ayusawa.{what}.{rows}{name}"
    for what in ("sequential", "random_selection")
    for rows in _ROWS.values()
    for name in ("condition_numbers", "alone")
) | {
    "ayusawa.random_selection.condition_number",
    "ayusawa.random_selection.fitted",
    "ayusawa.random_selection.fitted_alone",
}


def designed(robot: Robot, iterations: int, harmonics: int, watch: Watch) -> Iterator[Check]:
    """Table I: each design complements those before; all limits are kept, or there is no design."""
    printed = published(STUDY)["results"]["designed"]
    for model, rows in _ROWS.items():
        found: list[Excitation] = []
        for number in range(DESIGNS):
            watch(f"design {number + 1} of {DESIGNS}, {_WORDS[model]}")
            plan = standing_plan(robot, tuple(each.trajectory for each in found), harmonics, model)
            found.append(find_excitation(plan, 1, number, workers=1, most_iterations=iterations, shakes=0))
        single = standing_plan(robot, (), harmonics, model)
        spent = ", ".join(str(each.how.iterations) for each in found)
        note = f"{OTHER_ROBOT}; {_WORDS[model]}; {spent} iterations"
        stacked = tuple(each.condition_number for each in found)
        alone = tuple(single.condition_number(each.trajectory) for each in found)
        yield _check(f"sequential.{rows}", "designs one after the other", "together", printed["stacked"], stacked, note)
        yield _check(f"sequential.{rows}", "designs one after the other", "alone", printed["alone"], alone, note)


def selected(robot: Robot, motions: int, fills: tuple[float, ...], harmonics: int, watch: Watch) -> Iterator[Check]:
    """Table II, for random motions of several sizes."""
    printed, what = published(STUDY)["results"]["random_selection"], "random selection"
    found: dict[tuple[ModelName, float], _Numbers] = {}
    for fill in fills:
        watch(f"random selection, motions of {fill:.0%} of their limits")
        found |= {(model, fill): each for model, each in _selection(robot, motions, fill, harmonics).items()}
    for model, rows in _ROWS.items():
        sizes = "; ".join(f"{fill:.0%}: {found[model, fill][0][-1]:.4g}" for fill in fills)
        note = (
            f"{OTHER_ROBOT}; {_WORDS[model]}; three of {motions} random motions; of how many theirs are is not said; "
        )
        note += f"every joint fills its own limits; by the part that it fills, all three together: {sizes}"
        stacked, alone = found[model, fills[0]]
        if model == "torque":
            yield Check(
                "ayusawa.random_selection.condition_number",
                "random selection: condition number of three motions",
                printed["stacked"][-1],
                stacked[-1],
                better="lower",
                comparable=False,
                note=note,
            )
        yield _check(f"random_selection.{rows}", what, "together", printed["stacked"], stacked, note)
        yield _check(f"random_selection.{rows}", what, "alone", printed["alone"], alone, note)
    fill = FITTED if FITTED in fills else fills[-1]
    fitted = found["base-wrench", fill]
    note = f"{OTHER_ROBOT}; {_WORDS['base-wrench']}; three of {motions} random motions that fill {fill:.0%} of their "
    note += "limits, a size that is not printed and is chosen so that the printed table comes out"
    for name, words, index in (("fitted", "stacked", 0), ("fitted_alone", "alone", 1)):
        yield Check(
            f"ayusawa.random_selection.{name}",
            f"random selection, size of motions fitted: condition numbers, {'together' if index == 0 else 'alone'}",
            tuple(printed[words]),
            fitted[index],
            tolerance=0.25,
            comparable=False,
            note=note,
        )


def selected_motions(plan: Plan, motions: int, most: int, fill: float = 1.0, seed: int = 0) -> tuple[Trajectory, ...]:
    """The best few of some random motions of the plan's shape, by the condition number of all; the best one first."""
    with one_blas_thread():
        drawn = random_coefficients(plan, motions, fill, seed)
        value = _value(plan, drawn)
        order = in_order(select_motions(len(drawn), most, value).chosen, value)
    return tuple(plan.shape.with_coefficients(drawn[number]) for number in order)


def random_coefficients(plan: Plan, motions: int, fill: float, seed: int = 0) -> list[Array]:
    """Of so many random motions within the plan's limits, shape (k, channels) each."""
    task = plan.limits_task()
    drawn = (random_within(task, np.random.default_rng([seed, number]), fill) for number in range(motions))
    return [task.variables.coefficients(y) for y in drawn if y is not None]


def _selection(robot: Robot, motions: int, fill: float, harmonics: int) -> dict[ModelName, _Numbers]:
    """Condition numbers of one, two, three motions together and of each alone, by rows."""
    plan, found = standing_plan(robot, (), harmonics), dict[ModelName, _Numbers]()
    with one_blas_thread():
        drawn = random_coefficients(plan, motions, fill)
        for model in _ROWS:
            value = _value(replace(plan, model=model), drawn)
            order = in_order(select_motions(len(drawn), DESIGNS, value).chosen, value)
            stacked = tuple(value(order[: count + 1]) for count in range(DESIGNS))
            found[model] = (stacked, tuple(value((number,)) for number in order))
    return found


def _value(plan: Plan, drawn: list[Array]) -> Callable[[tuple[int, ...]], float]:
    """Condition number of some motions together, from the triangular factors of their rows."""
    rows = plan.on_matrix()
    triangles = [np.asarray(np.linalg.qr(rows.matrix(each), mode="r")) for each in drawn]
    return lambda chosen: true_condition_number(np.vstack([triangles[number] for number in chosen]))


def _check(name: str, what: str, which: str, printed: list[float], ours: tuple[float, ...], note: str) -> Check:
    ending = {"together": "condition_numbers", "alone": "alone"}[which]
    counted = "one, two, three motions together" if which == "together" else "each motion alone"
    rows = ", wrench" if name.endswith("wrench.") else ""
    return Check(
        f"ayusawa.{name}{ending}",
        f"{what}{rows}: condition number of {counted}",
        tuple(printed),
        ours,
        better="lower",
        way="default" if what.startswith("designs") else "published",
        comparable=False,
        note=note if which == "together" else f"{note}; what complements others may be poor alone",
    )
