"""The published experiment N1, as the tests of signal processing fly it."""

from __future__ import annotations

from functools import cache

import numpy as np

from freefloat.sensors.truth import Truth
from freefloat.simulation.simulate import simulate_motion
from freefloat.studies.catalogue import study_robot
from freefloat.studies.printed import printed_motion

ENCODER_SD = 2.5e-5  # [rad]
RATE = 100.0  # [Hz]


@cache
def n1_robot():
    return study_robot("spirolazzi_n1")


@cache
def n1_command():
    return printed_motion("spirolazzi_n1", n1_robot())


@cache
def n1_times():
    return np.arange(int(n1_command().duration_s * RATE) + 1) / RATE


@cache
def n1_motion():
    return n1_command().evaluate(n1_times())


@cache
def n1_truth():
    return Truth.of(n1_robot(), simulate_motion(n1_robot(), n1_command(), n1_times()))


def encoders(positions, seed=0, sd=ENCODER_SD):
    return positions + sd * np.random.default_rng(seed).normal(size=positions.shape)


def rms(x):
    return float(np.sqrt(np.mean(np.square(x))))
