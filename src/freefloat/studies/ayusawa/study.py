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
from freefloat.robot.model import Robot
from freefloat.studies.ayusawa.differences import differences, exact_gradient
from freefloat.studies.ayusawa.experiment import HARMONICS, ITERATIONS, STUDY, random_motion, standing_plan
from freefloat.studies.ayusawa.tables import FILLS, FITTED, OTHER_ROBOT, TABLE_FIGURES, designed, selected
from freefloat.studies.catalogue import published
from freefloat.studies.check import Check, Effort, Robots, Watch

# All: torque rows of a base that stands do not depend on masses, and the centre of mass, which the disc limits, depends
# on their ratios only.
FREE_OF_MASSES = frozenset(
    {
        "ayusawa.gradient.relative_error",
        "ayusawa.gradient.forward_relative_error",
        "ayusawa.gradient.speed_ratio",
        *TABLE_FIGURES,
    }
)


@dataclass(frozen=True, slots=True)
class _AyusawaSize:
    """How much is computed.

    gradients: motions at which they are compared. iterations: of each design, before it is mended to keep all limits.
    motions: random ones to select from. fills: sizes of random motions, over their limits, that are tried. harmonics:
    of designs and selected motions.
    """

    gradients: int
    iterations: int
    motions: int
    fills: tuple[float, ...] = FILLS
    harmonics: int = HARMONICS


_SIZES: dict[Effort, _AyusawaSize] = {
    "glance": _AyusawaSize(1, 1, 3, (1.0,), 2),
    "usual": _AyusawaSize(2, 15, 12, (1.0, FITTED)),
    "full": _AyusawaSize(10, ITERATIONS, 100),
}


def checks(robots: Robots, effort: Effort, watch: Watch) -> Iterator[Check]:
    """All figures of the article."""
    robot, size = robots(STUDY), _SIZES[effort]
    yield from _gradient(robot, size.gradients, watch)
    yield from designed(robot, size.iterations, size.harmonics, watch)
    yield from selected(robot, size.motions, size.fills, size.harmonics, watch)


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
        note=f"{OTHER_ROBOT}; central differences, step 1e-6; which kind theirs were is not said",
    )
    yield Check(
        "ayusawa.gradient.forward_relative_error",
        "gradient against forward differences, relative error",
        printed["relative_error"],
        float(np.mean(forward)),
        better="lower",
        comparable=False,
        note=f"{OTHER_ROBOT}; the error is that of the differences, and depends on the motion: ours is "
        f"{np.mean(forward) / printed['relative_error']:.2g} times theirs",
    )
    yield Check(
        "ayusawa.gradient.speed_ratio",
        "time of forward differences over time of the gradient",
        printed["numerical_s"] / printed["exact_s"],
        float(np.median(ratios)),
        better="higher",
        comparable=False,
        note=f"{OTHER_ROBOT}; same function, same thread, measured in this run",
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
