"""Published experiments with everything drawn anew in each run: noise, biases, clocks, zeros, and the CAD model."""

from dataclasses import replace
from functools import cache

import numpy as np
from published_flights import SIMPLE, n1_samples
from scipy.interpolate import CubicSpline

from freefloat.estimate.flight import Flight
from freefloat.estimate.joint_curves import ProjectedCurves
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.experiment.processing.projection import project
from freefloat.experiment.simulate import Start, simulate_motion
from freefloat.motion.fourier import Fourier
from freefloat.regressor.samples import rotations
from freefloat.regressor.selection import select_parameters
from freefloat.regressor.states import base_reaction
from freefloat.robot.parameters import com_of, inertia_about_com, parameters_from_com
from freefloat.studies import published, study_robot

ENCODER_RAD = 2.5e-5


def drawn_cad(robot, rng, zero=(), known=(), spread=None):
    """A CAD model as far off as the prior says, but for what is declared."""
    root = np.linalg.cholesky((spread or CadSpread()).covariance(robot) + 1e-18 * np.eye(robot.parameters.size))
    moved = root @ rng.normal(size=robot.parameters.size)
    moved[select_parameters(robot, (*zero, *known))] = 0.0
    return robot.with_parameters(robot.parameters + moved)


def printed_motion(study):
    """The robot of a study and its printed trajectory."""
    robot, said = study_robot(study), published(study)["trajectory"]
    return robot, Fourier.from_harmonics(robot.joint_names, said["a_rad_s"], said["b_rad_s"], said["duration_s"])


def true_values(problem, robot):
    """Clusters of the robot that flew."""
    phi = np.zeros(robot.parameters.size)
    phi[problem.unknown] = robot.parameters[problem.unknown]
    return problem.minimal.values(phi)


def encoders(motion, robot, t, rng, zeros=0.0):
    """Joint curves from noisy encoders that read too much by `zeros`, and the samples they give."""
    q = motion.samples(robot, t).q + ENCODER_RAD * rng.normal(size=(t.size, len(robot.joints))) + zeros
    fitted = project(motion, t, q, robot.joint_names, noise_sd=ENCODER_RAD)
    return ProjectedCurves(fitted), fitted.motion(t)


# ---------------------------------------------------------------------- Spirolazzi, case study N1

N1_GYRO_RAD_S, N1_BIAS_RAD_S = 1.04e-5, np.radians(0.1) / 3600.0


def n1_flight(rng, robot=None, late_s=0.0, drift=0.0, zeros=0.0, misaligned=(0.0, 0.0, 0.0), bias=N1_BIAS_RAD_S):
    """One run. late_s: how late the gyro is; drift: change of that; zeros: what encoders read too much."""
    robot = robot or study_robot("spirolazzi_n1")
    motion, t = printed_motion("spirolazzi_n1")[1], n1_samples().t
    shown = np.clip(t - late_s - drift * (t - 75.0), 0.0, 150.0)
    _, w = base_reaction(robot, motion.samples(robot, shown))
    read = w - np.cross(misaligned, w) + bias + N1_GYRO_RAD_S * rng.normal(size=w.shape)
    curves, fitted = encoders(motion, robot, t, rng, zeros)
    samples = replace(n1_samples(), q=fitted.position, dq=fitted.rate, ddq=fitted.acceleration, w=read, v=None)
    return Flight(samples, {"w": N1_GYRO_RAD_S}, curves=curves)


def n1_everything_drawn(run):
    """A problem with the CAD model, zeros, misalignment, lag, drift and bias of this run; and the latter by name."""
    rng, robot = np.random.default_rng([run, 41]), study_robot("spirolazzi_n1")
    late, drift = 0.02 * rng.normal(), 1e-4 * rng.normal()
    zeros, misaligned, bias = 1e-3 * rng.normal(size=7), 1e-3 * rng.normal(size=3), N1_BIAS_RAD_S * rng.normal(size=3)
    flight = n1_flight(rng, late_s=late, drift=drift, zeros=zeros, misaligned=misaligned, bias=bias)
    drawn = {"time offset": late, **{f"gyro bias {axis}": value for axis, value in zip("xyz", bias, strict=True)}}
    return Problem(drawn_cad(robot, rng, SIMPLE, ("load",)), (flight,), {"load": 0.0}, SIMPLE), drawn


