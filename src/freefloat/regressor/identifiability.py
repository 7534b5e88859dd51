"""Which clusters a set of measurements reveals, and what would cure what it does not.

The base reacts to the joints with x = A_b^-1 (h - A_q dq), x = (v, w); its sensitivity to the standard
parameters is dx/dphi = -A_b^-1 K. The measured rows of it (w with a gyro, v with a tracked point, torques
beside them), stacked over states that obey the momentum law, say everything about structure: their rank, the
directions they leave open, and how much of the motion each cluster alone explains. An unknown constant
momentum adds the columns A_b^-1 R^T.

At zero momentum with nothing known the equations are homogeneous: everything is open by one common factor,
the scale. Whatever is known and takes part fixes it, and by Euler's theorem the shares of the known values in
each cluster sum to one: they say on what the scale rests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from freefloat.regressor.closed_form import closed_form
from freefloat.regressor.minimal import MinimalParameters
from freefloat.regressor.model import NotApplicable, clusters_over
from freefloat.regressor.momentum import momentum_matrix, momentum_regressor, wheel_columns
from freefloat.regressor.numerical import standard_preference
from freefloat.regressor.samples import Samples, rotations
from freefloat.regressor.selection import select_parameters, with_known_separate
from freefloat.regressor.states import allowed_rows, base_accelerations, base_reaction, random_states
from freefloat.regressor.torque import torque_regressor
from freefloat.robot.model import Robot
from freefloat.robot.parameters import INDEX, PER_BODY
from freefloat.robot.transform import Array

Status = Literal["identifiable", "weak", "up to scale", "not excited", "open"]

_OPEN = 1e-8  # relative singular value below which a direction counts as open
# Weak: a change of 100 % explains less than this part of the measured motion, all else free. A gyro whose
# noise is a 5000th of the motion then knows the cluster no better than to 20 %.
_WEAK = 1e-3
_FAINT = 0.1  # of the largest of its kind in its body: what counts as 100 % of a cluster that is nearly zero


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


@dataclass(frozen=True, slots=True)
class ClusterAnswer:
    """What the measurements say about one cluster.

    visibility: part of the measured motion that a change of 100 % explains and no other change can.
    """

    name: str
    formula: str
    value: float
    status: Status
    visibility: float


@dataclass(frozen=True, slots=True)
class Identifiability:
    """Which parameters of a robot can be identified with these measurements.

    clusters: of the parameters that are not declared known or zero.
    rank, of: independent directions that the measurements show, and that there are.
    never: parameters that no motion and no sensor will show.
    scale_lost: whether one common factor stays open.
    scale_rests_on: names of the known values that fix the common factor, with their shares, largest first.
    scale_spread: how far the common factor spreads for noise as large as the measured motion.
    """

    robot: str
    measurement: Measurement
    clusters: tuple[ClusterAnswer, ...]
    rank: int
    of: int
    never: tuple[str, ...]
    scale_lost: bool
    scale_rests_on: tuple[tuple[str, float], ...]
    scale_spread: float

    def with_status(self, status: Status) -> tuple[ClusterAnswer, ...]:
        """The clusters of this status."""
        return tuple(cluster for cluster in self.clusters if cluster.status == status)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Sensitivities of everything measured, stacked (m, ...), each quantity scaled to size one.

    standard: to the standard parameters; given: what known momentum, wheels, torques and forces contribute;
    nuisance: to an unknown momentum. standard @ phi + given.sum() = 0 but for the nuisance.
    """

    standard: Array
    given: Array
    nuisance: Array
    given_names: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """The unknowns: columns that are unknown and known, clusters of all parameters and of the unknown ones."""

    robot: Robot
    unknown: NDArray[np.int64]
    known: NDArray[np.int64]
    whole: MinimalParameters
    minimal: MinimalParameters

    @classmethod
    def ask(cls, robot: Robot, known: Sequence[str], zero: Sequence[str]) -> _Question:
        fixed, absent = select_parameters(robot, known), select_parameters(robot, zero)
        unknown = np.setdiff1d(np.arange(robot.parameters.size), np.union1d(fixed, absent))
        whole = closed_form(replace(robot, gravity=np.zeros(3)))
        preference = standard_preference(len(robot.body_names))
        minimal = whole if not (fixed.size or absent.size) else clusters_over(whole, unknown, preference)
        return cls(robot, unknown, fixed, whole, minimal)


