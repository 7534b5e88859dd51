"""The estimators by name, from the public names of this room: importing this costs nothing.

An estimator is in a module of its own in a folder of this room, and all three bear its name: `total-least-squares` is
`TotalLeastSquares` of `linear/total_least_squares.py`. A published method is a function of `recipes.py`, and its name
that of the function: `naveen-momentum`. The list is `__init__.pyi`.
"""

from __future__ import annotations

from freefloat.public_names import class_name, homes, known_as


def _listed() -> dict[str, str]:
    found = {}
    for public, module in homes("estimate").items():
        folder, _, own = module.rpartition(".")
        if folder and public == class_name(known_as(own)):
            found[known_as(own)] = module
    return found


_OF_ONE_BODY = "target_only"  # asks for more than a problem: `freefloat target`, or the function itself

METHOD_HOMES = _listed()  # module of each, dotted from this room
RECIPES = tuple(
    known_as(public) for public, module in homes("estimate").items() if module == "recipes" and public != _OF_ONE_BODY
)
