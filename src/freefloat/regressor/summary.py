"""What a model reveals of a robot, as a document any program can read and `freefloat inspect` shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from freefloat.errors import FreefloatError
from freefloat.regressor.advice import Advice, advise
from freefloat.regressor.angular_momentum import AngularMomentum, BaseVelocity
from freefloat.regressor.identifiability import Measurement
from freefloat.regressor.model import Energy, Model, Momentum, Torque
from freefloat.robot.model import Robot

ModelName = Literal["momentum", "angular-momentum", "base-velocity", "energy", "torque"]

_MODELS: dict[str, type[Model]] = {
    "momentum": Momentum,
    "angular-momentum": AngularMomentum,
    "base-velocity": BaseVelocity,
    "energy": Energy,
    "torque": Torque,
}
# What the sensors must give for each model, beside joint positions and rates.
_SENSES = {
    "momentum": {"rate": True, "velocity": True},
    "angular-momentum": {"rate": True},
    "torque": {"rate": True, "velocity": True, "torque": True},
}
_UNITS = {0: "kg", 1: "kg m", 2: "kg m²"}


class UnknownModel(FreefloatError):
    """A model that does not exist."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no model named {name!r}; there are: {', '.join(get_args(ModelName))}")


def make_model(name: str, robot: Robot, known: Sequence[str] = (), zero: Sequence[str] = ()) -> Model:
    """The model of this name; `known` and `zero` are selectors of standard parameters."""
    if name not in _MODELS:
        raise UnknownModel(name)
    return _MODELS[name](robot, tuple(known), tuple(zero))


def model_summary(
    name: str,
    robot: Robot,
    known: Sequence[str] = (),
    zero: Sequence[str] = (),
    momentum: Literal["zero", "known", "unknown"] = "zero",
    wheels: Literal["still", "constant", "varying"] = "still",
) -> dict[str, Any]:
    """Clusters with formulas and values, what is never visible, and what the measurements can tell of them."""
    model = make_model(name, robot, known, zero)
    minimal, values = model.minimal, model.values()
    document: dict[str, Any] = {
        "robot": robot.name,
        "model": name,
        "known": list(known),
        "assumed_zero": list(zero),
        "clusters": [
            {"name": leader, "formula": formula, "value": float(value), "unit": _unit(leader)}
            for leader, formula, value in zip(minimal.leaders, minimal.formulas, values, strict=True)
        ],
        "never_visible": list(_never(model)),
    }
    if isinstance(model, AngularMomentum | BaseVelocity):
        document["where"] = _definitions(model)
    if isinstance(model, AngularMomentum):
        document["known_clusters"] = [minimal.leaders[index] for index in model.known_clusters()]
        document["underlying_unknowns"] = len(model.underlying.minimal)
    if robot.base != "fixed" and name in _SENSES:
        sensed = Measurement(**_SENSES[name], momentum=momentum, wheels=wheels)
        document["identifiability"] = _advice_document(advise(robot, sensed, known, zero))
    return document


def _definitions(model: AngularMomentum | BaseVelocity) -> dict[str, str]:
    """Formulas of the minimal parameters that the clusters are functions of, and of the total mass."""
    minimal = model.underlying.minimal
    used = " ".join((*model.minimal.formulas, *model.minimal.names))
    shown = {f"[{name}]": text for name, text in zip(minimal.leaders, minimal.formulas, strict=True)}
    masses = " + ".join(f"m_{body}" for body in model.robot.body_names)
    return {name: text for name, text in shown.items() if name in used} | {"M": masses}


def _advice_document(advice: Advice) -> dict[str, Any]:
    answer = advice.answer
    return {
        "summary": advice.summary,
        "sentences": list(advice.sentences),
        "rank": answer.rank,
        "unknown_clusters": answer.of,
        "scale_lost": answer.scale_lost,
        "scale_rests_on": [{"value": name, "share": share} for name, share in answer.scale_rests_on],
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
    minimal = model.minimal
    if isinstance(model, AngularMomentum | BaseVelocity):
        minimal = model.underlying.minimal
    invisible = set(minimal.never)
    chosen = set(np.array(model.robot.parameter_names)[model.unknown].tolist())
    return tuple(name for name in model.robot.parameter_names if name in invisible & chosen)


def _unit(leader: str) -> str:
    """Unit of a cluster from the name of its leader: a mass, a first moment, an inertia, or one over M."""
    if leader.endswith("/M"):
        return "m" if "*" not in leader else "kg m²"
    parameter = leader.strip("[]").split("_")[0]
    return _UNITS[0 if parameter == "m" else 1 if parameter in ("mx", "my", "mz") else 2]
