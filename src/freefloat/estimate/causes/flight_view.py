"""One flight read in some way: its recorded rates of the base less those that a model predicts, with derivatives.

Beside the clusters each flight has unknowns of its own ("extras"): a time offset, the gyro's misalignment and bias,
the momentum where it is not known, the spin inertia times the axis of a wheel that the robot file does not have, and
how late the wheels' rates are.
Attitudes, where momentum needs them, are the integral of the recorded rates. Axes are compared as the gyro has them,
so that one that is dead spoils no other. Instants at which joints, wheels or gyro were not read are left out: what
splines bridge gaps with may be anything, above all where readings are in wrong units.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.data.processing.attitude import integrate_rates
from freefloat.dynamics.samples import UNCLAIMED_WHEEL, Samples
from freefloat.estimate.causes.possible_faults import Fault
from freefloat.estimate.flight import Flight
from freefloat.estimate.joint_curves import SampledCurves, SplineCurves
from freefloat.estimate.predicted_motion import (
    BaseMotion,
    Clock,
    Grid,
    JointErrors,
    Targets,
    missing_momentum,
    predict,
    sensitivities,
)
from freefloat.estimate.problem import Problem
from freefloat.estimate.wheel_curves import MeasuredWheels
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.rotations import rotations
from freefloat.robot.selection import select_parameters
from freefloat.sensors.gyro import BIAS, MISALIGNMENT, RateReading
from freefloat.sensors.measured import Measured
from freefloat.sensors.reading import Setting

_FEWEST = 100  # samples that suffice, or twice the number of clusters
_DEAD = 3.0  # an axis whose rates are less than so many times its noise shows nothing
_ROUNDING = 1e-9  # of the liveliest axis: what turning axes there and back may leave of one that shows nothing
_OFFSET_S = 0.1  # standard deviation of the time offset
_GAP, _GAP_KNOTS = 4.0, 2.0  # readings, and knots of splines, from one to the next that are a gap
_BESIDE_KNOTS, _BESIDE_S = 4.0, 0.03  # margin at a gap: knots of splines, and time offsets that are usual
_ENOUGH = 0.3  # of the samples


class FlightView:
    """One flight once a fault is undone, at no more instants than are needed.

    every: numbers of the samples that are looked at, shape (n,).
    rates: recorded ones about the axes that the base can turn about, shape (n, k). size: standard deviation over time
    of those about the gyro's axes, noise: that of the gyro, both (k,). alive: which axes show more than noise, (k,).
    """

    def __init__(self, problem: Problem, flight: Flight, fault: Fault) -> None:
        self.problem, self.present = problem, problem.present(flight)
        self.present[select_parameters(problem.robot, (fault.absent,) if fault.absent else ())] = False
        samples, self.allowed = flight.samples, allowed_rows(problem.robot)
        self.turning, self.sliding = self.allowed[self.allowed >= 3] - 3, int((self.allowed < 3).sum())
        assert samples.w is not None
        assert samples.dq is not None
        mounting = gyro_axes(flight)
        own, to_base = np.linalg.inv(mounting), fault.turn @ mounting
        meant = samples.w @ (fault.gyro @ own).T
        w = meant @ to_base.T
        read = np.flatnonzero(instants_read(flight))
        every = self.every = read[:: max(1, read.size // max(_FEWEST, 2 * len(problem.minimal)))]
        self.rates, self.size = w[every][:, self.turning], meant[read].std(axis=0)[self.turning]
        self.to_gyro = np.asarray(np.linalg.inv(to_base)[np.ix_(self.turning, self.turning)], float)
        self.noise = np.sqrt(fault.gyro**2 @ own**2 @ flight.sd("w", 3) ** 2)[self.turning]
        least = np.maximum(_DEAD * self.noise, _ROUNDING * self.size.max(initial=0.0))
        self.alive: NDArray[np.bool_] = (self.size > 0.0) & (self.size > least)
        ddq = None if samples.ddq is None else fault.joint_motion(samples.ddq)
        q, dq = fault.joint_motion(samples.q), fault.joint_motion(samples.dq)
        self.curves = SampledCurves(flight.t, q, dq, ddq)
        thinned = replace(flight, samples=_wheels_meant(samples[every], fault), own_instants=None, wheels=None)
        self.grid = Grid.of(problem.robot, thinned, halves=False)
        missing = samples.need(f"{UNCLAIMED_WHEEL}{fault.missing}", "a wheel") if fault.missing else None
        self.missing_rate: Array | None = None if missing is None else missing[every]
        self.middle = 0.5 * float(flight.t[0] + flight.t[-1])
        self.momentum = flight.momentum.vector
        self.unknown = fault.momentum or flight.momentum.is_unknown
        turns = self.unknown or bool(self.momentum.any())
        self.back = rotations(integrate_rates(flight.t, w))[every].swapaxes(1, 2) if turns else None
        k = self.turning.size
        self.turn = slice(1, 4 if k == 3 else 1)
        self.bias = slice(self.turn.stop, self.turn.stop + k)
        self.free = slice(self.bias.stop, self.bias.stop + k * self.unknown)
        self.wheel = slice(self.free.stop, self.free.stop + k * (missing is not None))
        self.late = slice(self.wheel.stop, self.wheel.stop + bool(self.grid.spin_rate.any()))
        self.extras = self.late.stop
        count = len(problem.minimal)
        places = {BIAS: slice(count + self.bias.start, count + self.bias.stop)}
        if self.turn.stop > self.turn.start:
            places[MISALIGNMENT] = slice(count + self.turn.start, count + self.turn.stop)
        data = Measured(flight.t[every], w[every], flight.sd("w", 3))
        self.gyro = RateReading(Setting.of(problem.robot, {}, places.get), data)

    def information(self, turn_sd: float) -> Array:
        """What is known of the extras before, one over variances, shape (extras,); turn_sd of a misalignment."""
        information = np.zeros(self.extras)
        information[0], information[self.turn], information[self.late] = _OFFSET_S**-2.0, turn_sd**-2.0, _OFFSET_S**-2.0
        return information

    def weights(self, share: float) -> Array:
        """One over the standard deviation of each axis: its noise and a share of its size; zero if dead, shape (k,)."""
        sd = np.sqrt((share * self.size) ** 2 + self.noise**2)
        return np.where(self.alive, 1.0 / np.where(self.alive, sd, 1.0), 0.0)

    def first(self) -> Array:
        """The extras at the start, shape (extras,): zero, and a momentum that fits the CAD model."""
        extra = np.zeros(self.extras)
        if self.back is not None and self.unknown:
            motion = self.motion(np.zeros(len(self.problem.minimal)), extra)
            lacking = missing_momentum(motion.B, motion.w, self.rates, self.back.swapaxes(1, 2), self.turning)
            extra[self.free] = lacking[self.turning]
        return extra

    def model(self, deviation: Array, extra: Array) -> tuple[Array, Clock]:
        """Standard parameters and clock."""
        phi = self.problem.standard(self.problem.cad + deviation)
        return np.where(self.present, phi, 0.0), Clock(float(extra[0]), 0.0, self.middle)

    def motion(self, deviation: Array, extra: Array) -> BaseMotion:
        """The base's motion for clusters that deviate from the CAD model, shape (c,)."""
        robot, (phi, clock) = self.problem.robot, self.model(deviation, extra)
        off, still = JointErrors.none(len(robot.joints)), np.zeros((self.grid.t.size, 3))
        joints = self.curves.with_errors(clock.joint_time(self.grid.t))
        motion = predict(robot, joints, self.grid, phi, off, still)
        if self.back is None and not extra[self.wheel.start :].any():
            return motion
        stored = self.grid.spin_rate * extra[self.late].sum()
        if self.back is not None:
            total = np.array(self.momentum)
            total[self.turning] += extra[self.free] if self.unknown else 0.0
            stored += self.back @ total
        if self.missing_rate is not None:
            stored[:, self.turning] -= self.missing_rate * extra[self.wheel]
        x = np.concatenate([motion.v, motion.w], axis=1)
        x[:, self.allowed] += (motion.B @ stored[:, :, None])[..., 0]
        return replace(motion, v=x[:, :3], w=x[:, 3:])

    def rows(self, deviation: Array, extra: Array) -> tuple[Array, Array]:
        """Recorded less predicted rates, (n, k), and derivative of the latter by clusters and extras, (n, k, c + e).

        Both about the gyro's axes.
        """
        point, base = np.concatenate([deviation, extra]), _Rates(self, deviation, extra)
        left = self.rates - self.gyro.predicted(base, point)[:, self.turning]
        return left @ self.to_gyro.T, self.to_gyro @ self.gyro.derivative(base, point)


