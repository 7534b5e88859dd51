"""Joint positions, rates and accelerations from encoders: on the command's functions, as measured curves, or filtered.

A joint that follows its command moves within few functions (`projection.py`). What does not, or has none, is a curve
that encoders measured (`measured_curves.py`). Joints are filtered only where that is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.data.processing.command_start import find_start
from freefloat.data.processing.cropping import moving_span
from freefloat.data.processing.cutoffs import cutoff_warnings, propose_cutoff, round_trip, round_trip_warning
from freefloat.data.processing.derivative_band_limited import BandLimited
from freefloat.data.processing.derivative_through_samples import ThroughSamples
from freefloat.data.processing.differentiation import Differentiator, noise_gains
from freefloat.data.processing.filtering import LowPass, LowPassBySpectrum
from freefloat.data.processing.measured_curves import HELD_SD, CurveReadings, MeasuredCurves, measured_curves
from freefloat.data.processing.processed import Known, ProcessSettings
from freefloat.data.processing.projection import Projection, project
from freefloat.data.processing.resampling import CannotProcess, evenly
from freefloat.data.processing.spectrum import noise_level, rounding_step
from freefloat.data.processing.stamp_noise import rms_rate, with_stamp_noise
from freefloat.motion.trajectory import Motion, Trajectory
from freefloat.robot.model import Robot

_MOST = 250  # functions of all joints on their command; beyond, curves take less time
_NEGLIGIBLE, _ON_GROUND = (
    1e-5,
    1e-3,
)  # of the motion, above a cut-off: of a base that reacts to it, and of one that stands
_PER_CUTOFF = 50.0  # samples in a period of the cut-off: enough to see what a filter does


@dataclass(frozen=True, slots=True, eq=False)
class JointMotion:
    """How the joints moved, at any time of the span.

    t, positions: encoder readings, shape (n,) [s] and (n, joints). noise_sd: of a reading, shape (joints,).
    One of the following is not None, unless there are no joints. projection: on a command that all joints follow.
    curves: as encoders measured them. method: by which they are filtered.
    """

    t: Array
    positions: Array
    noise_sd: Array
    method: Differentiator | None
    projection: Projection | None
    curves: MeasuredCurves | None
    span_s: tuple[float, float]
    step: str
    notes: tuple[str, ...]
    warnings: tuple[str, ...]

    @classmethod
    def none(cls, t: Array) -> JointMotion:
        """That of a robot without joints, over times t, shape (n,) [s]."""
        span = float(t[0]), float(t[-1])
        return cls(t, np.zeros((t.size, 0)), np.zeros(0), None, None, None, span, "", (), ())

    def at(self, onto: Array) -> Motion:
        """Position, rate and acceleration at times within the span, shape (m,) [s]."""
        if self.projection is not None:
            return self.projection.motion(onto)
        if self.curves is not None:
            return self.curves.motion(onto)
        if self.method is None:
            still = np.zeros((onto.size, 0))
            return Motion(onto, still, still, still)
        return self.method.motion(self.t, self.positions, onto)

    def sd(self, onto: Array) -> Array:
        """Standard deviations of position, rate and acceleration, root mean square over time, (3, joints)."""
        if self.projection is not None:
            variance = np.diagonal(self.projection.covariance(onto), axis1=2, axis2=3).mean(axis=0)
            return np.sqrt(variance.T)
        if self.curves is not None:
            return self.curves.sd(onto)
        if self.method is None:
            return np.zeros((3, 0))
        rate = (self.t.size - 1) / float(self.t[-1] - self.t[0])
        return noise_gains(self.method, self.t.size, rate)[:, None] * self.noise_sd


def joint_motion(
    t: Array, positions: Array, robot: Robot, command: Trajectory | None, known: Known, settings: ProcessSettings
) -> JointMotion:
    """From encoder readings in the order of the robot's joints, shape (n, joints) at times t, shape (n,) [s]."""
    steps = rounding_step(positions) if known.rounding is None else known.rounding
    noise = _noise(known, settings, steps)
    if noise is not None and known.stamp_sd_s:
        rounded = np.hypot(noise, steps / np.sqrt(12.0))
        noise = np.hypot(noise, known.stamp_sd_s * rms_rate(t, positions, rounded))
    level = np.hypot(noise_level(evenly(t, positions).values) if noise is None else noise, steps / np.sqrt(12.0))
    span = moving_span(t, positions, noise_sd=level)
    if settings.joints is not None:
        asked = settings.joints
        method = _proposed(t, positions, command, asked.order) if isinstance(asked, LowPassBySpectrum) else asked
        words = _filtered_words(method)
        cut = _cutoff_words(method, t, positions, command, robot, settings)
        return JointMotion(t, positions, level, method, None, None, span, words, (), cut)
    projection, warnings = None, list[str]()
    if command is not None:
        projection, warnings = _on_command(t, positions, robot, command, noise, steps, settings)
    if projection is not None:
        start = projection.start_s
        inside = max(start, float(t[0])), min(start + projection.command.duration_s, float(t[-1]))
        words = _projected_words(projection)
        return JointMotion(
            t, positions, level, None, projection, None, inside, words, projection.notes, tuple(warnings)
        )
    known_sd = np.full(level.shape, np.nan) if noise is None else level
    curves = measured_curves(CurveReadings(t, positions, known_sd, rounding=steps))
    warnings += curves.unexplained("encoder", robot.joint_names)
    words = curves.as_text(robot.joint_names)
    return JointMotion(t, positions, curves.noise_sd, None, None, curves, span, words, (), tuple(warnings))


