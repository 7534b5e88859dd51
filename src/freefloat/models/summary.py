"""What a model reveals of a robot, as a document any program can read and `freefloat inspect` shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from freefloat.errors import FreefloatError
from freefloat.models.advice import Advice, advise
from freefloat.models.angular_momentum import MOST_CANDIDATES, AngularMomentum, BaseVelocity
from freefloat.models.identifiable import Measurement
from freefloat.models.minimal import MinimalParameters
from freefloat.models.model import Model
from freefloat.models.names import ModelName, cluster_unit
from freefloat.models.swings_shown import swings_summary
from freefloat.public_names import class_name, class_of, homes
from freefloat.robot.model import Robot
from freefloat.robot.selection import with_known_separate

# What the sensors must give for each model, beside joint positions and rates.
_SENSES = {
    "momentum": {"rate": True, "velocity": True},
    "angular-momentum": {"rate": True},
    "torque": {"rate": True, "velocity": True, "torque": True},
}
# What can be said without asking which momentum there is: nothing here is homogeneous in the unknowns.
_NOTES = {
    "absolute": "torque and energy are measured absolutely: a motion rich enough shows every cluster, scale included",
    "base-velocity": "mass-normalised: no scale is needed, and none is found; with angular momentum it gives the mass",
}
SHORT_LIST = 200  # clusters of angular momentum that are listed unasked: eight revolute joints have 190
_WORSE = ("identifiable", "weak", "up to scale", "not excited", "open")


class UnknownModel(FreefloatError):
    """A model that does not exist."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no model named {name!r}; there are: {', '.join(get_args(ModelName))}")


def make_model(name: str, robot: Robot, known: Sequence[str] = (), zero: Sequence[str] = ()) -> Model:
    """The model of this name; `known` and `zero` are selectors of standard parameters."""
    if name not in get_args(ModelName):
        raise UnknownModel(name)
    kind: type[Model] = class_of(f"models.{homes('models')[class_name(name)]}", name)
    return kind(robot, tuple(known), tuple(zero))


def model_summary(
    name: str,
    robot: Robot,
    known: Sequence[str] = (),
    zero: Sequence[str] = (),
    momentum: Literal["zero", "known", "unknown"] = "zero",
    wheels: Literal["still", "constant", "varying"] = "still",
    every_cluster: bool = False,
) -> dict[str, Any]:
    """Clusters with formulas and values, what is never visible, and what the measurements can tell of them.

    every_cluster: list those of angular momentum even if they are more than `SHORT_LIST`; their list takes time and
        memory that grow with the sixth and fourth power of the number of joints, all else does not need it.
    """
    robot = with_known_separate(robot, [*known, *zero])
    model = make_model(name, robot, known, zero)
    listed = every_cluster or not isinstance(model, AngularMomentum) or _is_short(model)
    document: dict[str, Any] = {
        "robot": robot.name,
        "model": name,
        "known": list(known),
        "assumed_zero": list(zero),
        "cluster_count": _count(model, listed),
        **({"clusters": _clusters(model)} if listed else {}),
        "never_visible": list(_never(model)),
    }
    advice = None
    if robot.base != "fixed" and name in _SENSES:
        sensed = Measurement(**_SENSES[name], momentum=momentum, wheels=wheels)
        advice = advise(robot, sensed, known, zero)
        document["identifiability"] = _advice_document(advice)
    else:
        document["note"] = _NOTES[name if name == "base-velocity" else "absolute"]
    if (name, momentum, wheels) == ("angular-momentum", "zero", "still"):
        document |= swings_summary(robot, known)
    if isinstance(model, AngularMomentum | BaseVelocity) and listed:
        document["where"] = _definitions(model, advice)
    if isinstance(model, AngularMomentum):
        document["can_be_listed"] = model.candidate_count <= MOST_CANDIDATES
        if listed:
            document["known_clusters"] = [model.minimal.leaders[index] for index in model.known_clusters()]
        document["underlying_unknowns"] = len(model.underlying.minimal)
    return document


def _is_short(model: AngularMomentum) -> bool:
    count = model.cluster_count
    return count is not None and count <= SHORT_LIST


def _count(model: Model, listed: bool) -> int | None:
    return model.cluster_count if isinstance(model, AngularMomentum) and not listed else len(model.minimal)


def _clusters(model: Model) -> list[dict[str, Any]]:
    minimal = model.minimal
    return [
        {"name": leader, "formula": formula, "value": float(value), "unit": cluster_unit(leader)}
        for leader, formula, value in zip(minimal.leaders, minimal.formulas, model.values(), strict=True)
    ]


def _definitions(model: AngularMomentum | BaseVelocity, advice: Advice | None) -> list[dict[str, Any]]:
    """Formulas of the minimal parameters that the clusters are functions of, and of the total mass."""
    minimal = model.underlying.minimal
    used = " ".join((*model.minimal.formulas, *model.minimal.names))
    statuses = _statuses_of(minimal, model, advice)
    rows = [
        {"name": f"[{name}]", "formula": text, "status": status}
        for name, text, status in zip(minimal.leaders, minimal.formulas, statuses, strict=True)
        if f"[{name}]" in used
    ]
    masses = " + ".join(f"m_{body}" for body in model.robot.body_names)
    of_mass = dict(zip(minimal.leaders, statuses, strict=True)).get(f"m_{model.robot.body_names[0]}")
    return [*rows, {"name": "M", "formula": masses, "status": of_mass}]


def _statuses_of(minimal: MinimalParameters, model: Model, advice: Advice | None) -> list[str | None]:
    """Status of each minimal parameter: the worst among the unknown clusters that it holds."""
    if advice is None:
        return [None] * len(minimal)
    column = {name: index for index, name in enumerate(minimal.names)}
    clusters = [(column[cluster.name], cluster.status) for cluster in advice.answer.clusters]
    found: list[str | None] = []
    for row in minimal.combine:
        held = [status for index, status in clusters if row[index]]
        unknown = row[model.unknown].any()
        found.append(max(held, key=_WORSE.index) if held and unknown else "known or zero")
    return found


def _advice_document(advice: Advice) -> dict[str, Any]:
    answer = advice.answer
    return {
        "summary": advice.summary,
        "sentences": list(advice.sentences),
        "rank": answer.rank,
        "unknown_clusters": answer.of,
        "scale_lost": answer.scale_lost,
        "scale_rests_on": [{"value": name, "share": share} for name, share in answer.scale_rests_on],
        "weak_directions": answer.weak_directions,
        "weakest_direction": list(answer.weakest),
        "clusters": [
            {
                "name": cluster.name,
                "formula": cluster.formula,
                "value": cluster.value,
                "status": cluster.status,
                "visibility": cluster.visibility,
            }
            for cluster in answer.clusters
        ],
    }


def _never(model: Model) -> tuple[str, ...]:
    """Unknown standard parameters that no cluster of the model depends on."""
    if isinstance(model, AngularMomentum):
        used: NDArray[Any] = model.visible_parameters()
    elif isinstance(model, BaseVelocity):
        used = model.used_parameters().sum(axis=0)
    else:
        used = np.abs(model.minimal.combine).sum(axis=0)
    return tuple(model.robot.parameter_names[column] for column in model.unknown if not used[column])
