"""Joint motion by projection on the command: position, rate and acceleration at once, almost without noise.

A joint that follows its command moves within the few functions that the command is made of. Fitting those to
thousands of encoder samples leaves next to nothing of the noise (a hundred-thousandth of that in differences of
samples), and rates and accelerations need no differentiation. Where joints depart smoothly from the command
(friction, a controller that lags) splines are added until the residual is white at the level of the encoder's
noise; where even that does not do, or a joint does something else altogether, the verdict says so and the caller
takes the curves that encoders measured (`measured_curves.py`) instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array
from freefloat.data.processing.joint_fit import JointFit
from freefloat.data.processing.projection_basis import RICHEST, ProjectionBasis, chosen_motion, given_motion
from freefloat.data.processing.resampling import CannotProcess
from freefloat.data.processing.spectrum import columns_of
from freefloat.data.processing.whiteness import Whiteness, whiteness
from freefloat.errors import ShapeError
from freefloat.motion.trajectory import Motion, Trajectory

Functions = dict[ProjectionBasis, tuple[Array, Array, Array]]

PIECES = (0, 4, 8, 16, 32, 64, 128)
_SAMPLES_PER_TERM = 10
_NUMERICAL = 1e-10  # of the largest position: what a fit leaves of numbers without noise


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """Motion of all joints, as far as functions describe it.

    start_s: when the command began, on the recording's clock [s]. rate_Hz: of the encoder.
    """

    command: Trajectory
    start_s: float
    rate_Hz: float
    fits: tuple[JointFit, ...]

    @property
    def joints(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(fit.name for fit in self.fits)

    @property
    def follows(self) -> NDArray[np.bool_]:
        """Which joints follow the command, shape (joints,)."""
        return np.array([fit.follows for fit in self.fits])

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for every joint that does not simply follow."""
        noted = (fit for fit in self.fits if not fit.follows or fit.added)
        return tuple(fit.sentence(self.rate_Hz) for fit in noted)

    @property
    def described(self) -> NDArray[np.bool_]:
        """Of which joints the fit may be used, whether near their command or not, shape (joints,)."""
        return np.array([fit.described for fit in self.fits])

    def motion(self, t: ArrayLike) -> Motion:
        """Position, rate and acceleration at times t within the command, shape (n,) [s]."""
        times = np.asarray(t, float)
        return self.motion_and_functions(times)[0]

    def motion_and_functions(self, times: Array) -> tuple[Motion, Functions]:
        """Motion, and the functions of every basis with their first two derivatives, at times, shape (n,) [s]."""
        found = self.command.linear_map(times - self.start_s)
        functions = {basis: basis.derivatives(found) for basis in {fit.basis: None for fit in self.fits}}
        given = given_motion(self.command, self.joints, found)
        fitted = []
        for order, fixed in enumerate((given.position, given.rate, given.acceleration)):
            moved = [functions[fit.basis][order] @ fit.coefficients for fit in self.fits]
            fitted.append(fixed + np.stack(moved, axis=1))
        return Motion(times, *fitted), functions

    def covariance(self, t: ArrayLike) -> Array:
        """Covariance of position, rate and acceleration of each joint at each time, shape (n, joints, 3, 3)."""
        times = np.asarray(t, float)
        shared = {
            basis: np.stack([[(a * b).sum(axis=1) for a in orders] for b in orders])  # (3, 3, n)
            for basis, orders in self.motion_and_functions(times)[1].items()
        }
        each = np.stack([fit.noise_sd**2 * shared[fit.basis] for fit in self.fits])  # (joints, 3, 3, n)
        return np.moveaxis(each, 3, 0)


def project(
    command: Trajectory,
    t: ArrayLike,
    positions: ArrayLike,
    joints: Sequence[str],
    start_s: float = 0.0,
    noise_sd: ArrayLike | None = None,
    rounding: ArrayLike = 0.0,
    false_alarm: float = 1e-3,
    units: Sequence[str] | None = None,
) -> Projection:
    """Fit encoder positions, shape (n, joints) at times t, shape (n,) [s], with the command's functions.

    start_s: when the command began, on the clock of t. noise_sd: of an encoder sample, for each joint or for
    all; read from what the fit leaves over unless given. rounding: the encoder's step, likewise.
    false_alarm: how often a joint that does follow its command is given more functions than it needs.
    units: of the joints' positions, for sentences; rad unless given.
    """
    task = _Task.of(command, t, positions, tuple(joints), start_s, noise_sd, rounding, false_alarm)
    return Projection(command, start_s, task.rate_Hz, _fits(task, command, start_s, units, PIECES))


