"""Which friction joints have, by evidence: terms of their drives that predict torques which they were not fitted to.

Sets of terms, from none over viscous, Coulomb and viscous, these with an offset, to those with any of the rest, are
compared by cross-validation. Blocks of time are held out one after the other, whole, for what torques leave over is not
independent within one; the others say clusters and terms by least squares, each joint in units of what the richest set
leaves of its torque. Blocks that even that set explains far worse than others count for less, and of two sets the
logarithms of what they leave of each block are compared, pair by pair: no collision or slip decides. The smallest set
is chosen that is within one standard error of the best (L. Breiman and others, "Classification and regression trees",
1984, section 3.4.3). Where what the best set leaves is no noise, something else is wrong, of which any further term
takes a little, and other motions pay for it: there a gain of less than a tenth is worth none. How slow Stribeck's
friction needs joints to be is what of a few rates predicts best.

Rows are summed block by block as products of their columns, with which every set is solved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.data.processing.spectrum import noise_level
from freefloat.estimate.estimate_parts import in_percent
from freefloat.estimate.problem import Problem
from freefloat.estimate.rows.flight_stack import FlightStack
from freefloat.robot.drive import DRIVE_TERMS, DriveTerm

_USUAL: tuple[tuple[DriveTerm, ...], ...] = ((), ("viscous",), ("coulomb", "viscous"), ("coulomb", "viscous", "offset"))
_FURTHER: tuple[DriveTerm, ...] = ("asymmetric", "stribeck", "rotor")
_SLOW = (0.02, 0.05, 0.1, 0.2, 0.4)  # of each joint's rate, root mean square: Stribeck's, as tried
_BLOCKS, _FEWEST = 12, 4  # of all flights together, of each at least
_MOST = 4000  # samples of all flights together: what is left over lasts longer than these are apart
_WORTH = 0.1  # of an error, by which further terms must make it smaller where it is no noise
_MUCH_WORSE = 2.0  # times what another set leaves: no estimate is to be read without knowing that
_FAR, _ROUNDS = 4.0, 6  # times the median block's squares: blocks that leave more count for less; in so many rounds
_SINGULAR = 1e-12  # of the largest eigenvalue of the scaled products
_ROUNDING = 1e-18  # of the square of the torques


@dataclass(frozen=True, slots=True)
class FrictionCandidate:
    """A set of terms. held_out: error of torques in blocks that were held out, over the torques, root mean square.

    behind: by how much of its size the error of a block exceeds that of the best set, on average. spread: standard
    error of that.
    """

    terms: tuple[DriveTerm, ...]
    held_out: float
    behind: float
    spread: float

    @property
    def words(self) -> str:
        """The terms, as a person writes them."""
        return ", ".join(self.terms) or "none"


@dataclass(frozen=True, slots=True, eq=False)
class FrictionChoice:
    """What was chosen. problem: with these terms unknown, and Stribeck's rates as found. candidates: all that were."""

    problem: Problem
    candidates: tuple[FrictionCandidate, ...]

    @property
    def terms(self) -> tuple[DriveTerm, ...]:
        """The set that was chosen."""
        return self.problem.friction

    @property
    def sentence(self) -> str:
        """What was chosen, and how well it predicts."""
        found = {candidate.terms: candidate for candidate in self.candidates}
        chosen, bare = found[self.terms], found[()]
        beside = f" (none: {in_percent(bare.held_out)})" if self.terms else ""
        return f"friction chosen: {chosen.words}; held-out torque error {in_percent(chosen.held_out)}{beside}"


def chosen_friction(problem: Problem) -> FrictionChoice:
    """The problem with those terms of drives unknown which its torques give evidence of."""
    thin = _thinned(problem)
    tried = [_Blocks.of(each) for each in _with_slow_rates(thin)]
    weights, joints = tried[0].left_by(DRIVE_TERMS)
    tried = [each.weighed(weights) for each in tried]
    held = {terms: min((_HeldOut(each, terms, joints) for each in _of(tried, terms)), key=_loss) for terms in _sets()}
    best = min(held.values(), key=_loss)
    candidates = tuple(_candidate(each, best) for each in held.values())
    near = _WORTH * best.blocks.coloured(best.terms, joints)
    chosen = min(
        (each for each in candidates if each.behind <= each.spread + near),
        key=lambda each: (len(each.terms), _loss(held[each.terms])),
    )
    robot = problem.robot.with_drives(
        [
            replace(joint.drive, stribeck_rate=thought.drive.stribeck_rate)
            for joint, thought in zip(problem.robot.joints, held[chosen.terms].blocks.problem.robot.joints, strict=True)
        ]
    )
    return FrictionChoice(replace(problem, robot=robot, friction=chosen.terms), candidates)


def torque_noise(problem: Problem) -> Array:
    """What torque rows leave of each joint's torque, root mean square, shape (joints,)."""
    return _Blocks.of(_thinned(problem)).left_by(problem.friction)[1]