class _Rates:
    """What a view's model predicts of the rates at one point, as the gyro's reading asks for it (`TurningBase`)."""

    def __init__(self, view: FlightView, deviation: Array, extra: Array) -> None:
        self.view, self.count, self.unknowns = view, deviation.size, deviation.size + extra.size
        self.motion, (self.phi, self.clock) = view.motion(deviation, extra), view.model(deviation, extra)
        self.t, self.w = view.grid.t, self.motion.w

    def rates_by_unknowns(self, gain: Array) -> Array:
        """Derivative of gain (rows, k) times the rates by clusters, time offset and momentum, (n, rows, c + e)."""
        view, motion, kept = self.view, self.motion, self.view.problem.minimal.kept
        targets, wide = (
            Targets(self.unknowns, offset=self.count),
            np.hstack([np.zeros((len(gain), view.sliding)), gain]),
        )
        since = view.grid.t - self.clock.middle
        J = sensitivities(view.problem.robot, motion, self.phi, kept, view.present, since, targets, wide)
        if view.back is not None and view.unknown:
            by_momentum = (motion.B[:, view.sliding :] @ view.back)[:, :, view.turning]
            J[:, :, self.count + view.free.start : self.count + view.free.stop] = gain @ by_momentum
        if view.missing_rate is not None:
            by_spin = gain @ motion.B[:, view.sliding :][:, :, view.turning]
            J[:, :, self.count + view.wheel.start : self.count + view.wheel.stop] = (
                -view.missing_rate[:, :, None] * by_spin
            )
        if view.late.stop > view.late.start:
            late = motion.B[:, view.sliding :] @ view.grid.spin_rate[:, :, None]
            J[:, :, self.count + view.late.start : self.count + view.late.stop] = gain @ late
        return J


