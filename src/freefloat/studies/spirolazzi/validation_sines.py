"""Prediction of motions that an estimate has not seen, after section 5.3.2 of M. Spirolazzi's thesis (2022).

    test = SineTest.drawn(simple_model(robot))
    test.mean_largest_errors(Departures.of(estimates, test.model))

Every joint moves as A sin(2 pi t / T) with a random A; 1000 such motions. What counts is the largest error of the
base's rate in each motion, per axis, and the mean of that over all motions. Errors of estimates are small, so those of
the rates are linear in them: one matrix for all estimates.

An estimate that takes neither the gyro's mounting nor the joints' zeros for granted says what they are; what it
predicts, and what another flight could check, are the rates along the gyro's axes for joints as the encoders read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.estimate.estimate import Estimate
from freefloat.models.angular_momentum import AngularMomentum
from freefloat.motion.limits import limits_of
from freefloat.studies.catalogue import published
from freefloat.studies.spirolazzi.n1 import STUDY
from freefloat.studies.spirolazzi.reconstruction import RateSlopes
from freefloat.studies.spirolazzi.runs import estimated_clusters

_TOGETHER = 20  # motions whose matrix is held at one time
_COLUMNS = 500  # estimates whose errors are held at one time: 70 MB with so many motions


@dataclass(frozen=True, eq=False)
class Departures:
    """How far estimates are from the truth, an aligned gyro and encoders without zero errors included.

    clusters: estimated less true, all of the model, (estimates, c). zeros: what is to be added to the encoders'
    readings, (estimates, joints) [rad]. turns: of the gyro against the base, (estimates, 3) [rad].
    """

    clusters: Array
    zeros: Array
    turns: Array

    @classmethod
    def of_clusters(cls, model: AngularMomentum, pi: Array) -> Departures:
        """Of clusters pi alone, (estimates, c)."""
        return cls(pi - model.values(), np.zeros((len(pi), len(model.robot.joints))), np.zeros((len(pi), 3)))

    @classmethod
    def of(cls, estimates: Sequence[Estimate], model: AngularMomentum) -> Departures:
        """Of estimates of parameters, joint zeros and misalignment. model: of the robot that flew."""
        pi = estimated_clusters(model, estimates)
        zeros = [[each.value(f"zero of {joint}")[0] for joint in model.robot.joint_names] for each in estimates]
        turns = [[each.value(f"gyro misalignment {axis}")[0] for axis in "xyz"] for each in estimates]
        return cls(pi - model.values(), np.array(zeros), np.array(turns))

    @classmethod
    def joined(cls, parts: Sequence[Departures]) -> Departures:
        """One after the other."""
        return cls(*(np.vstack(each) for each in zip(*((p.clusters, p.zeros, p.turns) for p in parts), strict=True)))

    @property
    def in_base_axes(self) -> Departures:
        """The clusters' alone: rates along the base's axes for the true positions of the joints."""
        return Departures(self.clusters, np.zeros_like(self.zeros), np.zeros_like(self.turns))

    @property
    def mean(self) -> Departures:
        """Of the mean of all estimates."""
        return Departures(*(np.mean(each, axis=0, keepdims=True) for each in (self.clusters, self.zeros, self.turns)))


@dataclass(frozen=True, eq=False)
class SineTest:
    """The motions, and the robot that makes them.

    model: of the true robot. amplitudes: (motions, joints) [rad]. duration_s: T. rate_Hz: of the samples.
    """

    model: AngularMomentum
    amplitudes: Array
    duration_s: float
    rate_Hz: float

    @classmethod
    def drawn(cls, model: AngularMomentum, motions: int | None = None, seed: int = 0) -> SineTest:
        """Amplitudes uniform within positions and rates of the joints; as many motions as published unless given.

        The thesis does not print the range of A. Within positions alone errors are a quarter larger.
        """
        said, limits = published(STUDY)["validation"], limits_of(model.robot, model.robot.joint_names)
        by_rate = limits.rate * said["duration_s"] / (2.0 * np.pi)
        reach = np.minimum(np.minimum(-limits.lowest, limits.highest), by_rate)
        count = said["trajectories"] if motions is None else motions
        draws = np.random.default_rng(seed).uniform(-1.0, 1.0, (count, reach.size))
        return cls(model, reach * draws, said["duration_s"], said["rate_Hz"])

    def mean_largest_errors(self, departures: Departures) -> Array:
        """Mean over motions of the largest error, to first order, (estimates, 3) [rad/s]."""
        changes = np.hstack([departures.clusters, departures.zeros, departures.turns]).T
        total: Array = np.zeros((3, changes.shape[1]))
        for samples, motions in self._pieces():
            slopes = RateSlopes.at(self.model, samples)
            J = np.concatenate([slopes.by_clusters, slopes.by_positions, slopes.by_turn], axis=2)
            for first in range(0, changes.shape[1], _COLUMNS):
                some = slice(first, first + _COLUMNS)
                errors = J.reshape(-1, J.shape[2]) @ changes[:, some]
                np.abs(errors, out=errors)
                total[:, some] += errors.reshape(motions, -1, 3, errors.shape[1]).max(axis=1).sum(axis=0)
        return total.T / len(self.amplitudes)

    def _pieces(self) -> Iterator[tuple[Samples, int]]:
        """Joint motion of some motions, one after the other, and how many they are."""
        for first in range(0, len(self.amplitudes), _TOGETHER):
            some = self.amplitudes[first : first + _TOGETHER, None]
            q = some * np.sin(self._phases)[:, None]
            dq = some * (2.0 * np.pi / self.duration_s * np.cos(self._phases))[:, None]
            joints = some.shape[2]
            yield Samples(q=q.reshape(-1, joints), dq=dq.reshape(-1, joints)), len(some)

    @cached_property
    def _phases(self) -> Array:
        """Of the samples, but each position once: joints pass it twice, at opposite rates and so opposite errors."""
        t = np.arange(round(self.duration_s * self.rate_Hz) + 1) / self.rate_Hz
        phase = 2.0 * np.pi / self.duration_s * t
        _, kept = np.unique(np.round(np.sin(phase), 12), return_index=True)
        return np.asarray(phase[kept], float)
