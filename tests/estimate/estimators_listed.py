"""All estimators, for the laws that hold for each: a line per estimator."""

from collections.abc import Callable
from dataclasses import dataclass

from freefloat.estimate.adaline import Adaline
from freefloat.estimate.bias_compensated import BiasCompensated
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.hopfield_tank import HopfieldTank
from freefloat.estimate.instrumental_variable import InstrumentalVariable
from freefloat.estimate.least_squares import LeastSquares
from freefloat.estimate.physically_consistent import PhysicallyConsistent
from freefloat.estimate.recursive import Recursive
from freefloat.estimate.total_least_squares import TotalLeastSquares
from freefloat.estimate.weighted import Weighted

RATES = ("momentum", "angular-momentum", "base-velocity")
ALL = (*RATES, "energy", "torque")


@dataclass(frozen=True)
class Listed:
    """An estimator, the models it accepts, and how near noiseless truth it comes, in units of the CAD's spread."""

    make: Callable[[], Estimator]
    models: tuple[str, ...]
    tolerance: float = 1e-8


ESTIMATORS = {
    "least-squares": Listed(LeastSquares, ALL),
    "weighted": Listed(Weighted, ALL),
    "bias-compensated": Listed(BiasCompensated, RATES),
    "total-least-squares": Listed(TotalLeastSquares, RATES),
    "total-least-squares, plain": Listed(lambda: TotalLeastSquares("plain"), ALL),
    "instrumental-variable": Listed(InstrumentalVariable, ("momentum", "angular-momentum")),
    "recursive": Listed(Recursive, ALL),
    "adaline": Listed(Adaline, ALL),
    "hopfield-tank": Listed(HopfieldTank, ALL),
    "physically-consistent": Listed(PhysicallyConsistent, ("momentum", "energy", "torque")),
}
