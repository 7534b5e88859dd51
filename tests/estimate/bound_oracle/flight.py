"""The information of a problem's flights, by a derivation of its own: regressors and collocation, no likelihood."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from estimate.bound_oracle.attitude import BaseMotion, base_motion
from estimate.bound_oracle.reaction import Setting, inverse_inertia
from estimate.bound_oracle.rows import SensorRows
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.data.processing.attitude import integrate_rates
from freefloat.dynamics.momentum_rows import momentum_matrix
from freefloat.estimate.problem import Problem
from freefloat.estimate.unknowns import PlacedGroup, Unknowns, clock_kinds, clocks_of, unknowns_of
from freefloat.robot.rotations import rotations
from freefloat.robot.selection import select_parameters

_MOVING = ("joint zeros", "joint scales", "geometry", "joint motion", "momentum", "external torque")
_SENSED = (
    "gyro misalignment",
    "gyro scale",
    "gyro bias",
    "drift velocity",
    "velocity bias",
    "first attitude",
    "first position",
)
_TURNING = ("momentum", "external torque", "gyro misalignment", "gyro scale")


def information(problem: Problem, theta: Array) -> tuple[Array, Array]:
    """Of the data at true clusters, (unknowns, unknowns), and the values of all unknowns; nuisances as samples show."""
    unknowns = unknowns_of(problem)
    point = np.array(unknowns.mean)
    point[: theta.size] = theta
    total = np.zeros((point.size, point.size))
    for number in range(len(problem.flights)):
        rows, places = flight_rows(problem, number, unknowns, point, np.arange(point.size) < theta.size)
        total[np.ix_(places, places)] += rows.T @ rows
    return total, point


def flight_rows(
    problem: Problem, number: int, unknowns: Unknowns, point: Array, given: NDArray[np.bool_]
) -> tuple[Array, NDArray[np.int64]]:
    """Whitened derivatives of a flight's readings, (rows, k), and which k of the unknowns they are by.

    point: true values of all unknowns. given: which of them were said; into `point` goes what the samples show of a
    momentum and of a velocity of the centre of mass that were not.
    """
    here = [part for part in unknowns.parts if part.flight in (None, number)]
    parameters = [part for part in here if part.kind == "clusters" or part.kind.startswith("known ")]
    clocks = _clocks(problem, number)
    moving = [part for part in here if part.kind in (*_MOVING, *clocks)]
    sensed = [part for part in here if part.kind in _SENSED or part.kind.startswith("gyro walk ")]
    if len(parameters) + len(moving) + len(sensed) < len(here):
        raise NotImplementedError(f"the bound knows no derivatives of some of {[part.kind for part in here]}")
    open_parts = {part.kind: part.place for part in here if not given[part.place].any()}
    setting = _setting(problem, number, point, parameters, moving, sensed)
    if "momentum" in open_parts:
        point[open_parts["momentum"]] = _shown_momentum(setting)[setting.turning]
        setting = _setting(problem, number, point, parameters, moving, sensed)
    if "drift velocity" in open_parts:
        motion = base_motion(setting)
        first = SensorRows(setting, motion, tuple(sensed)).first
        point[open_parts["drift velocity"]] = _shown_velocity(setting, motion, first)[setting.sliding]
        setting = _setting(problem, number, point, parameters, moving, sensed)
    stamped = [replace(setting, clock=clock) for clock in {data.clock for data in setting.flight.measured.values()}]
    rows = [SensorRows(each, base_motion(each), tuple(sensed)).whitened() for each in stamped]
    places = [np.arange(part.place.start, part.place.stop) for part in (*parameters, *moving, *sensed)]
    return np.vstack(rows), np.concatenate(places)


def _clocks(problem: Problem, number: int) -> dict[str, str]:
    """By kind of the unknowns of a flight's clocks, the clock."""
    clocks = clocks_of(problem, problem.flights[number])
    return {kind: clock for clock in clocks for kind in clock_kinds(clocks, clock)}


