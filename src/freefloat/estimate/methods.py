"""All estimators by name. Which to take when is said in docs/estimation.md.

Each is imported when it is first made: some bring solvers that take a second to load.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from freefloat.errors import FreefloatError
from freefloat.files import did_you_mean
from freefloat.robot.parts import BaseKind

if TYPE_CHECKING:
    from freefloat.estimate.estimator import Estimator

_HOMES = {
    "maximum-likelihood": ("likelihood.maximum_likelihood", "MaximumLikelihood"),
    "least-squares": ("linear.least_squares", "LeastSquares"),
    "weighted": ("linear.weighted", "Weighted"),
    "bias-compensated": ("linear.bias_compensated", "BiasCompensated"),
    "total-least-squares": ("linear.total_least_squares", "TotalLeastSquares"),
    "instrumental-variable": ("linear.instrumental_variable", "InstrumentalVariable"),
    "output-error": ("likelihood.output_error", "OutputError"),
    "input-error": ("likelihood.input_error", "InputError"),
    "recursive": ("linear.recursive", "Recursive"),
    "kalman": ("kalman.kalman", "Kalman"),
    "adaline": ("linear.adaline", "Adaline"),
    "hopfield-tank": ("linear.hopfield_tank", "HopfieldTank"),
    "physically-consistent": ("physical.physically_consistent", "PhysicallyConsistent"),
}


class UnknownMethod(FreefloatError):
    """An estimator that does not exist."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"no method named {name!r}{did_you_mean(name, _HOMES)}; there are: {', '.join(_HOMES)}")


def _made(module: str, estimator: str) -> Estimator:
    made: Estimator = getattr(import_module(f"freefloat.estimate.{module}"), estimator)()
    return made


METHODS: Mapping[str, Callable[[], Estimator]] = MappingProxyType(
    {name: partial(_made, *home) for name, home in _HOMES.items()}
)


def default_method(base: BaseKind) -> str:
    """The estimator to take unless there is a reason for another: a fixed base does not react, but has torques."""
    return "weighted" if base == "fixed" else "maximum-likelihood"


def make_estimator(name: str, base: BaseKind = "free") -> Estimator:
    """The estimator of this name with its usual settings.

    base: how the base moves, which decides from whose clusters `physically-consistent` starts.
    """
    if name not in METHODS:
        raise UnknownMethod(name)
    if name == "physically-consistent":
        from freefloat.estimate.physical.physically_consistent import PhysicallyConsistent

        return PhysicallyConsistent(start=METHODS[default_method(base)]())
    return METHODS[name]()
