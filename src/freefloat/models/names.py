"""Names of the models, and how clusters are written: names and units."""

from __future__ import annotations

from typing import Literal

ModelName = Literal["momentum", "angular-momentum", "base-velocity", "energy", "torque", "base-wrench"]
OF_FORCES: frozenset[ModelName] = frozenset({"energy", "torque", "base-wrench"})  # whose rows forces give their scale


_LENGTHS = {"m": 0, "mx": 1, "my": 1, "mz": 1}  # powers of length; an inertia has two


def cluster_unit(leader: str) -> str:
    """Unit of a cluster from the name of its leader: a parameter, or a product of them over the total mass."""
    over_mass = leader.endswith("/M")
    factors = leader.removesuffix("/M").split("]*[")
    lengths = sum(_LENGTHS.get(factor.strip("[]").split("_")[0], 2) for factor in factors)
    length = {0: "", 1: "m", 2: "m²"}.get(lengths, f"m^{lengths}")
    mass = "kg" if len(factors) > over_mass else ""
    return " ".join(part for part in (mass, length) if part) or "–"


def cluster_words(name: str, formula: str) -> str:
    """A cluster's short name, with a sign that there is more to it where it is not a parameter by itself."""
    return name if formula == name else f"{name} + …"
