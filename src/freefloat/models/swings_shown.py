"""What a gyro shows of springs along a random motion: frequencies, dampings, and which factors only together.

A passive joint answers by its frequency and damping, and pushes the base by the inertia that it carries. Stiffness is
the square of that frequency times the inertia, so that it shows as well as the worse of the two. How the base's rate
depends on clusters and springs is exact (`dynamics/swinging.py`), and so is how modes do: with W u what base and joints
move by in a mode,

    d(omega^2) / omega^2 = u^T dK u / u^T K u - (W u)^T dM (W u) / (W u)^T M (W u),        dM y = dY(y) phi.

*Shows* is as for clusters (`identifiable.py`): the part of the measured motion that a change of 100 % explains and no
other change can, positions and rates at the first instant among these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg

from freefloat.arrays import Array
from freefloat.dynamics.mode_slopes import inertia_by_parameters
from freefloat.dynamics.modes import SystemMode, system_modes
from freefloat.dynamics.reaction import NotPossible
from freefloat.dynamics.swinging import Around, CannotSwing, Direct, EvenSteps, Swing, springs_of
from freefloat.errors import InvalidRobot
from freefloat.models.closed_form_clusters import closed_form
from freefloat.models.identifiable import WEAK, change_of_all
from freefloat.models.leaders import typical_sizes
from freefloat.models.minimal import MinimalParameters
from freefloat.models.model import clusters_over
from freefloat.models.numerical import standard_preference
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.model import Robot
from freefloat.robot.parameters import INDEX, PER_BODY
from freefloat.robot.selection import select_parameters, with_known_separate

_OPEN = 1e-8  # relative singular value below which a direction counts as open
_LASTS_S, _LONGEST_S = 60.0, 0.05
_MOST_NUMBERS = 8_000_000  # of a regressor over all places
_RATE = {"prismatic": 0.02}  # of each sine [m/s]; 0.1 rad/s of joints that turn
_CALMER, _FARTHEST = (1.0, 0.3, 0.1, 0.03), 0.3  # of these rates, until passive joints swing no farther [rad or m]
_SINES_HZ = np.array([0.05, 0.13, 0.29, 0.61, 1.0])
_NAMED = 4  # partners of what shows only together
_ALONE = 3.0  # times less well than frequency squared: below that, stiffness shows by itself
_SWINGS = 0.3  # of the joint that moves most in a mode: those below are not named
_HELD = 10.0  # weight of the row that holds a scale which nothing shows


@dataclass(frozen=True, slots=True)
class SpringShown:
    """How well a spring shows by itself; zero where it does not. partners: with what it shows only together."""

    joint: str
    stiffness: float
    damping: float
    partners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModeShown:
    """How well frequency and damping ratio of a mode show. joints: that swing in it."""

    frequency_Hz: float
    joints: tuple[str, ...]
    frequency: float
    damping: float


@dataclass(frozen=True, slots=True)
class SwingsShown:
    """What a gyro shows of springs, in the order of `robot.passive`, and of modes, slowest first.

    clusters: how well each shows beside springs, by the name of its leader.
    scale_lost: whether one factor of stiffness, damping and inertia stays open; all else is then beside that.
    """

    springs: tuple[SpringShown, ...]
    modes: tuple[ModeShown, ...]
    clusters: dict[str, float]
    scale_lost: bool

    @property
    def sentences(self) -> tuple[str, ...]:
        """One for each mode and spring, and one about the scale if that is lost."""
        springs = (_of_spring(each, self.modes) for each in self.springs)
        return (*map(_of_mode, self.modes), *springs, *self._others())

    def _others(self) -> Iterator[str]:
        faint = sum(shown < WEAK for shown in self.clusters.values())
        if faint:
            yield f"Of {len(self.clusters)} clusters {faint} hardly show beside what swings."
        if self.scale_lost:
            yield (
                "All springs and inertias together times one factor swing alike: stiffness and damping show up to that "
                "factor, which known bodies or turning wheels fix."
            )

    def document(self) -> dict[str, Any]:
        """As plain data."""
        springs = [
            {"joint": each.joint, "stiffness": each.stiffness, "damping": each.damping, "with": list(each.partners)}
            for each in self.springs
        ]
        modes = [
            {"frequency_Hz": each.frequency_Hz, "frequency": each.frequency, "damping": each.damping}
            for each in self.modes
        ]
        return {
            "springs": springs,
            "modes": modes,
            "clusters": self.clusters,
            "scale_lost": self.scale_lost,
            "sentences": list(self.sentences),
        }


def swings_shown(robot: Robot, known: Sequence[str] = ()) -> SwingsShown | None:
    """What a gyro shows at zero momentum; None of a robot of which nothing swings, or nothing that is driven.

    known: selectors of trusted standard parameters.
    """
    robot = with_known_separate(robot, tuple(known))
    if robot.base == "fixed" or not (robot.passive.size and robot.driven.size):
        return None
    try:
        modes, swing = system_modes(robot), _random_swing(robot)
    except (InvalidRobot, CannotSwing, NotPossible):
        return None
    minimal = _clusters(robot, known)
    factors = _factors(robot, minimal)
    s, Vt, lost = _directions(_columns(swing, minimal) * factors, _whole(robot, minimal) / factors, _held(minimal))
    closed = s > _OPEN * s[0]
    shown = _Shown(s[closed], Vt[closed], Vt[~closed])
    c, p = len(minimal), robot.passive.size
    names = (
        *minimal.leaders,
        *(f"{what} of {name}" for what in ("stiffness", "damping") for name in robot.passive_names),
    )
    alone = np.eye(c + 2 * p)
    springs = tuple(
        SpringShown(name, shown.of(alone[c + k]), shown.of(alone[c + p + k]), shown.beside(c + k, names))
        for k, name in enumerate(robot.passive_names)
    )
    clusters = {name: shown.of(alone[k]) for k, name in enumerate(minimal.leaders)}
    return SwingsShown(springs, tuple(_mode(robot, minimal, factors, mode, shown) for mode in modes), clusters, lost)


def swings_summary(robot: Robot, known: Sequence[str] = ()) -> dict[str, Any]:
    """The same as plain data; nothing of a robot of which there is nothing to say."""
    found = swings_shown(robot, known)
    return {} if found is None else {"swings_shown": found.document()}


@dataclass(frozen=True, slots=True, eq=False)
class _Shown:
    """Directions of unknowns that show, with their sizes, and those that do not."""

    s: Array
    Vt: Array
    open: Array

    def of(self, gradient: Array) -> float:
        """How well something of this gradient shows."""
        if self.open.size and np.linalg.norm(self.open @ gradient) > 1e-6 * np.linalg.norm(gradient):
            return 0.0
        return 1.0 / max(float(np.linalg.norm((self.Vt @ gradient) / self.s)), 1e-300)

    def beside(self, place: int, names: Sequence[str]) -> tuple[str, ...]:
        """Names of what an unknown shows together with only; none where it shows by itself."""
        along = self.open[:, place] @ self.open if self.open.size else np.zeros(len(names))
        if np.abs(along).max() < 1e-6:
            return ()
        order = [k for k in np.argsort(-np.abs(along)) if k != place and abs(along[k]) > 0.1 * np.abs(along).max()]
        return tuple(names[k] for k in order[:_NAMED])


# ---------------------------------------------------------------------- the motion and its derivatives


def _random_swing(robot: Robot) -> Swing:
    """Passive joints from rest while every driven joint moves by sines of up to 1 Hz, as fast as is calm enough."""
    numbers = (6 + len(robot.joints)) * robot.parameters.size * 3
    steps = EvenSteps.over(robot, 0.0, _LASTS_S, _LONGEST_S)
    steps = replace(steps, count=min(steps.count, max(_MOST_NUMBERS // numbers, 50)))
    moves, found = _sines(robot, steps.t), None
    still, begin = np.zeros((steps.t.size, 3)), np.zeros((2, robot.passive.size))
    for calmer in _CALMER:
        q, dq, ddq = (calmer * each for each in moves)
        around = Around(q, dq, ddq, still, still, still, still)
        with suppress(NotPossible):
            found = Swing.of(robot, robot.parameters, springs_of(robot), steps, around, begin)
            if np.abs(found.position).max() < _FARTHEST:
                break
    if found is None:
        raise NotPossible(f"no calm motion of the passive joints of {robot.name} is found")
    return found


def _sines(robot: Robot, t: Array) -> tuple[Array, Array, Array]:
    """Positions, rates and accelerations of all joints, (m, joints) each."""
    rng, moves = np.random.default_rng(3), np.zeros((3, t.size, len(robot.joints)))
    for k in robot.driven:
        turns = 2.0 * np.pi * _SINES_HZ * rng.uniform(0.8, 1.2, _SINES_HZ.size)
        angle = t[:, None] * turns + rng.uniform(0.0, 2.0 * np.pi, _SINES_HZ.size)
        rate = _RATE.get(robot.joints[k].kind, 0.1)
        parts = np.sin(angle) / turns, np.cos(angle), -turns * np.sin(angle)
        moves[:, :, k] = [rate * each.sum(axis=1) for each in parts]
    return moves[0], moves[1], moves[2]


def _columns(swing: Swing, minimal: MinimalParameters) -> Array:
    """What clusters, stiffness and damping do to the base's rate over its size, starts allowed for, (rows, c + 2 p)."""
    p, own, springs = swing.robot.passive.size, minimal.kept, swing.by_springs
    clusters = swing.by_parameters(own, np.ones(own.size, dtype=bool))
    still = np.zeros((len(swing.position), p, 2 * p)), np.zeros((len(swing.position), 3, 2 * p))
    force = np.concatenate([clusters.force, springs.force, still[0]], axis=2)
    rate = np.concatenate([clusters.rate, springs.rate, still[1]], axis=2)
    first = np.zeros((2, p, force.shape[2]))
    first.reshape(2 * p, -1)[:, -2 * p :] = np.eye(2 * p)
    moved, slopes = swing.derivative(Direct(force, rate), first), swing.slopes
    J = rate + slopes.rate_by_position @ moved.position + slopes.rate_by_rate @ moved.rate
    J = J.reshape(-1, J.shape[2]) / np.linalg.norm(swing.law.w)
    starts = scipy.linalg.orth(J[:, -2 * p :])
    J = J[:, : -2 * p]
    return J - starts @ (starts.T @ J)