@dataclass(frozen=True, slots=True)
class GivenFriction:
    """What is to be said of terms that a mission gives. wanting: whether another set would halve the held-out error."""

    sentence: str
    wanting: bool


def given_friction(problem: Problem) -> GivenFriction:
    """How well the terms that a problem has predict blocks that were held out, and which others do so better."""
    blocks = _Blocks.of(_thinned(problem))
    weights, sd = blocks.left_by(problem.friction)
    part, choice = _HeldOut(blocks.weighed(weights), problem.friction, sd).part, chosen_friction(problem)
    best = next(candidate for candidate in choice.candidates if candidate.terms == choice.terms)
    sentence = f"friction given: {', '.join(problem.friction) or 'none'}; held-out torque error {in_percent(part)}"
    if set(best.terms) <= set(problem.friction) or not part > (1.0 + _WORTH) * best.held_out:
        return GivenFriction(sentence, wanting=False)
    advice = f"with {best.words} it would be {in_percent(best.held_out)}: `identify: {{friction: auto}}`"
    return GivenFriction(f"{sentence}; {advice}", wanting=part > _MUCH_WORSE * best.held_out)


def _sets() -> Iterator[tuple[DriveTerm, ...]]:
    """Sets of terms, smaller ones first."""
    yield from _USUAL
    for count in range(1, len(_FURTHER) + 1):
        for more in combinations(_FURTHER, count):
            yield tuple(term for term in DRIVE_TERMS if term in (*_USUAL[-1], *more))


def _of(tried: Sequence[_Blocks], terms: Sequence[DriveTerm]) -> Sequence[_Blocks]:
    """With Stribeck's rates as the robot has them, and if his friction is to be found with all others."""
    return tried if "stribeck" in terms else tried[:1]


