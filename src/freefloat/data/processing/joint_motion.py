"""Joint positions, rates and accelerations from encoders: projected on the command or on splines, or filtered."""

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
from freefloat.data.processing.filtering import LowPass
from freefloat.data.processing.processed import Known, ProcessSettings
from freefloat.data.processing.projection import Projection, project, project_on_splines
from freefloat.data.processing.resampling import CannotProcess, evenly
from freefloat.data.processing.spectrum import noise_level, rounding_step
from freefloat.motion.trajectory import Motion, Trajectory
from freefloat.robot.model import Robot

_MOST = 1100  # splines of all joints: each is one more unknown, and time grows with the square of their number
_PER_CUTOFF = 50.0  # samples in a period of the cut-off: enough to see what a filter does


@dataclass(frozen=True, slots=True, eq=False)
class JointMotion:
    """How the joints moved, at any time of the span.

    t, positions: encoder readings, shape (n,) [s] and (n, joints). noise_sd: of a reading, shape (joints,).
    method: for joints that are not projected. projection: None if neither a command nor splines are of use.
    """

    t: Array
    positions: Array
    noise_sd: Array
    method: Differentiator
    projection: Projection | None
    span_s: tuple[float, float]
    step: str
    notes: tuple[str, ...]
    warnings: tuple[str, ...]

    def at(self, onto: Array) -> Motion:
        """Position, rate and acceleration at times within the span, shape (m,) [s]."""
        if self.projection is not None and self.projection.described.all():
            return self.projection.motion(onto)
        filtered = self.method.motion(self.t, self.positions, onto)
        if self.projection is None:
            return filtered
        projected, described = self.projection.motion(onto), self.projection.described
        pairs = (
            (projected.position, filtered.position),
            (projected.rate, filtered.rate),
            (projected.acceleration, filtered.acceleration),
        )
        return Motion(onto, *(np.where(described, one, other) for one, other in pairs))

    def sd(self, onto: Array) -> Array:
        """Standard deviations of position, rate and acceleration, root mean square over time, (3, joints)."""
        rate = (self.t.size - 1) / float(self.t[-1] - self.t[0])
        spread = noise_gains(self.method, self.t.size, rate)[:, None] * self.noise_sd
        if self.projection is None:
            return spread
        variance = np.diagonal(self.projection.covariance(onto), axis1=2, axis2=3).mean(axis=0)
        return np.where(self.projection.described, np.sqrt(variance.T), spread)


def joint_motion(
    t: Array, positions: Array, robot: Robot, command: Trajectory | None, known: Known, settings: ProcessSettings
) -> JointMotion:
    """From encoder readings in the order of the robot's joints, shape (n, joints) at times t, shape (n,) [s]."""
    even = evenly(t, positions)
    steps = rounding_step(positions) if known.rounding is None else known.rounding
    noise = _noise(known, settings, steps)
    level = np.hypot(noise_level(even.values) if noise is None else noise, steps / np.sqrt(12.0))
    span = moving_span(t, positions, noise_sd=level)
    projection, notes, warnings = None, tuple[str, ...](), list[str]()
    if command is not None and settings.joints is None:
        projection, warnings = _on_command(t, positions, robot, command, noise, steps, settings)
    if projection is None and settings.joints is None:
        projection, notes = _on_splines(t, positions, robot, span, None if noise is None else level, settings)
    astray = np.ones(len(robot.joints), bool) if projection is None else ~projection.described
    method = settings.joints or _filter(even.values[:, astray], even.rate_Hz, command)
    if astray.any() and isinstance(method, BandLimited):
        warnings += _cutoff_words(method.low_pass, even.values[:, astray], even.rate_Hz, command, robot, settings)
    if projection is not None:
        notes, start = projection.notes, projection.start_s
        span = max(start, float(t[0])), min(start + projection.command.duration_s, float(t[-1]))
    return JointMotion(
        t, positions, level, method, projection, span, _words(projection, method), notes, tuple(warnings)
    )


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
    if len(astray) == len(found.fits):
        return None, [f"{fit.sentence(found.rate_Hz)}; the command is not used" for fit in astray]
    instead = {True: "functions are added until they describe it", False: "it is filtered instead of projected"}
    return found, [f"{fit.sentence(found.rate_Hz)}; {instead[fit.described]}" for fit in astray]


def _on_splines(
    t: Array,
    positions: Array,
    robot: Robot,
    span_s: tuple[float, float],
    noise: Array | None,
    settings: ProcessSettings,
) -> tuple[Projection | None, tuple[str, ...]]:
    """The projection on splines alone, unless some joint is not described by them, and what to say then."""
    try:
        found = project_on_splines(
            t, positions, robot.joint_names, span_s, noise, settings.false_alarm / positions.shape[1], _units(robot)
        )
    except CannotProcess:  # hardly any samples
        return None, ()
    astray = [fit for fit in found.fits if not fit.described]
    if astray:
        worst = max(astray, key=lambda fit: fit.whiteness.excess)
        return None, (f"{worst.sentence(found.rate_Hz)}; joints are filtered",)
    functions = sum(fit.basis.terms for fit in found.fits)
    if functions > _MOST:
        return None, (f"splines would take {functions} functions, more than {_MOST}; joints are filtered",)
    return found, ()


def _units(robot: Robot) -> list[str]:
    return ["m" if joint.kind == "prismatic" else "rad" for joint in robot.joints]


def _start(command: Trajectory, t: Array, positions: Array, robot: Robot) -> float:
    """When the command began [s]: at zero, the recording's own start, if nothing speaks against it."""
    found = find_start(command, t, positions, robot.joint_names)
    near = max(4.0 * found.sd_s, 1e-3 * float(np.median(np.diff(t))))
    return 0.0 if abs(found.start_s) < near else found.start_s


def _filter(values: Array, rate_Hz: float, command: Trajectory | None) -> Differentiator:
    low_pass = propose_cutoff(values, rate_Hz, command) if values.size else None
    return ThroughSamples() if low_pass is None else BandLimited(low_pass)


def _cutoff_words(
    low_pass: LowPass,
    values: Array,
    rate_Hz: float,
    command: Trajectory | None,
    robot: Robot,
    settings: ProcessSettings,
) -> tuple[str, ...]:
    said = cutoff_warnings(low_pass, "the joints", values, rate_Hz, command)
    if command is None or robot.base == "fixed":
        return said
    gyro = settings.gyro if isinstance(settings.gyro, LowPass) else None
    highest = max(low_pass.cutoff_Hz, gyro.cutoff_Hz if gyro else 0.0)
    enough = min(rate_Hz, _PER_CUTOFF * highest)
    return said + round_trip_warning(round_trip(command, robot, low_pass, gyro, enough))


def _words(projection: Projection | None, method: Differentiator) -> str:
    filtered = "differentiated by a quintic spline through all samples"
    if isinstance(method, BandLimited):
        filtered = f"low-passed at {method.low_pass.cutoff_Hz:.3g} Hz without lag, differentiated by a quintic spline"
    elif not isinstance(method, ThroughSamples):
        filtered = f"differentiated by {method}"
    if projection is None:
        return filtered
    terms = " or ".join(map(str, sorted({fit.basis.terms for fit in projection.fits if fit.described})))
    if not projection.commanded:
        return f"projected on splines ({terms} functions)"
    words = f"projected on the command from {projection.start_s:.6g} s on ({terms} functions)"
    astray = [fit.name for fit in projection.fits if not fit.described]
    return f"{words}; {', '.join(astray)}: {filtered}" if astray else words
