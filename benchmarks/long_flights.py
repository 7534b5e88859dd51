"""Flights of any length for a process of its own: joints swing as sums of sines, the base reacts, sensors have noise.

    python long_flights.py iteration JOINTS DURATION_S RATE_HZ
    python long_flights.py identify JOINTS DURATION_S RATE_HZ

Prints JSON: seconds of a Gauss-Newton iteration; or seconds of `identify`, those of one sweep of the momentum regressor
over the same instants, and the most memory [GB] that the process had taken when the estimate was made.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import measure  # noqa: F401  (before numpy: it holds every library to one thread)
import numpy as np
from bench_kernels import arm, forward, output

import freefloat as ff
from freefloat.dynamics.reaction import base_reaction
from freefloat.dynamics.samples import Samples
from freefloat.estimate.likelihood.finished import stacked
from freefloat.estimate.likelihood.levenberg_marquardt import levenberg_marquardt
from freefloat.estimate.likelihood.likelihood import Likelihood
from freefloat.estimate.likelihood.reading_nodes import MANY
from freefloat.mission.mission_file import Mission
from freefloat.robot.model import Robot

ENCODER_SD, GYRO_SD, GYRO_BIAS = 2.5e-5, 3e-5, 1e-4  # [rad, rad/s, rad/s]
SINES = 8  # of each joint, from 0.02 to 0.5 Hz
ROUNDS = 3
AT_ONCE = 20_000  # instants, so that making a flight takes little memory
SHORT_S = 3.0

MISSION = """\
format: freefloat/mission@1
mission: long flight
robot: robot.yaml
known: {{{known}: {{relative_sd: 0.002}}}}
sensors:
  joints: {{kind: encoder, noise_rad: {encoder_rad}, rate_Hz: {rate_Hz}}}
  gyro: {{kind: gyro, angle_random_walk_deg_per_sqrt_h: {walk}, rate_Hz: {rate_Hz}}}
"""


@dataclass(frozen=True)
class LongFlight:
    """A robot whose joints swing for duration_s, measured rate_Hz times a second; its last body is known."""

    robot: Robot
    duration_s: float
    rate_Hz: float

    @property
    def t(self) -> np.ndarray:
        """Instants of all readings [s]."""
        return np.arange(round(self.duration_s * self.rate_Hz) + 1) / self.rate_Hz

    def states(self) -> Iterator[tuple[slice, Samples]]:
        """The true motion, some instants at a time."""
        rng, shape, t = np.random.default_rng(0), (len(self.robot.joints), SINES), self.t
        frequency, phase = 2.0 * np.pi * rng.uniform(0.02, 0.5, shape), rng.uniform(0.0, 2.0 * np.pi, shape)
        size = 0.5 / np.sqrt(SINES) * rng.normal(size=shape)
        for start in range(0, t.size, AT_ONCE):
            own = slice(start, start + AT_ONCE)
            angle = frequency * t[own, None, None] + phase
            q, dq = (size * np.sin(angle)).sum(axis=2), (size * frequency * np.cos(angle)).sum(axis=2)
            v, w = base_reaction(self.robot, Samples(q=q, dq=dq))
            yield own, Samples(q=q, dq=dq, v=v, w=w)

    def recording(self) -> ff.Recording:
        """Encoders and gyro, without a word on where they come from: nobody knows what was commanded."""
        rng, t, names = np.random.default_rng(1), self.t, self.robot.joint_names
        q, gyro = np.empty((t.size, len(names))), np.empty((t.size, 3))
        for own, states in self.states():
            q[own] = states.q + ENCODER_SD * rng.normal(size=states.q.shape)
            gyro[own] = states.w + GYRO_SD * rng.normal(size=states.w.shape) + GYRO_BIAS
        return ff.Recording([ff.Channel("q", t, q, names, "rad"), ff.Channel("gyro", t, gyro, tuple("xyz"), "rad_s")])

    def shortened(self) -> LongFlight:
        """One that takes the same way through the estimator, for which very many readings are a case of their own."""
        enough = (MANY + 1) / self.rate_Hz if self.t.size > MANY else SHORT_S
        return LongFlight(self.robot, min(enough, self.duration_s), self.rate_Hz)

    def mission(self, folder: Path) -> Mission:
        """What is said of it."""
        walk = np.degrees(GYRO_SD) * 60.0 / np.sqrt(self.rate_Hz)
        fields = {"known": self.robot.bodies[-1].name, "encoder_rad": ENCODER_SD, "walk": walk, "rate_Hz": self.rate_Hz}
        self.robot.save(folder / "robot.yaml")
        (folder / "mission.yaml").write_text(MISSION.format(**fields))
        return ff.load_mission(folder / "mission.yaml")


def identify(flight: LongFlight) -> dict[str, float]:
    """Time and memory of an estimate, and the time of one sweep over the same instants."""
    with tempfile.TemporaryDirectory() as folder:
        mission = flight.mission(Path(folder))
        ff.identify(mission, flight.shortened().recording())  # compiles
        recording = flight.recording()
        start = time.perf_counter()
        ff.identify(mission, recording)
        seconds = time.perf_counter() - start
    return {"seconds": seconds, "memory_GB": most_memory_GB(), "sweep_seconds": sweep(flight)}


def sweep(flight: LongFlight) -> float:
    """Seconds of the momentum regressor over all instants; of each part the shortest of several."""
    K, total = output(flight.robot, AT_ONCE), 0.0
    for _, states in flight.states():
        turns = []
        for _ in range(ROUNDS + 1):  # the first may compile
            start = time.perf_counter()
            forward(flight.robot, states, K[: len(states)])
            turns.append(time.perf_counter() - start)
        total += min(turns)
    return total


def iteration(flight: LongFlight) -> dict[str, float]:
    """Time of a step of the fit: residuals and derivatives, errors of the joints' curves made white, the solution."""
    with tempfile.TemporaryDirectory() as folder:
        likelihood = Likelihood(ff.problem(flight.mission(Path(folder)), flight.recording()))
    first, unknowns = likelihood.start(), likelihood.unknowns
    likelihood.reweigh(first)

    def evaluate(point: np.ndarray, derivatives: bool) -> tuple[np.ndarray, np.ndarray]:
        return stacked(likelihood.rows(point, None if derivatives else 0))

    shortest = np.inf
    for _ in range(ROUNDS):
        start = time.perf_counter()
        fit = levenberg_marquardt(evaluate, first, unknowns.mean, unknowns.information)
        shortest = min(shortest, (time.perf_counter() - start) / fit.iterations)
    return {"seconds": shortest}


def most_memory_GB() -> float:
    """The most that this process has taken so far."""
    taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return taken * (1.0 if sys.platform == "darwin" else 1024.0) / 1e9


def robot_with(joints: int) -> Robot:
    """N1 for its seven joints, else an arm with so many."""
    return ff.study_robot("spirolazzi_n1") if joints == 7 else arm(joints)


if __name__ == "__main__":
    what, joints, duration_s, rate_Hz = sys.argv[1:]
    asked = {"identify": identify, "iteration": iteration}[what]
    print(json.dumps(asked(LongFlight(robot_with(int(joints)), float(duration_s), float(rate_Hz)))))
