"""The public names of `freefloat.excitation` and where they live."""

from .collision_check import CollisionCheck as CollisionCheck
from .excitation import Prediction as Prediction
from .excitation_file import load_motion as load_motion
from .flight_forecast import flight_sheet as flight_sheet
from .goals.condition_number import ConditionNumber as ConditionNumber
from .goals.equilibrium import WithEquilibrium as WithEquilibrium, equilibrium as equilibrium
from .goals.frobenius import Frobenius as Frobenius
from .guesses import drawn_guesses as drawn_guesses
from .influence import Influence as Influence, influences as influences
from .limits.attitude import BaseAttitude as BaseAttitude, BaseCone as BaseCone
from .limits.base_rate import BaseRate as BaseRate
from .limits.centre_of_mass import CentreOfMassBox as CentreOfMassBox, CentreOfMassDisc as CentreOfMassDisc
from .limits.clearance import Clearance as Clearance, clearance_limits as clearance_limits
from .limits.infeasible import Infeasible as Infeasible
from .limits.joint import (
    JointAcceleration as JointAcceleration,
    JointPosition as JointPosition,
    JointRate as JointRate,
    joint_limits as joint_limits,
)
from .limits.support import (
    CentreOfMassInside as CentreOfMassInside,
    SupportPolygon as SupportPolygon,
    ZeroMomentPointInside as ZeroMomentPointInside,
)
from .limits.swing import Deflection as Deflection, VibrationLeft as VibrationLeft
from .limits.torque import TorqueLimit as TorqueLimit, torque_limits as torque_limits
from .limits.wheels import (
    TotalWheelMomentum as TotalWheelMomentum,
    WheelMomentum as WheelMomentum,
    WheelRate as WheelRate,
    wheel_limits as wheel_limits,
)
from .margin import Margin as Margin
from .perturbed_rows import (
    Perturbation as Perturbation,
    Perturbations as Perturbations,
    perturbation as perturbation,
)
from .procedures.interval_design import IntervalDesign as IntervalDesign, design_intervals as design_intervals
from .procedures.interval_excitation import find_intervals as find_intervals
from .procedures.interval_settings import Intervals as Intervals
from .procedures.interval_task import IntervalTask as IntervalTask
from .procedures.joined_points import joined_points as joined_points
from .procedures.optimum_points import (
    FrontPoint as FrontPoint,
    OptimumPoints as OptimumPoints,
    equilibrium_front as equilibrium_front,
    optimum_points as optimum_points,
)
from .procedures.random_selection import select_motions as select_motions
from .procedures.selected_excitation import find_selection as find_selection
from .rows.energy import EnergyDesignRows as EnergyDesignRows
from .sheet import FlightSheet as FlightSheet
from .sweep import SweepPoint as SweepPoint, with_mass as with_mass, with_offset as with_offset

__all__: list[str]
