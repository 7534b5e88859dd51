"""A CSV file from a lab: its columns, what is wrong with it, and what it says of the robot.

The file is made here, from a simulated flight, in the units that lab computers like. Yours only needs columns named so.
Writes into examples_out/recorded_csv, or the folder given.
"""

import sys
from pathlib import Path

import numpy as np

import freefloat as ff

MISSION = """
format: freefloat/mission@1
mission: lab
robot: servicer.yaml
known: {load: {relative_sd: 0.002}}
identify: {nuisances: {joint_place_m: 1.0e-4, joint_axis_rad: 2.0e-4}}  # the arm was measured after it was built
sensors:                                # what they are; noise decides what counts how much
  joints: {kind: encoder, noise_rad: 2.5e-5, rate_Hz: 50}
  gyro: {kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.01, rate_Hz: 50}
  wheels: {kind: tachometer, noise_rad_s: 0.01, rate_Hz: 50}
"""


def write_csv(path: Path, recording: ff.Recording) -> None:
    """As a lab would: angles in degrees, wheels in revolutions per minute, one line per sample."""
    q, gyro, wheels = recording["q"], recording["gyro"], recording["wheel"]
    names = ["t_s", *(f"q_{joint}_deg" for joint in q.components), *(f"gyro_{axis}_deg_s" for axis in gyro.components)]
    names += [f"wheel_{wheel}_rpm" for wheel in wheels.components]
    table = np.column_stack([q.t, np.degrees(q.values), np.degrees(gyro.values), wheels.values * 30.0 / np.pi])
    np.savetxt(path, table, "%.9g", ",", header=",".join(names), comments="")


out = Path(sys.argv[1] if len(sys.argv) > 1 else "examples_out/recorded_csv")
out.mkdir(parents=True, exist_ok=True)
ff.study_robot("servicer").save(out / "servicer.yaml")
(out / "lab.yaml").write_text(MISSION)
mission = ff.load_mission(out / "lab.yaml")

# What happens in the lab: the arm is told a motion, a computer writes what it measures.
command = ff.random_motion(mission, seed=5)
robot = ff.draw_robot(mission, seed=3)
write_csv(out / "flight.csv", ff.simulate(mission, command, seed=1, robot=robot))

# What you do: read, look, identify. The command helps: joints are taken as that motion, bent by what was measured.
recording = ff.load_recording(out / "flight.csv")
print((out / "flight.csv").read_text().splitlines()[0])
for channel in recording:
    print(f"{channel.name}: {len(channel)} samples at {channel.rate_Hz:.0f} Hz, {len(channel.gaps())} gaps")

estimate = ff.identify(mission, recording, motion=command)
print(f"{estimate.outcome}; residual {estimate.residual.ratio:.2f} times the sensors' noise")
truth = estimate.minimal.values(robot.parameters)  # which a lab does not have
for name in ("Ixx_base", "Iyy_base", "Izz_base"):
    value, sd = estimate.value(name)
    print(f"{name} + …: found {value:.2f} ± {1.96 * sd:.2f}, true {truth[estimate.names.index(name)]:.2f} kg m²")
estimate.save(out / "found.json")