def gyro_axes(flight: Flight) -> Array:
    """What takes rates about the gyro's own axes to those about the base's, shape (3, 3)."""
    read = (flight.own_instants or {}).get("w")
    return np.eye(3) if read is None else read.own_axes


def instants_read(flight: Flight) -> NDArray[np.bool_]:
    """Which samples are in no gap of what was read of joints, wheels and gyro; all if hardly any is, shape (n,)."""
    whole = np.ones(flight.t.size, dtype=bool)
    read = (flight.own_instants or {}).get("w")
    if read is not None:
        whole &= ~_in_gaps(flight.t, read.t, 0.0)
    for curves in (flight.curves, flight.wheels):
        if isinstance(curves, SplineCurves | MeasuredWheels):
            whole &= ~_in_gaps(flight.t, curves.curves.readings.t, curves.curves.spline.spacing_s)
    return whole if whole.mean() > _ENOUGH else np.ones_like(whole)


def _in_gaps(t: Array, read: Array, spacing_s: float) -> NDArray[np.bool_]:
    """Which instants t, (n,), lie in gaps of readings, or so near that a spline of such knots is hardly held there."""
    steps = np.diff(read)
    gaps = np.flatnonzero(steps > max(_GAP * float(np.median(steps)), _GAP_KNOTS * spacing_s))
    beside = np.zeros(t.size, dtype=bool)
    for place in gaps.tolist():
        margin = _BESIDE_KNOTS * spacing_s + _BESIDE_S
        beside |= (t > read[place] - margin) & (t < read[place + 1] + margin)
    return beside


def _wheels_meant(samples: Samples, fault: Fault) -> Samples:
    if samples.wheel_rates is None:
        return samples
    accelerations = samples.wheel_accelerations
    return replace(
        samples,
        wheel_rates=samples.wheel_rates * fault.wheels,
        wheel_accelerations=None if accelerations is None else accelerations * fault.wheels,
    )
