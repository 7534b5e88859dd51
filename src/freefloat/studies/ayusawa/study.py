"""Figures of K. Ayusawa, A. Rioux, E. Yoshida, G. Venture, M. Gautier (ICRA 2017) beside ours.

"Generating persistently exciting trajectory based on condition number optimization", section IV.B: error and cost of
the gradient, designs one after the other, and selection from random motions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.excitation import Excitation
from freefloat.excitation.finding import find_excitation
from freefloat.excitation.goals.condition_number import ConditionNumber
from freefloat.excitation.procedures.random_selection import best_of_random
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot
from freefloat.studies.ayusawa.differences import differences, exact_gradient
from freefloat.studies.ayusawa.experiment import (
    DESIGNS,
    GOAL_INSTANTS,
    HARMONICS,
    ITERATIONS,
    PERIOD_S,
    STUDY,
    random_motion,
    standing_plan,
)
from freefloat.studies.catalogue import published
from freefloat.studies.check import Check, Effort, Robots, Watch

# All: torque rows of a base that stands do not depend on masses, and the centre of mass, which the disc limits, depends
# on their ratios only.
FREE_OF_MASSES = frozenset(
    {
        "ayusawa.gradient.relative_error",
        "ayusawa.gradient.forward_relative_error",
        "ayusawa.gradient.speed_ratio",
        "ayusawa.sequential.condition_numbers",
        "ayusawa.random_selection.condition_number",
        "ayusawa.random_selection.condition_numbers",
    }
)

_ROBOT = "HRP-4 and its limits are not printed; ours: a robot with as many joints"
_SELECTED = ConditionNumber(64.0)  # nearly the true one


@dataclass(frozen=True, slots=True)
class _AyusawaSize:
    """How much is computed.

    gradients: motions at which they are compared. iterations: of each design, before it is mended to keep all limits.
    motions: random ones to select from. harmonics: of designs and selected motions.
    """

    gradients: int
    iterations: int
    motions: int
    harmonics: int = HARMONICS


_SIZES: dict[Effort, _AyusawaSize] = {
    "glance": _AyusawaSize(1, 1, 1, 2),
    "usual": _AyusawaSize(2, 15, 8),
    "full": _AyusawaSize(10, ITERATIONS, 100),
}


def checks(robots: Robots, effort: Effort, watch: Watch) -> Iterator[Check]:
    """All figures of the article."""
    robot, size = robots(STUDY), _SIZES[effort]
    yield from _gradient(robot, size.gradients, watch)
    yield _sequential(robot, size, watch)
    yield from _random_selection(robot, size, watch)


# ---------------------------------------------------------------------- gradient


def _gradient(robot: Robot, motions: int, watch: Watch) -> Iterator[Check]:
    """At random motions within the limits."""
    printed, plan = published(STUDY)["results"]["gradient"], standing_plan(robot)
    on_rows, task = plan.on_matrix(), plan.task()
    central, forward, ratios = [], [], []
    for number in range(motions):
        watch(f"gradients, motion {number + 1} of {motions}")
        coefficients = random_motion(task, number).coefficients
        exact, quick_s = _timed(partial(exact_gradient, on_rows, coefficients), 5)
        numerical, slow_s = _timed(partial(differences, on_rows, coefficients, central=False), 1)
        ratios.append(slow_s / quick_s)
        forward.append(_apart(exact, numerical))
        central.append(_apart(exact, differences(on_rows, coefficients, central=True)))
    yield Check(
        "ayusawa.gradient.relative_error",
        "gradient against central differences, relative error",
        printed["relative_error"],
        float(np.mean(central)),
        better="lower",
        comparable=False,
        note=f"{_ROBOT}; central differences, step 1e-6; which kind theirs were is not said",
    )
    yield Check(
        "ayusawa.gradient.forward_relative_error",
        "gradient against forward differences, relative error",
        printed["relative_error"],
        float(np.mean(forward)),
        better="lower",
        comparable=False,
        note=f"{_ROBOT}; the error is that of the differences, and depends on the motion: ours is "
        f"{np.mean(forward) / printed['relative_error']:.2g} times theirs",
    )
    yield Check(
        "ayusawa.gradient.speed_ratio",
        "time of forward differences over time of the gradient",
        printed["numerical_s"] / printed["exact_s"],
        float(np.median(ratios)),
        better="higher",
        comparable=False,
        note=f"{_ROBOT}; same function, same thread, measured in this run",
    )


def _timed(work: Callable[[], Array], rounds: int) -> tuple[Array, float]:
    """A result, and the shortest time that it took this thread [s]."""
    times = []
    for _ in range(rounds):
        began = time.thread_time()
        found = work()
        times.append(time.thread_time() - began)
    return found, min(times)


def _apart(one: Array, other: Array) -> float:
    return float(np.linalg.norm(one - other) / np.linalg.norm(other))


# ---------------------------------------------------------------------- motions one after the other


def _sequential(robot: Robot, size: _AyusawaSize, watch: Watch) -> Check:
    """Designs, each complementing those before; all limits are kept, or there is no design."""
    found: list[Excitation] = []
    for number in range(DESIGNS):
        watch(f"design {number + 1} of {DESIGNS}")
        plan = standing_plan(robot, tuple(each.trajectory for each in found), size.harmonics)
        found.append(find_excitation(plan, 1, number, workers=1, most_iterations=size.iterations, shakes=0))
    iterations = ", ".join(str(each.how.iterations) for each in found)
    return Check(
        "ayusawa.sequential.condition_numbers",
        "designs one after the other: condition number of one, two, three motions",
        tuple(published(STUDY)["results"]["designed"]["stacked"]),
        tuple(each.condition_number for each in found),
        better="lower",
        way="default",
        comparable=False,
        note=f"{_ROBOT}; {iterations} iterations",
    )


def _random_selection(robot: Robot, size: _AyusawaSize, watch: Watch) -> Iterator[Check]:
    """Each stage takes the best of as many random motions of its own, together with those taken before."""
    motions, task = size.motions, standing_plan(robot, harmonics=size.harmonics).task()
    chosen, stacked = list[Trajectory](), []
    t = np.linspace(0.0, PERIOD_S, GOAL_INSTANTS)
    for stage in range(DESIGNS):
        watch(f"random selection {stage + 1} of {DESIGNS}")
        plan = standing_plan(robot, tuple(chosen), size.harmonics)
        drawn = [random_motion(task, stage * motions + number) for number in range(motions)]
        goal = plan.on_matrix(goal=_SELECTED).goal
        found = best_of_random(drawn.__getitem__, plan.conditions(), plan.rows(), goal, t, motions)
        chosen.append(found.trajectory)
        stacked.append(plan.condition_number(found.trajectory))
    printed = published(STUDY)["results"]["random_selection"]["stacked"]
    note = (
        f"{_ROBOT}; best of {motions} random motions each, as large as limits allow; how many theirs were chosen from "
    )
    note += (
        f"is not printed; ours are {', '.join(f'{a / b:.2g}' for a, b in zip(stacked, printed, strict=True))} times "
    )
    note += "theirs"
    yield Check(
        "ayusawa.random_selection.condition_number",
        "random selection: condition number of three motions",
        printed[-1],
        stacked[-1],
        better="lower",
        comparable=False,
        note=note,
    )
    yield Check(
        "ayusawa.random_selection.condition_numbers",
        "random selection: condition number of one, two, three motions",
        tuple(printed),
        tuple(stacked),
        better="lower",
        comparable=False,
        note=note,
    )
