"""What a gyro would tell of modes that a motion pulls at: derivatives of its readings by frequency, damping and more.

Passive joints at rest are pulled with the acceleration a(q, dq, ddq) that the law of motion gives them (Lagrange's
equations of the whole robot, the base giving way: `dynamics/swinging.py`). Of the small motion about one posture, a
mode with shape u, of inertia one, answers

    y'' + 2 zeta omega y' + omega^2 y = u^T M a,         w = b y',

b being what the base turns by. Its frequency and damping ratio are unknown, as are how strongly it couples to the base
and how it moves at first; the gyro has a bias. That holds for each of several factors of all frequencies, one block of
rows and columns after the other, so that a goal on all of them is robust to frequencies that are known roughly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag, expm

from freefloat.arrays import Array
from freefloat.dynamics.about_rest import small_motion
from freefloat.dynamics.modes import normal_shapes
from freefloat.dynamics.momentum_rows import momentum_by_wheel_rates
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.swinging import EvenSteps, Swing, springs_of
from freefloat.excitation.information import mode_kernels
from freefloat.excitation.planned_swing import around
from freefloat.excitation.rows.rows import DesignRows, Filled, MotionSlope
from freefloat.robot.model import Robot

_FASTER, _BY_FREQUENCY, _BY_DAMPING = 1, 3, 5  # which of the states are rates
PER_MODE = 5  # unknowns: frequency and damping over themselves, coupling over itself, place and rate at first
_BIASES = 3


@dataclass(frozen=True, eq=False)
class PulledModes:
    """Modes of a robot about one posture.

    robot: with what swings. posture: of all joints, passive ones zero, (joints,).
    """

    robot: Robot
    posture: Array

    @cached_property
    def _normal(self) -> tuple[Array, Array, Array, Array]:
        """Frequencies [rad/s] (r,), shapes of inertia one (passive, r), turns of the base (3, r), and the weights."""
        model = small_motion(self.robot, self.posture)
        squares, shapes, base = normal_shapes(model)
        b, twist = model.base_rows.size, np.zeros((6, squares.size))
        twist[model.base_rows] = base @ shapes
        return np.sqrt(squares), shapes, twist[3:], (model.M[b:, b:] + model.M[b:, :b] @ base) @ shapes

    @property
    def frequencies(self) -> Array:
        """[rad/s], shape (r,)."""
        return self._normal[0]

    @property
    def turns(self) -> Array:
        """What the base turns by, base axes, shape (3, r)."""
        return self._normal[2]

    @cached_property
    def farthest(self) -> Array:
        """Of the joint that moves most in each mode, for a mode of size one, shape (r,) [rad or m]."""
        return np.asarray(np.abs(self._normal[1]).max(axis=0))

    @cached_property
    def damping_ratios(self) -> Array:
        """Shape (r,)."""
        omega, shapes = self._normal[:2]
        return np.asarray(np.einsum("pr,p,pr->r", shapes, springs_of(self.robot)[1], shapes) / (2.0 * omega))

    @property
    def weights(self) -> Array:
        """Of accelerations of passive joints in the pull of each mode, shape (passive, r)."""
        return self._normal[3]


@dataclass(frozen=True, eq=False)
class ModeRows(DesignRows):
    """Rows of a gyro at even instants.

    modes: of the robot. factors: of all frequencies. t: even instants, (n,) [s]. noise: of a reading, (3,) [rad/s].
    """

    modes: PulledModes
    factors: Sequence[float]
    t: Array
    noise: Array

    @property
    def names(self) -> tuple[str, ...]:
        """Of the unknowns of one factor after the other."""
        parts = ("frequency", "damping", "coupling", "place at first", "rate at first")
        own = [f"{part} of mode {r + 1}" for r in range(self.modes.frequencies.size) for part in parts]
        return tuple(
            f"{name} x {factor:g}" for factor in self.factors for name in (*own, *(f"bias {x}" for x in "xyz"))
        )

    @property
    def _each(self) -> list[tuple[float, float]]:
        """Frequency [rad/s] and damping ratio of every mode, one factor after the other."""
        own = list(zip(self.modes.frequencies.tolist(), self.modes.damping_ratios.tolist(), strict=True))
        return [(factor * omega, zeta) for factor in self.factors for omega, zeta in own]

    @cached_property
    def steps(self) -> tuple[Array, Array, Array]:
        """Of all factors' modes, one factor after the other, as `mode_kernels.respond` takes them."""
        found = [_step(omega, zeta, float(self.t[1] - self.t[0])) for omega, zeta in self._each]
        return tuple(np.ascontiguousarray(np.stack(part)) for part in zip(*found, strict=True))  # type: ignore[return-value]

    @cached_property
    def free(self) -> Array:
        """Rates of all factors' modes that begin at one, or at the rate one, shape (factors * r, n, 2)."""
        return np.stack([expm(_law(*each) * self.t[:, None, None])[:, 1] for each in self._each])

    def fill(self, samples: Samples) -> FilledModes:
        """The rows of a motion of driven joints and wheels at these instants."""
        return FilledModes(self, samples)

    def prior(self, frequency: float, damping: float, start: float) -> Array:
        """Information on the unknowns beforehand, (u, u); the parts by which frequencies and damping ratios may be off.

        start: how far the joint that moves most may be from rest at first [rad or m].
        """
        far = start / self.modes.farthest
        blocks = []
        for factor in self.factors:
            rates = factor * self.modes.frequencies * far
            sds = [np.array([frequency, damping, 1.0, place, rate]) for place, rate in zip(far, rates, strict=True)]
            blocks.append(np.diag(np.append(np.concatenate(sds) ** -2.0, np.zeros(_BIASES))))
        return np.asarray(block_diag(*blocks))

    @property
    def sought(self) -> Array:
        """Frequencies and damping ratios among the unknowns, (2 factors r, u)."""
        r, width = self.modes.frequencies.size, PER_MODE * self.modes.frequencies.size + _BIASES
        places = [
            block * width + mode * PER_MODE + part
            for block in range(len(self.factors))
            for mode in range(r)
            for part in range(2)
        ]
        return np.eye(width * len(self.factors))[places]

    @property
    def lasting(self) -> NDArray[np.bool_]:
        """Which unknowns another flight shares: not how modes move at first, nor biases, (u,) of truth values."""
        own = [True, True, True, False, False] * self.modes.frequencies.size + [False] * _BIASES
        return np.array(own * len(self.factors))


