"""Motion of the base from its sensors: in base axes, on the common time base."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.data.processing.attitude import integrate_rates, rates_of
from freefloat.data.processing.cutoffs import propose_cutoff
from freefloat.data.processing.derivative_band_limited import BandLimited
from freefloat.data.processing.derivative_through_samples import ThroughSamples
from freefloat.data.processing.differentiation import Differentiator, noise_gains
from freefloat.data.processing.filtering import LowPass
from freefloat.data.processing.resampling import Even, evenly, one_way_round, resample
from freefloat.data.processing.spectrum import noise_level
from freefloat.motion.trajectory import Motion, Trajectory
from freefloat.robot.rotations import conjugate, quaternion_of, quaternion_product
from freefloat.robot.transform import Transform

_LOWER = 0.9  # of a channel's rate: below, going to another rate folds noise back unless it is filtered first
_ALIAS = 0.4  # of the new rate: where to cut for that


@dataclass(frozen=True, slots=True, eq=False)
class OnTimeBase:
    """Values on the common time base.

    values: shape (m, k). low_pass: that was applied, if any. gain: of white noise in a sample.
    """

    values: Array
    low_pass: LowPass | None
    gain: float

    @property
    def words(self) -> str:
        """What was done."""
        if self.low_pass is None:
            return "as recorded, on the common time base"
        return f"low-passed at {self.low_pass.cutoff_Hz:.3g} Hz without lag, on the common time base"


def put_on_time_base(
    t: Array, values: ArrayLike, onto: Array, rate_Hz: float, low_pass: LowPass | None = None
) -> OnTimeBase:
    """Values, (n, k) at times t, on the common time base, (m,) at rate_Hz, filtered as asked or as that needs."""
    even = evenly(t, values)
    if low_pass is None and rate_Hz < _LOWER * even.rate_Hz:
        low_pass = LowPass(_ALIAS * rate_Hz)
    if low_pass is None:
        return OnTimeBase(resample(t, values, onto), None, 1.0)
    filtered = low_pass.apply(even.values, even.rate_Hz)
    # An even grid may end a little before the last of uneven samples.
    return OnTimeBase(
        resample(even.t, filtered, np.clip(onto, even.t[0], even.t[-1])), low_pass, low_pass.noise_gain(even.rate_Hz)
    )


def differentiated(t: Array, values: Array, onto: Array, command: Trajectory | None) -> tuple[Motion, Array, str]:
    """Values and their derivatives on the common time base, their standard deviations (3, k), and in words how."""
    even = evenly(t, values)
    method = _method(even, command)
    spread = noise_gains(method, even.t.size, even.rate_Hz)[:, None] * noise_level(even.values)
    motion = method.motion(even.t, even.values, np.clip(onto, even.t[0], even.t[-1]))
    cut = f"below {method.low_pass.cutoff_Hz:.3g} Hz" if isinstance(method, BandLimited) else "as it is"
    return motion, spread, cut


def velocity_of(
    t: Array, positions: Array, sd: Array | None, onto: Array, rate_Hz: float, command: Trajectory | None
) -> tuple[Array, Array, str]:
    """Derivative of positions on the common time base, (m, k), the noise of a sample of it, (k,), and in words how.

    sd: of a position, (k,); read from the data if None. What is left of noise below a cut-off is not independent from
    sample to sample: it counts as that of the samples which are, two for each period of the cut-off.
    """
    even = evenly(t, positions)
    method = _method(even, command)
    motion = method.motion(even.t, even.values, np.clip(onto, even.t[0], even.t[-1]))
    spread = noise_gains(method, even.t.size, even.rate_Hz)[1] * (noise_level(even.values) if sd is None else sd)
    if not isinstance(method, BandLimited):
        return motion.rate, spread, "as they are"
    alike = max(1.0, rate_Hz / (2.0 * method.low_pass.cutoff_Hz))
    return motion.rate, np.sqrt(alike) * spread, f"below {method.low_pass.cutoff_Hz:.3g} Hz"


def _method(even: Even, command: Trajectory | None) -> Differentiator:
    low_pass = propose_cutoff(even.values, even.rate_Hz, command)
    return ThroughSamples() if low_pass is None else BandLimited(low_pass)


def base_attitude(attitude: Array, mounting: Transform) -> Array:
    """R_IB from the attitudes of a sensor's frame, quaternions without jumps of sign, shape (n, 4)."""
    return one_way_round(quaternion_product(attitude, conjugate(quaternion_of(mounting.R))))


def integrated_attitude(t: Array, w: Array, onto: Array) -> Array:
    """Attitude against that at the first common instant, from all gyro readings, shape (m, 4)."""
    whole = resample(t, integrate_rates(t, w), onto)
    unit = whole / np.linalg.norm(whole, axis=1, keepdims=True)
    return quaternion_product(conjugate(unit[:1]), unit)


def rates_from_attitude(t: Array, attitude: Array, onto: Array, command: Trajectory | None) -> tuple[Array, Array, str]:
    """Body rates (m, 3) [rad/s], their standard deviation (3,), and in words how, where there is no gyro."""
    motion, spread, how = differentiated(t, attitude, onto, command)
    return rates_of(motion), np.full(3, attitude_sd(spread[1])), how


def attitude_sd(component_sd: Array) -> float:
    """Standard deviation of the rotation vector [rad] that makes those of four components, about any axis."""
    # A small rotation changes the quaternion by half of it, in three of four directions.
    return float(np.sqrt(4.0 / 3.0 * (component_sd**2).sum()))
