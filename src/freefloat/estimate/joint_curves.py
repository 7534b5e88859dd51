"""Joint motion as functions of time, and how they may be wrong.

A likelihood with an unknown time offset needs joint motion between samples. Where joints were projected on their
command or on splines (`data/processing/projection.py`) the functions are known, and so is how encoder noise
bends them: by coefficients of the same functions, each with the encoder's standard deviation. Where encoders measured
curves of which nothing else is known (`data/processing/measured_curves.py`), their coefficients count a few at a time,
and the likelihood makes their errors white in time order. Else a quintic goes through position, rate and acceleration
of neighbouring samples, and errors are those of the samples, one by one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.data.processing.measured_curves import MeasuredCurves
from freefloat.data.processing.projection import Projection
from freefloat.dynamics.samples import Samples
from freefloat.motion.trajectory import Motion


@dataclass(frozen=True, slots=True, eq=False)
class CurveErrors:
    """How joint motion at n instants may be wrong: unknown coefficients of known functions.

    joint: of each function, shape (k,). position, rate: its values, shape (n, k). sd: of its coefficient, (k,).
    """

    joint: np.ndarray[tuple[int], np.dtype[np.int64]]
    position: Array
    rate: Array
    sd: Array

    @classmethod
    def none(cls, n: int) -> CurveErrors:
        """No functions at n instants."""
        return cls(np.zeros(0, np.int64), np.zeros((n, 0)), np.zeros((n, 0)), np.zeros(0))


class JointCurves(ABC):
    """Positions, rates and accelerations of all joints at any time."""

    @property
    @abstractmethod
    def span_s(self) -> tuple[float, float]:
        """First and last time at which the joints are known [s]."""

    @abstractmethod
    def with_errors(self, t: Array) -> tuple[Motion, CurveErrors]:
        """Motion at times t, shape (n,) [s], and the functions by which the curves as a whole may be wrong.

        Beyond the ends of its span motion goes on as at the ends. Where errors are per sample there are no functions.
        """

    def at(self, t: Array) -> Motion:
        """Motion at times t, shape (n,) [s]."""
        return self.with_errors(t)[0]

    def errors(self, t: Array) -> CurveErrors:
        """Functions by which the curves as a whole may be wrong, at times t, shape (n,) [s]."""
        return self.with_errors(t)[1]


@dataclass(frozen=True, slots=True, eq=False)
class ProjectedCurves(JointCurves):
    """Joints that were projected on functions of time."""

    projection: Projection

    @property
    def span_s(self) -> tuple[float, float]:
        """First and last time at which the joints are known [s]."""
        start = self.projection.start_s
        return start, start + self.projection.command.duration_s

    def with_errors(self, t: Array) -> tuple[Motion, CurveErrors]:
        """Motion at times t; errors are the projection's own functions, with the encoders' noise."""
        inside, projection = np.clip(t, *self.span_s), self.projection
        motion, functions = projection.motion_and_functions(inside)
        motion = _beyond(motion, t - inside)
        noisy = [(index, fit) for index, fit in enumerate(projection.fits) if fit.noise_sd > 0.0]
        if not noisy:
            return motion, CurveErrors.none(t.size)
        position = np.hstack([functions[fit.basis][0] for _, fit in noisy])
        rate = np.hstack([functions[fit.basis][1] for _, fit in noisy])
        joint = np.concatenate([np.full(fit.basis.terms, index) for index, fit in noisy])
        sd = np.concatenate([np.full(fit.basis.terms, fit.noise_sd) for _, fit in noisy])
        return motion, CurveErrors(joint, position, rate, sd)

    def error_accelerations(self, t: Array) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], Array]:
        """Joint, shape (k,), and second derivative at times t, shape (n, k), of the functions of `with_errors`."""
        functions = self.projection.motion_and_functions(np.clip(t, *self.span_s))[1]
        noisy = [(index, fit) for index, fit in enumerate(self.projection.fits) if fit.noise_sd > 0.0]
        if not noisy:
            return np.zeros(0, np.int64), np.zeros((t.size, 0))
        joint = np.concatenate([np.full(fit.basis.terms, index) for index, fit in noisy])
        return joint, np.hstack([functions[fit.basis][2] for _, fit in noisy])


@dataclass(frozen=True, slots=True, eq=False)
class SplineCurves(JointCurves):
    """Joints that encoders measured, at their own instants."""

    curves: MeasuredCurves

    @property
    def span_s(self) -> tuple[float, float]:
        """First and last time at which the joints are known [s]."""
        return self.curves.spline.start_s, self.curves.spline.end_s

    def with_errors(self, t: Array) -> tuple[Motion, CurveErrors]:
        """Motion of the means at times t; errors are those of a few coefficients, unless rates were measured."""
        return self.curves.motion(t), self.errors(t)

    def errors(self, t: Array) -> CurveErrors:
        """Of curves as a whole: of integrated rates, where each joint started and a bias of its rate."""
        if not self.integrated:
            return CurveErrors.none(t.size)
        joints = self.curves.coefficients.shape[1]
        since = (t - self.curves.readings.t[0])[:, None] * np.ones(joints)
        still, one = np.zeros((t.size, joints)), np.ones((t.size, joints))
        both = np.tile(np.arange(joints), 2)
        return CurveErrors(both, np.hstack([one, since]), np.hstack([still, one]), np.ones(2 * joints))

    @property
    def integrated(self) -> bool:
        """Whether rates were measured, and nothing of positions."""
        return self.curves.readings.start is not None


@dataclass(frozen=True, slots=True, eq=False)
class SampledCurves(JointCurves):
    """Quintics through positions, rates and accelerations of samples (cubics where accelerations are not known).

    t: shape (n,) [s]. position, rate, acceleration: shape (n, joints).
    """

    t: Array
    position: Array
    rate: Array
    acceleration: Array | None

    @property
    def span_s(self) -> tuple[float, float]:
        """Times of the first and the last sample [s]."""
        return float(self.t[0]), float(self.t[-1])

    def with_errors(self, t: Array) -> tuple[Motion, CurveErrors]:
        """Motion at times t, exactly that of a sample where t is its time; each sample has errors of its own."""
        inside = np.clip(t, *self.span_s)
        k = np.clip(np.searchsorted(self.t, inside, side="right") - 1, 0, self.t.size - 2)
        h = np.diff(self.t)[k][:, None]
        s = (inside - self.t[k])[:, None] / h
        q0, q1, d0, d1 = self.position[k], self.position[k + 1], h * self.rate[k], h * self.rate[k + 1]
        if self.acceleration is None:
            c = [q0, d0, 3.0 * (q1 - q0) - 2.0 * d0 - d1, 2.0 * (q0 - q1) + d0 + d1]
        else:
            a0, a1 = h * h * self.acceleration[k], h * h * self.acceleration[k + 1]
            e, f, g = q1 - q0 - d0 - 0.5 * a0, d1 - d0 - a0, a1 - a0
            c = [q0, d0, 0.5 * a0, 10.0 * e - 4.0 * f + 0.5 * g, -15.0 * e + 7.0 * f - g, 6.0 * e - 3.0 * f + 0.5 * g]
        powers = range(len(c))
        position = np.sum([c[i] * s**i for i in powers], axis=0)
        rate = np.sum([i * c[i] * s ** (i - 1) for i in powers if i], axis=0) / h
        acceleration = np.sum([i * (i - 1) * c[i] * s ** (i - 2) for i in powers if i > 1], axis=0) / h**2
        return _beyond(Motion(inside, position, rate, acceleration), t - inside), CurveErrors.none(t.size)


def through_samples(samples: Samples) -> JointCurves:
    """Curves through the joints' samples; at rest where no rates are given."""
    t = samples.need("t", "joint motion between samples")
    rate = np.zeros_like(samples.q) if samples.dq is None else samples.dq
    return SampledCurves(t, samples.q, rate, samples.ddq)


@dataclass(slots=True, eq=False)
class Remembered:
    """Curves at times that change little from call to call: Taylor's series bridges what is less than `near`.

    Over a thousandth of the interval between samples it leaves an error of the rates of a millionth at most.
    """

    curves: JointCurves
    near: float
    t: Array | None = None
    motion: Motion | None = None
    errors: CurveErrors | None = None

    def with_errors(self, t: Array) -> tuple[Motion, CurveErrors]:
        """Motion at times t and the functions by which it may be wrong; those as they were at times nearby."""
        if self.t is None or self.motion is None or self.errors is None or np.abs(t - self.t).max() > self.near:
            self.motion, self.errors = self.curves.with_errors(t)
            self.t = t
        return _beyond(self.motion, t - self.t), self.errors


def _beyond(motion: Motion, late: Array) -> Motion:
    """Motion that goes on at constant acceleration beyond the ends of its span."""
    dt = late[:, None]
    if not late.any():
        return motion
    position = motion.position + dt * motion.rate + 0.5 * dt**2 * motion.acceleration
    return Motion(motion.t + late, position, motion.rate + dt * motion.acceleration, motion.acceleration)
