"""The public names and where they live; `__init__.py` imports each when it is first used."""

from . import (
    data as data,
    dynamics as dynamics,
    estimate as estimate,
    excitation as excitation,
    export as export,
    models as models,
    motion as motion,
    robot as robot,
    sensors as sensors,
    simulation as simulation,
    studies as studies,
    validation as validation,
)
from .campaign.campaign import Campaign as Campaign, load_campaign as load_campaign
from .campaign.running import run_campaign as run_campaign
from .data.load import load_recording as load_recording
from .data.recording import Recording as Recording
from .dynamics.samples import Samples as Samples
from .errors import (
    FileError as FileError,
    FreefloatError as FreefloatError,
    InvalidRobot as InvalidRobot,
    ShapeError as ShapeError,
    UnknownName as UnknownName,
)
from .estimate.bound.bound import Bound as Bound, cramer_rao_bound as cramer_rao_bound
from .estimate.estimate import Estimate as Estimate, load_estimate as load_estimate
from .estimate.estimator import Estimator as Estimator
from .estimate.flight import Flight as Flight
from .estimate.problem import Problem as Problem
from .excitation.excitation import Excitation as Excitation
from .excitation.excitation_file import load_excitation as load_excitation
from .excitation.finding import find_excitation as find_excitation
from .excitation.goals.goal import Goal as Goal
from .excitation.limits.limit import Limit as Limit
from .excitation.plan import Plan as Plan
from .excitation.sweep import Sweep as Sweep
from .export.export import (
    export_controller as export_controller,
    export_robot as export_robot,
    export_urdf as export_urdf,
)
from .export.floating_model import FloatingModel as FloatingModel
from .mission.designing import design as design, plan_of as plan_of
from .mission.drawing import draw_robot as draw_robot
from .mission.flying import fly as fly, random_motion as random_motion, simulate as simulate
from .mission.held_bodies import find_change as find_change, find_target as find_target
from .mission.history import identify_history as identify_history
from .mission.identifying import identify as identify, problem as problem
from .mission.mission_file import Mission as Mission, load_mission as load_mission
from .mission.perturbing import perturb as perturb
from .mission.run_directory import Run as Run, load_run as load_run
from .mission.sweeping import sweep as sweep
from .mission.validating import validate as validate
from .models.advice import Advice as Advice, advise as advise
from .models.model import Model as Model
from .motion.trajectory import Trajectory as Trajectory
from .motion.trajectory_file import load_trajectory as load_trajectory
from .report.reporting import write_report as write_report
from .robot.load import load_robot as load_robot
from .robot.model import Robot as Robot
from .robot.parts import Body as Body, Joint as Joint, Point as Point, Wheel as Wheel
from .robot.transform import Transform as Transform
from .runs.running import run as run
from .sensors.channel import Channel as Channel
from .sensors.sensor import Sensor as Sensor
from .studies.catalogue import study_mission as study_mission, study_robot as study_robot
from .studies.check import Study as Study
from .studies.reproducing import reproduce as reproduce
from .validation.validation import Validation as Validation
from .validation.validation_file import load_validation as load_validation

__all__: list[str]
__version__: str