def _fits(
    task: _Task, command: Trajectory, start_s: float, units: Sequence[str] | None, tried: Sequence[int]
) -> tuple[JointFit, ...]:
    """Each joint with the command's functions and splines of as many pieces, of those tried, as it takes."""
    unit = dict(zip(task.names, units or ["rad"] * len(task.names), strict=True))
    fits: dict[str, JointFit] = {}
    plain = 0
    for pieces in tried:
        basis = ProjectionBasis.on(command, start_s, pieces, task.t)
        if pieces and basis.terms * _SAMPLES_PER_TERM > task.t.size:
            break
        plain, functions = plain or basis.terms, basis.at(task.t)
        for name in (name for name in task.names if name not in fits or not fits[name].described):
            fits[name] = task.fit(name, basis, functions, basis.terms - plain, unit[name])
        if all(fit.described for fit in fits.values()):
            break
    return tuple(fits.values())


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """The samples within the command, and what they are compared with; arrays of shape (n, joints)."""

    names: tuple[str, ...]
    t: Array
    x: Array
    fixed: Array
    asked: Array
    tests: tuple[Callable[[Array], Whiteness], ...]

    @classmethod
    def of(
        cls,
        command: Trajectory,
        t: ArrayLike,
        positions: ArrayLike,
        names: tuple[str, ...],
        start_s: float,
        noise_sd: ArrayLike | None,
        rounding: ArrayLike,
        false_alarm: float,
    ) -> _Task:
        times, x = np.asarray(t, float), columns_of(positions)
        if x.shape != (times.size, len(names)):
            raise ShapeError(f"positions must have shape ({times.size}, {len(names)}), found {x.shape}")
        inside = (times >= start_s) & (times <= start_s + command.duration_s)
        times, x = times[inside], x[inside]
        if times.size < 2 * (min(command.coefficients.shape[0], RICHEST) + 8):
            raise CannotProcess(
                f"only {times.size} samples of the joints fall within the command, which lasts from "
                f"{start_s:.6g} s to {start_s + command.duration_s:.6g} s"
            )
        found = command.linear_map(times - start_s)
        asked = chosen_motion(found.motion(command.coefficients), command.channels, names).position
        noise = [None] * len(names) if noise_sd is None else np.broadcast_to(noise_sd, len(names)).tolist()
        steps, peaks = np.broadcast_to(rounding, len(names)).tolist(), np.abs(x).max(axis=0).tolist()
        tests = tuple(
            partial(whiteness, noise_sd=sd, rounding=step, false_alarm=false_alarm, floor=_NUMERICAL * peak)
            for sd, step, peak in zip(noise, steps, peaks, strict=True)
        )
        return cls(names, times, x, given_motion(command, names, found).position, asked, tests)

    @property
    def rate_Hz(self) -> float:
        return (self.t.size - 1) / float(self.t[-1] - self.t[0])

    def fit(self, name: str, basis: ProjectionBasis, functions: Array, added: int, unit: str) -> JointFit:
        j = self.names.index(name)
        coefficients = functions.T @ (self.x[:, j] - self.fixed[:, j])
        fitted = self.fixed[:, j] + functions @ coefficients
        residual = self.x[:, j] - fitted
        furthest, relative = self._departure(j, fitted)
        spread, test = float(residual.std()), self.tests[j](residual)
        return JointFit(name, basis, coefficients, test, spread, added, furthest, relative, unit)

    def _departure(self, j: int, fitted: Array) -> tuple[float, float]:
        """How far a fit, shape (n,), is from the command: at most, and root mean square relative to the command's."""
        away = fitted - self.asked[:, j]
        away = away - away.mean()  # an encoder's zero is no departure
        sizes = np.sqrt((self.asked**2).mean(axis=0))
        # A joint that hardly moves is measured against a tenth of the motion of the one that moves most.
        size = max(float(sizes[j]), 0.1 * float(sizes.max()), 1e-300)
        return float(np.abs(away).max()), float(np.sqrt((away**2).mean())) / size
