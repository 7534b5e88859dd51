"""A published method as an estimator: what `identify.method` and `--method` choose by the name of its recipe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from freefloat.estimate import recipes
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.problem import Problem


@dataclass(frozen=True)
class Recipe(Estimator):
    """One of `recipes`, with the settings of its publication. name: such as `naveen-momentum`."""

    name: str  # type: ignore[misc]  # here it is no constant of the class: one class, a recipe each

    @property
    def reads_own_instants(self) -> bool:
        """Whether the recipe is one of what is asked for, and leaves the estimator as it is by default."""
        return self.name == "base-only"

    def estimate(self, problem: Problem) -> Estimate:
        """What the problem's data say; a total mass that the recipe finds is among the nuisances."""
        cook: Callable[[Problem], Estimate | recipes.PublishedSteps] = getattr(recipes, self.name.replace("-", "_"))
        found = cook(problem)
        if isinstance(found, recipes.PublishedSteps):
            found = replace(found.estimate, nuisances=(*found.estimate.nuisances, found.mass))
        return replace(found, method=self.name)
