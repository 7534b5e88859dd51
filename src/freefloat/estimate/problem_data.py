"""What is recorded and known of a robot, and what is unknown of it: all of a problem but its rows.

Momentum sees standard parameters only in clusters (`minimal`). A vector theta of cluster values is turned into
standard parameters that move in the same way by putting each at the place of its leader, with what is known at its
own place and zero elsewhere (`standard`): no other parameters are needed to predict any motion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array
from freefloat.estimate.flight import Flight, InvalidProblem
from freefloat.estimate.prior import CadSpread, known_covariance
from freefloat.estimate.uncertain import NEARLY_EXACT, not_singular
from freefloat.frozen import Content, FrozenMapping
from freefloat.models.minimal import MinimalParameters
from freefloat.models.model import BaseWrench, LinearModel, Momentum, Torque, clusters_of
from freefloat.models.names import OF_FORCES, ModelName
from freefloat.robot.drive import DRIVE_TERMS, DriveTerm
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY
from freefloat.robot.selection import select_parameters, with_known_separate
from freefloat.sensors.kinds import SensorNuisances
from freefloat.sensors.unknowns import usual_spread

_IN_LOW_ORBIT = {"external_torque_Nm": 1e-4, "base_torque_Nm": 1e-4, "torque_walk_Nm_per_sqrt_s": 1e-5}


@dataclass(frozen=True)
class Nuisances(SensorNuisances):
    """What else the data may hold: standard deviation assumed of each effect; None leaves it out.

    time_offset_s: how late the base's sensors are stamped against the joints'. clock_drift: change of that [s/s].
    joint_zero_rad, joint_zero_m: of every joint's position.
    joint_scale: of every joint's encoder, how much further joints move than it reads, over what it reads.
    joint_place_m, joint_axis_rad: where a joint sits on the body that carries it, along each axis, and tilts of its
    axis about each direction across it.
    external_torque_Nm: constant in the axes of the orbit, in inertial ones without any. base_torque_Nm: constant in
    base axes. torque_walk_Nm_per_sqrt_s: of a torque from outside that walks, after one second, about each axis.
    swing_frequency, swing_damping: of passive joints, how far the natural frequency is off, over itself, and the
    damping, over itself. swing_start_rad, swing_start_m: how far passive joints are from rest at the first reading.
    drag_per_s: of a body without joints, what air takes of its turn: entries of a symmetric matrix, torque over rate,
    constant over a flight, over the mean moment of inertia of the CAD model.
    And of the sensors, as their files have it: gyro_bias_rad_s (constant over a flight; its random walk is that of the
    flight's `walks`), misalignment_rad (of the gyro, about each axis), gyro_scale (of each axis; costs accuracy, so
    only on request), velocity_bias_m_s2 (of an acceleration that was integrated to a velocity), joint_rate_bias_rad_s
    and joint_rate_bias_m_s (of a joint-rate sensor, for every joint, constant over a flight), accelerometer_bias_m_s2
    (of an accelerometer, constant over a flight), accelerometer_misalignment_rad (against the base, about each axis),
    accelerometer_scale (of each axis) and torque_gain (of every joint's drive, on the ground; or of each its own).
    """

    time_offset_s: float | None = usual_spread(0.1, "of the base's sensors against the joints'")
    clock_drift: float | None = usual_spread(1e-4, "change of the time offset, s/s")
    joint_zero_rad: float | None = usual_spread(1e-3, "of every joint that turns")
    joint_zero_m: float | None = usual_spread(1e-3, "of every joint that slides")
    joint_scale: float | None = usual_spread(None, "of every joint's encoder, over what it reads")
    joint_place_m: float | None = usual_spread(0.5e-3, "of where each joint sits, along each axis")
    joint_axis_rad: float | None = usual_spread(1e-3, "of how each joint's axis points")
    external_torque_Nm: float | None = usual_spread(None, "constant in axes of the orbit, or inertial ones")
    base_torque_Nm: float | None = usual_spread(None, "of a torque from outside, constant in base axes")
    torque_walk_Nm_per_sqrt_s: float | None = usual_spread(None, "of a torque from outside that walks")
    swing_frequency: float | None = usual_spread(0.2, "of a passive joint's natural frequency, over itself")
    swing_damping: float | None = usual_spread(0.5, "of a passive joint's damping, over itself")
    swing_start_rad: float | None = usual_spread(0.05, "of a passive joint that turns, from rest at the start")
    swing_start_m: float | None = usual_spread(0.05, "of a passive joint that slides, from rest at the start")
    drag_per_s: float | None = usual_spread(0.03, "what air takes of the turn of a body without joints")

    @classmethod
    def none(cls) -> Nuisances:
        """Nothing but the parameters."""
        return cls(**dict.fromkeys(each.name for each in fields(cls)))

    @property
    def in_orbit(self) -> Nuisances:
        """The same with torques that a satellite in a low orbit feels beside the gravity gradient.

        Magnets in the Earth's field, air and the sun turn one of some hundred kilograms by about so much.
        """
        return replace(self, **{name: sd for name, sd in _IN_LOW_ORBIT.items() if getattr(self, name) is None})

    @property
    def without_torques(self) -> Nuisances:
        """The same without torques from outside."""
        return replace(self, **dict.fromkeys(_IN_LOW_ORBIT))

    @property
    def on_paper(self) -> Nuisances:
        """The same of a robot that is built just as its file has it."""
        return replace(self, joint_place_m=None, joint_axis_rad=None)


@dataclass(frozen=True, eq=False)
class ProblemData(Content):
    """Recordings of one robot, and what is known of it.

    robot: its values are the CAD model: prior of what is unknown, truth of what is known.
    known: selectors of trusted standard parameters (`load`, `link2.m`) and the relative standard deviation.
    zero: selectors of parameters declared zero, a hard simplification. Where joints are passive, bodies without mass
        that only stand between two joints, as tanks and elastic joints have them, are zero in any case.
    prior: spread of the CAD model; None to let the data speak alone.
    models: the equations that linear estimators stack; several are stacked one below the other.
    friction: terms of every joint's drive that are unknown, where torques are measured; other terms are as the robot
        has them, and so are rates that count as slow and ratios of gears.
    frictionless: of these, by name (`drive_name`), what is held at zero.
    """

    robot: Robot
    flights: tuple[Flight, ...]
    known: Mapping[str, float] = field(default_factory=dict)
    zero: tuple[str, ...] = ()
    prior: CadSpread | None = field(default_factory=CadSpread)
    nuisances: Nuisances = field(default_factory=Nuisances)
    models: tuple[ModelName, ...] = ("angular-momentum",)
    friction: tuple[DriveTerm, ...] = ()
    frictionless: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        flights = tuple(self.flights)
        known = dict(self.known) if isinstance(self.known, Mapping) else dict.fromkeys(self.known, 0.0)
        object.__setattr__(self, "flights", flights)
        object.__setattr__(self, "known", FrozenMapping(known))
        unknown = () if self.prior is None else (body.name for body in self.prior.unknown)
        object.__setattr__(self, "robot", with_known_separate(self.robot, (*known, *self._absent(), *unknown)))
        object.__setattr__(self, "zero", tuple(dict.fromkeys((*self.zero, *_only_joining(self.robot)))))
        object.__setattr__(self, "models", tuple(self.models))
        object.__setattr__(self, "friction", tuple(term for term in DRIVE_TERMS if term in self.friction))
        if not flights:
            raise InvalidProblem("a problem needs at least one flight")
        for flight in flights:
            flight.samples.check(self.robot)
        self._check_spreads()

    def _absent(self) -> set[str]:
        return {name for flight in self.flights for name in flight.without}

    def _check_spreads(self) -> None:
        for selector, spread in self.known.items():
            if not (np.isfinite(spread) and spread >= 0.0):
                raise InvalidProblem(f"known {selector}: relative standard deviation is {spread}; allowed: 0 or more")
        if not self.unknown.size:
            raise InvalidProblem("everything is declared known or zero: nothing is left to estimate")

    # ------------------------------------------------------------------ columns of the standard parameters

    @cached_property
    def unknown(self) -> NDArray[np.int64]:
        """Columns of standard parameters that are neither known nor zero."""
        settled = np.union1d(self.known_columns, select_parameters(self.robot, self.zero))
        return np.setdiff1d(np.arange(self.robot.parameters.size), settled)

    @cached_property
    def known_columns(self) -> NDArray[np.int64]:
        """Columns declared known."""
        return select_parameters(self.robot, self.known)

    @cached_property
    def known_covariance(self) -> Array:
        """Covariance of the standard parameters as far as they are known, else zero, (10 bodies, 10 bodies)."""
        return known_covariance(self.robot, self.known)

    @cached_property
    def known_sd(self) -> Array:
        """Standard deviation of each standard parameter as far as it is known, else zero, (10 bodies,)."""
        return np.sqrt(np.diagonal(self.known_covariance))

    def present(self, flight: Flight) -> NDArray[np.bool_]:
        """Which standard parameters were there in a flight, (10 bodies,)."""
        there = np.ones(self.robot.parameters.size, dtype=bool)
        there[select_parameters(self.robot, flight.without)] = False
        return there

    @property
    def guesses_noise(self) -> bool:
        """Whether nobody said the noise of some readings, which are weighed by what a model leaves of them."""
        return any(data.guessed for flight in self.flights for data in flight.measured.values())

    # ------------------------------------------------------------------ what is asked for

    @cached_property
    def minimal(self) -> MinimalParameters:
        """The clusters of the unknown parameters that the flights' motion can show."""
        return self.clusters(self.unknown)

    def clusters(self, columns: ArrayLike) -> MinimalParameters:
        """The clusters that are left when only these columns of the standard parameters are unknown."""
        chosen = np.asarray(columns, dtype=np.int64)
        if not self._absent() and chosen.size == self.robot.parameters.size:
            return self._undeclared.structure
        patterns = dict.fromkeys(tuple(self.present(flight).tolist()) for flight in self.flights)
        visible = np.vstack([self._undeclared.visible * np.array(there) for there in patterns])
        return clusters_of(visible, chosen, self.robot)

    @cached_property
    def _undeclared(self) -> LinearModel:
        """What shows the clusters if nothing is declared known or zero; the wrench shows all that torques do."""
        if "base-wrench" in self.models:
            return BaseWrench(self.robot)
        forces = self.robot.base == "fixed" or OF_FORCES & set(self.models)
        return Torque(self.robot) if forces else Momentum(self.robot)

    @cached_property
    def fixed(self) -> Array:
        """What is known, at its place; zero elsewhere, (10 bodies,)."""
        phi = np.zeros(self.robot.parameters.size)
        phi[self.known_columns] = self.robot.parameters[self.known_columns]
        return phi

    def standard(self, theta: ArrayLike) -> Array:
        """Standard parameters that move as the clusters theta do, (10 bodies,)."""
        phi = np.array(self.as_built)
        phi[self.minimal.kept] += np.asarray(theta, float)
        return phi

    @cached_property
    def as_built(self) -> Array:
        """The CAD model's parameters less its clusters in their leaders' places, (10 bodies,).

        With clusters added there, bodies are where the CAD model has them, and not all lumped into the leaders: both
        move alike, but only so does what moves them, such as a longer link, act as it would on the real bodies.
        """
        phi = self.fixed + self._declared
        phi[self.minimal.kept] -= self.cad
        return phi

    def as_likely_built(self, theta: Array) -> Array:
        """The same of the likeliest robot that has the clusters theta, (10 bodies,)."""
        off = theta - self.cad
        if not off.any():
            return self.as_built
        phi = self.as_built + self._likeliest @ off
        phi[self.minimal.kept] -= off
        return phi

    @cached_property
    def _likeliest(self) -> Array:
        """Of unknown parameters by clusters, as the CAD model's spread has them go together, (10 bodies, clusters)."""
        spread = (self.prior or CadSpread()).covariance(self.robot)
        together = np.zeros_like(self.minimal.combine.T)
        unknown = self.unknown
        together[unknown] = spread[np.ix_(unknown, unknown)] @ self.minimal.combine[:, unknown].T
        scale = np.sqrt(np.diagonal(self.cad_covariance))
        correlation = self.cad_covariance / np.outer(scale, scale)
        return (together / scale) @ np.linalg.pinv(correlation, 10.0 * NEARLY_EXACT, hermitian=True) / scale

    @cached_property
    def cad(self) -> Array:
        """The clusters of the CAD model, shape (clusters,)."""
        return self.minimal.values(self._declared)

    @property
    def _declared(self) -> Array:
        phi = np.zeros(self.robot.parameters.size)
        phi[self.unknown] = self.robot.parameters[self.unknown]
        return phi

    @cached_property
    def cad_covariance(self) -> Array:
        """Covariance of the CAD model's clusters, by the prior or else by default spreads, (clusters, clusters)."""
        return self.spread_of_clusters(self.prior or CadSpread())

    def spread_of_clusters(self, spread: CadSpread) -> Array:
        """Covariance of the clusters of a CAD model of this spread, (clusters, clusters)."""
        combine = np.zeros_like(self.minimal.combine)
        combine[:, self.unknown] = self.minimal.combine[:, self.unknown]
        return not_singular(combine @ spread.covariance(self.robot) @ combine.T)


def _only_joining(robot: Robot) -> list[str]:
    """Bodies without mass that join joints of a robot with passive ones: they stand for nothing that has inertia."""
    if not robot.passive.size:
        return []
    moving = {body.name for body in robot.bodies if body.joint is not None and body.joint.moves}
    bodies = zip(robot.body_names, robot.parameters.reshape(-1, PER_BODY), strict=True)
    return [name for name, parameters in bodies if name in moving and not parameters.any()]
