"""All estimators by name. Which to take when is said in docs/estimation.md.

Each is imported when it is first made: some bring solvers that take a second to load.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from freefloat.errors import FreefloatError
from freefloat.estimate.method_names import METHOD_HOMES, RECIPES
from freefloat.files import did_you_mean
from freefloat.frozen import FrozenMapping
from freefloat.public_names import class_of
from freefloat.robot.parts import BaseKind

if TYPE_CHECKING:
    from freefloat.estimate.estimator import Estimator


class UnknownMethod(FreefloatError):
    """An estimator that does not exist."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"no method named {name!r}{did_you_mean(name, METHODS)}; there are: {', '.join(METHODS)}")


def _made(name: str, module: str) -> Estimator:
    made: Estimator = class_of(f"estimate.{module}", name)()
    return made


def _recipe(name: str) -> Estimator:
    from freefloat.estimate.recipe import Recipe

    return Recipe(name)


METHODS: Mapping[str, Callable[[], Estimator]] = FrozenMapping(
    {name: partial(_made, name, module) for name, module in METHOD_HOMES.items()}
    | {name: partial(_recipe, name) for name in RECIPES}
)


def default_method(base: BaseKind, of_rows: bool = False) -> str:
    """The estimator to take unless there is a reason for another.

    of_rows: whether equations are asked for that no reading is, such as energy or the wrench under a fixed base.
    """
    return "weighted" if base == "fixed" and of_rows else "maximum-likelihood"


def make_estimator(name: str, base: BaseKind = "free") -> Estimator:
    """The estimator of this name with its usual settings.

    base: how the base moves, which decides from whose clusters `physically-consistent` starts.
    """
    if name not in METHODS:
        raise UnknownMethod(name)
    if name == "physically-consistent":
        from freefloat.estimate.physical.physically_consistent import PhysicallyConsistent

        return PhysicallyConsistent(start=METHODS[default_method(base, of_rows=True)]())
    return METHODS[name]()