def identifiability(
    robot: Robot,
    measurement: Measurement | None = None,
    known: Sequence[str] = (),
    zero: Sequence[str] = (),
    runs: Sequence[Robot] = (),
    samples: Samples | None = None,
) -> Identifiability:
    """Which clusters can be identified with these measurements.

    known, zero: selectors of standard parameters (`load`, `link2.m`, `*.products`).
    runs: the same robot with other values of its known parameters (without the load, say), also flown.
    samples: a motion, with v, w and what else the measurements need; the answer is then about this motion, and
        what another motion would show is "not excited". Without it the answer is about structure.
    """
    measurement = measurement or Measurement()
    robot, *runs = (_prepared(each, known, zero) for each in (robot, *runs))
    question = _Question.ask(robot, known, zero)
    try:
        rows = [_rows(each, measurement, samples) for each in (robot, *runs)]
    except np.linalg.LinAlgError as error:
        raise NotApplicable(f"{robot.name} cannot react: its mass or its inertia is zero") from error
    known_parts = [
        part.standard[:, question.known] * each.parameters[question.known]
        for part, each in zip(rows, (robot, *runs), strict=True)
    ]
    stacked = _Rows(
        np.vstack([part.standard for part in rows]),
        np.hstack([np.vstack(known_parts), np.vstack([part.given for part in rows])]),
        np.vstack([part.nuisance for part in rows]),
        tuple(robot.parameter_names[column] for column in question.known) + rows[0].given_names,
    )
    answer = _answer(question, measurement, stacked)
    if samples is None:
        return answer
    structure = identifiability(robot, measurement, known, zero, runs)
    return replace(answer, clusters=tuple(map(_or_not_excited, answer.clusters, structure.clusters)))


def _prepared(robot: Robot, known: Sequence[str], zero: Sequence[str]) -> Robot:
    """The robot with known bodies apart, and with what is declared zero made zero, known or not."""
    if robot.base == "fixed":
        raise NotApplicable("a fixed base does not react; its torque or energy model shows all its clusters")
    if not robot.mass > 0.0:
        raise NotApplicable(f"{robot.name} has no mass, so nothing of it can be identified")
    robot = with_known_separate(robot, [*known, *zero])
    absent = select_parameters(robot, zero)
    phi = np.array(robot.parameters)
    phi[absent] = 0.0
    return robot.with_parameters(phi) if absent.size else robot


def _or_not_excited(here: ClusterAnswer, structure: ClusterAnswer) -> ClusterAnswer:
    """Open in this motion, though not by structure: another motion would show it."""
    lost = here.status == "open" and structure.status != "open"
    return replace(here, status="not excited") if lost else here


# ---------------------------------------------------------------------- what is measured


def _states(robot: Robot, measurement: Measurement) -> Samples:
    """Random states that obey the momentum law with this momentum and these wheels."""
    states = random_states(robot, max(80, 2 * robot.parameters.size), seed=2)
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


def _rows(robot: Robot, measurement: Measurement, samples: Samples | None) -> _Rows:
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
    return _Rows(standard, given, nuisance, tuple(names))


def _padded(block: _Rows, names: list[str], nuisances: int) -> tuple[Array, Array, Array]:
    count = len(block.standard)
    given, nuisance = np.zeros((count, len(names))), np.zeros((count, nuisances))
    for column, name in enumerate(block.given_names):
        given[:, names.index(name)] = block.given[:, column]
    nuisance[:, : block.nuisance.shape[1]] = block.nuisance
    return block.standard, given, nuisance