class FilledModes(Filled):
    """Rows of one motion."""

    def __init__(self, rows: ModeRows, samples: Samples) -> None:
        self.rows, self.samples = rows, samples
        modes, factors = rows.modes, len(rows.factors)
        self.swing = _at_rest(modes.robot, samples)
        pull = np.tile(self.swing.law.acceleration @ modes.weights, (1, factors))
        states = np.empty((*pull.shape, mode_kernels.STATES))
        mode_kernels.respond(*rows.steps, np.ascontiguousarray(pull), states)
        self.matrix = self._matrix(states)

    @cached_property
    def _turns(self) -> Array:
        """What a mode's rate turns the base by over the noise of readings, (3, r)."""
        return self.rows.modes.turns / self.rows.noise[:, None]

    @cached_property
    def _scales(self) -> Array:
        """Of damping ratios, in whose parts they count: one where there is none, (r,)."""
        ratios = self.rows.modes.damping_ratios
        return np.where(ratios > 0.0, ratios, 1.0)

    def _matrix(self, states: Array) -> Array:
        n, r, rows = self.rows.t.size, self.rows.modes.frequencies.size, self.rows
        blocks = []
        for block in range(len(rows.factors)):
            own = slice(block * r, (block + 1) * r)
            free = rows.free[own].transpose(1, 0, 2)
            parts = np.empty((n, r, PER_MODE))
            parts[:, :, 0] = states[:, own, _BY_FREQUENCY]
            parts[:, :, 1] = states[:, own, _BY_DAMPING] * self._scales
            parts[:, :, 2] = states[:, own, _FASTER]
            parts[:, :, 3:] = free
            columns = (self._turns[None, :, :, None] * parts[:, None]).reshape(n, 3, r * PER_MODE)
            bias = np.broadcast_to(np.diag(1.0 / rows.noise), (n, 3, _BIASES))
            blocks.append(np.concatenate([columns, bias], axis=2).reshape(3 * n, -1))
        return np.asarray(block_diag(*blocks))

    def pull_back(self, Z: Array) -> MotionSlope:
        """Derivative by the motion."""
        n, r, rows = self.rows.t.size, self.rows.modes.frequencies.size, self.rows
        width = PER_MODE * r + _BIASES
        by_states = np.zeros((n, r * len(rows.factors), mode_kernels.STATES))
        for block in range(len(rows.factors)):
            own = slice(block * r, (block + 1) * r)
            here = Z[3 * n * block : 3 * n * (block + 1), width * block : width * (block + 1) - _BIASES]
            parts = np.einsum("nxrk,xr->nrk", here.reshape(n, 3, r, PER_MODE), self._turns)
            by_states[:, own, _BY_FREQUENCY] = parts[:, :, 0]
            by_states[:, own, _BY_DAMPING] = parts[:, :, 1] * self._scales
            by_states[:, own, _FASTER] = parts[:, :, 2]
        by_pull = np.empty(by_states.shape[:2])
        mode_kernels.respond_back(*rows.steps, by_states, by_pull)
        whole = by_pull.reshape(n, len(rows.factors), r).sum(axis=1)
        return self._by_motion(whole @ rows.modes.weights.T)

    def _by_motion(self, by_acceleration: Array) -> MotionSlope:
        """From derivatives by the accelerations of passive joints, (n, passive)."""
        robot, slopes = self.rows.modes.robot, self.swing.slopes
        by_force = -np.linalg.solve(self.swing.law.M.swapaxes(1, 2), by_acceleration[:, :, None])[..., 0]
        joints = [np.einsum("np,npj->nj", by_force, direct.force)[:, robot.driven] for direct in slopes.by_joints]
        axes = momentum_by_wheel_rates(robot)
        wheels = [np.einsum("np,npx->nx", by_force, each) @ axes for each in slopes.by_spin]
        return MotionSlope(*joints, *wheels)