def motion_beside_passive(
    t: Array, positions: Array, robot: Robot, known: Known, settings: ProcessSettings
) -> JointMotion:
    """The same of a robot with passive joints, which nobody measures: they are zero here, and never filtered.

    positions: of the driven joints, in their order, shape (n, driven).
    """
    if settings.joints is not None:
        names = ", ".join(robot.passive_names)
        raise CannotProcess(
            f"joints are not filtered beside passive ones ({names}); allowed: curves that encoders measured"
        )
    steps = rounding_step(positions) if known.rounding is None else known.rounding
    noise = _noise(known, settings, steps)
    sd, values = np.full(len(robot.joints), HELD_SD), np.zeros((t.size, len(robot.joints)))
    sd[robot.driven] = np.nan if noise is None else np.hypot(noise, steps / np.sqrt(12.0))
    values[:, robot.driven] = positions
    curves = measured_curves(CurveReadings(t, values, sd))
    said = tuple(curves.unexplained("encoder", robot.joint_names))
    span, words = moving_span(t, positions, noise_sd=curves.noise_sd[robot.driven]), curves.as_text(robot.joint_names)
    return JointMotion(t, values, curves.noise_sd, None, None, curves, span, words, (), said)


def motion_from_rates(t: Array, rates: Array, start: Array, robot: Robot, known: Known) -> JointMotion:
    """From rates in the order of the robot's joints, shape (n, joints) at times t, shape (n,) [s], without positions.

    start: positions at the first reading, shape (joints,).
    """
    sd = np.full(len(start), np.nan)
    steps = rounding_step(rates) if known.rounding is None else known.rounding
    if known.noise_sd is not None:
        sd = with_stamp_noise(np.hypot(known.noise_sd, steps / np.sqrt(12.0)), known.stamp_sd_s, t, rates)
    curves = measured_curves(CurveReadings(t, rates, sd, start, steps))
    positions, words = curves.motion(t).position, f"integrated: {curves.as_text(robot.joint_names)}"
    listed = ", ".join(f"{name} {value:.4g}" for name, value in zip(robot.joint_names, start.tolist(), strict=True))
    note = f"joint positions were not recorded: they are integrals of the rates, from {listed} rad or m on"
    span, said = (float(t[0]), float(t[-1])), curves.unexplained("joint-rate sensor", robot.joint_names)
    return JointMotion(t, positions, curves.sd(t)[0], None, None, curves, span, words, (note,), tuple(said))


