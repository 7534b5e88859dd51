"""The public names of `freefloat.estimate` and where they live."""

from .cause import Cause as Cause
from .change import change_between as change_between
from .essential import Essential as Essential, essential_clusters as essential_clusters
from .flight import flight_of as flight_of
from .friction_choice import FrictionChoice as FrictionChoice, chosen_friction as chosen_friction
from .kalman.kalman import Kalman as Kalman
from .likelihood.input_error import InputError as InputError
from .likelihood.maximum_likelihood import MaximumLikelihood as MaximumLikelihood
from .likelihood.output_error import OutputError as OutputError
from .linear.adaline import Adaline as Adaline
from .linear.bias_compensated import BiasCompensated as BiasCompensated
from .linear.hopfield_tank import HopfieldTank as HopfieldTank
from .linear.instrumental_variable import InstrumentalVariable as InstrumentalVariable
from .linear.least_squares import LeastSquares as LeastSquares
from .linear.recursive import Recursive as Recursive
from .linear.total_least_squares import TotalLeastSquares as TotalLeastSquares
from .linear.weighted import Weighted as Weighted
from .methods import make_estimator as make_estimator
from .physical.bounds import Box as Box
from .physical.own_rows import PhysicalFit as PhysicalFit, physical_fit as physical_fit
from .physical.physically_consistent import (
    PhysicallyConsistent as PhysicallyConsistent,
    PhysicalRobot as PhysicalRobot,
    physical_robot as physical_robot,
)
from .physical.regularisers import TradeOff as TradeOff
from .planned import planned_problem as planned_problem
from .prior import CadSpread as CadSpread, UnknownBody as UnknownBody
from .problem_data import Nuisances as Nuisances
from .recipes import (
    atkeson_torque as atkeson_torque,
    ayusawa_base_rows as ayusawa_base_rows,
    base_only as base_only,
    christidi_two_steps as christidi_two_steps,
    gautier_khalil_energy as gautier_khalil_energy,
    naveen_momentum as naveen_momentum,
    spirolazzi_known_load as spirolazzi_known_load,
    target_only as target_only,
)
from .single_body import about_centre as about_centre
from .structured.two_steps import TwoSteps as TwoSteps
from .total_mass import (
    mass_from_products as mass_from_products,
    mass_from_pulse as mass_from_pulse,
    mass_from_ratio as mass_from_ratio,
    mass_of as mass_of,
)
from .unknown_body import FoundBody as FoundBody, found_body as found_body

__all__: list[str]