def _clusters(robot: Robot, known: Sequence[str]) -> MinimalParameters:
    """Clusters of what is not known; bodies without mass that only join joints have none."""
    moving = np.repeat([body.any() for body in robot.parameters.reshape(-1, PER_BODY)], PER_BODY)
    unknown = np.setdiff1d(np.flatnonzero(moving), select_parameters(robot, known))
    preference = standard_preference(len(robot.body_names))
    return clusters_over(closed_form(robot), unknown, preference, typical_sizes(robot))


def _factors(robot: Robot, minimal: MinimalParameters) -> Array:
    """What counts as a change of 100 % of clusters, stiffness and damping, (c + 2 p,)."""
    springs = springs_of(robot)
    usual = np.where(springs > 0.0, springs, max(float(springs.max()), 1e-12))
    return np.concatenate([change_of_all(minimal, minimal.values(robot.parameters)), usual.ravel()])


def _whole(robot: Robot, minimal: MinimalParameters) -> Array:
    """The change that makes all inertias, stiffness and damping so many times as large, (c + 2 p,)."""
    return np.concatenate([minimal.values(robot.parameters), springs_of(robot).ravel()])


def _directions(columns: Array, scale: Array, held: Array) -> tuple[Array, Array, bool]:
    """Singular values, directions, and whether the scale does not show; it is then held by a row of its own."""
    R: Array = np.asarray(np.linalg.qr(columns, mode="r"))
    largest = float(scipy.linalg.svdvals(R)[0])
    lost = bool(np.linalg.norm(R @ scale) < _OPEN * largest * np.linalg.norm(scale))
    if lost:
        R = np.vstack([R, _HELD * np.pad(held, (0, scale.size - held.size))])
    _, s, Vt = scipy.linalg.svd(R, full_matrices=False)
    return s, Vt, lost


