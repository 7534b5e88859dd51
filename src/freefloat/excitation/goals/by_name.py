"""From the name of a goal to its class."""

from __future__ import annotations

from freefloat.excitation.goals.goal import Goal
from freefloat.excitation.goals.names import GoalName
from freefloat.public_names import class_of


def goal_named(name: GoalName) -> type[Goal]:
    """The class of a goal, in the file of its name."""
    found: type[Goal] = class_of(f"excitation.goals.{name.replace('-', '_')}", name)
    return found
