"""How far a design is: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
import time

import numpy as np
from rich.progress import BarColumn, Progress as Bar, TextColumn

from freefloat.cli.console import error_console
from freefloat.cli.progress.bars import PatientBar
from freefloat.cli.progress.waiting import Waiting
from freefloat.excitation.finding import Standing, margins_of
from freefloat.excitation.limits.joint import JointPosition
from freefloat.excitation.margin import Margin
from freefloat.excitation.plan import Plan
from freefloat.motion.trajectory import Trajectory
from freefloat.report.design_words import accuracy_words, condition_words

_BETWEEN_S = 3.0  # predictions of the best motion so far take a tenth of a second: not more often than this,
_RARELY = 20.0  # and with so many times as long as they took between them


class DesignProgress(PatientBar):
    """Updated by a design as it goes on; says on standard error how far it is.

    Searches are the starts and, after them, the best of these shaken. quiet: says nothing. json: says no lines but
    those of searches that ended.
    """

    def __init__(self, plan: Plan, quiet: bool, json: bool = False) -> None:
        self.plan, self.quiet = plan, quiet
        self.console = error_console(quiet)
        self.best, self.finished, self.last, self.words = math.inf, 0, 0.0, "no motion within all limits yet"
        self.between_s = _BETWEEN_S
        text, silent = TextColumn("{task.description}"), quiet or not self.console.is_terminal
        self.bar = Bar(BarColumn(18), text, console=self.console, disable=silent)
        self.task = self.bar.add_task("", total=None)  # how many searches there are, the first update says
        self.waiting = Waiting(self.console, self.describe, quiet or json)
        self.waiting.begin("designing the motion")

    def update(self, standing: Standing) -> None:
        """A search made an iteration, or came to its end."""
        if self.quiet:
            return
        ended = standing.finished > self.finished
        due = ended or time.monotonic() - self.last > self.between_s
        motion = standing.motion if standing.y is None else self.plan.variables.trajectory(standing.y)
        if motion is not None and standing.best < self.best and due:
            began = time.monotonic()
            self.best, self.words = standing.best, self._best_in_words(motion)
            self.last = time.monotonic()
            self.between_s = max(_BETWEEN_S, _RARELY * (self.last - began))
        self.words = standing.said or self.words
        self.finished = standing.finished
        line = f"{standing.finished}/{standing.starts} searches   {self.words}"
        self.waiting.begin(line)
        self.bar.update(self.task, completed=standing.finished, total=standing.starts)
        if ended and not self.console.is_terminal:
            self.waiting.say(line)

    def _best_in_words(self, trajectory: Trajectory) -> str:
        """Accuracy, condition number and the nearest limit of the best motion so far."""
        parts = [
            accuracy_words(self.plan.predictions(trajectory), self.plan.robot.bodies[0].name),
            condition_words(self.plan.condition_number(trajectory)),
            _limits_in_words(margins_of(self.plan, trajectory)),
        ]
        return "   ".join(part for part in parts if part)


def _limits_in_words(margins: tuple[Margin, ...]) -> str:
    """That all limits are kept, and how far the joints stay from the ends of their ranges if that is a figure."""
    slacks = [each.slack for each in margins if each.kind == JointPosition.kind and each.unit == "rad"]
    left = f"{np.degrees(min(slacks, default=0.0)):.1f}"
    return "within all limits" + (f", joints by {left}°" if float(left) > 0.0 else "")