def _thinned(problem: Problem) -> Problem:
    """The problem with fewer samples, every term unknown."""
    every = max(1, sum(len(flight.samples) for flight in problem.flights) // _MOST)
    flights = tuple(
        replace(flight, samples=flight.samples[::every], own_instants=None, curves=flight.joints)
        for flight in problem.flights
    )
    return replace(problem, flights=flights, friction=DRIVE_TERMS)


def _with_slow_rates(problem: Problem) -> Iterator[Problem]:
    """The problem, and with Stribeck's rates as they may be."""
    yield problem
    rates = np.concatenate([flight.samples.need("dq", "friction") for flight in problem.flights])
    usual, joints = np.sqrt((rates**2).mean(axis=0)), problem.robot.joints
    for share in _SLOW:
        slow = np.where(usual > 0.0, share * usual, 1.0).tolist()
        drives = [replace(joint.drive, stribeck_rate=rate) for joint, rate in zip(joints, slow, strict=True)]
        yield replace(problem, robot=problem.robot.with_drives(drives))


# ---------------------------------------------------------------------- products of the rows


@dataclass(frozen=True, slots=True, eq=False)
class _Blocks:
    """Rows of blocks of time, summed: products of their u columns, the right-hand side being the last.

    trusted: of rows over their doubt, joint by joint, shape (blocks, joints, u + 1, u + 1). whole: of all rows as they
    are, shape (blocks, u + 1, u + 1). rows: how many each joint has in a block, over their doubt, (blocks, joints).
    clusters: how many columns are clusters; after them come the terms, joint by joint. declared: of the robot.
    """

    problem: Problem
    stacks: tuple[FlightStack, ...]
    trusted: Array
    whole: Array
    rows: Array
    clusters: int
    declared: Array

    @classmethod
    def of(cls, problem: Problem) -> _Blocks:
        """Of torque rows with every term unknown."""
        equations, joints = problem.equations(("torque",)), len(problem.robot.joints)
        each = max(_FEWEST, -(-_BLOCKS // len(equations.stacks)))
        trusted, whole, rows = list[Array](), list[Array](), list[Array]()
        for stack in equations.stacks:
            both = np.concatenate([stack.matrix, stack.right[..., :1]], axis=2)[:, -joints:]
            doubt = stack.doubt[:, -joints:]
            for own in np.array_split(np.arange(len(both)), each):
                weighed = both[own] / doubt[own][..., None]
                trusted.append(np.einsum("nju,njv->juv", weighed, weighed, optimize=True))
                whole.append(np.einsum("nju,njv->uv", both[own], both[own], optimize=True))
                rows.append((doubt[own] ** -2.0).sum(axis=0))
        drives = [joint.drive for joint in problem.robot.joints]
        declared = np.array([[getattr(drive, term) for drive in drives] for term in DRIVE_TERMS])
        sums = np.array(trusted), np.array(whole), np.array(rows)
        return cls(problem, equations.stacks, *sums, len(equations.minimal), declared.ravel())

    def weighed(self, weights: Array) -> _Blocks:
        """The same, blocks counting as these say, shape (blocks,)."""
        return replace(self, trusted=weights[:, None, None, None] * self.trusted, rows=weights[:, None] * self.rows)

    def left_by(self, terms: Sequence[DriveTerm]) -> tuple[Array, Array]:
        """Weights of blocks, less of those that these terms explain far worse than others, and sizes of what is left.

        The latter is the root mean square of each joint's torque over the blocks so weighed, shape (joints,).
        """
        weights, sd = np.ones(len(self.rows)), np.ones(self.rows.shape[1])
        least = _ROUNDING * max(float(np.max(self.trusted[..., -1, -1] / self.rows)), 1e-300)
        for _ in range(_ROUNDS):
            x = self.solved(self.weighed(weights).trusted.sum(axis=0), terms, sd)
            left = np.einsum("u,bjuv,v->bj", x, self.trusted, x, optimize=True) / self.rows
            sd = np.sqrt(np.maximum(weights @ left / weights.sum(), least))
            squares = (left / sd**2).mean(axis=1)
            weights = np.minimum(1.0, _FAR * np.median(squares) / np.maximum(squares, 1e-300))
        return weights, sd

    def coloured(self, terms: Sequence[DriveTerm], sd: Array) -> float:
        """Which part of the squares that these terms leave is no white noise, from zero to one."""
        x, squares, noise = self.solved(self.trusted.sum(axis=0), terms, sd), 0.0, 0.0
        for stack in self.stacks:
            rest = ((stack.matrix @ x[:-1] - stack.right[..., 0]) / stack.doubt)[:, -sd.size :] / sd
            squares, noise = squares + float((rest**2).sum()), noise + len(rest) * float((noise_level(rest) ** 2).sum())
        return max(0.0, 1.0 - noise / squares) if squares > 0.0 else 0.0

    def solved(self, products: Array, terms: Sequence[DriveTerm], sd: Array) -> Array:
        """Clusters and these terms by least squares, others as declared, and -1, shape (u + 1,).

        products: of each joint, shape (joints, u + 1, u + 1). sd: of each joint's rows, (joints,).
        """
        total = np.einsum("juv,j->uv", products, sd**-2.0, optimize=True)
        x = np.concatenate([np.zeros(self.clusters), self.declared, [-1.0]])
        free = self._columns(terms)
        x[free] = 0.0
        x[free] = _solved(total[np.ix_(free, free)], -total[free] @ x)
        return x

    def _columns(self, terms: Sequence[DriveTerm]) -> NDArray[np.int64]:
        """Of clusters and these terms."""
        joints = self.trusted.shape[1]
        of_terms = [self.clusters + DRIVE_TERMS.index(term) * joints + np.arange(joints) for term in terms]
        return np.concatenate([np.arange(self.clusters), *of_terms])


def _solved(N: Array, g: Array) -> Array:
    """N^+ g, with nothing in directions that the rows do not show."""
    scale = 1.0 / np.sqrt(np.maximum(np.diagonal(N), 1e-300))
    scale = np.where(np.diagonal(N) > 0.0, scale, 0.0)
    values, vectors = np.linalg.eigh(N * np.outer(scale, scale))
    kept = values > _SINGULAR * values[-1]
    return np.asarray(scale * (vectors[:, kept] @ ((vectors[:, kept].T @ (scale * g)) / values[kept])))


class _HeldOut:
    """What a set of terms leaves of every block that was held out.

    losses: logarithm of the mean square of a block in units of the joints' noise, shape (blocks,).
    part: error of all blocks over their torques, root mean square.
    """

    def __init__(self, blocks: _Blocks, terms: tuple[DriveTerm, ...], sd: Array) -> None:
        self.blocks, self.terms = blocks, terms
        together, squares, left = blocks.trusted.sum(axis=0), list[float](), 0.0
        for own, whole, rows in zip(blocks.trusted, blocks.whole, blocks.rows, strict=True):
            x = blocks.solved(together - own, terms, sd)
            left += float(x @ whole @ x)
            squares.append(float(np.einsum("u,juv,v,j->", x, own, x, sd**-2.0, optimize=True) / rows.sum()))
        self.losses = np.log(np.maximum(squares, 1e-6))
        torques = float(blocks.whole[:, -1, -1].sum())
        self.part = float(np.sqrt(max(left, 0.0) / torques)) if torques > 0.0 else 0.0


def _loss(held: _HeldOut) -> float:
    return float(held.losses.mean())


def _candidate(held: _HeldOut, best: _HeldOut) -> FrictionCandidate:
    more = 0.5 * (held.losses - best.losses)  # of an error, not of its square
    spread = float(more.std(ddof=1) / np.sqrt(more.size))
    return FrictionCandidate(held.terms, held.part, float(more.mean()), spread)
