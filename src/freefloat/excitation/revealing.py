"""A design that shows modes: its rows and its goal, for one robot with what swings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.swinging import fastest_swing
from freefloat.errors import FreefloatError
from freefloat.estimate.problem import Problem
from freefloat.excitation.goals.reveal import Reveal
from freefloat.excitation.information.modes import ModeRows, PulledModes
from freefloat.excitation.planned_motion import Conditions
from freefloat.excitation.solver.objective import GoalOnRows
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot

_PER_SWING, _MOST = 10.0, 3000  # instants of the fastest swing, and in all
_LEAST, _MOST_OFF = 0.05, 0.9  # by which frequencies may be off where nothing is said, and at most
_DAMPING, _START = 0.5, 0.05  # where nothing is said
_GYRO = "w"


class CannotReveal(FreefloatError):
    """A flight that shows no modes."""


def reveal_of(
    robot: Robot, problem: Problem, conditions: Conditions, shape: Trajectory, earlier: Sequence[Trajectory]
) -> GoalOnRows:
    """The goal on a motion of this shape.

    robot: with what swings. problem, conditions: of the same with passive joints locked, at rest.
    """
    rows = _rows(robot, problem, conditions, shape)
    nuisances = problem.nuisances
    slides = robot.joint(robot.passive_names[0]).kind == "prismatic"
    start = (nuisances.swing_start_m if slides else nuisances.swing_start_rad) or _START
    frequency = nuisances.swing_frequency or _LEAST
    prior = rows.prior(frequency, nuisances.swing_damping or _DAMPING, start)
    for motion in earlier:
        prior = prior + _shown(rows, prior, conditions, motion)
    goal = Reveal(prior, rows.sought)
    return GoalOnRows(rows, goal, conditions, shape.channels, shape.linear_map(rows.t))


def _rows(robot: Robot, problem: Problem, conditions: Conditions, shape: Trajectory) -> ModeRows:
    flight = problem.flights[0]
    if robot.base == "fixed" or _GYRO not in flight.noise:
        what = f"{robot.name} has a fixed base" if robot.base == "fixed" else "there is no gyro"
        raise CannotReveal(f"reveal shows modes by the base's rate, but {what}; allowed: a base that moves and a gyro")
    if conditions.momentum.any():
        found = ", ".join(f"{each:g}" for each in conditions.momentum)
        raise CannotReveal(f"reveal plans flights of zero momentum, found {found} N m s; allowed: momentum: zero")
    off = min(problem.nuisances.swing_frequency or 0.0, _MOST_OFF)
    factors = (1.0, 1.0 - off, 1.0 + off) if off else (1.0,)
    posture = np.zeros(len(robot.joints))
    posture[robot.driven] = conditions.samples(shape.channels, shape.evaluate([0.0])).q[0]
    modes = PulledModes(robot, posture)
    if not modes.frequencies.size:
        raise CannotReveal(f"reveal shows modes, and {robot.name} has none; allowed: passive joints held by springs")
    wanted = _PER_SWING * max(factors) * fastest_swing(robot) * shape.duration_s
    t = np.linspace(0.0, shape.duration_s, 1 + int(np.clip(wanted, flight.t.size - 1, max(_MOST, flight.t.size - 1))))
    # Noise of a reading goes with the root of how many there are, which the problem's samples have as few or as many.
    rates = [(each.size - 1) / (each[-1] - each[0]) for each in (flight.t, t)]
    noise = np.asarray(flight.noise[_GYRO], float) * np.sqrt(rates[1] / rates[0])
    return ModeRows(modes, factors, t, np.broadcast_to(noise, (3,)))


def _shown(rows: ModeRows, prior: Array, conditions: Conditions, motion: Trajectory) -> Array:
    """Information of an earlier motion on what all flights share, its own unknowns eliminated."""
    steps = max(1, round((rows.t.size - 1) * motion.duration_s / float(rows.t[-1])))  # as long as the rows' own
    same = ModeRows(rows.modes, rows.factors, np.linspace(0.0, motion.duration_s, 1 + steps), rows.noise)
    C = same.fill(conditions.samples(motion.channels, motion.evaluate(same.t))).matrix
    F, kept, rest = C.T @ C, np.flatnonzero(rows.lasting), np.flatnonzero(~rows.lasting)
    inner = F[rest[:, None], rest] + prior[rest[:, None], rest]
    across = F[kept[:, None], rest]
    shown = np.zeros_like(F)
    shown[kept[:, None], kept] = F[kept[:, None], kept] - across @ np.linalg.solve(inner, across.T)
    return shown