def _setting(
    problem: Problem,
    number: int,
    point: Array,
    parameters: list[PlacedGroup],
    moving: list[PlacedGroup],
    sensed: list[PlacedGroup],
) -> Setting:
    """The flight as its motion is predicted, with the values of everything that does not enter linearly."""
    flight, robot = problem.flights[number], problem.robot
    present, columns = problem.present(flight), _columns(problem, parameters)
    if any(point[part.place].any() for part in moving if part.kind == "geometry"):
        raise NotImplementedError("derivatives are those at the geometry of the CAD model")
    # The CAD model as a whole, and how far clusters are from its own: where geometry may be off, all of it shows.
    phi = np.array(problem.robot.parameters)
    phi[select_parameters(robot, problem.zero)] = 0.0
    off = np.concatenate([point[part.place] for part in parameters])
    off[: problem.cad.size] -= problem.cad
    np.add.at(phi, columns, off)
    there, clocks = present[columns].astype(float), _clocks(problem, number)
    if any(point[part.place].any() for part in moving if part.kind in clocks):
        raise NotImplementedError("derivatives are those where clocks are exact")
    if any(point[part.place].any() for part in moving if part.kind == "joint scales"):
        raise NotImplementedError("derivatives are those of joints that move as their encoders read")
    setting = Setting(robot, flight, phi * present, columns, there, tuple(moving), {}, flight.clock, clocks)
    curves = flight.joints.errors(flight.t[:1]).sd.size
    width = {"joint zeros": len(robot.joints), "joint scales": len(robot.joints), "joint motion": curves}
    values = {kind: np.zeros(size) for kind, size in width.items()}
    values |= {kind: np.zeros(3) for kind in (*_TURNING, "drift velocity")}
    values["momentum"][setting.turning] = flight.momentum.vector[setting.turning]
    for part in (*moving, *sensed):
        if part.kind in width:
            values[part.kind] = point[part.place]
        elif part.kind in values:
            axes = setting.turning if part.kind in _TURNING else setting.sliding
            values[part.kind][axes] = point[part.place]
    return replace(setting, values=values)


def _columns(problem: Problem, parameters: list[PlacedGroup]) -> NDArray[np.int64]:
    """Columns of the standard parameters that are unknown: leaders of clusters, then known ones that may deviate."""
    place = {f"known {name}": column for column, name in enumerate(problem.robot.parameter_names)}
    deviating = [place[label] for part in parameters[1:] for label in part.labels]
    return np.concatenate([problem.minimal.kept, np.array(deviating, dtype=np.int64)])


def _shown_momentum(setting: Setting) -> Array:
    """Mean of the angular momentum that measured rates show, in the axes of the first sample, shape (3,)."""
    w, t = setting.flight.samples.w, setting.flight.t
    if w is None:
        return np.zeros(3)
    R, joints = rotations(integrate_rates(t, w)), setting.joints(t)
    A = momentum_matrix(setting.robot, joints.q, setting.phi)
    inverse = inverse_inertia(setting.robot, A)
    right = -A[:, :, 6:] @ joints.dq[..., None]
    right[:, 3:, 0] -= joints.spin
    beyond = w[..., None] - (inverse @ right)[:, 3:]  # rates that zero momentum does not explain
    momentum = R @ np.linalg.pinv(inverse[:, 3:, 3:], hermitian=True) @ beyond
    return np.asarray(momentum[..., 0].mean(axis=0), float)


def _shown_velocity(setting: Setting, motion: BaseMotion, first: Array) -> Array:
    """Mean velocity of the centre of mass that measured velocities show, inertial axes, (3,); first: R_0."""
    v = setting.flight.samples.v
    if v is None:
        return np.zeros(3)
    return np.asarray((first @ motion.R @ (v - motion.x[:, :3])[..., None])[..., 0].mean(axis=0), float)
