"""What swings, in numbers of our own: N1's robot with two panels and with a tank, arm known and unknown.

W. Rackl, R. Lampariello, "Parameter identification of free-floating robots with flexible appendages and fuel sloshing",
ICMIC 2014, did this first, as section 2.2 of M. Spirolazzi's thesis reports: panels on flexible rotational joints and
fuel as a pendulum, the arm known. That section prints no figure, and N1 itself is rigid: nothing here is compared with
print. Targets of ours stand in for it, and the thesis' way, a rigid robot, stands beside ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.uncertain import HALF
from freefloat.robot.model import Robot
from freefloat.studies.catalogue import study_mission
from freefloat.studies.check import Check, Effort, Robots, Watch, Way
from freefloat.studies.flexible.experiment import STUDY, SWINGING, Arm, Fitted, Flown, swinging_robot

FREE_OF_MASSES = frozenset[str]()

_RUNS: dict[Effort, int] = {"glance": 1, "usual": 3, "full": 20}
_ARMS: tuple[Arm, ...] = ("known", "unknown")
_OURS = "all is ours: no figure is printed of this case, the target is one of ours"
_RIGID = f"{_OURS}; by the thesis' way everything that swings is locked"


def checks(robots: Robots, effort: Effort, watch: Watch) -> Iterator[Check]:
    """All figures: what N1's own motion leaves, then flights that shake panels and fuel."""
    plain, runs = robots(STUDY), _RUNS[effort]
    for what in SWINGING:
        robot = swinging_robot(plain, what)
        watch(f"{what}, printed motion")
        yield _printed_motion(robot, what, runs)
        for arm in _ARMS:
            yield from _case(robot, what, arm, runs, watch)


def _printed_motion(robot: Robot, what: str, runs: int) -> Check:
    """Whether the motion that the thesis prints would show what swings."""
    mission = study_mission("n1")
    motion = mission.trajectory
    assert motion is not None
    afloat = replace(mission, robot=robot)
    left = [Flown.of(afloat, motion, run).rigid.residual for run in range(runs)]
    return Check(
        f"flexible.{what}.printed_motion.residual",
        f"{what}: what a rigid fit of N1's own motion leaves, over noise",
        1.0,
        float(np.median(left)),
        better="lower",
        tolerance=0.1,
        comparable=False,
        note=f"{_RIGID}; motion and noise are N1's",
    )


def _case(robot: Robot, what: str, arm: Arm, runs: int, watch: Watch) -> Iterator[Check]:
    """Flights that shake what swings: figures of the rigid fit, then of the flexible one."""
    name, words = f"flexible.{what}.arm_{arm}", f"{what}, arm {arm}"
    rigid, flexible = list[Fitted](), list[Fitted]()
    for run in range(runs):
        watch(f"{words}, flight {run + 1} of {runs}")
        flown = Flown.drawn(robot, arm, run)
        rigid.append(flown.rigid)
        flexible.append(flown.flexible)
    yield from _fitted(f"{name}.rigid", words, "published", rigid, rigid)
    yield from _fitted(f"{name}.flexible", words, "default", flexible, rigid)
    yield from _modes(name, words, flexible)


def _fitted(name: str, words: str, way: Way, fits: Sequence[Fitted], rigid: Sequence[Fitted]) -> Iterator[Check]:
    """What fits leave, how wrong they are, and whether they say so."""
    wide = HALF * float(np.median([whole.inertia_deviations for whole in rigid]))
    note = f"{_RIGID}; its intervals of the whole inertia are ±{100.0 * wide:.2g} %, half of them wider"
    row = partial(Check, better="lower", way=way, comparable=False, note=note if way == "published" else _OURS)
    left = float(np.median([each.residual for each in fits]))
    yield row(f"{name}.residual", f"{words}: what the fit leaves, over noise", 1.0, left, tolerance=0.1)
    wrong = _rms([each.inertia_errors(whole) for each, whole in zip(fits, rigid, strict=True)])
    yield row(f"{name}.inertia", f"{words}: relative error of the whole inertia about x, y, z, RMS", 0.01, wrong)
    over = _rms([each.errors_over_sd for each in fits])
    yield row(f"{name}.over_sd", f"{words}: errors over stated standard deviations, RMS", 1.0, over, tolerance=0.25)


def _modes(name: str, words: str, fits: Sequence[Fitted]) -> Iterator[Check]:
    """How well the slowest mode is found, of which a rigid robot has none."""
    found, true = zip(*(each.slowest for each in fits), strict=True)
    row = partial(Check, better="lower", way="default", comparable=False, note=_OURS)
    for figure, target in (("frequency_Hz", 0.005), ("damping_ratio", 0.2)):
        what = figure.partition("_")[0]
        off = [getattr(one, figure) / getattr(other, figure) - 1.0 for one, other in zip(found, true, strict=True)]
        yield row(f"{name}.{what}", f"{words}: {what} of the slowest mode, RMS relative error", target, _rms(off))


def _rms(errors: Sequence[Array] | Sequence[float]) -> float:
    """Of all numbers of all flights."""
    return float(np.sqrt(np.mean(np.concatenate([np.atleast_1d(each) for each in errors]) ** 2)))