def _held(minimal: MinimalParameters) -> Array:
    """The change of inertias on the mean, by which a scale that nothing shows is held, (c,)."""
    inertias = np.isin(minimal.kept % PER_BODY, [INDEX[name] for name in ("Ixx", "Iyy", "Izz")]).astype(float)
    inertias = inertias if inertias.any() else np.ones(len(minimal))
    return np.asarray(inertias / inertias.sum())


# ---------------------------------------------------------------------- modes


def _mode(robot: Robot, minimal: MinimalParameters, factors: Array, mode: SystemMode, shown: _Shown) -> ModeShown:
    """How well a mode shows, by how its frequency and damping ratio change with the unknowns, over themselves."""
    stiffness, damping = springs_of(robot)
    u = mode.shape
    moved = np.concatenate([np.concatenate([mode.shift, mode.turn])[allowed_rows(robot)], u])
    whole = inertia_by_parameters(robot, moved[:, None])[0].real
    inertia = whole[minimal.kept] / (whole @ robot.parameters)
    by_k, by_d = u**2 * stiffness / (u**2 @ stiffness), u**2 * damping / max(u**2 @ damping, 1e-300)
    c, none = len(minimal), np.zeros(u.size)
    frequency = 0.5 * np.concatenate([-inertia * factors[:c], by_k, none])
    ratio = np.concatenate([-0.5 * inertia * factors[:c], -0.5 * by_k, by_d])  # of u^T D u / sqrt(u^T M u u^T K u)
    names = tuple(name for name, by in zip(robot.passive_names, u, strict=True) if abs(by) > _SWINGS)
    damped = shown.of(ratio) if damping.any() else 0.0
    return ModeShown(mode.frequency_Hz, names, shown.of(frequency), damped)


# ---------------------------------------------------------------------- in words


def _of_mode(mode: ModeShown) -> str:
    what = f"The mode at {mode.frequency_Hz:.3g} Hz ({', '.join(mode.joints)})"
    if mode.frequency < WEAK:
        return f"{what} hardly moves the base: neither its frequency nor its damping shows."
    if mode.damping < WEAK:
        return f"{what} shows its frequency, but hardly its damping."
    return f"{what} shows its frequency and its damping."


def _of_spring(spring: SpringShown, modes: Sequence[ModeShown]) -> str:
    stiffness = f"Stiffness of {spring.joint}"
    if spring.partners:
        return f"{stiffness} does not show by itself, only together with {', '.join(spring.partners)}."
    own = max((mode.frequency for mode in modes if spring.joint in mode.joints), default=0.0)
    if max(own, spring.stiffness) < WEAK:
        return f"{stiffness} hardly shows: the base does not feel whether it is there twice."
    less = own / (2.0 * spring.stiffness)
    if less < _ALONE:
        return f"{stiffness} shows by itself."
    return (
        f"{stiffness} shows as frequency squared times inertia, and by itself {float(f'{less:.2g}'):g} times less well "
        "than that frequency squared."
    )