def _at_rest(robot: Robot, samples: Samples) -> Swing:
    """Passive joints that stand still while driven ones move; samples: of the robot with these locked."""
    steps = EvenSteps(0.0, 1.0, len(samples))  # of no account where nothing but the law is asked for
    acting = around(robot, samples, np.zeros(3))
    return Swing.none(robot, robot.parameters, springs_of(robot), steps, acting)


def _law(omega: float, zeta: float) -> Array:
    """Of place and rate of a mode that nothing pulls at."""
    return np.array([[0.0, 1.0], [-(omega**2), -2.0 * zeta * omega]])


def _step(omega: float, zeta: float, h: float) -> tuple[Array, Array, Array]:
    """Of one mode over a step of h [s]: of its states, of the pull at the beginning, of that at the end."""
    own = _law(omega, zeta)
    by_frequency = np.array([[0.0, 0.0], [-2.0 * omega**2, -2.0 * zeta * omega]])
    by_damping = np.array([[0.0, 0.0], [0.0, -2.0 * omega]])
    s = mode_kernels.STATES
    whole = np.zeros((s + 2, s + 2))
    whole[:s, :s] = block_diag(own, own, own)
    whole[2:4, :2], whole[4:6, :2] = by_frequency, by_damping
    whole[1, s] = 1.0  # the pull, which grows by what it changes in a step
    whole *= h
    whole[s, s + 1] = 1.0
    found = expm(whole)
    return found[:s, :s], found[:s, s] - found[:s, s + 1], found[:s, s + 1]
