"""What the noise of many runs costs, against drawing as many normal numbers in one call."""

from __future__ import annotations

import sys

import measure  # before anything numerical
import numpy as np
from measure import Row, shortest_times

from freefloat.sensors.kinds import make_sensor
from freefloat.sensors.sensor import Sensor
from freefloat.sensors.truth import Truth
from freefloat.simulation.simulate import simulate_motion
from freefloat.studies.catalogue import study_robot
from freefloat.studies.printed import printed_motion

RATE_HZ = 3.0


def compare(quick: bool) -> list[Row]:
    truth, rounds = n1_flight(), 3 if quick else 7
    counts = (25, 50) if quick else (1250, 2500)
    rows = [noise_against_philox(truth, runs, rounds) for runs in counts]
    few, many = (row.ours for row in rows)
    linear = f"noisy N1 runs: {counts[1]:,} runs, {counts[0]:,} runs"
    return [*rows, Row(linear, many / counts[1], few / counts[0], "run", 1.3, False)]


def noise_against_philox(truth: Truth, runs: int, rounds: int) -> Row:
    """Encoders and gyro of N1 for many runs into memory, against numpy drawing as many normals."""
    sensors, numbers = n1_sensors(), np.arange(runs)
    size = sum(reading.values.size for sensor in sensors for reading in sensor.measure_batch(truth, 0, numbers))

    def noisy() -> None:
        for sensor in sensors:
            sensor.measure_batch(truth, 0, numbers)

    def philox() -> None:
        np.random.Generator(np.random.Philox(0)).standard_normal(size)

    times = shortest_times({"noisy": noisy, "philox": philox}, rounds)
    what = f"{runs:,} noisy N1 runs, {size:,} normals by Philox"
    return Row(what, times["noisy"], times["philox"], "call", 2.0, False)


def n1_sensors() -> list[Sensor]:
    gyro = {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": 0.01, "bias_deg_per_h": 0.1, "rate_Hz": RATE_HZ}
    return [
        make_sensor("joints", {"kind": "encoder", "noise_rad": 2.5e-5, "rate_Hz": RATE_HZ}),
        make_sensor("gyro", gyro),
    ]


def n1_flight() -> Truth:
    """Spirolazzi's case N1: 150 s at 3 Hz, seven joints, zero momentum."""
    robot = study_robot("spirolazzi_n1")
    motion = printed_motion("spirolazzi_n1", robot)
    t = np.linspace(0.0, motion.duration_s, 1 + round(motion.duration_s * RATE_HZ))
    return Truth.of(robot, simulate_motion(robot, motion, t))


if __name__ == "__main__":
    sys.exit(measure.run("sensors", __doc__, compare))
