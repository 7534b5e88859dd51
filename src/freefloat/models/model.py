r"""A model: a measured quantity that is linear in clusters of inertial parameters.

    measured(x) = rows(x) clusters + offset(x)

Each model knows its rows per sample, its clusters (`minimal`) and their values for given standard parameters.
Parameters can be declared zero (hard simplifications, as some papers make) or known; what is known goes to the
offset. The six models differ only in what they measure:

    Momentum          6 rows, Naveen, Shah, Misra (JGCD 2019)
    AngularMomentum   3 rows, about the centre of mass, Christidi-Loumpasefski, Papadopoulos (RAS 2022)
    BaseVelocity      3 rows, mass-normalised first moments, the same authors
    Energy            1 row, Gautier, Khalil (IJRR 1992)
    Torque            6 + joints rows, Atkeson, An, Hollerbach (IJRR 1986)
    BaseWrench        6 rows under a base that stands, Ayusawa, Venture, Nakamura (IJRR 2014)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array
from freefloat.dynamics.energy import kinetic_energy_regressor, potential_energy_regressor
from freefloat.dynamics.momentum_rows import momentum_regressor
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import torque_regressor
from freefloat.errors import FreefloatError
from freefloat.frozen import Content
from freefloat.models.closed_form_clusters import (
    closed_form,
    closed_form_of_momentum,
    closed_form_of_wrench,
    visible_rows,
    visible_rows_of_momentum,
    visible_rows_of_wrench,
)
from freefloat.models.leaders import typical_sizes, without_dimensions
from freefloat.models.minimal import MinimalParameters
from freefloat.models.numerical import regrouped, standard_preference
from freefloat.robot.base_axes import allowed_rows
from freefloat.robot.model import Robot
from freefloat.robot.selection import select_parameters


class NotApplicable(FreefloatError):
    """A model that says nothing about this robot."""


@dataclass(frozen=True, eq=False)
class Model(Content, ABC):
    """A measured quantity, linear in clusters.

    robot: whose parameters are meant; its own values serve only for what is known.
    known: selectors of standard parameters whose values are trusted (`load`, `link2.m`).
    zero: selectors of standard parameters declared zero (`*.products`, `link2.my`).
    """

    robot: Robot
    known: tuple[str, ...] = ()
    zero: tuple[str, ...] = ()

    @property
    @abstractmethod
    def minimal(self) -> MinimalParameters:
        """The clusters."""

    @abstractmethod
    def rows(self, samples: Samples) -> Array:
        """Regressor of the clusters, shape (n, rows, clusters)."""

    @abstractmethod
    def values(self, parameters: ArrayLike | None = None) -> Array:
        """Clusters for given standard parameters, by default the robot's own, shape (clusters,)."""

    @cached_property
    def unknown(self) -> NDArray[np.int64]:
        """Columns of the standard parameters that are neither known nor zero."""
        free = np.ones(self.robot.parameters.size, dtype=bool)
        free[self.known_columns] = False
        free[self.zero_columns] = False
        return np.flatnonzero(free)

    @cached_property
    def known_columns(self) -> NDArray[np.int64]:
        """Columns of the standard parameters declared known."""
        return select_parameters(self.robot, self.known)

    @cached_property
    def zero_columns(self) -> NDArray[np.int64]:
        """Columns of the standard parameters declared zero."""
        return select_parameters(self.robot, self.zero)

    def standard(self, parameters: ArrayLike | None) -> Array:
        """Standard parameters, by default the robot's own, with those declared zero made zero, (10 bodies,)."""
        phi = np.array(self.robot.parameters if parameters is None else parameters, dtype=np.float64)
        phi[..., self.zero_columns] = 0.0
        return phi


class LinearModel(Model):
    """A model whose regressor is linear in the standard parameters themselves."""

    @abstractmethod
    def standard_rows(self, samples: Samples) -> Array:
        """Regressor of the standard parameters, shape (n, rows, 10 bodies)."""

    @cached_property
    def structure(self) -> MinimalParameters:
        """Clusters with nothing declared known or zero."""
        return closed_form(self.robot)

    @cached_property
    def visible(self) -> Array:
        """Rows that span `structure`, over parameters without dimensions, each as large as it shows, (r, 10 bodies)."""
        return visible_rows(self.robot)

    @cached_property
    def minimal(self) -> MinimalParameters:
        """The clusters of the parameters that are neither known nor zero."""
        if self.unknown.size == self.robot.parameters.size:
            return self.structure
        return clusters_of(self.visible, self.unknown, self.robot)

    def rows(self, samples: Samples) -> Array:
        """Regressor of the clusters, shape (n, rows, clusters)."""
        return self.minimal.reduce(self.standard_rows(samples))

    def values(self, parameters: ArrayLike | None = None) -> Array:
        """Clusters for given standard parameters, by default the robot's own, shape (clusters,)."""
        return self.minimal.values(self.standard(parameters))

    def offset(self, samples: Samples) -> Array:
        """What the known parameters contribute, shape (n, rows)."""
        Y = self.standard_rows(samples)[..., self.known_columns]
        return Y @ self.standard(None)[self.known_columns]


