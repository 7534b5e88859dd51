"""All estimators, for the laws that hold for each: a line per estimator."""

from collections.abc import Callable
from dataclasses import dataclass

from freefloat.estimate.estimator import Estimator
from freefloat.estimate.linear.adaline import Adaline
from freefloat.estimate.linear.bias_compensated import BiasCompensated
from freefloat.estimate.linear.hopfield_tank import HopfieldTank
from freefloat.estimate.linear.instrumental_variable import InstrumentalVariable
from freefloat.estimate.linear.least_squares import LeastSquares
from freefloat.estimate.linear.recursive import Recursive
from freefloat.estimate.linear.total_least_squares import TotalLeastSquares
from freefloat.estimate.linear.weighted import Weighted
from freefloat.estimate.physical.physically_consistent import PhysicallyConsistent

RATES = ("momentum", "angular-momentum", "base-velocity")
ALL = (*RATES, "energy", "torque")
STANDING = (*ALL, "base-wrench")  # rows like those of torque, which all others take


@dataclass(frozen=True)
class Listed:
    """An estimator, the models it accepts, and how near noiseless truth it comes, in units of the CAD's spread."""

    make: Callable[[], Estimator]
    models: tuple[str, ...]
    tolerance: float = 1e-8


ESTIMATORS = {
    "least-squares": Listed(LeastSquares, STANDING),
    "weighted": Listed(Weighted, STANDING),
    "bias-compensated": Listed(BiasCompensated, RATES),
    "total-least-squares": Listed(TotalLeastSquares, RATES),
    "total-least-squares, plain": Listed(lambda: TotalLeastSquares("plain"), ALL),
    "instrumental-variable": Listed(InstrumentalVariable, ("momentum", "angular-momentum")),
    "recursive": Listed(Recursive, ALL),
    "adaline": Listed(Adaline, ALL),
    "hopfield-tank": Listed(HopfieldTank, ALL),
    "physically-consistent": Listed(PhysicallyConsistent, ("momentum", "energy", "torque")),
}
