"""Flights whose data do not show everything, with nothing but the data to go by (`prior: none`).

Of these an estimate must say what it found, and leave open what it did not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from strangers import motion, truth
from strangers.flights import flown
from strangers.readings import Disturbances, Recorded, recorded
from strangers.robots import CRAB, TWINS, Body, Gyro, Mass, Mount, Prior, Stranger, Wheel, link, load

_ROOT = 3.0**-0.5

FOUR_WHEELS = Stranger(
    "four-wheels",
    Mass(320.0, (0.02, -0.01, 0.03), 0.6, (1.04, 0.98, 0.98), (0.02, -0.01, 0.02)),
    (
        Body("left1", "base", (0.3, 0.5, 0.4), (0, 0, 0), link(16.0, 0.6)),
        Body("left2", "left1", (0.0, 0.0, 0.6), (90, 0, 0), link(12.0, 0.6)),
        Body("load", "left2", (0.05, 0.0, 0.6), (0, 30, 0), load(10.0, 0.3), kind="fixed"),
        Body("right1", "base", (0.3, -0.5, 0.4), (0, 90, 0), link(14.0, 0.6)),
        Body("right2", "right1", (0.0, 0.0, 0.6), (90, 0, 0), link(11.0, 0.6)),
    ),
    Prior(0.1, 0.1, 0.1),
    {"load": 0.001},
    Gyro(100.0, 0.005, Mount((0.1, 0.2, -0.1), (0, 0, 90))),
    wheels=tuple(
        Wheel(f"w{number}", (x * _ROOT, y * _ROOT, _ROOT), (0.1 * x, 0.1 * y, -0.2), 4.0, 0.03, 0.018, bias, 80.0)
        for number, (x, y, bias) in enumerate([(1, 1, 60.0), (-1, 1, -50.0), (-1, -1, 45.0), (1, -1, -55.0)], start=1)
    ),
    tachometer_noise=0.02,
    tumble=0.01,
)


@dataclass(frozen=True)
class HardCase:
    """What is handed to the verbs, and the truth. unseen: another flight of the same robot, to be predicted."""

    said: Stranger
    truth: truth.Truth
    seen: Recorded
    unseen: Recorded


def heavier(seed: int = 0) -> HardCase:
    """Two arms, four wheels, momentum unknown; all but the known load is 22 % heavier than the CAD model has it."""
    true = truth.as_modelled(FOUR_WHEELS)
    bodies = {name: ten if name in FOUR_WHEELS.known else 1.22 * ten for name, ten in true.bodies.items()}
    rng = _seeded(seed, 100)
    errors = truth.drawn(FOUR_WHEELS, rng)
    return _case(FOUR_WHEELS, replace(errors, bodies=bodies), seed, 100, 60.0)


SLOW = replace(TWINS, fastest=0.05, tumble=0.01)
SLOW_CRAB = replace(CRAB, fastest=0.1, tumble=0.01)


def short_cut(seed: int = 0, robot: Stranger = SLOW, duration_s: float = 14.0) -> HardCase:
    """A few seconds of slow motion of two arms, momentum unknown, twice as far from the CAD model as it may say."""
    return _case(robot, truth.drawn(robot, _seeded(seed, 101), times=2.0), seed, 101, duration_s)


def short_cut_of_eleven_joints(seed: int = 0) -> HardCase:
    """The same with an arm of five joints and one of six."""
    return short_cut(seed, SLOW_CRAB)


def _case(robot: Stranger, true: truth.Truth, seed: int, number: int, duration_s: float) -> HardCase:
    runs = []
    for run in (0, 1):
        rng = _seeded(seed, number, run)
        flight = flown(robot, true, motion.drawn(robot, rng), rng, duration_s=duration_s)
        runs.append(recorded(robot, true, flight, Disturbances(), rng))
    return HardCase(robot, true, *runs)


def _seeded(*numbers: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(numbers))