@dataclass(frozen=True, eq=False)
class Momentum(LinearModel):
    """Linear and angular momentum about the base origin, base frame: six rows (a planar base: three)."""

    def __post_init__(self) -> None:
        if self.robot.base == "fixed":
            raise NotApplicable("the momentum of a robot on a fixed base is not conserved; use energy or torque")

    @cached_property
    def structure(self) -> MinimalParameters:
        """Clusters with nothing declared known or zero; gravity does not enter."""
        if self.robot.base == "free":
            return closed_form_of_momentum(self.robot)
        # In the plane few of a body's parameters show, and which lead is best seen of all bodies together.
        return clusters_of(self.visible, range(self.robot.parameters.size), self.robot)

    @cached_property
    def visible(self) -> Array:
        """Rows that span `structure`, as for other models."""
        return visible_rows_of_momentum(self.robot)

    def standard_rows(self, samples: Samples) -> Array:
        """K along what the base can do, shape (n, rows, 10 bodies)."""
        return momentum_regressor(self.robot, samples)[:, allowed_rows(self.robot)]


class Energy(LinearModel):
    """Kinetic and potential energy: one row, up to a constant that no difference of energies shows.

    Potential energy counts where the robot has gravity.
    """

    def standard_rows(self, samples: Samples) -> Array:
        """Energy rows, shape (n, 1, 10 bodies)."""
        rows = kinetic_energy_regressor(self.robot, samples) + potential_energy_regressor(self.robot, samples)
        return rows[:, None, :]


class Torque(LinearModel):
    """Joint torques, and the base wrench where the base moves."""

    @property
    def row_numbers(self) -> NDArray[np.int64]:
        """Of six rows of the base and one per joint, those that are measured."""
        return np.concatenate([allowed_rows(self.robot), np.arange(6, 6 + len(self.robot.joints))])

    def standard_rows(self, samples: Samples) -> Array:
        """Rows of what can be measured: the base wrench along what the base can do, then the joints."""
        return torque_regressor(self.robot, samples)[:, self.row_numbers]


@dataclass(frozen=True, eq=False)
class BaseWrench(Torque):
    """Force and moment under a base that stands: six rows, with no joint's torque. They show all that torques do.

    A joint's torque is the share along its axis of the wrench that its outer bodies need, and where the wrench of all
    bodies is zero in every motion, so is that share.
    """

    def __post_init__(self) -> None:
        if self.robot.base != "fixed":
            raise NotApplicable(
                f"base-wrench rows are of a base that stands, and that of {self.robot.name} is {self.robot.base}; "
                "allowed: a fixed base, or a stance in the mission"
            )

    @property
    def row_numbers(self) -> NDArray[np.int64]:
        """All six of the base."""
        return np.arange(6)

    @cached_property
    def structure(self) -> MinimalParameters:
        """Clusters with nothing declared known or zero."""
        return closed_form_of_wrench(self.robot)

    @cached_property
    def visible(self) -> Array:
        """Rows that span `structure`, as for other models."""
        return visible_rows_of_wrench(self.robot)


def clusters_of(visible: Array, columns: Iterable[int], robot: Robot) -> MinimalParameters:
    """The clusters that remain when only these columns of the standard parameters are unknown.

    visible: rows that span what shows, over parameters without dimensions (`visible_rows`), (r, 10 bodies). The
        dependences among columns of a regressor are those among theirs: no motion need be sampled.
    """
    unknown = np.array(sorted(columns), dtype=np.int64)
    masked = np.zeros(visible.shape)
    masked[:, unknown] = visible[:, unknown]
    preference = standard_preference(len(robot.body_names))
    return regrouped(masked, robot.parameter_names, preference, typical_sizes(robot))


def clusters_over(
    structure: MinimalParameters, columns: Iterable[int], preference: ArrayLike, sizes: Array | None = None
) -> MinimalParameters:
    """As `clusters_of`, where clusters are all that is at hand: Y = Y[:, kept] combine, and `combine` stands for Y.

    What hardly shows is known to fewer digits that way. On a free base nothing hardly shows.

    preference: all column numbers, the most welcome first.
    sizes: by which parameters are compared (`typical_sizes`), (p,); as they are unless given.
    """
    unknown = np.array(sorted(columns), dtype=np.int64)
    masked = np.zeros_like(structure.combine)
    masked[:, unknown] = structure.combine[:, unknown]
    scale = np.ones(len(structure.names)) if sizes is None else sizes
    return regrouped(without_dimensions(structure.kept, masked, scale), structure.names, preference, scale)
