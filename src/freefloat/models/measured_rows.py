"""What a set of measurements reads, and how it depends on the standard parameters.

The base reacts to the joints by the law of `dynamics/reaction.py`; an unknown constant momentum adds the columns
B R^T. Measured are rows of its twist (w with a gyro, v with a tracked point), and torques beside them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.momentum_rows import momentum_matrix, momentum_regressor, wheel_columns
from freefloat.dynamics.reaction import base_accelerations, base_reaction, solve_base
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.states import random_states
from freefloat.dynamics.torque import torque_regressor
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.rotations import rotations

_MOST_NUMBERS = 16_000_000  # of a regressor over all states, 128 MB; reached at 41 joints if their torques are measured


@dataclass(frozen=True, slots=True)
class Measurement:
    """What is measured beside joint positions and rates, and what is known of the momentum.

    rate, velocity, torque: the base's angular rate; its velocity (or that of a tracked point); joint torques.
    momentum: zero, known (not zero), or unknown and constant.
    wheels: standing still, turning at a constant rate, or at varying rates; their inertias are known.
    thruster: a pulse of known force while the velocity's change is measured: it weighs the whole.
    """

    rate: bool = True
    velocity: bool = False
    torque: bool = False
    momentum: Literal["zero", "known", "unknown"] = "zero"
    wheels: Literal["still", "constant", "varying"] = "still"
    thruster: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredRows:
    """Sensitivities of everything measured, stacked (m, ...), each quantity scaled to size one.

    standard: to the standard parameters; given: what known momentum, wheels, torques and forces contribute;
    nuisance: to an unknown momentum. standard @ phi + given.sum() = 0 but for the nuisance.
    """

    standard: Array
    given: Array
    nuisance: Array
    given_names: tuple[str, ...]


def measured_rows(robot: Robot, measurement: Measurement, samples: Samples | None) -> MeasuredRows:
    """Rows of all that is measured in these samples; None for random states that obey the momentum law."""
    states = samples if samples is not None else _states(robot, measurement)
    blocks = [_base_rows(robot, measurement, states)]
    if measurement.torque:
        blocks.append(_torque_rows(robot, states))
    if measurement.thruster:
        blocks.append(_thruster_row(robot))
    names = dict.fromkeys(name for block in blocks for name in block.given_names)
    nuisances = max(block.nuisance.shape[1] for block in blocks)
    padded = [_padded(block, list(names), nuisances) for block in blocks]
    standard, given, nuisance = (np.vstack(parts) for parts in zip(*padded, strict=True))
    return MeasuredRows(standard, given, nuisance, tuple(names))


def _states(robot: Robot, measurement: Measurement) -> Samples:
    """Random states that obey the momentum law with this momentum and these wheels."""
    states = random_states(robot, _enough_states(robot, measurement), seed=2)
    wheels = np.array(states.wheel_rates)
    if measurement.wheels == "still":
        wheels[:] = 0.0
    if measurement.wheels == "constant":
        wheels[:] = np.linspace(1.0, 1.5, wheels.shape[1])
    wheels *= _inertia_size(robot) / max(robot.wheel_inertias.max(initial=0.0), 1e-12)  # enough to matter
    states = replace(states, wheel_rates=wheels)
    v, w = base_reaction(robot, states, _momentum(robot, measurement, states))
    states = replace(states, v=v, w=w)
    dv, dw = base_accelerations(robot, states)
    return replace(states, dv=dv, dw=dw)


def _enough_states(robot: Robot, measurement: Measurement) -> int:
    """Twice as many as there are parameters, or where that takes much memory at least twice as many rows."""
    columns, joints = robot.parameters.size, len(robot.joints) * measurement.torque
    rows = joints + sum(measurement.velocity if axis < 3 else measurement.rate for axis in allowed_rows(robot))
    affordable = _MOST_NUMBERS // ((6 + joints) * columns)
    return min(max(80, 2 * columns), max(affordable, -(-2 * columns // max(rows, 1))))


def _inertia_size(robot: Robot) -> float:
    return float(np.abs(momentum_matrix(robot, np.zeros((1, len(robot.joints))))[0, 3:, 3:6]).max())


def _momentum(robot: Robot, measurement: Measurement, states: Samples) -> Array:
    """Total momentum in the base frame (n, 6): zero, or one constant vector seen from each attitude."""
    total = np.zeros((len(states), 6))
    if measurement.momentum != "zero":
        inertial = np.array([0.0, 0.0, 1.0] if robot.base == "planar" else [0.7, -0.5, 0.6])
        total[:, 3:] = _to_base(states) @ (inertial * _inertia_size(robot))
    return total


def _to_base(states: Samples) -> Array:
    return rotations(states.need("attitude", "a momentum that is not zero")).transpose(0, 2, 1)


def _padded(block: MeasuredRows, names: list[str], nuisances: int) -> tuple[Array, Array, Array]:
    count = len(block.standard)
    given, nuisance = np.zeros((count, len(names))), np.zeros((count, nuisances))
    for column, name in enumerate(block.given_names):
        given[:, names.index(name)] = block.given[:, column]
    nuisance[:, : block.nuisance.shape[1]] = block.nuisance
    return block.standard, given, nuisance


def _base_rows(robot: Robot, measurement: Measurement, states: Samples) -> MeasuredRows:
    """Base velocities: A_b^-1 (K phi + wheels - momentum) = 0, the measured rows of it."""
    allowed = allowed_rows(robot)
    A = momentum_matrix(robot, states.q)
    wheels = wheel_columns(robot, states) * robot.wheel_inertias
    K = momentum_regressor(robot, states)
    momentum = -(K @ robot.parameters + wheels.sum(axis=2))[..., None]
    drift = np.zeros((len(states), 6, 3))
    unknown = measurement.momentum == "unknown"
    drift[:, 3:] = _to_base(states) if unknown else 0.0
    solved = [solve_base(A, part, allowed) for part in (K, wheels, momentum * (not unknown), drift)]
    rows = [row for row, axis in enumerate(allowed) if (measurement.velocity if axis < 3 else measurement.rate)]
    motion = np.concatenate([states.need("v", "the base"), states.need("w", "the base")], axis=1)[:, allowed]
    scaled = [_scaled(part[:, rows], motion[:, rows]) for part in solved]
    names = tuple(f"spin inertia of {wheel.name}" for wheel in robot.wheels)
    given = np.hstack([scaled[1], scaled[2]])
    nuisance = scaled[3][:, np.abs(scaled[3]).max(axis=0, initial=0.0) > 0.0]
    return MeasuredRows(scaled[0], given, nuisance, (*names, "the total momentum"))


def _torque_rows(robot: Robot, states: Samples) -> MeasuredRows:
    Y = torque_regressor(robot, states)[:, 6:]
    torques = Y @ robot.parameters
    standard = _scaled(Y, torques)
    return MeasuredRows(
        standard, -_scaled(torques[..., None], torques), np.zeros((len(standard), 0)), ("the joint torques",)
    )


def _thruster_row(robot: Robot) -> MeasuredRows:
    masses = np.zeros((1, robot.parameters.size))
    masses[:, ::PER_BODY] = 1.0 / robot.mass
    return MeasuredRows(masses, -np.ones((1, 1)), np.zeros((1, 0)), ("the thruster's force",))


def _scaled(block: Array, motion: Array) -> Array:
    """Rows of each quantity over the root of the sum of its squares, stacked (n * quantities, columns)."""
    size = np.sqrt((motion**2).sum(axis=0))
    return (block / np.where(size > 0.0, size, 1.0)[:, None]).reshape(block.shape[0] * block.shape[1], block.shape[2])