def _base_rows(robot: Robot, measurement: Measurement, states: Samples) -> _Rows:
    """Base velocities: A_b^-1 (K phi + wheels - momentum) = 0, the measured rows of it."""
    allowed = allowed_rows(robot)
    A_b = momentum_matrix(robot, states.q)[:, :, :6][:, allowed[:, None], allowed]
    wheels = wheel_columns(robot, states) * robot.wheel_inertias
    K = momentum_regressor(robot, states)
    momentum = -(K @ robot.parameters + wheels.sum(axis=2))[..., None]
    drift = np.zeros((len(states), 6, 3))
    unknown = measurement.momentum == "unknown"
    drift[:, 3:] = _to_base(states) if unknown else 0.0
    right = [K, wheels, momentum * (not unknown), drift]
    solved = [np.linalg.solve(A_b, part[:, allowed]) if part.shape[2] else part[:, allowed] for part in right]
    rows = [row for row, axis in enumerate(allowed) if (measurement.velocity if axis < 3 else measurement.rate)]
    motion = np.concatenate([states.need("v", "the base"), states.need("w", "the base")], axis=1)[:, allowed]
    scaled = [_scaled(part[:, rows], motion[:, rows]) for part in solved]
    names = tuple(f"spin inertia of {wheel.name}" for wheel in robot.wheels)
    given = np.hstack([scaled[1], scaled[2]])
    nuisance = scaled[3][:, np.abs(scaled[3]).max(axis=0, initial=0.0) > 0.0]
    return _Rows(scaled[0], given, nuisance, (*names, "the total momentum"))


def _torque_rows(robot: Robot, states: Samples) -> _Rows:
    Y = torque_regressor(robot, states)[:, 6:]
    torques = Y @ robot.parameters
    standard = _scaled(Y, torques)
    return _Rows(standard, -_scaled(torques[..., None], torques), np.zeros((len(standard), 0)), ("the joint torques",))


def _thruster_row(robot: Robot) -> _Rows:
    masses = np.zeros((1, robot.parameters.size))
    masses[:, ::PER_BODY] = 1.0 / robot.mass
    return _Rows(masses, -np.ones((1, 1)), np.zeros((1, 0)), ("the thruster's force",))


def _scaled(block: Array, motion: Array) -> Array:
    """Rows of each quantity over the root of the sum of its squares, stacked (n * quantities, columns)."""
    size = np.sqrt((motion**2).sum(axis=0))
    return (block / np.where(size > 0.0, size, 1.0)[:, None]).reshape(block.shape[0] * block.shape[1], block.shape[2])


# ---------------------------------------------------------------------- what follows from it


def _answer(question: _Question, measurement: Measurement, rows: _Rows) -> Identifiability:
    minimal, robot = question.minimal, question.robot
    theta = minimal.values(robot.parameters)
    if not theta.size:
        return Identifiability(robot.name, measurement, (), 0, 0, (), False, (), np.inf)
    sizes = _sizes(minimal, theta)
    columns = _without(rows.nuisance, rows.standard[:, minimal.kept] * sizes)
    _, s, Vt = scipy.linalg.svd(columns, full_matrices=False)
    closed = s > _OPEN * s[0]
    open_directions = Vt[~closed]
    scale_lost = _contains(open_directions, _scale_direction(question) / sizes)
    visibility = _visibility(s[closed], Vt[closed], open_directions)
    beside_scale = _beside_scale(open_directions, minimal) if scale_lost else open_directions
    statuses = _statuses(visibility, beside_scale)
    answers = zip(minimal.leaders, minimal.formulas, theta.tolist(), statuses, visibility.tolist(), strict=True)
    shares, spread = _scale(question, rows, columns, sizes) if not len(open_directions) else ((), np.inf)
    return Identifiability(
        robot=robot.name,
        measurement=measurement,
        clusters=tuple(ClusterAnswer(*answer) for answer in answers),
        rank=int(closed.sum()),
        of=len(theta),
        never=tuple(minimal.names[column] for column in question.unknown if not minimal.combine[:, column].any()),
        scale_lost=scale_lost,
        scale_rests_on=shares,
        scale_spread=float(spread),
    )


