"""Simulated runs of published experiments: what they have in common."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from freefloat.arrays import Array
from freefloat.data.processing.projection import project
from freefloat.dynamics.reaction import base_reaction
from freefloat.dynamics.samples import Samples
from freefloat.estimate.joint_curves import ProjectedCurves
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.motion.trajectory import Motion, Trajectory
from freefloat.robot.geometry import PER_JOINT, built_with
from freefloat.robot.model import Robot
from freefloat.sensors.kinds import make_sensor
from freefloat.sensors.sensor import Sensor
from freefloat.studies.catalogue import published

# Noise of one reading: as Christidi-Loumpasefski prints; the thesis prints none.
ENCODER_RAD = float(published("christidi_servicer")["noise"]["encoder_rad"])

# What is estimated along: a robot on paper is built just as it is printed.
ON_PAPER = Nuisances().on_paper


def built_anew(robot: Robot, run: int) -> Robot:
    """The robot with joints as far from where they are printed as is usual; the same for a run."""
    usual, joints = Nuisances(), len(robot.joints)
    spreads = np.repeat([usual.joint_place_m or 0.0, usual.joint_axis_rad or 0.0], [3, 2])
    return built_with(robot, np.random.default_rng([run, 59]).normal(size=(joints, PER_JOINT)) * spreads)


def reacting(robot: Robot, samples: Samples) -> Samples:
    """The samples with the base's motion that the joints cause at a total momentum of zero."""
    v, w = base_reaction(robot, samples)
    return replace(samples, v=v, w=w)


def read_encoders(
    motion: Trajectory, robot: Robot, t: Array, rng: np.random.Generator, zeros: float | Array = 0.0
) -> tuple[ProjectedCurves, Motion]:
    """Joint curves fitted to noisy encoders at times t, (n,) [s], and their values there.

    zeros: what the encoders read too much, one number or (joints,) [rad].
    """
    return joint_curves(motion, robot, t, read_angles(motion.samples(robot, t).q, rng, zeros))


def read_angles(q: Array, rng: np.random.Generator, zeros: float | Array = 0.0) -> Array:
    """What encoders read of joint angles, shape (n, joints) [rad]; zeros: what they read too much."""
    return q + ENCODER_RAD * rng.normal(size=q.shape) + zeros


def joint_curves(motion: Trajectory, robot: Robot, t: Array, q: Array) -> tuple[ProjectedCurves, Motion]:
    """Joint curves fitted to what encoders read at times t, (n,) [s], shape (n, joints) [rad]; their values there."""
    fitted = project(motion, t, q, robot.joint_names, noise_sd=ENCODER_RAD)
    return ProjectedCurves(fitted), fitted.motion(t)


def read_gyro(
    w: Array,
    sd_rad_s: float,
    rng: np.random.Generator,
    misaligned: Array | None = None,
    bias: float | Array = 0.0,
) -> Array:
    """What a gyro with white noise reads of rates, base axes, shape (n, 3) [rad/s].

    misaligned: rotation of the gyro, shape (3,) [rad]. bias: one number or (3,) [rad/s].
    """
    turned = np.cross(np.zeros(3) if misaligned is None else misaligned, w)
    return w - turned + bias + sd_rad_s * rng.normal(size=w.shape)


def white_gyro(sd_rad_s: float, rate_Hz: float) -> Sensor:
    """A gyro with this white noise per sample at this rate."""
    walk = float(np.degrees(sd_rad_s) / np.sqrt(rate_Hz) * 60.0)
    return make_sensor("gyro", {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": walk, "rate_Hz": rate_Hz})


def true_clusters(problem: Problem, robot: Robot) -> Array:
    """What the problem asks for, of the robot that flew, (clusters,)."""
    phi = np.zeros(robot.parameters.size)
    phi[problem.unknown] = robot.parameters[problem.unknown]
    return problem.minimal.values(phi)
