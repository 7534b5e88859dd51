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

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.estimate import Estimate
from freefloat.models.angular_momentum import AngularMomentum
from freefloat.motion.sine_motions import RandomSines
from freefloat.studies.catalogue import published
from freefloat.studies.spirolazzi.n1 import STUDY
from freefloat.studies.spirolazzi.reconstruction import RateSlopes
from freefloat.studies.spirolazzi.runs import estimated_clusters

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
    """The motions, and the robot that makes them. model: of the true robot."""

    model: AngularMomentum
    motions: RandomSines

    @classmethod
    def drawn(cls, model: AngularMomentum, motions: int | None = None, seed: int = 0) -> SineTest:
        """Amplitudes uniform within positions and rates of the joints; as many motions as published unless given.

        The thesis does not print the range of A. Within positions alone errors are a quarter larger.
        """
        said = published(STUDY)["validation"]
        count = said["trajectories"] if motions is None else motions
        return cls(model, RandomSines.drawn(model.robot, count, said["duration_s"], said["rate_Hz"], seed))

    def mean_largest_errors(self, departures: Departures) -> Array:
        """Mean over motions of the largest error, to first order, (estimates, 3) [rad/s]."""
        changes = np.hstack([departures.clusters, departures.zeros, departures.turns]).T
        total: Array = np.zeros((3, changes.shape[1]))
        for samples, motions in self.motions.pieces():
            slopes = RateSlopes.at(self.model, samples)
            J = np.concatenate([slopes.by_clusters, slopes.by_positions, slopes.by_turn], axis=2)
            for first in range(0, changes.shape[1], _COLUMNS):
                some = slice(first, first + _COLUMNS)
                errors = J.reshape(-1, J.shape[2]) @ changes[:, some]
                np.abs(errors, out=errors)
                total[:, some] += errors.reshape(motions, -1, 3, errors.shape[1]).max(axis=1).sum(axis=0)
        return total.T / len(self.motions.amplitudes)
