"""What a sensor adds to the truth, in the terms of IEEE Std 952: white noise, random walk, flicker, bias.

With a sample every T seconds and double-sided densities, which is how data sheets and Allan deviations are
meant (IEEE Std 952-2020; Spirolazzi's eq. 4.1-4.2):

    term                        coefficient        in each sample                        Allan deviation
    angle random walk N         rad/s per sqrt Hz  white, standard deviation N / sqrt T  N / sqrt tau
    bias instability B          rad/s              flicker, spectrum B^2 / (2 pi f)      B sqrt(2 ln 2 / pi)
    rate random walk K          rad/s per sqrt s   steps of standard deviation K sqrt T  K sqrt(tau / 3)
    initial bias                rad/s              one number per run                    none

(and likewise for accelerations.) Some simulators read the same coefficients as single-sided densities; the
variances are then half as large.

Flicker is white noise of standard deviation B through the filter (1 - 1/z)^(-1/2) (Kasdin, "Discrete simulation
of colored noise and stochastic processes and 1/f^alpha power law noise generation", Proc. IEEE 83, 1995), whose
spectrum is B^2 T / (2 sin(pi f T)). It starts from nothing: what a sensor has at the start is its initial bias.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from freefloat.arrays import Array
from freefloat.sensors.draws import Stream

Density = Literal["double-sided", "single-sided"]

FLAT_ALLAN = math.sqrt(2.0 * math.log(2.0) / math.pi)  # Allan deviation of flicker, in units of B: 0.664


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """What is added to each of k components [SI]; every array has shape (k,).

    white_sd: standard deviation of white noise in each sample.
    walk_sd: standard deviation of a random walk after one second, starting from zero.
    flicker: bias instability B.
    bias: an error that is the same in every run.
    bias_sd: standard deviation of an error that is drawn once per run.
    """

    white_sd: Array
    walk_sd: Array = field(default_factory=lambda: np.zeros(1))
    flicker: Array = field(default_factory=lambda: np.zeros(1))
    bias: Array = field(default_factory=lambda: np.zeros(1))
    bias_sd: Array = field(default_factory=lambda: np.zeros(1))

    def __post_init__(self) -> None:
        size = np.size(self.white_sd)
        for name in ("white_sd", "walk_sd", "flicker", "bias", "bias_sd"):
            array = np.array(np.broadcast_to(np.asarray(getattr(self, name), float), (size,)))
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def scaled(self, density: Density) -> Noise:
        """The noise if the coefficients of white noise, walk and flicker are densities of this kind."""
        if density == "double-sided":
            return self
        half = math.sqrt(0.5)
        return replace(self, white_sd=half * self.white_sd, walk_sd=half * self.walk_sd, flicker=half * self.flicker)

    def allan_deviation(self, tau: Array, interval_s: float) -> Array:
        """What to expect at averaging times tau, shape (n,) [s] -> (n, k), for samples `interval_s` apart."""
        tau = np.asarray(tau, float)[:, None]
        white, walk = self.white_sd**2 * interval_s / tau, self.walk_sd**2 * tau / 3.0
        return np.sqrt(white + walk + (FLAT_ALLAN * self.flicker) ** 2)

    def added_to(self, signal: Array, interval_s: float, draws: Stream, what: str = "") -> Array:
        """Noisy values in every run, shape (runs, n, k).

        signal: shape (1, n, k) for all runs, or (runs, n, k). interval_s: between samples [s].
        what: tells the draws of several outputs of one sensor apart.
        """
        noisy = draws.noisy(f"{what}white", signal + self.bias, self.white_sd)
        n, k = signal.shape[1:]
        if self.bias_sd.any():
            noisy += self.bias_sd * draws.normal(f"{what}bias", (1, k))
        if self.walk_sd.any():
            noisy += math.sqrt(interval_s) * self.walk_sd * random_walk(draws.normal(f"{what}walk", (n, k)))
        if self.flicker.any():
            noisy += self.flicker * flicker(draws.normal(f"{what}flicker", (n, k)))
        return noisy


def random_walk(white: Array) -> Array:
    """Sums of steps along axis 1, zero at first; shape (runs, n, k)."""
    white[:, 0] = 0.0
    return np.cumsum(white, axis=1, out=white)


def flicker_response(n: int) -> Array:
    """Impulse response of (1 - 1/z)^(-1/2), its binomial series, shape (n,)."""
    order = np.arange(1.0, n)
    return np.cumprod(np.concatenate([[1.0], (order - 0.5) / order]))


def flicker(white: Array) -> Array:
    """White noise of shape (runs, n, k) through (1 - 1/z)^(-1/2) along axis 1."""
    n = white.shape[1]
    response = flicker_response(n)
    size = 1 << (2 * n - 1).bit_length()  # long enough that nothing wraps around
    spectrum = np.fft.rfft(white, size, axis=1) * np.fft.rfft(response, size)[:, None]
    return np.fft.irfft(spectrum, size, axis=1)[:, :n]
