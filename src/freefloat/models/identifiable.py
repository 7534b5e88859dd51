"""Which clusters a set of measurements reveals, and what would cure what it does not.

The measured rows (`measured_rows.py`), stacked over states that obey the momentum law, say everything about
structure: their rank, the directions they leave open, and how much of the motion each cluster alone explains.

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

from freefloat.arrays import Array
from freefloat.dynamics.reaction import NotPossible
from freefloat.dynamics.samples import Samples
from freefloat.models.closed_form_clusters import closed_form
from freefloat.models.leaders import typical_sizes
from freefloat.models.measured_rows import MeasuredRows, Measurement, measured_rows
from freefloat.models.minimal import MinimalParameters
from freefloat.models.model import NotApplicable, clusters_over
from freefloat.models.numerical import standard_preference
from freefloat.robot.model import Robot
from freefloat.robot.parameters import INDEX, PER_BODY
from freefloat.robot.selection import select_parameters, with_known_separate

__all__ = ["ClusterAnswer", "Identifiability", "Measurement", "Status", "identifiability"]

Status = Literal["identifiable", "weak", "up to scale", "not excited", "open"]

_OPEN = 1e-8  # relative singular value below which a direction counts as open
# Weak: a change of 100 % explains less than this part of the measured motion, all else free. A gyro whose
# noise is a 5000th of the motion then knows the cluster no better than to 20 %.
WEAK = 1e-3
_NEGLIGIBLE = 1e-11  # of the longest column: no column
_NAMED = 6  # clusters of the weakest direction that are worth a name
_FAINT = 0.1  # of the largest of its kind in its body: what counts as 100 % of a cluster that is nearly zero


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
    weak_directions: how many directions that do show are weak: a change of 100 % along them explains less than a
        thousandth of the measured motion. They are mixed of many clusters, each of which may show by itself.
    weakest: names of the clusters that the weakest of the directions that show is mostly made of.
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
    weak_directions: int = 0
    weakest: tuple[str, ...] = ()

    def with_status(self, status: Status) -> tuple[ClusterAnswer, ...]:
        """The clusters of this status."""
        return tuple(cluster for cluster in self.clusters if cluster.status == status)


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
        if not (fixed.size or absent.size):
            return cls(robot, unknown, fixed, whole, whole)
        return cls(robot, unknown, fixed, whole, clusters_over(whole, unknown, preference, typical_sizes(robot)))


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
        rows = [measured_rows(each, measurement, samples) for each in (robot, *runs)]
    except NotPossible as error:
        raise NotApplicable(f"{robot.name} cannot react: its mass or its inertia is zero") from error
    known_parts = [
        part.standard[:, question.known] * each.parameters[question.known]
        for part, each in zip(rows, (robot, *runs), strict=True)
    ]
    stacked = MeasuredRows(
        np.vstack([part.standard for part in rows]),
        np.hstack([np.vstack(known_parts), np.vstack([part.given for part in rows])]),
        np.vstack([part.nuisance for part in rows]),
        tuple(robot.parameter_names[column] for column in question.known) + rows[0].given_names,
    )
    answer = _answer(question, measurement, stacked, structure=samples is None)
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


# ---------------------------------------------------------------------- what follows from it


def _answer(question: _Question, measurement: Measurement, rows: MeasuredRows, structure: bool) -> Identifiability:
    minimal, robot = question.minimal, question.robot
    theta = minimal.values(robot.parameters)
    if not theta.size:
        return Identifiability(robot.name, measurement, (), 0, 0, (), False, (), np.inf)
    sizes = change_of_all(minimal, theta)
    columns = _without(rows.nuisance, rows.standard[:, minimal.kept] * sizes)
    _, s, Vt = scipy.linalg.svd(columns, full_matrices=False)
    closed = np.arange(s.size) < (_rank(columns) if structure else (s > _OPEN * s[0]).sum())
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
        weak_directions=int((s[closed] < WEAK).sum()),
        weakest=_largest(minimal, Vt[closed][-1:]),
    )


def _rank(columns: Array) -> int:
    """How many directions structure shows, however small what counts as 100 % of a cluster may be.

    Long chains have clusters of sizes apart by ten powers of ten; columns of length one leave no doubt.
    """
    length = np.linalg.norm(columns, axis=0)
    longest = length.max(initial=0.0) or 1.0
    s = scipy.linalg.svdvals(columns / np.where(length > _NEGLIGIBLE * longest, length, longest))
    return int((s > _OPEN * s[0]).sum())


def _largest(minimal: MinimalParameters, direction: Array) -> tuple[str, ...]:
    """The clusters with the largest shares in a direction, (0 or 1, clusters)."""
    shares = np.abs(direction).sum(axis=0)
    order = np.argsort(-shares, kind="stable")[:_NAMED]
    return tuple(minimal.leaders[index] for index in order if shares[index] > 0.1 * shares.max())


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


def change_of_all(minimal: MinimalParameters, theta: Array) -> Array:
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
        statuses.append("open" if mixed else "up to scale" if not seen else "weak" if seen < WEAK else "identifiable")
    return statuses


def _scale(
    question: _Question, rows: MeasuredRows, columns: Array, sizes: Array
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