def _scale_direction(question: _Question) -> Array:
    """The change of the unknown clusters that scales the robot as a whole, the known parts included.

    Known parts that regroup with unknown ones are made up for; whatever else is known stands against it.
    """
    into_whole = question.whole.combine[:, question.minimal.kept]
    direction: Array = scipy.linalg.lstsq(into_whole, question.whole.values(question.robot.parameters))[0]
    return direction


def _without(nuisance: Array, columns: Array) -> Array:
    """The columns less what the nuisance columns can explain."""
    if not nuisance.shape[1]:
        return columns
    basis = scipy.linalg.orth(nuisance)
    return columns - basis @ (basis.T @ columns)


def _sizes(minimal: MinimalParameters, theta: Array) -> Array:
    """What counts as a change of 100 % of each cluster: its value, or a part of its kind's if nearly zero."""
    kind = np.digitize(minimal.kept % PER_BODY, [1, 4])  # mass, first moment, inertia
    body, sizes = minimal.kept // PER_BODY, np.abs(theta)
    for index in range(theta.size):
        alike = kind == kind[index]
        usual = sizes[alike & (body == body[index])].max(initial=0.0) or sizes[alike].max(initial=0.0) or 1.0
        sizes[index] = max(sizes[index], _FAINT * usual)
    return sizes


def _contains(directions: Array, direction: Array) -> bool:
    """Whether a direction lies in the span of orthonormal rows."""
    if not len(directions):
        return False
    return bool(np.linalg.norm(directions @ direction) > (1.0 - 1e-6) * np.linalg.norm(direction))


def _visibility(s: Array, Vt: Array, open_directions: Array) -> Array:
    """Part of the motion that a change of 100 % of each cluster explains alone; zero where it is open."""
    touched = np.abs(open_directions).max(axis=0, initial=0.0) > 1e-6
    variance = ((Vt / s[:, None]) ** 2).sum(axis=0)
    return np.where(touched, 0.0, 1.0 / np.sqrt(np.maximum(variance, 1e-300)))


def _beside_scale(open_directions: Array, minimal: MinimalParameters) -> Array:
    """The open directions that are left when the scale is held, by the mean inertia of the base."""
    held = np.isin(minimal.kept, [INDEX[name] for name in ("Ixx", "Iyy", "Izz")]).astype(float)
    held = held if held.any() else np.ones(len(minimal))
    left: Array = scipy.linalg.null_space((open_directions @ held)[None]).T @ open_directions
    return left


def _statuses(visibility: Array, beside_scale: Array) -> list[Status]:
    touched = np.abs(beside_scale).max(axis=0, initial=0.0) > 1e-6
    statuses: list[Status] = []
    for seen, mixed in zip(visibility.tolist(), touched.tolist(), strict=True):
        statuses.append("open" if mixed else "up to scale" if not seen else "weak" if seen < _WEAK else "identifiable")
    return statuses


def _scale(
    question: _Question, rows: _Rows, columns: Array, sizes: Array
) -> tuple[tuple[tuple[str, float], ...], float]:
    """Shares of the known values in the scale of the base's inertia, and that scale's spread for unit noise.

    The clusters of all parameters follow from the unknown ones and the known values; they grow in proportion
    to the known values together, so the relative effects of the known values sum to one.
    """
    whole, minimal, robot = question.whole, question.minimal, question.robot
    inertia = np.isin(whole.kept, [INDEX[name] for name in ("Ixx", "Iyy", "Izz")])
    scale = whole.combine[inertia] / (whole.values(robot.parameters)[inertia, None] * inertia.sum())
    from_unknown = (scale[:, minimal.kept] * sizes).sum(axis=0)  # (clusters,)
    inverse = scipy.linalg.pinv(columns)
    effects = -from_unknown @ inverse @ _without(rows.nuisance, rows.given)
    effects[: question.known.size] += (scale[:, question.known] * robot.parameters[question.known]).sum(axis=0)
    order = np.argsort(-np.abs(effects))
    shares = tuple((rows.given_names[index], float(effects[index])) for index in order if abs(effects[index]) > 1e-3)
    return shares, float(np.linalg.norm(from_unknown @ inverse))
