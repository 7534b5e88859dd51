"""A plan: everything a design is made from, and the objectives and tasks that follow from it.

    plan = Plan(robot, shape, sensors, limits=joint_limits(robot, shape.channels))
    excitation = find_excitation(plan, seed=0)

The shape is a trajectory of the family to search; its coefficients do not count, but its ends and duration do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from typing import Literal, get_args

import numpy as np

from freefloat.arrays import Array
from freefloat.dynamics.orbit import Orbit
from freefloat.dynamics.total_momentum import TotalMomentum
from freefloat.errors import FreefloatError, ShapeError, UnknownName
from freefloat.estimate.bound.bound import Bound, cramer_rao_bound
from freefloat.estimate.planned import planned_problem
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.excitation.excitation import Prediction
from freefloat.excitation.goals.accuracy import Accuracy
from freefloat.excitation.goals.by_name import goal_named
from freefloat.excitation.goals.condition_number import true_condition_number
from freefloat.excitation.goals.goal import Goal, Joined
from freefloat.excitation.goals.names import GoalName
from freefloat.excitation.goals.reveal import Reveal
from freefloat.excitation.goals.scaled_columns import ScaledColumns
from freefloat.excitation.information.rows import InformationRows
from freefloat.excitation.limits.limit import Limit
from freefloat.excitation.planned_motion import Conditions
from freefloat.excitation.revealing import CannotReveal, reveal_of
from freefloat.excitation.rows.angular_momentum import AngularMomentumDesignRows
from freefloat.excitation.rows.energy import EnergyDesignRows, refuse_momentum
from freefloat.excitation.rows.friction import with_friction
from freefloat.excitation.rows.momentum import MomentumDesignRows
from freefloat.excitation.rows.rows import ModelDesignRows
from freefloat.excitation.rows.torque import TorqueDesignRows
from freefloat.excitation.solver.objective import Expected, GoalOnRows, Objective, Worst
from freefloat.excitation.solver.planned_task import PlannedTask
from freefloat.excitation.solver.variables import Variables, variables_of
from freefloat.excitation.swing_forecast import Forecast, samples_needed_Hz
from freefloat.frozen import Content
from freefloat.models.angular_momentum import AngularMomentum
from freefloat.models.model import BaseWrench, Energy, Momentum, NotApplicable, Torque
from freefloat.models.names import ModelName
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.drive import DriveTerm
from freefloat.robot.locked import locked
from freefloat.robot.model import Robot
from freefloat.robot.rotations import rotations
from freefloat.sensors.sensor import Sensor
from freefloat.simulation.simulate import Start

_PER_ROW = 20  # instants per row of coefficients: enough for the goal's integral over time
_FEWEST, _MOST = 150, 600
_ON_ROWS = ("angular-momentum", "momentum", "energy", "torque", "base-wrench")
_FAINT = 1e-6  # of the CAD model's information, so that what nothing shows stays finite


class InvalidPlan(FreefloatError):
    """Settings from which no motion can be designed."""


@dataclass(frozen=True, eq=False)
class Plan(Content):
    """What to design, for whom, within what.

    robot: as it is assumed to be. guesses: further robots that may be the true one (robust design).
    shape: of the motion. rest: whether it must start and end at rest; built in where the shape does not have it.
    limits: all that the motion must keep. start, wheel_rates: how the flight begins.
    sensors, known, zero, prior, momentum, nuisances, orbit: as in `planned_problem`.
    goal: what is made small, by name, or one of your own that reads the rows of a model; accuracy is the mean of all
        clusters, worst-accuracy that of those known worst in units of the CAD model's own spread. model: whose rows
        other goals look at. scaled: whether columns of those rows count by direction alone, whatever their length.
    friction: terms of drives of joints that move, which rows of torque and energy must tell from the bodies.
    weights: of clusters in the accuracy, by the name of their leader, not negative; one for those not named.
    earlier: motions flown or designed before, which this one complements.
    robust: over robot and guesses, the expected or the worst value.
    of_model: whether the accuracy asked for is that of the linear clusters of angular momentum, which publications
        list, rather than of the parameters behind them; all then weigh alike.
    locked: passive joints, which the search takes as fixed where their springs rest: robot and guesses are so once the
        plan is made.
    swinging: the same robots with these joints as they are, which predictions, limits and goals on swings look at; none
        where no joint is passive.
    goal_instants, limit_instants: numbers of instants, the ends included, at which the goal and the limits are looked
        at; as many as the shape needs unless given. What limits miss between instants is found and mended.
    """

    robot: Robot
    shape: Trajectory
    sensors: Sequence[Sensor] = ()
    limits: Sequence[Limit] = ()
    known: Mapping[str, float] = field(default_factory=dict)
    zero: Sequence[str] = ()
    prior: CadSpread | None = field(default_factory=CadSpread)
    momentum: TotalMomentum = field(default_factory=TotalMomentum.zero)
    nuisances: Nuisances = field(default_factory=Nuisances)
    start: Start = field(default_factory=Start)
    wheel_rates: Array | None = None
    orbit: Orbit | None = None
    goal: GoalName | Goal = "accuracy"
    model: ModelName = "angular-momentum"
    scaled: bool = False
    friction: Sequence[DriveTerm] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    earlier: Sequence[Trajectory] = ()
    guesses: Sequence[Robot] = ()
    robust: Literal["expected", "worst"] = "expected"
    rest: bool = True
    of_model: bool = False
    goal_instants: int | None = None
    limit_instants: int | None = None
    locked: tuple[str, ...] = ()
    swinging: tuple[Robot, ...] = ()

    def __post_init__(self) -> None:
        if self.robot.passive.size:
            object.__setattr__(self, "locked", self.robot.passive_names)
            object.__setattr__(self, "swinging", (self.robot, *self.guesses))
            object.__setattr__(self, "robot", locked(self.robot))
        object.__setattr__(self, "guesses", tuple(locked(each) for each in self.guesses))
        object.__setattr__(self, "momentum", TotalMomentum.of(self.momentum))
        if not isinstance(self.goal, Goal) and self.goal not in get_args(GoalName):
            raise InvalidPlan(f"goal is {self.goal!r}; allowed: {', '.join(get_args(GoalName))}, or a Goal")
        for name in ("goal_instants", "limit_instants"):
            count = getattr(self, name)
            if count is not None and count < 2:
                raise InvalidPlan(f"{name} is {count}; allowed: 2 or more")
        if self.of_sensors and not self.sensors:
            raise InvalidPlan(
                f"{self.goal_name} needs sensors, found none; allowed: a gyro, star tracker, pose or velocity"
            )

    # ------------------------------------------------------------------ what follows

    @property
    def true_momentum(self) -> Array:
        """Total angular momentum with which the flight is planned, base axes at the first instant, (3,)."""
        return np.array(self.momentum.vector if self.momentum.kind == "known" else self.start.angular_momentum)

    def conditions(self, robot: Robot | None = None) -> Conditions:
        """How the flight begins, for the robot or a guess."""
        attitude = rotations(self.start.attitude[None])[0]
        return Conditions(robot or self.robot, self.true_momentum, attitude, self.wheel_rates)

    @property
    def instants(self) -> int:
        """Number of instants at which the goal is looked at."""
        return self.goal_instants or self._usual_instants

    @property
    def instants_of_limits(self) -> int:
        """Number of instants at which limits are looked at."""
        return self.limit_instants or 2 * self._usual_instants

    @property
    def _usual_instants(self) -> int:
        return int(np.clip(_PER_ROW * self.shape.coefficients.shape[0], _FEWEST, _MOST)) + 1

    def problem(self, motion: Trajectory, robot: Robot | None = None) -> Problem:
        """The problem that a motion will pose; one of torques alone has no predicted accuracy."""
        if self.robot.base == "fixed":
            raise InvalidPlan(
                f"{self.goal_name} is of a base that moves, and that of {self.robot.name} is fixed; allowed: "
                f"{', '.join(name for name in get_args(GoalName) if not goal_named(name).of_sensors)}"
            )
        start, of = replace(self.start, angular_momentum=self.true_momentum), robot or self.robot
        fastest = max((sensor.rate_Hz for sensor in self.sensors), default=np.inf)
        return planned_problem(
            of,
            motion,
            self.sensors,
            rate_Hz=max((self.instants - 1) / motion.duration_s, min(samples_needed_Hz(of), fastest)),
            known=self.known,
            zero=self.zero,
            prior=self.prior,
            momentum=self.momentum,
            nuisances=self.nuisances,
            start=start,
            wheel_rates=self.wheel_rates,
            orbit=self.orbit,
        )

    def bound(self, motion: Trajectory, robot: Robot | None = None) -> Bound:
        """How well the clusters will be known at best after a motion, the earlier ones included.

        robot: the plan's own unless given, with what swings.
        """
        return cramer_rao_bound(self._posed(motion, robot))

    def _posed(self, motion: Trajectory, robot: Robot | None = None) -> Problem:
        """The problem of all motions."""
        of = robot or next(iter(self.swinging), self.robot)
        problems = [self.problem(each, of) for each in (*self.earlier, motion)]
        flights = tuple(
            replace(each.flights[0], name=f"motion {number}") for number, each in enumerate(problems, start=1)
        )
        return replace(problems[-1], flights=flights)

    def forecast(self, motion: Trajectory) -> Forecast | None:
        """What a motion will tell; None without sensors, or of a fixed base."""
        if not self.sensors or self.robot.base == "fixed":
            return None
        problem = self._posed(motion)
        return Forecast.of(problem, cramer_rao_bound(problem))

    def predictions(self, motion: Trajectory) -> tuple[Prediction, ...]:
        """What will be known of every cluster; nothing without sensors, or of a fixed base."""
        told = self.forecast(motion)
        return () if told is None else told.clusters

    def value_with_swing(self, motion: Trajectory) -> float | None:
        """The goal's value with all that swings, unknown as it is; None where the goal does not ask for accuracy."""
        told = self.forecast(motion) if self.swinging and not isinstance(self.goal, Goal) and self.of_sensors else None
        if told is None or isinstance(self.goal, Goal):
            return None
        kind = goal_named(self.goal)
        if issubclass(kind, Reveal):
            return told.modes()
        return told.accuracy(kind, self.weights) if issubclass(kind, Accuracy) else None

    @cached_property
    def variables(self) -> Variables:
        """Coordinates of the motions."""
        return variables_of(self.robot, self.shape, self.rest)

    def limits_task(self) -> PlannedTask:
        """Limits alone, nothing to be made small."""
        t = np.linspace(0.0, self.shape.duration_s, self.instants_of_limits)
        return PlannedTask(Expected(()), tuple(self.limits), self.conditions(), self.variables, t)

    @property
    def goal_name(self) -> str:
        """What the goal is called."""
        return self.goal.name if isinstance(self.goal, Goal) else self.goal

    @property
    def of_sensors(self) -> bool:
        """Whether the goal reads what sensors will tell, not the rows of a model, as a goal of one's own does."""
        return not isinstance(self.goal, Goal) and goal_named(self.goal).of_sensors

    def task(self) -> PlannedTask:
        """For the solver."""
        t = np.linspace(0.0, self.shape.duration_s, self.instants_of_limits)
        return PlannedTask(self.objective(), tuple(self.limits), self.conditions(), self.variables, t)

    def objective(self) -> Objective:
        """What is made small."""
        robots = (self.robot, *self.guesses)
        members = [self._of_robot(robot, swing) for robot, swing in zip_longest(robots, self.swinging)]
        if len(members) == 1:
            return members[0]
        return Expected(members) if self.robust == "expected" else Worst(members)

    def _of_robot(self, robot: Robot, swinging: Robot | None) -> GoalOnRows:
        if not isinstance(self.goal, Goal):
            kind = goal_named(self.goal)
            if issubclass(kind, Reveal):
                if swinging is None:
                    raise CannotReveal(f"reveal shows what swings; no joint of {robot.name} does: none is passive")
                still = self.problem(self.variables.trajectory(np.zeros(self.variables.size)), robot)
                return reveal_of(swinging, still, self.conditions(robot), self.shape, self.earlier)
            if issubclass(kind, Accuracy):
                return self._accuracy(robot, kind)
        return self.on_matrix(robot)

    # ------------------------------------------------------------------ predicted accuracy

    def _accuracy(self, robot: Robot, kind: type[Accuracy]) -> GoalOnRows:
        rows = InformationRows(
            self.problem(self.variables.trajectory(np.zeros(self.variables.size)), robot), self.true_momentum
        )
        prior = np.array(rows.unknowns.information)
        c = len(rows.problem.minimal)
        if self.prior is None:
            spread = np.diagonal(rows.problem.cad_covariance)
            prior[:c, :c] += np.diag(_FAINT / np.where(spread > 0.0, spread, 1.0))
        prior += self._shown_before(robot, rows)
        spread = np.sqrt(np.diagonal(rows.problem.cad_covariance))
        sizes = np.where(spread > 0.0, spread, 1.0)
        of, weights = np.eye(prior.shape[0])[:c], self._weights(rows.problem)
        if self.of_model:
            of = self._model_clusters(rows.problem, prior.shape[0])
            weights = np.ones(of.shape[0])
            sizes = np.linalg.norm(of[:, :c] * sizes, axis=1)
        goal = kind(prior, of, weights, sizes=sizes)
        linear = self.shape.linear_map(rows.flight.t)
        return GoalOnRows(rows, goal, self.conditions(rows.problem.robot), self.shape.channels, linear)

    def _model_clusters(self, problem: Problem, unknowns: int) -> Array:
        """Derivative of the linear clusters of angular momentum by all unknowns, (clusters, unknowns)."""
        model = AngularMomentum(problem.robot, tuple(self.known), tuple(self.zero))
        underlying = model.underlying.minimal
        by_theta = model.jacobian(underlying.values(model.standard(None)))
        by_clusters = by_theta @ underlying.combine[:, problem.minimal.kept]
        shown = by_clusters[np.abs(by_clusters).max(axis=1) > 0.0]
        return np.hstack([shown, np.zeros((shown.shape[0], unknowns - shown.shape[1]))])

    def _shown_before(self, robot: Robot, rows: InformationRows) -> Array:
        """Information of the earlier motions on what all flights share, their own nuisances eliminated."""
        size = len(rows.unknowns)
        shared = [np.arange(p.place.start, p.place.stop) for p in rows.unknowns.parts if p.flight is None]
        own = np.concatenate(shared)
        total = np.zeros((size, size))
        for motion in self.earlier:
            before = InformationRows(self.problem(motion, robot), self.true_momentum)
            samples = self.conditions(before.problem.robot).samples(motion.channels, motion.evaluate(before.flight.t))
            C = before.fill(samples).matrix
            F = C.T @ C
            places = [np.arange(p.place.start, p.place.stop) for p in before.unknowns.parts if p.flight is None]
            kept = np.concatenate(places)
            rest = np.setdiff1d(np.arange(F.shape[0]), kept)
            inner = F[rest[:, None], rest] + before.unknowns.information[rest[:, None], rest]
            seen = F[kept[:, None], kept]
            if rest.size:
                across = F[kept[:, None], rest]
                seen = seen - across @ np.linalg.pinv(inner, hermitian=True) @ across.T
            total[own[:, None], own] += seen
        return total

    def _weights(self, problem: Problem) -> Array:
        names = {leader: index for index, leader in enumerate(problem.minimal.leaders)}
        weights = np.ones(len(names))
        for name, weight in self.weights.items():
            if name not in names:
                raise UnknownName("cluster", name, names)
            if not (np.isfinite(weight) and weight >= 0.0):
                raise InvalidPlan(f"weight of {name} is {weight:g}; allowed: 0 or more")
            weights[names[name]] = weight
        if not weights.any():
            raise InvalidPlan("all weights are zero; allowed: at least one greater than zero")
        return weights

    # ------------------------------------------------------------------ goals on regressor rows

    def rows(self, robot: Robot | None = None) -> ModelDesignRows:
        """Rows of the model, for goals on a matrix."""
        conditions = self.conditions(robot)
        known, zero = tuple(self.known), tuple(self.zero)
        if self.model == "torque":
            torques = TorqueDesignRows(Torque(conditions.robot, known, zero))
            return with_friction(torques, self.friction, self.shape.channels)
        if self.model == "base-wrench":
            return TorqueDesignRows(BaseWrench(conditions.robot, known, zero))
        if self.model == "energy":
            refuse_momentum(conditions)
            energies = EnergyDesignRows(Energy(conditions.robot, known, zero))
            return with_friction(energies, self.friction, self.shape.channels)
        if self.model == "momentum":
            return MomentumDesignRows(Momentum(conditions.robot, known, zero), conditions)
        if self.model == "angular-momentum":
            angular = AngularMomentum(conditions.robot, known, zero)
            without = angular.known_clusters()
            if not (without.size or conditions.momentum.any()):
                # Momentum of zero shows clusters up to a factor: the first is what others count in.
                without = np.zeros(1, dtype=np.int64)
            return AngularMomentumDesignRows(angular, conditions, without)
        raise InvalidPlan(f"a design on {self.model} rows is not offered; allowed: {', '.join(_ON_ROWS)}")

    def on_matrix(self, robot: Robot | None = None, goal: Goal | None = None) -> GoalOnRows:
        """A goal on the rows of the model, the plan's own unless given; earlier motions are above them."""
        rows, t = self.rows(robot), np.linspace(0.0, self.shape.duration_s, self.instants)
        chosen = goal or (self.goal if isinstance(self.goal, Goal) else goal_named(self.goal)())
        if self.scaled:
            chosen = ScaledColumns(chosen)
        conditions = self.conditions(robot)
        before = [
            rows.fill(
                conditions.samples(motion.channels, motion.evaluate(np.linspace(0.0, motion.duration_s, t.size)))
            ).matrix
            for motion in self.earlier
        ]
        if before:
            chosen = Joined(chosen, np.vstack(before))
        return GoalOnRows(rows, chosen, conditions, self.shape.channels, self.shape.linear_map(t))

    def condition_number(self, motion: Trajectory) -> float:
        """Of the model's rows, earlier motions' included; not a number where they cannot be had or are too few."""
        try:
            measured = replace(self, shape=motion, goal="condition-number", scaled=False).on_matrix()
            C, goal = measured.matrix(motion.coefficients), measured.goal
            return true_condition_number(np.vstack([goal.C0, C]) if isinstance(goal, Joined) else C)
        except (InvalidPlan, NotApplicable, ShapeError):
            return float("nan")
