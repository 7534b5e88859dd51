"""Mistakes in torques of a robot on the ground: signs of joints, and gravity that points the other way.

What the CAD model needs for the motion is compared with what was recorded. A mistake is named where undoing it takes
most of the difference away, so that friction, or a model that is somewhat off, is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.torque import inverse_dynamics
from freefloat.estimate.cause import Cause
from freefloat.estimate.causes.mistakes import Mistake
from freefloat.estimate.problem import Problem

_EXPLAINED = 0.5  # of the power of a torque that must be explained once the mistake is undone
_BETTER = 3.0  # times less of it that must be left then
_MOST = 2000  # instants of a flight, enough to tell


def torque_mistakes(problem: Problem) -> tuple[Mistake, ...]:
    """Those that torques of a fixed base show; none of other robots."""
    flights = [flight.samples for flight in problem.flights if flight.samples.torques is not None]
    if problem.robot.base != "fixed" or not problem.robot.joints or not flights:
        return ()
    few = [samples[:: max(1, len(samples) // _MOST)] for samples in flights]
    measured = np.concatenate([samples.need("torques", "joint torques") for samples in few])
    turned = replace(problem.robot, gravity=-problem.robot.gravity)
    usual, upside_down = (
        np.concatenate([inverse_dynamics(robot, samples)[:, 6:] for samples in few])
        for robot in (problem.robot, turned)
    )
    power = (measured**2).sum()
    if _is_cured(power, _left(measured, usual).sum(), _left(measured, upside_down).sum()):
        return (_upside_down(),)
    return tuple(_flipped(problem, measured, usual))


def _left(measured: Array, needed: Array) -> Array:
    """Power of what is left of each joint's torque, shape (joints,)."""
    return np.asarray(((measured - needed) ** 2).sum(axis=0))


def _is_cured(power: float, before: float, after: float) -> bool:
    return after < (1.0 - _EXPLAINED) * power and _BETTER * after < before


def _upside_down() -> Mistake:
    what, cure = (
        "gravity points the other way",
        "turn `gravity_m_s2` round, in the mission's `stance` or the robot file",
    )
    cause = Cause("sign", "gravity", what, np.nan, np.nan, 1.0, cure=cure)
    return Mistake(f"it seems that {what}: the CAD model then explains most of the torques; {cure}", (cause,))


def _flipped(problem: Problem, measured: Array, needed: Array) -> Iterator[Mistake]:
    """Joints whose torques have the other sign."""
    before, after = _left(measured, needed), _left(-measured, needed)
    for place, joint in enumerate(problem.robot.joints):
        if _is_cured(float((measured[:, place] ** 2).sum()), float(before[place]), float(after[place])):
            what = f"torques of {joint.name} have the other sign"
            cure = "turn the sign of its column, or of its axis in the robot file"
            cause = Cause("sign", joint.name, what, np.nan, np.nan, 1.0, cure=cure)
            yield Mistake(f"it seems that {what}: the CAD model then explains most of them; {cure}", (cause,))
