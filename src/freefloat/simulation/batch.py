"""Many flights at once: different trajectories and starts, one robot, one time base.

Each run is what `simulate_motion` gives, to the last digit, without accelerations and torques; passive joints need
that, one flight at a time. The runs are
flown a chunk at a time, so that what is needed only on the way stays small; the sequential part of a chunk is
one compiled call. Runs whose trajectories differ in coefficients alone share one basis.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array, read_only
from freefloat.dynamics import kernels
from freefloat.dynamics.momentum_rows import wheel_momentum
from freefloat.dynamics.rotors import rotor_momentum
from freefloat.dynamics.samples import Samples
from freefloat.errors import ShapeError
from freefloat.motion.limits import driven_or_wheel
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.rotations import rotations, turned
from freefloat.simulation.base_state import base_positions, free_inertia, free_rates, start_states
from freefloat.simulation.conditions import (
    CannotFly,
    Disturbance,
    Pulse,
    Start,
    Wheels,
    instants,
    pulse_wrench,
    turns_freely,
    with_midpoints,
)
from freefloat.simulation.simulate import propagate_runs

_CHUNK_BYTES = 16 << 20  # of what is needed only on the way


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """True motion of one robot in many runs, all at the same instants.

    t: shape (n,) [s].
    q, dq: joint positions and rates, shape (runs, n, joints) [rad or m, per s].
    v, w: velocity of the base origin and angular velocity, base frame, shape (runs, n, 3) [m/s, rad/s].
    attitude: quaternions of R_IB, scalar last, shape (runs, n, 4).
    position: base origin in the inertial frame, shape (runs, n, 3) [m].
    wheel_rates: relative to the base, shape (runs, n, wheels) [rad/s].
    """

    t: Array
    q: Array
    dq: Array
    v: Array
    w: Array
    attitude: Array
    position: Array
    wheel_rates: Array

    def __post_init__(self) -> None:
        for field in fields(self):
            getattr(self, field.name).setflags(write=False)

    def __len__(self) -> int:
        return int(self.q.shape[0])

    def __getitem__(self, run: int) -> Samples:
        """One run."""
        names = (field.name for field in fields(self) if field.name != "t")
        return Samples(t=self.t, **{name: getattr(self, name)[run] for name in names})

    def __iter__(self) -> Iterator[Samples]:
        return (self[run] for run in range(len(self)))


def simulate_batch(
    robot: Robot,
    motions: Sequence[Trajectory],
    t: ArrayLike,
    starts: Start | Sequence[Start] | None = None,
    wheels: Wheels = "held",
    wheel_rates: ArrayLike | None = None,
    pulses: Sequence[Pulse] = (),
    disturbance: Disturbance | None = None,
) -> Runs:
    """The true motion of as many runs as there are trajectories, at the times t (n,) [s].

    starts: one for every run, or one for all. wheels, pulses, disturbance: as for `simulate_motion`, for all.
    wheel_rates: relative rates at the first instant, added to the trajectories' [rad/s]; (wheels,) for all
        runs or (runs, wheels).
    """
    times, runs = instants(t), len(motions)
    if not runs:
        raise CannotFly("a batch needs at least one trajectory")
    each = [starts or Start()] * runs if starts is None or isinstance(starts, Start) else list(starts)
    if len(each) != runs:
        raise ShapeError(f"there are {runs} trajectories but {len(each)} starts; allowed: one for each, or one")
    half = with_midpoints(times)
    if robot.passive.size:
        raise CannotFly(f"{robot.name} has passive joints, which a batch does not fly; allowed: simulate_motion")
    for start in each:
        start.swing_of(robot)
    batch = _Batch(
        robot,
        times,
        _shared(robot, motions, half),
        each,
        turns_freely(wheels),
        _added_rates(robot, wheel_rates, runs),
        pulse_wrench(times, pulses),
        disturbance or Disturbance(),
    )
    return batch.fly()


# ---------------------------------------------------------------------- joint motion of all runs


@dataclass(frozen=True, slots=True, eq=False)
class _Motions:
    """Joint and wheel motion of every run, evaluated when asked for.

    trajectories: of the runs. maps: of those shapes that several runs share, by their shape.
    """

    robot: Robot
    half: Array
    trajectories: Sequence[Trajectory]
    shapes: Sequence[Hashable]
    maps: dict[Hashable, Any]

    def evaluate(self, first: int, last: int) -> tuple[Array, Array, Array]:
        """q, dq (runs, 2n - 1, joints) and wheel rates (runs, 2n - 1, wheels) of runs first to last - 1."""
        joints, wheels = self.robot.joint_names, tuple(wheel.name for wheel in self.robot.wheels)
        m, runs = self.half.size, last - first
        q, dq, rates = (np.zeros((runs, m, width)) for width in (len(joints), len(joints), len(wheels)))
        for shape, chosen in _grouped(self.shapes[first:last]).items():
            channels = self.trajectories[first + int(chosen[0])].channels
            position, rate = self._group(shape, chosen + first)
            for names, target, source in ((joints, q, position), (joints, dq, rate), (wheels, rates, rate)):
                for column, name in enumerate(names):
                    if name in channels:
                        target[chosen, :, column] = source[:, :, channels.index(name)]
        return q, dq, rates

    def _group(self, shape: Hashable, chosen: NDArray[np.intp]) -> tuple[Array, Array]:
        """Position and rate of runs of one shape, each (runs, 2n - 1, channels)."""
        members = [self.trajectories[run] for run in chosen]
        if shape in self.maps:
            shared, stacked = self.maps[shape], np.stack([member.coefficients for member in members])
            return shared.offset + shared.basis @ stacked, shared.offset_rate + shared.basis_rate @ stacked
        motions = [member.evaluate(self.half) for member in members]
        return np.stack([motion.position for motion in motions]), np.stack([motion.rate for motion in motions])


def _shared(robot: Robot, trajectories: Sequence[Trajectory], half: Array) -> _Motions:
    """The motions, with one linear map for every shape that several runs have.

    A shape that is evaluated in a way of its own (a spline, by its local support) stays with it: a full basis
    would be no faster, and not the same to the last digit.
    """
    shapes = [_shape(trajectory) for trajectory in trajectories]
    maps = {}
    for shape, chosen in _grouped(shapes).items():
        first = trajectories[int(chosen[0])]
        for name in first.channels:
            driven_or_wheel(robot, name)
        if chosen.size > 1 and type(first).evaluate is Trajectory.evaluate:
            maps[shape] = first.linear_map(half)
    return _Motions(robot, half, trajectories, shapes, maps)


def _shape(trajectory: Trajectory) -> Hashable:
    """All that makes a trajectory but its coefficients."""
    values = ((field.name, getattr(trajectory, field.name)) for field in fields(trajectory))
    said = tuple((name, _plain(value)) for name, value in values if name != "coefficients")
    return type(trajectory), trajectory.coefficients.shape, said


def _plain(value: Any) -> Hashable:
    if isinstance(value, Trajectory):
        return _shape(value)
    if isinstance(value, tuple):
        return tuple(_plain(part) for part in value)
    return (value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value


def _grouped(shapes: Sequence[Hashable]) -> dict[Hashable, NDArray[np.intp]]:
    """Which runs have which shape."""
    groups: dict[Hashable, list[int]] = {}
    for run, shape in enumerate(shapes):
        groups.setdefault(shape, []).append(run)
    return {shape: np.array(chosen) for shape, chosen in groups.items()}


def _added_rates(robot: Robot, wheel_rates: ArrayLike | None, runs: int) -> Array | None:
    if wheel_rates is None:
        return None
    added, wheels = np.asarray(wheel_rates, float), len(robot.wheels)
    if added.shape not in ((wheels,), (runs, wheels)):
        raise ShapeError(f"wheel_rates must have shape ({wheels},) or ({runs}, {wheels}), found {added.shape}")
    return np.broadcast_to(added, (runs, wheels))


# ---------------------------------------------------------------------- flying


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """All runs, and what they have in common."""

    robot: Robot
    t: Array
    motions: _Motions
    starts: Sequence[Start]
    free: bool
    added: Array | None
    wrench: Array
    disturbance: Disturbance

    def fly(self) -> Runs:
        """Chunk by chunk into the arrays of all runs."""
        runs, n, joints = len(self.starts), self.t.size, len(self.robot.joints)
        widths = {"q": joints, "dq": joints, "v": 3, "w": 3, "attitude": 4, "position": 3}
        widths["wheel_rates"] = len(self.robot.wheels)
        whole = {name: np.empty((runs, n, width)) for name, width in widths.items()}
        chunk = max(1, _CHUNK_BYTES // (8 * n * (50 + 10 * joints + 6 * len(self.robot.wheels))))
        for first in range(0, runs, chunk):
            last = min(first + chunk, runs)
            self._chunk(first, last, {name: array[first:last] for name, array in whole.items()})
        return Runs(self.t, **whole)

    def _chunk(self, first: int, last: int, out: dict[str, Array]) -> None:
        q, dq, rates = self.motions.evaluate(first, last)
        if self.added is not None:
            rates += self.added[first:last, None, :]
        out["q"][:], out["dq"][:], out["wheel_rates"][:] = q[:, ::2], dq[:, ::2], rates[:, ::2]
        if self.robot.base == "fixed":
            for name in ("v", "w", "position", "attitude"):
                out[name][:] = 0.0
            out["attitude"][..., 3] = 1.0
            return
        body = self._bodies(q, dq)
        rotors = np.stack([rotor_momentum(self.robot, *each) for each in zip(q, dq, strict=True)])
        spin = wheel_momentum(self.robot, rates)
        shape = (last - first, self.t.size)
        state, x = np.empty((*shape, 9)), np.empty((*shape, 6))
        self._begin(first, body, spin, rotors, out["attitude"], state)
        surroundings = (self.robot, self.t, self.free, self.wrench, self.disturbance)
        propagate_runs(*surroundings, body, spin + rotors, out["attitude"], state, x)
        self._finish(first, body, state, x, out)

    def _bodies(self, q: Array, dq: Array) -> Array:
        """First moment, inertia and joint momentum, shape (runs, 2n - 1, 15), as `locked_bodies` has them."""
        runs, m, _ = q.shape
        tree, phi = self.robot.tree.arrays, self.robot.parameters.reshape(-1, PER_BODY)
        body, inertia, momentum = np.empty((runs, m, 15)), np.empty((m, 9)), np.empty((m, 6))
        for run in range(runs):  # not all at once: lanes that fall otherwise may round otherwise
            kernels.composite(tree, read_only(q[run]), read_only(dq[run]), phi, inertia, momentum)
            body[run, :, :9], body[run, :, 9:] = inertia, momentum
        return body

    def _begin(self, first: int, body: Array, spin: Array, rotors: Array, attitude: Array, state: Array) -> None:
        """Attitude and momentum at the first instant; what free wheels keep."""
        starts = self.starts[first : first + len(body)]
        attitude[:, 0] = [start.attitude for start in starts]
        state[:, 0], rate = start_states(self.robot, starts, body[:, 0], spin[:, 0] + rotors[:, 0])
        if self.free:
            spin[:] = spin[:, :1] + turned(free_inertia(self.robot)[None], rate)[:, None]

    def _finish(self, first: int, body: Array, state: Array, x: Array, out: dict[str, Array]) -> None:
        """Velocities, positions and wheel rates from what was propagated."""
        out["v"][:], out["w"][:] = x[..., :3], x[..., 3:]
        com, R_IB = body[:, ::2, :3] / self.robot.mass, rotations(out["attitude"].reshape(-1, 4))
        starts = self.starts[first : first + len(body)]
        level = np.repeat([start.position for start in starts], self.t.size, axis=0)
        centre = state[:, :, 6:].reshape(-1, 3)
        position = base_positions(self.robot, level, R_IB, com.reshape(-1, 3), centre)
        out["position"][:] = position.reshape(x[..., :3].shape)
        if self.free:
            out["wheel_rates"][:] = free_rates(self.robot, out["wheel_rates"][:, :1], out["w"])
