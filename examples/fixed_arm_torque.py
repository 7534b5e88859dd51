"""An arm on the ground, weighed by its joint torques, before it flies.

Gravity helps: it pulls at masses, so that nothing known is needed for the scale.
Writes into examples_out/fixed_arm_torque, or the folder given.
"""

import sys
from pathlib import Path

import freefloat as ff

ROBOT = """
format: freefloat/robot@1
robot: arm
base: {kind: fixed, gravity_m_s2: [0, 0, -9.81]}
bodies:
  - {name: turret, parent: base, mass_kg: 3, com_m: [0, 0.01, 0.08], inertia_kgm2: {xx: 0.015, yy: 0.015, zz: 0.01},
     joint: {name: j1, kind: revolute, position_deg: [-160, 160], rate_deg_s: 90, acceleration_deg_s2: 180}}
  - {name: upper, parent: turret, dh: {alpha_deg: -90, d_m: 0.15}, mass_kg: 4, com_m: [0.3, 0, 0.01],
     inertia_kgm2: {xx: 0.008, yy: 0.14, zz: 0.14},
     joint: {name: j2, kind: revolute, position_deg: [-120, 60], rate_deg_s: 90, acceleration_deg_s2: 180}}
  - {name: forearm, parent: upper, dh: {a_m: 0.6}, mass_kg: 3, com_m: [0.25, 0, 0],
     inertia_kgm2: {xx: 0.005, yy: 0.08, zz: 0.08},
     joint: {name: j3, kind: revolute, position_deg: [-130, 130], rate_deg_s: 120, acceleration_deg_s2: 240}}
"""

MISSION = """
format: freefloat/mission@1
mission: bench
robot: arm.yaml
sensors:
  joints: {kind: encoder, noise_rad: 2.5e-5, rate_Hz: 200}
  torques: {kind: torque, noise_Nm: 0.05, rate_Hz: 200}
excitation: {duration_s: 10, shape: {harmonics: 4}, goal: condition-number}
"""

out = Path(sys.argv[1] if len(sys.argv) > 1 else "examples_out/fixed_arm_torque")
out.mkdir(parents=True, exist_ok=True)
(out / "arm.yaml").write_text(ROBOT)
(out / "bench.yaml").write_text(MISSION)

mission = ff.load_mission(out / "bench.yaml")
motion = ff.design(mission, starts=1, shakes=0)
robot = ff.draw_robot(mission, seed=3)  # on the bench stands not quite the arm of the CAD model
recording = ff.simulate(mission, motion, seed=1, robot=robot)

estimate = ff.identify(mission, recording, method="weighted")
physical = ff.identify(mission, recording, method="physically-consistent")
truth = estimate.minimal.values(robot.parameters)
print(f"{'cluster':14}{'CAD':>9}{'weighted':>10}{'95 %':>9}{'physical':>10}{'true':>9}")
for place, name in enumerate(estimate.names):
    found, half = estimate.values[place], 1.96 * estimate.sd[place]
    can_exist = physical.values[physical.names.index(name)]
    print(f"{name:14}{estimate.cad[place]:9.4f}{found:10.4f}{half:9.4f}{can_exist:10.4f}{truth[place]:9.4f}")

written = ff.export_robot(physical, out / "identified.yaml")
faults = ff.robot.check_physicality(ff.load_robot(out / "identified.yaml"))
print(f"wrote {written.paths[0]}; bodies that cannot exist: {len(faults)}")
