"""Causes in noise, oscillations, sensors and recordings: what no change of the estimate explains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from freefloat.errors import FreefloatError
from freefloat.estimate.cause import Cause
from freefloat.estimate.causes.fault_search import search_faults
from freefloat.estimate.causes.mistakes import cause_of
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.physical.physically_consistent import physical_robot
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.validation.checks import FitChecks
from freefloat.validation.prediction import SENSORS, PredictedReading


def noisy_sensors(found: FitChecks, readings: Sequence[PredictedReading]) -> Iterator[Cause]:
    """Sensors whose noise is white and larger than was declared."""
    for place, reading in enumerate(readings):
        levels = {reading.components[k]: check.level for at, k, check in found.columns if at == place and check.louder}
        if not levels:
            continue
        factor = float(np.sqrt(np.mean(np.square(list(levels.values())))))
        whole = len(levels) == len(reading.components)
        where = "" if whole else f" ({', '.join(levels)})"
        flight = f"{reading.flight}: " if len({each.flight for each in readings}) > 1 else ""
        what = f"{flight}the {SENSORS[reading.channel]}{where} is {factor:.2g} times noisier than was said of it"
        yield Cause("noise", reading.channel, what, factor, np.nan, 1.0)


def mistaken_recordings(problem: Problem, estimate: Estimate) -> Iterator[Cause]:
    """Mistakes of recording that explain why the estimate does not fit: axes, units, signs, momentum."""
    if problem.robot.base == "fixed" or not estimate.is_standard:
        return
    try:
        robot = physical_robot(estimate).robot  # whose bodies have masses, by which the spread around it is reckoned
    except FreefloatError:  # no robot explains the clusters
        return
    as_estimated = Problem(robot, problem.flights, prior=CadSpread(), nuisances=problem.nuisances)
    search = search_faults(as_estimated)
    if search is None:
        return
    for fault, agreement in search.faults:
        yield cause_of(fault, search.recorded, agreement)
