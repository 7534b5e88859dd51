"""freefloat weighs robots where nothing has weight.

It identifies the inertial parameters of space robots (a satellite with arms, wheels, a payload) from
motion alone. The names below are the public ones; each is imported when it is first used, so that
`import freefloat` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from freefloat.campaign.campaign import Campaign, load_campaign
    from freefloat.campaign.running import run_campaign
    from freefloat.errors import FileError, FreefloatError, InvalidRobot, ShapeError, UnknownName
    from freefloat.estimate.bound.bound import Bound, cramer_rao_bound
    from freefloat.estimate.change import Change, change_between
    from freefloat.estimate.estimate import Estimate
    from freefloat.estimate.estimate_file import load_estimate, save_estimate
    from freefloat.estimate.flight import Flight, flight_of
    from freefloat.estimate.given_back.controller_c import controller_c
    from freefloat.estimate.given_back.controller_casadi import controller_casadi
    from freefloat.estimate.given_back.export import export_controller, export_robot, export_urdf
    from freefloat.estimate.given_back.floating_angular_model import FloatingAngularModel
    from freefloat.estimate.given_back.floating_model import FloatingModel
    from freefloat.estimate.kalman.kalman import Kalman
    from freefloat.estimate.likelihood.input_error import InputError
    from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
    from freefloat.estimate.likelihood.output_error import OutputError
    from freefloat.estimate.linear.adaline import Adaline
    from freefloat.estimate.linear.bias_compensated import BiasCompensated
    from freefloat.estimate.linear.hopfield_tank import HopfieldTank
    from freefloat.estimate.linear.instrumental_variable import InstrumentalVariable
    from freefloat.estimate.linear.least_squares import LeastSquares
    from freefloat.estimate.linear.recursive import Recursive
    from freefloat.estimate.linear.total_least_squares import TotalLeastSquares
    from freefloat.estimate.linear.weighted import Weighted
    from freefloat.estimate.methods import make_estimator
    from freefloat.estimate.physical.physically_consistent import PhysicallyConsistent, physical_robot
    from freefloat.estimate.planned import planned_problem
    from freefloat.estimate.prior import CadSpread
    from freefloat.estimate.problem import Nuisances, Problem
    from freefloat.estimate.recipes import (
        atkeson_torque,
        ayusawa_base_rows,
        base_only,
        christidi_two_steps,
        gautier_khalil_energy,
        naveen_momentum,
        spirolazzi_known_load,
        target_only,
    )
    from freefloat.estimate.total_mass import mass_from_products, mass_from_pulse, mass_from_ratio
    from freefloat.excitation.excitation import Excitation, Margin, Prediction
    from freefloat.excitation.excitation_file import load_excitation, load_motion, save_excitation
    from freefloat.excitation.find_excitation import find_excitation
    from freefloat.excitation.flight_forecast import flight_sheet
    from freefloat.excitation.flight_sheet import FlightSheet
    from freefloat.excitation.guesses import drawn_guesses
    from freefloat.excitation.influence import Influence, influences
    from freefloat.excitation.limits.attitude import BaseAttitude, BaseCone
    from freefloat.excitation.limits.base_rate import BaseRate
    from freefloat.excitation.limits.centre_of_mass import CentreOfMassBox, CentreOfMassDisc
    from freefloat.excitation.limits.clearance import Clearance, clearance_limits
    from freefloat.excitation.limits.infeasible import Infeasible
    from freefloat.excitation.limits.joint import JointAcceleration, JointPosition, JointRate, joint_limits
    from freefloat.excitation.limits.torque import TorqueLimit, torque_limits
    from freefloat.excitation.limits.wheels import TotalWheelMomentum, WheelMomentum, WheelRate, wheel_limits
    from freefloat.excitation.plan import Plan
    from freefloat.excitation.procedures.interval_design import IntervalDesign, design_intervals
    from freefloat.excitation.procedures.interval_task import IntervalTask
    from freefloat.excitation.procedures.optimum_points import OptimumPoints, optimum_points
    from freefloat.excitation.procedures.random_selection import best_of_random
    from freefloat.excitation.sweep import Sweep, SweepPoint, with_mass, with_offset
    from freefloat.experiment.bags import read_bag
    from freefloat.experiment.bags_mapping import load_bag_mapping
    from freefloat.experiment.batch import simulate_batch
    from freefloat.experiment.controlled import simulate_controlled, simulate_torques
    from freefloat.experiment.describe import describe
    from freefloat.experiment.drives import Drives
    from freefloat.experiment.processing.process import process
    from freefloat.experiment.processing.processed import Processed, ProcessSettings
    from freefloat.experiment.recording import Channel, Origin, Recording
    from freefloat.experiment.sensors import make_sensor, record
    from freefloat.experiment.simulate import Disturbance, Pulse, Start, simulate_motion
    from freefloat.experiment.tables import read_recording, write_recording
    from freefloat.experiment.truth import Truth
    from freefloat.mission.designing import design, plan_of
    from freefloat.mission.drawing import draw_robot
    from freefloat.mission.flying import fly, random_motion, simulate
    from freefloat.mission.identifying import identify, problem
    from freefloat.mission.mission_file import Mission, load_mission
    from freefloat.mission.reporting import write_report
    from freefloat.mission.run_directory import Run, load_run
    from freefloat.mission.running import run
    from freefloat.mission.sweeping import sweep
    from freefloat.mission.validating import validate
    from freefloat.motion.bspline import BSpline
    from freefloat.motion.combined import Combined
    from freefloat.motion.cycloid import Cycloid
    from freefloat.motion.fourier import Fourier, PlainFourier
    from freefloat.motion.quintic_points import QuinticPoints
    from freefloat.motion.random_motion import random_sines, random_trajectory
    from freefloat.motion.sampled import Sampled
    from freefloat.motion.trajectory import Trajectory
    from freefloat.motion.trajectory_file import load_trajectory
    from freefloat.motion.wheels import allocate_momentum
    from freefloat.regressor.advice import Advice, advise
    from freefloat.regressor.angular_momentum import AngularMomentum, BaseVelocity, total_mass
    from freefloat.regressor.centre_of_mass import base_velocity_regressor, centre_of_mass, first_moment_regressor
    from freefloat.regressor.closed_form import closed_form
    from freefloat.regressor.energy import (
        friction_energy_regressor,
        kinetic_energy_regressor,
        potential_energy_regressor,
        wheel_energy_regressor,
    )
    from freefloat.regressor.formula import parse_formula
    from freefloat.regressor.identifiability import Identifiability, Measurement, identifiability
    from freefloat.regressor.minimal import MinimalParameters
    from freefloat.regressor.model import Energy, Model, Momentum, Torque
    from freefloat.regressor.momentum import (
        momentum,
        momentum_adjoint,
        momentum_gram,
        momentum_matrix,
        momentum_regressor,
        wheel_columns,
    )
    from freefloat.regressor.numerical import independent_columns
    from freefloat.regressor.samples import Samples
    from freefloat.regressor.states import base_reaction, random_states
    from freefloat.regressor.torque import (
        friction_columns,
        inverse_dynamics,
        mass_matrix,
        torque_regressor,
        wheel_wrench_columns,
    )
    from freefloat.robot.load import load_robot, save_robot
    from freefloat.robot.model import Body, Joint, Point, Robot, Wheel
    from freefloat.robot.parameters import PARAMETER_NAMES
    from freefloat.robot.physicality import Finding, check_physicality
    from freefloat.robot.shapes import Capsule, Ellipsoid, Sphere
    from freefloat.robot.transform import Transform
    from freefloat.robot.urdf_read import read_urdf
    from freefloat.robot.urdf_update import update_urdf
    from freefloat.studies import study_mission, study_robot
    from freefloat.studies.check import Check, Study
    from freefloat.studies.reproduce import reproduce
    from freefloat.validation.validation import Validation
    from freefloat.validation.validation_file import load_validation

__version__ = "0.1.0"

_HOME = {
    "campaign.campaign": (
        "Campaign",
        "load_campaign",
    ),
    "campaign.running": ("run_campaign",),
    "errors": (
        "FileError",
        "FreefloatError",
        "InvalidRobot",
        "ShapeError",
        "UnknownName",
    ),
    "estimate.linear.adaline": ("Adaline",),
    "estimate.linear.bias_compensated": ("BiasCompensated",),
    "estimate.bound.bound": (
        "Bound",
        "cramer_rao_bound",
    ),
    "estimate.change": (
        "Change",
        "change_between",
    ),
    "estimate.given_back.controller_c": ("controller_c",),
    "estimate.given_back.controller_casadi": ("controller_casadi",),
    "estimate.estimate": ("Estimate",),
    "estimate.estimate_file": (
        "load_estimate",
        "save_estimate",
    ),
    "estimate.given_back.export": (
        "export_controller",
        "export_robot",
        "export_urdf",
    ),
    "estimate.flight": (
        "Flight",
        "flight_of",
    ),
    "estimate.given_back.floating_angular_model": ("FloatingAngularModel",),
    "estimate.given_back.floating_model": ("FloatingModel",),
    "estimate.linear.hopfield_tank": ("HopfieldTank",),
    "estimate.likelihood.input_error": ("InputError",),
    "estimate.linear.instrumental_variable": ("InstrumentalVariable",),
    "estimate.kalman.kalman": ("Kalman",),
    "estimate.linear.least_squares": ("LeastSquares",),
    "estimate.likelihood.maximum_likelihood": ("MaximumLikelihood",),
    "estimate.methods": ("make_estimator",),
    "estimate.likelihood.output_error": ("OutputError",),
    "estimate.physical.physically_consistent": (
        "PhysicallyConsistent",
        "physical_robot",
    ),
    "estimate.planned": ("planned_problem",),
    "estimate.prior": ("CadSpread",),
    "estimate.problem": (
        "Nuisances",
        "Problem",
    ),
    "estimate.recipes": (
        "atkeson_torque",
        "ayusawa_base_rows",
        "base_only",
        "christidi_two_steps",
        "gautier_khalil_energy",
        "naveen_momentum",
        "spirolazzi_known_load",
        "target_only",
    ),
    "estimate.linear.recursive": ("Recursive",),
    "estimate.linear.total_least_squares": ("TotalLeastSquares",),
    "estimate.total_mass": (
        "mass_from_products",
        "mass_from_pulse",
        "mass_from_ratio",
    ),
    "estimate.linear.weighted": ("Weighted",),
    "excitation.excitation": (
        "Excitation",
        "Margin",
        "Prediction",
    ),
    "excitation.excitation_file": (
        "load_excitation",
        "load_motion",
        "save_excitation",
    ),
    "excitation.find_excitation": ("find_excitation",),
    "excitation.flight_forecast": ("flight_sheet",),
    "excitation.flight_sheet": ("FlightSheet",),
    "excitation.limits.infeasible": ("Infeasible",),
    "excitation.influence": (
        "Influence",
        "influences",
    ),
    "excitation.guesses": ("drawn_guesses",),
    "excitation.limits.attitude": (
        "BaseAttitude",
        "BaseCone",
    ),
    "excitation.limits.base_rate": ("BaseRate",),
    "excitation.limits.centre_of_mass": (
        "CentreOfMassBox",
        "CentreOfMassDisc",
    ),
    "excitation.limits.clearance": (
        "Clearance",
        "clearance_limits",
    ),
    "excitation.limits.joint": (
        "JointAcceleration",
        "JointPosition",
        "JointRate",
        "joint_limits",
    ),
    "excitation.limits.torque": (
        "TorqueLimit",
        "torque_limits",
    ),
    "excitation.limits.wheels": (
        "TotalWheelMomentum",
        "WheelMomentum",
        "WheelRate",
        "wheel_limits",
    ),
    "excitation.procedures.interval_design": (
        "IntervalDesign",
        "design_intervals",
    ),
    "excitation.procedures.interval_task": ("IntervalTask",),
    "excitation.procedures.optimum_points": (
        "OptimumPoints",
        "optimum_points",
    ),
    "excitation.procedures.random_selection": ("best_of_random",),
    "excitation.plan": ("Plan",),
    "excitation.sweep": (
        "Sweep",
        "SweepPoint",
        "with_mass",
        "with_offset",
    ),
    "experiment.bags": ("read_bag",),
    "experiment.bags_mapping": ("load_bag_mapping",),
    "experiment.batch": ("simulate_batch",),
    "experiment.controlled": ("simulate_controlled", "simulate_torques"),
    "experiment.describe": ("describe",),
    "experiment.drives": ("Drives",),
    "experiment.processing.process": ("process",),
    "experiment.processing.processed": ("Processed", "ProcessSettings"),
    "experiment.recording": (
        "Channel",
        "Origin",
        "Recording",
    ),
    "experiment.sensors": (
        "make_sensor",
        "record",
    ),
    "experiment.simulate": (
        "Disturbance",
        "Pulse",
        "Start",
        "simulate_motion",
    ),
    "experiment.tables": (
        "read_recording",
        "write_recording",
    ),
    "experiment.truth": ("Truth",),
    "mission.designing": (
        "design",
        "plan_of",
    ),
    "mission.drawing": ("draw_robot",),
    "mission.flying": (
        "fly",
        "random_motion",
        "simulate",
    ),
    "mission.identifying": (
        "identify",
        "problem",
    ),
    "mission.mission_file": (
        "Mission",
        "load_mission",
    ),
    "mission.reporting": ("write_report",),
    "mission.run_directory": (
        "Run",
        "load_run",
    ),
    "mission.running": ("run",),
    "mission.sweeping": ("sweep",),
    "mission.validating": ("validate",),
    "motion.bspline": ("BSpline",),
    "motion.combined": ("Combined",),
    "motion.cycloid": ("Cycloid",),
    "motion.fourier": (
        "Fourier",
        "PlainFourier",
    ),
    "motion.quintic_points": ("QuinticPoints",),
    "motion.random_motion": (
        "random_sines",
        "random_trajectory",
    ),
    "motion.sampled": ("Sampled",),
    "motion.trajectory": ("Trajectory",),
    "motion.trajectory_file": ("load_trajectory",),
    "motion.wheels": ("allocate_momentum",),
    "regressor.advice": (
        "Advice",
        "advise",
    ),
    "regressor.angular_momentum": (
        "AngularMomentum",
        "BaseVelocity",
        "total_mass",
    ),
    "regressor.centre_of_mass": (
        "base_velocity_regressor",
        "centre_of_mass",
        "first_moment_regressor",
    ),
    "regressor.closed_form": ("closed_form",),
    "regressor.energy": (
        "friction_energy_regressor",
        "kinetic_energy_regressor",
        "potential_energy_regressor",
        "wheel_energy_regressor",
    ),
    "regressor.formula": ("parse_formula",),
    "regressor.identifiability": (
        "Identifiability",
        "Measurement",
        "identifiability",
    ),
    "regressor.minimal": ("MinimalParameters",),
    "regressor.model": (
        "Energy",
        "Model",
        "Momentum",
        "Torque",
    ),
    "regressor.momentum": (
        "momentum",
        "momentum_adjoint",
        "momentum_gram",
        "momentum_matrix",
        "momentum_regressor",
        "wheel_columns",
    ),
    "regressor.numerical": ("independent_columns",),
    "regressor.samples": ("Samples",),
    "regressor.states": (
        "base_reaction",
        "random_states",
    ),
    "regressor.torque": (
        "friction_columns",
        "inverse_dynamics",
        "mass_matrix",
        "torque_regressor",
        "wheel_wrench_columns",
    ),
    "robot.load": (
        "load_robot",
        "save_robot",
    ),
    "robot.model": (
        "Body",
        "Joint",
        "Point",
        "Robot",
        "Wheel",
    ),
    "robot.parameters": ("PARAMETER_NAMES",),
    "robot.physicality": (
        "Finding",
        "check_physicality",
    ),
    "robot.shapes": (
        "Capsule",
        "Ellipsoid",
        "Sphere",
    ),
    "robot.transform": ("Transform",),
    "robot.urdf_read": ("read_urdf",),
    "robot.urdf_update": ("update_urdf",),
    "studies": (
        "study_mission",
        "study_robot",
    ),
    "studies.check": (
        "Check",
        "Study",
    ),
    "studies.reproduce": ("reproduce",),
    "validation.validation": ("Validation",),
    "validation.validation_file": ("load_validation",),
}
_MODULE_OF = {name: f"freefloat.{module}" for module, names in _HOME.items() for name in names}

__all__ = ["__version__", *sorted(_MODULE_OF)]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'freefloat' has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
