"""How far the fits of an estimate go: as far as it pays, and no farther where recordings or files hold a mistake."""

from __future__ import annotations

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.causes.diagnosis import FAR, mean_square_distance
from freefloat.estimate.causes.mistakes import MISFIT, Mistake, mistakes
from freefloat.estimate.causes.suspicions import suspicions
from freefloat.estimate.causes.torque_mistakes import torque_mistakes
from freefloat.estimate.likelihood.levenberg_marquardt import MOST_ITERATIONS, Fit
from freefloat.estimate.problem import Problem
from freefloat.estimate.progress import say

_FREE, _MORE, _SHARE = 4, 1000, 0.4  # iterations that any fit may make; more that all may, and one of what is left
_UNLIMITED = 10_000  # of a body without joints, which starts from nothing and is predicted in a moment
_STRANGER = 60  # iterations that are left for what seems to be another robot
_OTHER_START, _TOO_FEW = 30, 20  # more iterations that another start may make at least; left: nothing is refined
_BAD = 3.0  # root mean square of the weighted residual above which another start is tried


class Effort:
    """What the fits of an estimate may still do, and mistakes that show before the first has ended.

    Fits of data that the model explains converge in a few iterations, which are free. Those of wrong data creep, each
    as far as it may, and where they end says no more of what is wrong than where they were long before. So mistakes of
    recordings and files are looked for once the first fit is at a loss, and if there is one, nothing more is tried.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.left = _MORE if problem.robot.joints else _UNLIMITED
        self.mistakes: tuple[Mistake, ...] | None = None  # before they are looked for
        stands = problem.robot.base == "fixed"  # what is looked for are mistakes of a base that moves
        self._looked, self._elsewhere = stands or not problem.robot.joints, stands
        if stands:
            self.mistakes = torque_mistakes(problem)

    @property
    def most(self) -> int:
        """How many iterations the next fit may make."""
        return min(max(int(_SHARE * self.left), 1), MOST_ITERATIONS)

    @property
    def is_spent(self) -> bool:
        """Whether so few are left that nothing is refined any more."""
        return self.left < _TOO_FEW

    @property
    def is_in_vain(self) -> bool:
        """Whether a mistake was found that any fit would only describe."""
        return any(not mistake.is_another_robot for mistake in self.mistakes or ())

    def begin_elsewhere(self) -> bool:
        """Whether another start has its chance, whatever the first one took: once, for refinements begin at an end."""
        begins, self._elsewhere = not (self._elsewhere or self.is_in_vain), True
        self.left = max(self.left, _OTHER_START) if begins else self.left
        return begins

    def count(self, fit: Fit) -> Fit:
        """Take what a fit made from what is left; the fit."""
        self.left -= max(fit.iterations - _FREE, 0) if fit.converged else fit.iterations
        return fit

    def look(self, fit: Fit) -> None:
        """Look for mistakes, once, where the first fit is at a loss or ends where no such robot is."""
        if self._looked or (self.problem.robot.passive.size and not self._elsewhere):
            return  # frequencies that are off by a little leave as much: another start has its chance first
        self._looked, level = True, misfit_of(fit.residual)
        if level > MISFIT or is_far(self.problem, fit):
            say("what may be wrong")
            self.mistakes = tuple(mistakes(self.problem, suspicions(self.problem), level))
        if self.mistakes:
            self.left = 0 if self.is_in_vain else min(self.left, _STRANGER)


def misfit_of(residual: Array) -> float:
    """Root mean square of a weighted residual; infinite if it is no number."""
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.nan_to_num(np.sqrt((residual**2).mean()), nan=np.inf, posinf=np.inf))


def is_plausible(problem: Problem, fit: Fit) -> bool:
    """Whether no other start would lead further: what is left near the CAD model is left by any."""
    return fit.converged and (misfit_of(fit.residual) < _BAD or not is_far(problem, fit))


def is_far(problem: Problem, fit: Fit) -> bool:
    """Whether clusters are farther from the CAD model than those of any robot that it describes."""
    own = slice(0, len(problem.minimal))
    if not np.isfinite(fit.information).all():
        return True
    covariance: Array = np.linalg.pinv(fit.information, hermitian=True)[own, own].astype(float)
    return mean_square_distance(problem, fit.point[own], covariance) > FAR