def _noise(known: Known, settings: ProcessSettings, steps: Array) -> Array | None:
    """White noise of a reading beside rounding, shape (joints,); None if nobody said."""
    if known.noise_sd is not None:
        return known.noise_sd
    sd = settings.encoder_noise_sd
    return None if sd is None else np.full(steps.shape, sd)


def _on_command(
    t: Array,
    positions: Array,
    robot: Robot,
    command: Trajectory,
    noise: Array | None,
    steps: Array,
    settings: ProcessSettings,
) -> tuple[Projection | None, list[str]]:
    """The projection, unless no joint follows the command, and what to warn of."""
    try:
        start = settings.start_s
        if start is None:
            start = _start(command, t, positions, robot)
        names, alarm = robot.joint_names, settings.false_alarm
        found = project(command, t, positions, names, start, noise, steps, alarm, _units(robot))
    except CannotProcess as error:
        return None, [f"the command is not used: {error}"]
    astray = [fit for fit in found.fits if not fit.follows]
    functions = sum(fit.basis.terms for fit in found.fits)
    if len(astray) == len(found.fits) or not found.described.all():
        return None, [f"{fit.sentence(found.rate_Hz)}; the command is not used" for fit in astray]
    if functions > _MOST:
        return None, [f"joints on their command take {functions} functions, more than {_MOST}; the command is not used"]
    return found, [f"{fit.sentence(found.rate_Hz)}; functions are added until they describe it" for fit in astray]


def _units(robot: Robot) -> list[str]:
    return ["m" if joint.kind == "prismatic" else "rad" for joint in robot.joints]


def _start(command: Trajectory, t: Array, positions: Array, robot: Robot) -> float:
    """When the command began [s]: at zero, the recording's own start, if nothing speaks against it."""
    found = find_start(command, t, positions, robot.joint_names)
    near = max(4.0 * found.sd_s, 1e-3 * float(np.median(np.diff(t))))
    return 0.0 if abs(found.start_s) < near else found.start_s


def _proposed(t: Array, positions: Array, command: Trajectory | None, order: int) -> Differentiator:
    """A low-pass as the spectrum asks for; if that leaves no room for one, a spline through all samples."""
    even = evenly(t, positions)
    low_pass = propose_cutoff(even.values, even.rate_Hz, command, order)
    return ThroughSamples() if low_pass is None else BandLimited(low_pass)


def _cutoff_words(
    method: Differentiator,
    t: Array,
    positions: Array,
    command: Trajectory | None,
    robot: Robot,
    settings: ProcessSettings,
) -> tuple[str, ...]:
    """What a low-pass that was asked for takes of the motion."""
    if not isinstance(method, BandLimited):
        return ()
    even, low_pass = evenly(t, positions), method.low_pass
    negligible = _ON_GROUND if robot.base == "fixed" else _NEGLIGIBLE
    said = cutoff_warnings(low_pass, "the joints", even.values, even.rate_Hz, command, negligible)
    if command is None or robot.base == "fixed":
        return said
    gyro = settings.gyro if isinstance(settings.gyro, LowPass) else None
    highest = max(low_pass.cutoff_Hz, gyro.cutoff_Hz if gyro else 0.0)
    enough = min(even.rate_Hz, _PER_CUTOFF * highest)
    return said + round_trip_warning(round_trip(command, robot, low_pass, gyro, enough))


def _filtered_words(method: Differentiator) -> str:
    if isinstance(method, BandLimited):
        return f"low-passed at {method.low_pass.cutoff_Hz:.3g} Hz without lag, differentiated by a quintic spline"
    if isinstance(method, ThroughSamples):
        return "differentiated by a quintic spline through all samples"
    return f"differentiated by {method}"


def _projected_words(projection: Projection) -> str:
    terms = " or ".join(map(str, sorted({fit.basis.terms for fit in projection.fits})))
    return f"projected on the command from {projection.start_s:.6g} s on ({terms} functions)"
