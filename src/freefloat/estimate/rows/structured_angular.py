"""Rows of the angular momentum about the centre of mass, as functions of the minimal parameters behind its clusters.

The clusters pi are functions of far fewer unknowns, the minimal parameters theta of the momentum, the total mass among
them. Near a point theta_0 the rows are

    Y pi(theta) = Y (pi_0 + D (theta - theta_0)),     D = d pi / d theta

which is linear again. What is known, such as a load, enters pi wherever it stands, also beside masses that are not
known; of the linear clusters only those enter that are made of known parameters alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from freefloat.arrays import Array
from freefloat.estimate.rows.angular_momentum import AngularMomentumRows
from freefloat.estimate.rows.equations import Equations, by_model
from freefloat.estimate.rows.flight_stack import FlightStack
from freefloat.estimate.rows.model_rows import Group

if TYPE_CHECKING:
    from freefloat.estimate.problem_data import ProblemData
    from freefloat.models.names import ModelName


@dataclass(frozen=True, eq=False)
class StructuredAngularRows(AngularMomentumRows):
    """The same rows, linear near a point. plain: those of the clusters. point: theta_0, shape (clusters,)."""

    plain: AngularMomentumRows
    point: Array

    name: ClassVar[ModelName] = "momentum"
    group: ClassVar[Group] = "standard"

    @cached_property
    def _rows(self) -> Array:
        return self.plain._rows

    @cached_property
    def _by_standard(self) -> Array:
        """Derivative of all clusters by the standard parameters at the point, shape (pi, 10 bodies)."""
        theta = self.model.underlying.minimal
        return self.model.jacobian(theta.values(self._standard)) @ theta.combine

    @cached_property
    def _standard(self) -> Array:
        return self.model.standard(self.problem.standard(self.point))

    @cached_property
    def _slope(self) -> Array:
        return self._by_standard[:, self.problem.minimal.kept]

    @cached_property
    def _settled(self) -> Array:
        """What the clusters are at theta = 0 by these tangents, and how uncertain known ones move them."""
        here = self.model.values(self._standard) - self._slope @ self.point
        return np.column_stack([here, self._by_standard[:, self.uncertain]])

    @property
    def _count(self) -> int:
        return int(self.point.size)

    def _of_unknowns(self, rows: Array) -> Array:
        return rows @ self._slope

    def _of_settled(self, rows: Array) -> Array:
        return -rows @ self._settled

    def _pi(self, x: Array) -> Array:
        return self._settled[:, 0] + self._slope @ x[: self._count]


def structured_equations(problem: ProblemData, plain: Equations, point: Array) -> Equations:
    """Equations of the angular momentum's clusters as those of the momentum's minimal parameters, near a point."""
    stacks = []
    for stack in plain.stacks:
        (source,) = stack.sources
        assert isinstance(source, AngularMomentumRows)
        made = StructuredAngularRows(source.problem, source.flight, source.number, source.model, source, point)
        own = np.arange(point.size)
        further = stack.places[0][len(plain.minimal) :] - len(plain.minimal) + point.size
        unknowns = stack.unknowns - len(plain.minimal) + point.size
        stacks.append(FlightStack(stack.flight, (made,), (np.concatenate([own, further]),), unknowns))
    return replace(
        plain,
        minimal=problem.minimal,
        matrix=by_model(stacks, [stack.matrix for stack in stacks]),
        right=by_model(stacks, [stack.right[..., :1] for stack in stacks])[:, 0],
        blocks=tuple(replace(block, model=StructuredAngularRows.name) for block in plain.blocks),
        cad=problem.cad,
        cad_covariance=problem.cad_covariance,
        stacks=tuple(stacks),
    )
