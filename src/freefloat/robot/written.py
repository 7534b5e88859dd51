"""What the writers of files read of a robot: they need not know the class, which knows them."""

from __future__ import annotations

from typing import Protocol

from freefloat.arrays import Array
from freefloat.robot.parts import BaseKind, Body, Point, Wheel
from freefloat.robot.tree import Tree


class WrittenRobot(Protocol):
    """A robot as it is written; `Robot` says what its fields are."""

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def bodies(self) -> tuple[Body, ...]: ...  # noqa: D102

    @property
    def base(self) -> BaseKind: ...  # noqa: D102

    @property
    def gravity(self) -> Array: ...  # noqa: D102

    @property
    def wheels(self) -> tuple[Wheel, ...]: ...  # noqa: D102

    @property
    def points(self) -> tuple[Point, ...]: ...  # noqa: D102

    @property
    def separate(self) -> frozenset[str]: ...  # noqa: D102

    @property
    def tree(self) -> Tree: ...  # noqa: D102

    @property
    def wheel_inertias(self) -> Array: ...  # noqa: D102
