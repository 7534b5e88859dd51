"""The experiment with the servicer: the printed motion flown from the printed start, read by the printed sensors.

O.-O. Christidi-Loumpasefski, E. Papadopoulos, "On the parameter identification of free-flying space manipulator
systems", Robotics and Autonomous Systems, 2022, Sections 3.5 and 4. A gyro, an accelerometer integrated to the
velocity of joint 1, and encoders; wheels turn at constant rates. What the article does not say of its sensors is
`noise: assumed` in `christidi_servicer_published.yaml`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicSpline

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.total_momentum import TotalMomentum
from freefloat.estimate.flight import Flight
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.motion.fourier import Fourier
from freefloat.robot.model import Robot
from freefloat.robot.rotations import rotations
from freefloat.simulation.simulate import Start, simulate_motion
from freefloat.studies.catalogue import published
from freefloat.studies.christidi.clusters import ZERO, ServicerClusters
from freefloat.studies.printed import printed_motion
from freefloat.studies.simulated import ON_PAPER, built_anew, joint_curves, read_angles, read_gyro

STUDY = "christidi_servicer"
_NOISE = published(STUDY)["noise"]
STEP_S = float(_NOISE["step_s"])
GYRO_RAD_S = float(_NOISE["assumed"]["gyro_white_rad_s"])
BIAS_RAD_S = float(_NOISE["assumed"]["gyro_bias_rad_s"])
WALK_M_S = float(_NOISE["assumed"]["velocity_random_walk_m_s_per_sqrt_s"])
ACCELEROMETER_M_S2 = float(_NOISE["assumed"]["accelerometer_bias_m_s2"])
VELOCITY_M_S = (0.01, -0.02, 0.015)  # OURS: of the base at the start; the article does not say
_FINER = 4  # steps of the simulation in one of the sensors', for what they read in between


@dataclass(frozen=True, eq=False)
class ServicerReadings:
    """What the sensors say, at times t (n,) [s].

    q: encoders, shape (n, joints) [rad]. w: gyro, base axes, shape (n, 3) [rad/s].
    v: velocity of the base's origin, base axes, taken there from joint 1 by the gyro's rates, shape (n, 3) [m/s].
    """

    t: Array
    q: Array
    w: Array
    v: Array


@dataclass(frozen=True, eq=False)
class Servicer:
    """The experiment. robot: the one that flies, like `christidi_servicer`."""

    robot: Robot

    @cached_property
    def clusters(self) -> ServicerClusters:
        """What is to be identified; true values."""
        return ServicerClusters(self.robot)

    @cached_property
    def motion(self) -> Fourier:
        """Table 2."""
        return printed_motion(STUDY, self.robot)

    @cached_property
    def start(self) -> Start:
        """Table 3."""
        said = published(STUDY)["initial"]
        return Start(np.array(said["quaternion"]), rate=said["angular_rate_rad_s"], velocity=np.array(VELOCITY_M_S))

    @cached_property
    def wheel_rates(self) -> Array:
        """Constant rates that give the wheels their printed momentum, shape (3,) [rad/s]."""
        return np.divide(published(STUDY)["initial"]["wheel_momentum_Nms"], self.robot.wheel_inertias)

    @cached_property
    def exact(self) -> Samples:
        """The flight without noise at the sensors' times, 1601 samples."""
        return self._fine[::_FINER]

    @cached_property
    def _fine(self) -> Samples:
        intervals = _FINER * round(self.motion.duration_s / STEP_S)
        t = np.linspace(0.0, self.motion.duration_s, intervals + 1)
        return simulate_motion(self.robot, self.motion, t, self.start, wheel_rates=self.wheel_rates)

    @cached_property
    def _between(self) -> tuple[CubicSpline, CubicSpline, CubicSpline]:
        """Rates, velocity of joint 1 and attitude as functions of time."""
        w, v = self._fine.need("w", "readings"), self._fine.need("v", "readings")
        curves = w, v + np.cross(w, self._joint1), self._fine.need("attitude", "readings")
        first, second, third = (CubicSpline(self._fine.t, values) for values in curves)
        return first, second, third

    @property
    def _joint1(self) -> Array:
        return self.robot.point("joint1").xyz

    # ------------------------------------------------------------------ one run

    def readings(
        self,
        rng: np.random.Generator,
        late_s: float = 0.0,
        zeros: float | Array = 0.0,
        misaligned: Array | None = None,
        bias: Array | None = None,
        accelerometer: Array | None = None,
        span: tuple[float, float] = (0.0, 80.0),
    ) -> ServicerReadings:
        """One run.

        late_s: how late gyro and velocity are stamped. zeros: what encoders read too much, one number or (joints,)
        [rad]. misaligned: rotation of the gyro (3,) [rad]. bias: of the gyro, drawn unless given, (3,) [rad/s].
        accelerometer: its bias, constant as assumed unless given, (3,) or (n, 3) [m/s^2].
        span: first and last time that was recorded [s].
        """
        w_at, v_at, attitude_at = self._between
        t = STEP_S * np.arange(round(span[0] / STEP_S), round(span[1] / STEP_S) + 1, dtype=np.float64)
        w, R = w_at(t - late_s), rotations(attitude_at(t - late_s))
        read = read_gyro(w, GYRO_RAD_S, rng, misaligned)
        read = read + (BIAS_RAD_S * rng.normal(size=3) if bias is None else bias)
        off = ACCELEROMETER_M_S2 if accelerometer is None else accelerometer
        steps = off * STEP_S + WALK_M_S * np.sqrt(STEP_S) * rng.normal(size=w.shape)
        walked = np.cumsum((R @ steps[:, :, None])[..., 0], axis=0) - (R[0] @ steps[0])
        v = v_at(t - late_s) + (R.swapaxes(1, 2) @ walked[:, :, None])[..., 0] - np.cross(read, self._joint1)
        return ServicerReadings(t, read_angles(self.motion.samples(self.robot, t).q, rng, zeros), read, v)

    def flight(self, readings: ServicerReadings) -> Flight:
        """A run as our default reads it: joints projected on their command, total momentum unknown."""
        t = readings.t
        curves, fitted = joint_curves(self.motion, self.robot, t, readings.q)
        spin = np.tile(self.wheel_rates, (t.size, 1))
        samples = Samples(
            q=fitted.position,
            dq=fitted.rate,
            ddq=fitted.acceleration,
            v=readings.v,
            w=readings.w,
            wheel_rates=spin,
            wheel_accelerations=np.zeros_like(spin),
            t=t,
        )
        noise, walks = {"w": np.full(3, GYRO_RAD_S), "v": np.zeros(3)}, {"v": np.full(3, WALK_M_S)}
        return Flight(samples, noise, walks, TotalMomentum.unknown(), curves, velocity_point=self._joint1)

    def drawn(self, run: int) -> tuple[Problem, ServicerReadings]:
        """One run with a CAD model as far off as the prior says, and what the sensors read in it."""
        rng = np.random.default_rng([run, 53])
        cad = CadSpread().drawn(self.robot, rng, ZERO)
        readings = self.readings(rng)
        return Problem(cad, (self.flight(readings),), zero=ZERO, nuisances=ON_PAPER), readings

    def everything_drawn(self, run: int, on_paper: bool = True) -> tuple[Problem, dict[str, float]]:
        """One run in which CAD model, zeros, misalignment, lag and biases are drawn; lag and gyro bias by name.

        on_paper: whether geometry is just as printed; else it is drawn too, and estimated along.
        """
        flown, nuisances = (self, ON_PAPER) if on_paper else (Servicer(built_anew(self.robot, run)), Nuisances())
        rng = np.random.default_rng([run, 43])
        late, bias = 0.005 * rng.normal(), BIAS_RAD_S * rng.normal(size=3)
        zeros, misaligned = 1e-3 * rng.normal(size=len(self.robot.joints)), 1e-3 * rng.normal(size=3)
        flight = self.flight(flown.readings(rng, late, zeros, misaligned, bias, span=(1.0, 79.0)))
        drawn = {"time offset": late, **{f"gyro bias {axis}": value for axis, value in zip("xyz", bias, strict=True)}}
        return Problem(CadSpread().drawn(self.robot, rng, ZERO), (flight,), zero=ZERO, nuisances=nuisances), drawn
