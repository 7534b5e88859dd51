"""Where to cut: cut-offs from the spectrum, and a warning when one eats the motion.

A cut-off that keeps 99 % of the joints' motion can still ruin an identification, because the base answers at
many times the frequency of the joints, and what tells parameters apart is small. The published chain of
M. Spirolazzi ("Free-floating robot inertial parameter identification towards in orbit servicing", 2022, section
6.3.1), joints cut at 0.05 Hz and gyro at 0.2 Hz for a motion of up to 4/150 Hz, loses 1 % of the joint angles,
puts joints and gyro 3 % apart, and so makes the estimates 84-98 % wrong. Cut at twenty times the highest
frequency of the command nothing of the kind is left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.data.processing.filtering import ORDER, LowPass
from freefloat.data.processing.spectrum import columns_of, motion_power, noise_level, power_edge
from freefloat.dynamics.reaction import base_reaction
from freefloat.dynamics.samples import Samples
from freefloat.motion.combined import Combined
from freefloat.motion.consecutive import Consecutive
from freefloat.motion.fourier import Fourier, PlainFourier
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot

MARGIN = 20.0  # times the highest frequency of the command: what is proposed
TOO_LOW = 15.0  # times: what is warned of
DISAGREEMENT = 1e-4  # of the base's rate; a condition number of 300 makes three per cent of it
_ABOVE_BEST = 2.0  # times the best cut-off by the spectrum
_CANDIDATES = 100
_PERIODS = 4.0  # in a record: no cut-off below
_CLOSEST = 0.4  # of the rate: no cut-off above
_POWER_SHARE = 0.99  # of a commanded rate, for shapes that are no Fourier series


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """What filters do to a commanded motion without any noise, in parts of its root mean square.

    position, rate: of the joints. base_rate: of the base's rate that they cause.
    disagreement: between the filtered base rate and that which the filtered joints would cause.
    """

    position: float
    rate: float
    base_rate: float
    disagreement: float

    @property
    def harmless(self) -> bool:
        """Whether joints and base still fit each other well enough to identify from."""
        return self.disagreement < DISAGREEMENT


def command_frequency(command: Trajectory) -> float:
    """The highest frequency of a command [Hz]: of its harmonics, or that below which 99 % of its rates lie."""
    if isinstance(command, Fourier | PlainFourier):
        return float(command.frequencies.max(initial=0.0)) / (2.0 * np.pi)
    if isinstance(command, Combined | Consecutive):
        return max(command_frequency(part) for part in command.parts)
    t = np.linspace(0.0, command.duration_s, 4097)
    rate = command.evaluate(t).rate
    return power_edge(rate, 4096.0 / command.duration_s, _POWER_SHARE) if rate.any() else 0.0


def propose_cutoff(
    values: ArrayLike, rate_Hz: float, command: Trajectory | None = None, order: int = ORDER
) -> LowPass | None:
    """A low-pass that leaves the motion in the values, shape (n, k), alone; None if there is no room for one.

    The cut-off at which rates become most accurate by the spectrum of motion and noise, doubled because of
    the motion that noise hides, and, if the command is known, at least twenty times its highest
    frequency. order: of each pass.
    """
    cutoff = _ABOVE_BEST * _most_accurate(values, rate_Hz, order)
    if command is not None:
        cutoff = max(cutoff, MARGIN * command_frequency(command))
    return LowPass(cutoff, order) if cutoff < _CLOSEST * rate_Hz else None


def _most_accurate(values: ArrayLike, rate_Hz: float, order: int) -> float:
    """Where lost motion and remaining noise, both as rates and in units of the noise, add up to the least [Hz]."""
    found = motion_power(values, rate_Hz)
    noise = found.noise_sd**2
    if not noise.any():
        return 0.5 * rate_Hz
    f, moving = found.frequency_Hz, noise > 0.0
    motion = (found.power[:, moving] / noise[moving]).sum(axis=1)
    lowest = _PERIODS * rate_Hz / columns_of(values).shape[0]
    candidates = np.geomspace(min(lowest, 0.25 * rate_Hz), 0.5 * rate_Hz, _CANDIDATES)
    kept = 1.0 / (1.0 + (f / candidates[:, None]) ** (2 * order))  # (candidates, frequencies)
    error = ((1.0 - kept) ** 2 * motion + kept**2 * moving.sum()) @ f**2
    return float(candidates[int(np.argmin(error))])


def lost_motion(values: ArrayLike, rate_Hz: float, low_pass: LowPass, false_alarm: float = 1e-3) -> Array:
    """Root mean square of what is motion, not noise, in what a filter removes, (n, k) -> (k,).

    Zero where noise alone explains what is removed. false_alarm: how often noise may pass for motion, per column.
    """
    from scipy.stats import chi2

    x = columns_of(values)
    removed = x - low_pass.apply(x, rate_Hz)
    noise = noise_level(x) ** 2
    kept = low_pass.noise_gain(rate_Hz)
    freedom = x.shape[0] * max(1.0 - kept, 0.01)
    limit = chi2.isf(false_alarm, freedom) / freedom
    found = (removed**2).mean(axis=0)
    # A tenth more, for the noise itself is only estimated, from its spectrum's median.
    return np.where(found > 1.1 * limit * noise, np.sqrt(np.maximum(found - noise, 0.0)), 0.0)


def round_trip(
    command: Trajectory, robot: Robot, joints: LowPass | None, gyro: LowPass | None, rate_Hz: float = 100.0
) -> RoundTrip:
    """Send a command, and the base rate it causes at zero momentum, through filters; None leaves them as is.

    Wheels count as being at rest but for the command.
    """
    t = np.arange(int(command.duration_s * rate_Hz) + 1) / rate_Hz
    pure = command.samples(robot, t)
    q, dq, w = pure.q, np.asarray(pure.dq), base_reaction(robot, pure)[1]
    q_left, dq_left = (x if joints is None else joints.apply(x, rate_Hz) for x in (q, dq))
    w_left = w if gyro is None else gyro.apply(w, rate_Hz)
    caused = base_reaction(robot, Samples(q=q_left, dq=dq_left, wheel_rates=pure.wheel_rates))[1]
    return RoundTrip(
        _relative(q_left - q, q), _relative(dq_left - dq, dq), _relative(w_left - w, w), _relative(w_left - caused, w)
    )


def cutoff_warnings(
    low_pass: LowPass,
    what: str,
    values: ArrayLike | None = None,
    rate_Hz: float = 100.0,
    command: Trajectory | None = None,
    negligible: float = 1e-5,
) -> tuple[str, ...]:
    """Sentences, if any, on what a cut-off takes away from `what` (such as "the joints").

    values: the raw values, shape (n, k), at rate_Hz. command: the commanded motion, if known.
    negligible: the share of the values' spread that nobody would miss.
    """
    said = []
    top = 0.0 if command is None else command_frequency(command)
    if top > 0.0 and low_pass.cutoff_Hz < TOO_LOW * top:
        said.append(
            f"{what}: a cut-off of {low_pass.cutoff_Hz:g} Hz is {low_pass.cutoff_Hz / top:.1f} times the highest "
            f"frequency of the command, {top:.3g} Hz; it eats the motion below about {MARGIN:g} times"
        )
    if values is not None:
        lost, size = lost_motion(values, rate_Hz, low_pass), columns_of(values).std(axis=0)
        share = float(np.max(lost / np.where(size > 0.0, size, np.inf), initial=0.0))
        if share > negligible:
            said.append(
                f"{what}: {100.0 * share:.2g} % of the measured motion lies above the cut-off of "
                f"{low_pass.cutoff_Hz:g} Hz and is lost"
            )
    return tuple(said)


def round_trip_warning(trip: RoundTrip) -> tuple[str, ...]:
    """A sentence if filters have put joints and base apart."""
    if trip.harmless:
        return ()
    return (
        f"without any noise these filters change joint rates by {100.0 * trip.rate:.2g} %, the base's rate by "
        f"{100.0 * trip.base_rate:.2g} % and put the two {100.0 * trip.disagreement:.2g} % apart; "
        f"an estimate is wrong by that times the condition number",
    )


def _relative(change: Array, whole: Array) -> float:
    size = float((whole**2).mean()) if whole.size else 0.0
    return float(np.sqrt((change**2).mean() / size)) if size > 0.0 else 0.0