@cache
def n1_real_arm():
    """N1 as it would really be: every link's centre of mass 3 mm off its axis, products of inertia of 5 %."""
    robot, rng = study_robot("spirolazzi_n1"), np.random.default_rng(3)
    phi = np.array(robot.parameters).reshape(-1, 10)
    for row, name in zip(phi, robot.body_names, strict=True):
        if name in ("base", "load"):
            continue
        inertia, off = inertia_about_com(row), 0.003 * rng.choice([-1.0, 1.0], 3)
        along = int(np.argmax(np.abs(com_of(row))))
        off[along] = 0.0
        sizes = np.sqrt(np.outer(np.diagonal(inertia), np.diagonal(inertia)))
        signs = np.triu(rng.choice([-1.0, 1.0], (3, 3)), 1)
        row[:] = parameters_from_com(row[0], com_of(row) + off, inertia + 0.05 * sizes * (signs + signs.T))
    return robot.with_parameters(phi.ravel())


# ---------------------------------------------------------------------- Christidi-Loumpasefski, Papadopoulos

CHRISTIDI_ZERO = ("*.products", "link1.mx", "link1.my", "link2.my", "link2.mz", "link3.my", "link3.mz")
CHRISTIDI_GYRO_RAD_S, CHRISTIDI_BIAS_RAD_S = 9.2e-6, 1.45e-6
CHRISTIDI_WALK, CHRISTIDI_ACCELEROMETER = 1.667e-5, 9.8e-5
STEP_S = 0.05


@cache
def christidi_truth():
    """Rates, velocities of the tracked point and attitude as functions of time."""
    robot, motion = printed_motion("christidi_servicer")
    initial = np.array([0.2, 0.1, 0.3, 0.93])
    start = Start(initial / np.linalg.norm(initial), rate=[0.01, 0.03, 0.025], velocity=[0.01, -0.02, 0.015])
    t = np.linspace(0.0, 80.0, 6401)
    flown = simulate_motion(robot, motion, t, start, wheel_rates=np.full(3, 50.0 / 0.18))
    arm = robot.point("joint1").xyz
    return CubicSpline(t, flown.w), CubicSpline(t, flown.v + np.cross(flown.w, arm)), CubicSpline(t, flown.attitude)


def christidi_flight(rng, late_s=0.0, zeros=0.0, misaligned=(0.0, 0.0, 0.0), bias=None, span=(0.0, 80.0)):
    """One run: a gyro, an accelerometer integrated to the velocity of a tracked point, encoders; wheels turn evenly."""
    robot, motion = printed_motion("christidi_servicer")
    w_at, v_at, attitude_at = christidi_truth()
    t = np.arange(round(span[0] / STEP_S), round(span[1] / STEP_S) + 1) * STEP_S
    w, R = w_at(t - late_s), rotations(attitude_at(t - late_s))
    read = w - np.cross(misaligned, w) + CHRISTIDI_GYRO_RAD_S * rng.normal(size=w.shape)
    read = read + (CHRISTIDI_BIAS_RAD_S * rng.normal(size=3) if bias is None else bias)
    steps = CHRISTIDI_ACCELEROMETER * STEP_S + CHRISTIDI_WALK * np.sqrt(STEP_S) * rng.normal(size=w.shape)
    walked = np.cumsum((R @ steps[:, :, None])[..., 0], axis=0) - (R[0] @ steps[0])
    arm = robot.point("joint1").xyz
    v = v_at(t - late_s) + (R.swapaxes(1, 2) @ walked[:, :, None])[..., 0] - np.cross(read, arm)
    curves, fitted = encoders(motion, robot, t, rng, zeros)
    spin = np.full((t.size, 3), 50.0 / 0.18)
    samples = replace(
        motion.samples(robot, t),
        q=fitted.position,
        dq=fitted.rate,
        ddq=fitted.acceleration,
        w=read,
        v=v,
        wheel_rates=spin,
        wheel_accelerations=np.zeros_like(spin),
    )
    noise = {"w": CHRISTIDI_GYRO_RAD_S, "v": 0.0}
    return Flight(samples, noise, {"v": CHRISTIDI_WALK}, "unknown", curves, velocity_point=arm)


def christidi_everything_drawn(run):
    """A problem with the CAD model, zeros, misalignment, lag and biases of this run; lag and gyro bias by name."""
    rng, robot = np.random.default_rng([run, 43]), study_robot("christidi_servicer")
    late, bias = 0.005 * rng.normal(), CHRISTIDI_BIAS_RAD_S * rng.normal(size=3)
    zeros, misaligned = 1e-3 * rng.normal(size=3), 1e-3 * rng.normal(size=3)
    flight = christidi_flight(rng, late, zeros, misaligned, bias, span=(1.0, 79.0))
    drawn = {"time offset": late, **{f"gyro bias {axis}": value for axis, value in zip("xyz", bias, strict=True)}}
    return Problem(drawn_cad(robot, rng, CHRISTIDI_ZERO), (flight,), zero=CHRISTIDI_ZERO), drawn
