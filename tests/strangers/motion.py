"""Smooth motion of joints and wheels: sums of sines up to 1 Hz, with exact derivatives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from strangers.robots import Stranger

BANDS_HZ = np.linspace(0.05, 1.0, 6)  # one sine in each interval
SHARES = np.array([2.0, 1.0, 1.0, 1.0, 1.0]) / np.sqrt(8.0)  # of the rate; most in the slowest, which moves farthest


@dataclass(frozen=True)
class Motion:
    """Coordinates as functions of time: centre + drift t + sum of amplitude sin(turns t + phase).

    centre, drift: shape (k,). amplitude, turns [rad/s], phase: shape (k, sines). Joints first, then wheels.
    """

    centre: np.ndarray
    drift: np.ndarray
    amplitude: np.ndarray
    turns: np.ndarray
    phase: np.ndarray

    def at(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position, rate and acceleration, shape (n, k) each."""
        angle = self.turns * np.asarray(t)[:, None, None] + self.phase
        sine, rate = np.sin(angle), self.amplitude * self.turns
        q = self.centre + self.drift * np.asarray(t)[:, None] + (self.amplitude * sine).sum(axis=2)
        return q, self.drift + (rate * np.cos(angle)).sum(axis=2), -(rate * self.turns * sine).sum(axis=2)


def drawn(robot: Stranger, rng: np.random.Generator, bands_Hz: np.ndarray = BANDS_HZ) -> Motion:
    """Any motion of this robot; bands_Hz: ends of the intervals in each of which it has a sine."""
    slides = np.array([body.kind == "prismatic" for body in robot.moving])
    bias, swing = (np.array([getattr(wheel, name) for wheel in robot.wheels]) for name in ("bias", "swing"))
    count = slides.size + len(robot.wheels)
    rates = np.concatenate([np.where(slides, robot.slides, robot.fastest), swing])
    turns = 2.0 * np.pi * rng.uniform(bands_Hz[:-1], bands_Hz[1:], (count, SHARES.size))
    amplitude = rates[:, None] * SHARES * rng.uniform(0.5, 1.0, turns.shape) / turns
    centre = np.concatenate([np.where(slides, 0.1, 0.7) * rng.uniform(-1.0, 1.0, slides.size), np.zeros(bias.size)])
    drift = np.concatenate([np.zeros(slides.size), bias * rng.uniform(0.5, 1.0, bias.size)])
    return Motion(centre, drift, amplitude, turns, rng.uniform(0.0, 2.0 * np.pi, turns.shape))
