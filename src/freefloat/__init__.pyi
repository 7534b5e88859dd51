"""The public names and where they live; `__init__.py` imports each when it is first used."""

from .campaign.campaign import Campaign as Campaign, load_campaign as load_campaign
from .campaign.running import run_campaign as run_campaign
from .data.bag_mapping import load_bag_mapping as load_bag_mapping
from .data.bags import read_bag as read_bag
from .data.description import describe as describe
from .data.processing.process import process as process
from .data.processing.processed import Processed as Processed, ProcessSettings as ProcessSettings
from .data.recording import Origin as Origin, Recording as Recording
from .data.tables import read_recording as read_recording, write_recording as write_recording
from .dynamics.centre_of_mass import (
    base_velocity_regressor as base_velocity_regressor,
    centre_of_mass as centre_of_mass,
    first_moment_regressor as first_moment_regressor,
)
from .dynamics.energy import (
    friction_energy_regressor as friction_energy_regressor,
    kinetic_energy_regressor as kinetic_energy_regressor,
    potential_energy_regressor as potential_energy_regressor,
    wheel_energy_regressor as wheel_energy_regressor,
)
from .dynamics.momentum import (
    momentum as momentum,
    momentum_adjoint as momentum_adjoint,
    momentum_gram as momentum_gram,
    momentum_matrix as momentum_matrix,
    momentum_regressor as momentum_regressor,
    wheel_columns as wheel_columns,
)
from .dynamics.reaction import base_reaction as base_reaction
from .dynamics.samples import Samples as Samples
from .dynamics.states import random_states as random_states
from .dynamics.torque import (
    friction_columns as friction_columns,
    inverse_dynamics as inverse_dynamics,
    mass_matrix as mass_matrix,
    torque_regressor as torque_regressor,
    wheel_wrench_columns as wheel_wrench_columns,
)
from .errors import (
    FileError as FileError,
    FreefloatError as FreefloatError,
    InvalidRobot as InvalidRobot,
    ShapeError as ShapeError,
    UnknownName as UnknownName,
)
from .estimate.bound.bound import Bound as Bound, cramer_rao_bound as cramer_rao_bound
from .estimate.change import Change as Change, change_between as change_between
from .estimate.estimate import Estimate as Estimate, load_estimate as load_estimate
from .estimate.flight import Flight as Flight, flight_of as flight_of
from .estimate.kalman.kalman import Kalman as Kalman
from .estimate.likelihood.input_error import InputError as InputError
from .estimate.likelihood.maximum_likelihood import MaximumLikelihood as MaximumLikelihood
from .estimate.likelihood.output_error import OutputError as OutputError
from .estimate.linear.adaline import Adaline as Adaline
from .estimate.linear.bias_compensated import BiasCompensated as BiasCompensated
from .estimate.linear.hopfield_tank import HopfieldTank as HopfieldTank
from .estimate.linear.instrumental_variable import InstrumentalVariable as InstrumentalVariable
from .estimate.linear.least_squares import LeastSquares as LeastSquares
from .estimate.linear.recursive import Recursive as Recursive
from .estimate.linear.total_least_squares import TotalLeastSquares as TotalLeastSquares
from .estimate.linear.weighted import Weighted as Weighted
from .estimate.methods import make_estimator as make_estimator
from .estimate.physical.physically_consistent import (
    PhysicallyConsistent as PhysicallyConsistent,
    physical_robot as physical_robot,
)
from .estimate.planned import planned_problem as planned_problem
from .estimate.prior import CadSpread as CadSpread
from .estimate.problem import Nuisances as Nuisances, Problem as Problem
from .estimate.recipes import (
    atkeson_torque as atkeson_torque,
    ayusawa_base_rows as ayusawa_base_rows,
    base_only as base_only,
    christidi_two_steps as christidi_two_steps,
    gautier_khalil_energy as gautier_khalil_energy,
    naveen_momentum as naveen_momentum,
    spirolazzi_known_load as spirolazzi_known_load,
    target_only as target_only,
)
from .estimate.total_mass import (
    mass_from_products as mass_from_products,
    mass_from_pulse as mass_from_pulse,
    mass_from_ratio as mass_from_ratio,
)
from .excitation.excitation import Excitation as Excitation, Margin as Margin, Prediction as Prediction
from .excitation.excitation_file import (
    load_excitation as load_excitation,
    load_motion as load_motion,
    save_excitation as save_excitation,
)
from .excitation.find_excitation import find_excitation as find_excitation
from .excitation.flight_forecast import flight_sheet as flight_sheet
from .excitation.flight_sheet import FlightSheet as FlightSheet
from .excitation.guesses import drawn_guesses as drawn_guesses
from .excitation.influence import Influence as Influence, influences as influences
from .excitation.limits.attitude import BaseAttitude as BaseAttitude, BaseCone as BaseCone
from .excitation.limits.base_rate import BaseRate as BaseRate
from .excitation.limits.centre_of_mass import CentreOfMassBox as CentreOfMassBox, CentreOfMassDisc as CentreOfMassDisc
from .excitation.limits.clearance import Clearance as Clearance, clearance_limits as clearance_limits
from .excitation.limits.infeasible import Infeasible as Infeasible
from .excitation.limits.joint import (
    JointAcceleration as JointAcceleration,
    JointPosition as JointPosition,
    JointRate as JointRate,
    joint_limits as joint_limits,
)
from .excitation.limits.torque import TorqueLimit as TorqueLimit, torque_limits as torque_limits
from .excitation.limits.wheels import (
    TotalWheelMomentum as TotalWheelMomentum,
    WheelMomentum as WheelMomentum,
    WheelRate as WheelRate,
    wheel_limits as wheel_limits,
)
from .excitation.plan import Plan as Plan
from .excitation.procedures.interval_design import (
    IntervalDesign as IntervalDesign,
    design_intervals as design_intervals,
)
from .excitation.procedures.interval_task import IntervalTask as IntervalTask
from .excitation.procedures.optimum_points import OptimumPoints as OptimumPoints, optimum_points as optimum_points
from .excitation.procedures.random_selection import best_of_random as best_of_random
from .excitation.sweep import (
    Sweep as Sweep,
    SweepPoint as SweepPoint,
    with_mass as with_mass,
    with_offset as with_offset,
)
from .export.controller_c import controller_c as controller_c
from .export.controller_casadi import controller_casadi as controller_casadi
from .export.export import (
    export_controller as export_controller,
    export_robot as export_robot,
    export_urdf as export_urdf,
)
from .export.floating_angular_model import FloatingAngularModel as FloatingAngularModel
from .export.floating_model import FloatingModel as FloatingModel
from .mission.designing import design as design, plan_of as plan_of
from .mission.drawing import draw_robot as draw_robot
from .mission.flying import fly as fly, random_motion as random_motion, simulate as simulate
from .mission.identifying import identify as identify, problem as problem
from .mission.mission_file import Mission as Mission, load_mission as load_mission
from .mission.run_directory import Run as Run, load_run as load_run
from .mission.sweeping import sweep as sweep
from .mission.validating import validate as validate
from .models.advice import Advice as Advice, advise as advise
from .models.angular_momentum import (
    AngularMomentum as AngularMomentum,
    BaseVelocity as BaseVelocity,
    total_mass as total_mass,
)
from .models.closed_form import closed_form as closed_form
from .models.formula import parse_formula as parse_formula
from .models.identifiability import (
    Identifiability as Identifiability,
    Measurement as Measurement,
    identifiability as identifiability,
)
from .models.minimal import MinimalParameters as MinimalParameters
from .models.model import Energy as Energy, Model as Model, Momentum as Momentum, Torque as Torque
from .models.numerical import independent_columns as independent_columns
from .motion.bspline import BSpline as BSpline
from .motion.combined import Combined as Combined
from .motion.cycloid import Cycloid as Cycloid
from .motion.fourier import Fourier as Fourier, PlainFourier as PlainFourier
from .motion.quintic_points import QuinticPoints as QuinticPoints
from .motion.random_motion import random_sines as random_sines, random_trajectory as random_trajectory
from .motion.sampled import Sampled as Sampled
from .motion.trajectory import Trajectory as Trajectory
from .motion.trajectory_file import load_trajectory as load_trajectory
from .motion.wheels import allocate_momentum as allocate_momentum
from .report.reporting import write_report as write_report
from .robot.load import load_robot as load_robot, save_robot as save_robot
from .robot.model import Body as Body, Joint as Joint, Point as Point, Robot as Robot, Wheel as Wheel
from .robot.parameters import PARAMETER_NAMES as PARAMETER_NAMES
from .robot.physicality import Finding as Finding, check_physicality as check_physicality
from .robot.shapes import Capsule as Capsule, Ellipsoid as Ellipsoid, Sphere as Sphere
from .robot.transform import Transform as Transform
from .robot.urdf_read import read_urdf as read_urdf
from .robot.urdf_update import update_urdf as update_urdf
from .runs.running import run as run
from .sensors.channel import Channel as Channel
from .sensors.kinds import make_sensor as make_sensor
from .sensors.truth import Truth as Truth
from .simulation.batch import simulate_batch as simulate_batch
from .simulation.controlled import simulate_controlled as simulate_controlled, simulate_torques as simulate_torques
from .simulation.drives import Drives as Drives
from .simulation.recorded import record as record
from .simulation.simulate import (
    Disturbance as Disturbance,
    Pulse as Pulse,
    Start as Start,
    simulate_motion as simulate_motion,
)
from .studies import study_mission as study_mission, study_robot as study_robot
from .studies.check import Check as Check, Study as Study
from .studies.reproduce import reproduce as reproduce
from .validation.validation import Validation as Validation
from .validation.validation_file import load_validation as load_validation

__version__: str
__all__: list[str]
