"""Causes in noise, oscillations, sensors and recordings: what no change of the estimate explains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from freefloat.errors import FreefloatError
from freefloat.estimate.cause import Cause
from freefloat.estimate.causes.advice import two_digits
from freefloat.estimate.causes.fault_search import search_faults
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.physical.physically_consistent import physical_robot
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.validation.checks import FitChecks, nuisance_sizes
from freefloat.validation.fits import FittedPrediction
from freefloat.validation.lines import Line, rate_of
from freefloat.validation.prediction import SENSORS, PredictedReading

_NAMED = 3


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


def oscillations(lines: Sequence[Line]) -> Iterator[Cause]:
    """Lines that are left whatever the parameters are."""
    for line in lines[:_NAMED]:
        sensor = SENSORS[line.channel]
        what = (
            f"the {sensor} shows an oscillation at {line.frequency_Hz:.4g} Hz, amplitude {line.amplitude:.2g} "
            f"{line.unit} ({line.component}), that no parameters explain: something swings that the robot file does "
            "not have"
        )
        yield Cause("oscillation", line.channel, what, line.frequency_Hz, np.nan, 1.0)


def coloured(found: FitChecks, readings: Sequence[PredictedReading]) -> Iterator[Cause]:
    """Channels that hold more than noise in a band of frequencies, whatever the parameters are."""
    for place, reading in enumerate(readings):
        odd = [(k, check) for at, k, check in found.columns if at == place and not check.white]
        if odd:
            low, high = (edge * rate_of(reading) for edge in odd[0][1].octave)
            axes = ", ".join(reading.components[k] for k, _ in odd)
            what = (
                f"the {SENSORS[reading.channel]} ({axes}) shows more than noise from {low:.2g} to {high:.2g} Hz, which "
                "no parameters explain: something moves by itself, or the sensor's noise is not white"
            )
            yield Cause("colour", reading.channel, what, np.nan, np.nan, 1.0)


def strange_sensors(fitted: FittedPrediction, found: FitChecks) -> Iterator[Cause]:
    """What was estimated beside the parameters and is more than was expected of it."""
    sizes, limit, prediction = (
        nuisance_sizes(fitted, found.weights),
        found.of("sensors and clocks").limit,
        fitted.prediction,
    )
    for place in np.argsort(-sizes)[:_NAMED].tolist():
        if sizes[place] > limit:
            value = f"{fitted.nu[place]:.3g} {prediction.units[place]}".rstrip()
            label = prediction.labels[place]
            what = f"{label} is {value}, {two_digits(sizes[place])} standard deviations from what was assumed of it"
            yield Cause("sensor", label, what, float(fitted.nu[place]), np.nan, 1.0)


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
    for fault, _ in search.faults if search is not None else ():
        yield Cause("recording", fault.what, f"it seems that {fault.what}: {fault.cure}", np.nan, np.nan, 1.0)
