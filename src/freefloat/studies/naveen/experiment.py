"""The experiment of Naveen, Shah and Misra: cycloidal intervals at zero momentum, noise as printed.

B. Naveen, S. V. Shah, A. K. Misra, "Momentum model-based minimal parameter identification of a space robot", Journal
of Guidance, Control, and Dynamics, 2019, section VI. Which intervals are flown is not printed, nor is the sampling
step: the 67 intervals are ours, found to have the printed condition number, and so is the step.

Only rates are measured, those of the joints among them (appendix C). Its authors add up noisy joint rates in Euler
steps from a known start (eq. 47); we hand readings of a joint-rate sensor to the signal processing of all missions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.data.processing.process import process
from freefloat.data.processing.processed import ProcessSettings
from freefloat.dynamics.samples import Samples
from freefloat.estimate.estimate import Estimate
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.flight import Flight
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.estimate.recorded_flight import recorded_flight
from freefloat.motion.cycloid import Cycloid, direction_combinations
from freefloat.motion.trajectory import Trajectory
from freefloat.robot.model import Robot
from freefloat.sensors.kinds import make_sensor
from freefloat.sensors.sensor import Sensor
from freefloat.sensors.truth import Truth
from freefloat.simulation.recorded import record
from freefloat.simulation.simulate import Start, simulate_motion
from freefloat.studies.catalogue import published
from freefloat.studies.simulated import reacting, white_gyro

STUDY, GUESS = "naveen_dual_arm", "naveen_dual_arm_offset"
DURATION_S = 67.0
STEP_S = 0.01  # OURS: the article prints none
_EXACT_RAD_S = 1e-6  # noise of wheel rates, which turn at up to 19 rad/s


def channels(robot: Robot) -> tuple[str, ...]:
    """Names of the six joints, then of the three wheels."""
    return (*robot.joint_names, *(wheel.name for wheel in robot.wheels))


def published_seeds() -> Array:
    """Starts and ranges of joints (Table 3), then of wheels (section VI.B), shape (2, 9) [rad]."""
    excitation = published(STUDY)["excitation"]
    joints, wheels = excitation["joints"], excitation["wheels"]
    start = [*np.radians(joints["start_deg"]), *[wheels["start_rad"]] * 3]
    return np.array([start, [*np.radians(joints["range_deg"]), *[wheels["range_rad"]] * 3]])


def peak_rates() -> Array:
    """Of joints, then wheels, in the middle of an interval, shape (9,) [rad/s]."""
    return 2.0 * published_seeds()[1] / float(published(STUDY)["excitation"]["interval_s"])


def surrogate_intervals() -> NDArray[np.int64]:
    """Numbers of the 67 combinations of directions that stand for the unprinted ones."""
    return np.array(published(STUDY)["excitation"]["surrogate_intervals"])


def intervals_motion(robot: Robot, intervals: NDArray[np.int64] | None = None) -> Cycloid:
    """Intervals one after the other with the published seeds.

    intervals: numbers of combinations of directions; the 67 that stand for the unprinted ones unless given.
    """
    names, (start, reach) = channels(robot), published_seeds()
    directions = direction_combinations(len(names))[surrogate_intervals() if intervals is None else intervals]
    return Cycloid.from_seeds(names, start, reach, directions, published(STUDY)["excitation"]["interval_s"])


def printed_noise() -> dict[str, float]:
    """Standard deviations per sample of velocity and angular rate of the base and of joint rates [SI]."""
    noise = published(STUDY)["noise"]
    return {"v": noise["velocity_m_s"], "w": noise["angular_rate_rad_s"], "dq": noise["joint_rate_rad_s"]}


@dataclass(frozen=True, eq=False)
class Recordings:
    """Recordings of one motion, each with noise of its own.

    truth: the robot that flies. guess: what its authors assume beforehand, the CAD model.
    """

    truth: Robot
    guess: Robot
    motion: Trajectory
    step_s: float = STEP_S

    @cached_property
    def exact(self) -> Samples:
        """Without noise; total momentum is zero."""
        t = np.arange(round(self.motion.duration_s / self.step_s)) * self.step_s
        return reacting(self.truth, self.motion.samples(self.truth, t))

    def problem(self, run: int | None, prior: CadSpread | None = None) -> Problem:
        """What is to be estimated from one recording if joint angles were known; exact if no run is given.

        prior: of the guess, which is up to 120 % off; none unless given.
        """
        return self._posed(_sampled(self._samples(run)), prior)

    def integrated(self, run: int | None) -> Problem:
        """The same with joint angles as in eq. 47: Euler steps of the measured rates from the known start."""
        samples = self._samples(run)
        q = np.array(self.exact.q)
        q[1:] = q[0] + self.step_s * np.cumsum(samples.need("dq", "joint angles")[:-1], axis=0)
        return self._posed(_sampled(replace(samples, q=q)))

    def measured(self, run: int) -> Problem:
        """What is to be estimated from what sensors recorded: gyro, velocity, joint rates and wheel rates."""
        recording = record(self.sensors, self._flown, 0, run)
        start = dict(zip(self.truth.joint_names, self.exact.q[0].tolist(), strict=True))
        settings = ProcessSettings(start_positions=start, seek_delay=False)
        processed = process(recording, self.guess, None, None, settings, self.sensors)
        return self._posed(recorded_flight(recording, self.guess, processed, self.sensors, settings))

    @cached_property
    def sensors(self) -> tuple[Sensor, ...]:
        """Those of appendix C with the printed noise, and a tachometer for the wheels, whose rates are known."""
        noise, rate_Hz = printed_noise(), 1.0 / self.step_s
        said = {
            "velocity": {"kind": "velocity", "axes": "body", "noise_m_s": noise["v"]},
            "joints": {"kind": "joint-rate", "noise_rad_s": noise["dq"]},
            "wheels": {"kind": "tachometer", "noise_rad_s": _EXACT_RAD_S},
        }
        others = (make_sensor(name, {**each, "rate_Hz": rate_Hz}) for name, each in said.items())
        return white_gyro(noise["w"], rate_Hz), *others

    @cached_property
    def _flown(self) -> Truth:
        t = np.arange(round(self.motion.duration_s / self.step_s) + 1) * self.step_s
        return Truth.of(self.truth, simulate_motion(self.truth, self.motion, t, Start()))

    def _samples(self, run: int | None) -> Samples:
        return self.exact if run is None else _noisy(self.exact, printed_noise(), np.random.default_rng(run))

    def _posed(self, flight: Flight, prior: CadSpread | None = None) -> Problem:
        return Problem(self.guess, (flight,), prior=prior, nuisances=Nuisances.none(), models=("momentum",))

    def errors(self, estimate: Estimate) -> Array:
        """Relative errors of the clusters, shape (52,)."""
        return np.asarray(np.abs(estimate.values / estimate.minimal.values(self.truth.parameters) - 1.0))

    def worst_errors(self, estimator: Estimator, runs: int) -> Array:
        """The largest relative error of a cluster in each run, shape (runs,)."""
        return np.array([self.errors(estimator.estimate(self.problem(run))).max() for run in range(runs)])


def _sampled(samples: Samples) -> Flight:
    """Samples as a flight, with the printed noise."""
    noise = printed_noise()
    widths = {name: samples.need(name, "noise").shape[1] for name in noise}
    return Flight(samples, {name: np.full(widths[name], sd) for name, sd in noise.items()})


def _noisy(exact: Samples, noise: dict[str, float], rng: np.random.Generator) -> Samples:
    read = {}
    for name, sd in noise.items():
        values = exact.need(name, "noise")
        read[name] = values + sd * rng.normal(size=values.shape)
    return replace(exact, **read)
