"""What a motion will do to the robot as it is assumed to be: the numbers of its flight sheet.

The torque of the gravity gradient on a body in an orbit of rate n is 3 n^2 e x I e, e towards the Earth, at most
3/2 n^2 (I_max - I_min) (P. C. Hughes, "Spacecraft Attitude Dynamics", 1986). An estimator that does not know of a
constant torque T is off by P G T: P is the covariance of its unknowns x, and G the information that the data hold on x
and T together. The torque costs accuracy once that is a standard deviation of some cluster. A longer motion
gathers more momentum T t and is also measured otherwise; so the duration at which the two are equal is found on the
same path, flown faster or slower, by interpolation between logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.errors import FreefloatError
from freefloat.excitation.limits.attitude import Angle, BaseAttitude
from freefloat.excitation.limits.clearance import Clearance, collision_check, shaped_pairs
from freefloat.excitation.margin import Margin
from freefloat.excitation.plan import Plan
from freefloat.excitation.planned_motion import PlannedMotion
from freefloat.excitation.planned_swing import PlannedSwing, own_frequencies
from freefloat.excitation.sheet import FlightSheet, GravityGradient, Nearest, SwingUse, Turned, WheelUse
from freefloat.excitation.sweep import stretched
from freefloat.motion.trajectory import Trajectory

LOW_EARTH_ORBIT_RAD_S = 0.0011
_FINER = 4  # instants per instant of the plan
_FASTER, _SLOWER = 8.0, 32.0  # than the motion: durations among which that of an error of one is looked for
_TIMES, _NEAR_ONE = 8, 1e-3


def flight_sheet(
    plan: Plan,
    motion: Trajectory,
    margins: Sequence[Margin] = (),
    orbital_rate_rad_s: float | None = None,
    modelled: bool = False,
) -> FlightSheet:
    """The sheet of a motion of the plan's channels.

    margins: of the plan's limits, as a design has them. orbital_rate_rad_s: that of a low Earth orbit unless given.
    modelled: whether estimators know of this orbit.
    """
    flown = _finely(plan, motion)
    rates = np.linalg.norm(flown.reaction.x[:, 3:], axis=1)
    turned = _angle(flown.reaction.R)
    fastest, farthest = int(rates.argmax()), int(turned.argmax())
    return FlightSheet(
        motion.duration_s,
        _range(flown, "roll"),
        _range(flown, "pitch"),
        _range(flown, "yaw"),
        float(turned[farthest]),
        float(flown.t[farthest]),
        float(rates[fastest]),
        float(flown.t[fastest]),
        _wheels(flown),
        _nearest(flown),
        _gravity_gradient(plan, motion, flown, orbital_rate_rad_s, modelled) if plan.robot.base == "free" else None,
        tuple(margins),
        collision_check(plan.robot, plan.limits),
        _swings(plan, flown),
    )


def _finely(plan: Plan, trajectory: Trajectory) -> PlannedMotion:
    t = np.linspace(0.0, trajectory.duration_s, _FINER * plan.instants)
    return PlannedMotion.of(plan.conditions(), trajectory, t)


def _range(motion: PlannedMotion, name: Angle) -> Turned:
    """Of an angle, whole turns followed."""
    values = np.unwrap(BaseAttitude(name, -math.pi, math.pi).values(motion))
    return Turned(float(values.min()), float(values.max()))


def _angle(R: Array) -> Array:
    """Of rotations (n, 3, 3), shape (n,) [rad]."""
    twice_sine = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]])
    return np.arctan2(np.linalg.norm(twice_sine, axis=0), np.trace(R, axis1=1, axis2=2) - 1.0)


def _wheels(motion: PlannedMotion) -> tuple[WheelUse, ...]:
    momenta = motion.samples.need("wheel_rates", "wheels") * motion.robot.wheel_inertias
    return tuple(
        WheelUse(wheel.name, float(held[0]), float(np.abs(held).max()), wheel.max_rate * wheel.spin_inertia)
        for wheel, held in zip(motion.robot.wheels, momenta.T, strict=True)
    )


def _swings(plan: Plan, motion: PlannedMotion) -> tuple[SwingUse, ...]:
    """Of every passive joint, with the springs of the CAD model."""
    if not plan.swinging:
        return ()
    robot = plan.swinging[0]
    position, rate = PlannedSwing.of(motion, robot).at(motion.t)
    farthest, omega = np.abs(position).argmax(axis=0), own_frequencies(robot)
    left = np.hypot(position[-1], rate[-1] / np.where(omega > 0.0, omega, np.inf))
    found = []
    for place, name in enumerate(robot.passive_names):
        at, unit = int(farthest[place]), "m" if robot.joint(name).kind == "prismatic" else "rad"
        found.append(SwingUse(name, float(abs(position[at, place])), float(motion.t[at]), float(left[place]), unit))
    return tuple(found)


def _nearest(motion: PlannedMotion) -> Nearest | None:
    """Over all pairs of bodies that have shapes and are no neighbours, limited or not."""
    found = []
    for a, b in shaped_pairs(motion.robot):
        pair = Clearance(a, b, 0.0)
        distances = pair.size * pair.margins(motion)
        at = int(distances.argmin())
        found.append(Nearest(a, b, float(distances[at]), float(pair.instants(motion)[at])))
    return min(found, key=lambda each: each.distance_m, default=None)


def _gravity_gradient(
    plan: Plan, trajectory: Trajectory, motion: PlannedMotion, orbital_rate_rad_s: float | None, modelled: bool
) -> GravityGradient:
    moments = 1.0 / np.linalg.eigvalsh(motion.reaction.B[:, 3:])  # of the whole, about its centre of mass
    rate = LOW_EARTH_ORBIT_RAD_S if orbital_rate_rad_s is None else orbital_rate_rad_s
    torque = 1.5 * rate**2 * float((moments[:, 0] - moments[:, -1]).max())
    shift = allowed = wider = math.nan
    if plan.sensors:

        def shift_after(duration_s: float) -> float:
            return torque * _error_per_torque(plan, stretched(trajectory, duration_s))

        shift = torque * _error_per_torque(plan, trajectory)
        allowed = _duration_of_one(shift_after, trajectory.duration_s, shift) if shift > 0.0 else math.inf
        wider = _wider_by_torques(plan, trajectory) if modelled else math.nan
    estimated = plan.nuisances.external_torque_Nm is not None
    return GravityGradient(rate, torque, allowed, orbital_rate_rad_s is None, estimated, shift, modelled, wider)


def _duration_of_one(shift_after: Callable[[float], float], duration_s: float, shift: float) -> float:
    """The duration at which the shift is one [s]; not a number where that is none of those looked at.

    shift: after duration_s. It grows about as a power of the duration: nearly a line between logarithms.
    """
    near, far = math.log(duration_s), math.log(duration_s / _FASTER if shift > 1.0 else duration_s * _SLOWER)
    try:
        at_near, at_far = math.log(shift), math.log(shift_after(math.exp(far)))
        if at_near * at_far > 0.0:
            return math.nan
        for _ in range(_TIMES):
            between = near - at_near * (far - near) / (at_far - at_near)
            found = math.log(shift_after(math.exp(between)))
            if abs(found) < _NEAR_ONE:
                break
            if found * at_near > 0.0:
                near, at_near = between, found
            else:
                far, at_far = between, found
    except FreefloatError:  # a motion that is not stretched, or too short for its sensors
        return math.nan
    return math.exp(between)


def _wider_by_torques(plan: Plan, trajectory: Trajectory) -> float:
    """By what part the interval that suffers most is wider for torques from outside that are estimated along."""
    asked, without = (
        replace(plan, earlier=(), swinging=(), nuisances=each).bound(trajectory).sd
        for each in (plan.nuisances, plan.nuisances.without_torques)
    )
    told = np.isfinite(asked) & (without > 0.0)
    return float((asked[told] / without[told]).max(initial=1.0)) - 1.0


def _error_per_torque(plan: Plan, trajectory: Trajectory) -> float:
    """Of the cluster that suffers most: its error over its standard deviation, per N m of a torque nobody knows of."""
    alone, calm = replace(plan, earlier=(), swinging=()), plan.nuisances.without_torques
    ignorant, aware = (
        replace(alone, nuisances=replace(calm, external_torque_Nm=sd)).bound(trajectory) for sd in (None, 1.0)
    )
    c = len(ignorant.names)
    is_torque = np.array([False] * c + [name not in ignorant.nuisance_names for name in aware.nuisance_names])
    shared = aware.information[~is_torque][:, is_torque]
    errors = np.linalg.norm(ignorant.full_covariance[:c] @ shared, axis=1)
    told = np.isfinite(ignorant.sd) & (ignorant.sd > 0.0)
    return float((errors[told] / ignorant.sd[told]).max(initial=0.0))
