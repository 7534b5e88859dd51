"""One trajectory of every shape, for laws that hold for all."""

from __future__ import annotations

import numpy as np

from freefloat.motion.bspline import BSpline
from freefloat.motion.combined import Combined
from freefloat.motion.consecutive import Consecutive
from freefloat.motion.cycloid import Cycloid, direction_combinations
from freefloat.motion.fourier import Fourier, PlainFourier
from freefloat.motion.quintic_points import QuinticPoints
from freefloat.motion.sampled import Sampled
from freefloat.robot.model import Robot
from freefloat.robot.parts import Body, Joint, Wheel

CHANNELS = ("j1", "j2", "wx")
DURATION = 12.0

_rng = np.random.default_rng(7)
_t = np.concatenate([[0.0], np.sort(_rng.uniform(0.5, 11.5, 9)), [DURATION]])


def _normal(rows: int, columns: int = 3) -> np.ndarray:
    return _rng.normal(size=(rows, columns))


SHAPES = {
    "fourier": Fourier(CHANNELS, _normal(8), DURATION),
    "fourier, given ends": Fourier(CHANNELS, _normal(6), DURATION, _normal(6)),
    "plain fourier": PlainFourier(CHANNELS, _normal(7), DURATION, DURATION),
    "plain fourier, several periods": PlainFourier(CHANNELS, _normal(5), DURATION, 5.0),
    "cycloid": Cycloid(CHANNELS, _normal(5), DURATION / 4),
    "cycloid from seeds": Cycloid.from_seeds(
        CHANNELS, [0.3, -1.2, 0.0], [0.05, 0.04, 9.4], direction_combinations(3), DURATION / 4
    ),
    "points": QuinticPoints.from_points(CHANNELS, _t, _normal(11), _normal(11)),
    "points, given accelerations": QuinticPoints.from_points(CHANNELS, _t, _normal(11), _normal(11), _normal(11)),
    "cubic b-spline": BSpline(CHANNELS, _normal(9), DURATION, degree=3, rest=False),
    "quartic b-spline, at rest": BSpline(CHANNELS, _normal(3), DURATION, degree=4),
    "quintic b-spline, at rest": BSpline(CHANNELS, _normal(9), DURATION),
    "sampled positions, cubic": Sampled.from_positions(CHANNELS, _t, _normal(11), degree=3),
    "sampled positions": Sampled.from_positions(CHANNELS, _t, _normal(11)),
    "sampled positions and rates": Sampled.from_positions(CHANNELS, _t, _normal(11), _normal(11)),
    "sampled positions and rates, cubic": Sampled.from_positions(CHANNELS, _t, _normal(11), _normal(11), degree=3),
    "sampled rates": Sampled.from_rates(CHANNELS, _t, _normal(11), start=[0.1, 0.2, 0.3]),
    "sampled rates, straight": Sampled.from_rates(CHANNELS, _t, _normal(11), degree=2),
    "combined": Combined(
        (
            Fourier(("j1", "j2"), _normal(4, 2), DURATION, _normal(6, 2)),
            Sampled.from_rates(("wx",), _t, _normal(11, 1)),
        )
    ),
    "consecutive": Consecutive(
        (Fourier(CHANNELS, _normal(6), DURATION / 3), Fourier(CHANNELS, _normal(8), 2 * DURATION / 3))
    ),
}

JUMPING = ("sampled positions and rates, cubic", "sampled rates, straight")  # their accelerations jump


def limited_robot(position=(-1.0, 2.0), rate=0.5, acceleration=0.3, max_rate=10.0) -> Robot:
    """Two joints, the second sliding, and a wheel, all with limits."""
    limits = {"position": position, "rate": rate, "acceleration": acceleration}
    joints = (Joint("j1", **limits), Joint("j2", "prismatic", **limits))
    bodies = [Body("base")]
    for number, joint in enumerate(joints, start=1):
        bodies.append(Body(f"link{number}", bodies[-1].name, joint))
    return Robot("limited", tuple(bodies), wheels=(Wheel("wx", [1, 0, 0], 0.2, max_rate),))
