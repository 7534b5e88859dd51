"""An air-bearing table: a planar base, two joints, a known load, and cameras above that see the base move.

Writes into examples_out/planar_table, or the folder given.
"""

import sys
from pathlib import Path

import freefloat as ff

ROBOT = """
format: freefloat/robot@1
robot: puck
base: {kind: planar, mass_kg: 14, com_m: [0, 0, 0], inertia_kgm2: {xx: 0.2, yy: 0.2, zz: 0.25}}
bodies:
  - {name: upper, parent: base, transform: {xyz_m: [0.15, 0, 0]}, mass_kg: 1.1, com_m: [0.12, 0, 0],
     inertia_kgm2: {xx: 0.001, yy: 0.008, zz: 0.008},
     joint: {name: shoulder, kind: revolute, position_deg: [-100, 100], rate_deg_s: 30, acceleration_deg_s2: 60}}
  - {name: load, parent: upper, transform: {xyz_m: [0.28, 0, 0]}, mass_kg: 2.5, com_m: [0.1, 0, 0],
     inertia_kgm2: {xx: 0.01, yy: 0.02, zz: 0.02},
     joint: {name: elbow, kind: revolute, position_deg: [-120, 120], rate_deg_s: 40, acceleration_deg_s2: 80}}
"""

MISSION = """
format: freefloat/mission@1
mission: table
robot: puck.yaml
known: {load: {relative_sd: 0.002}}
sensors:
  joints: {kind: encoder, noise_rad: 1.0e-4, rate_Hz: 100}
  cameras: {kind: pose, position_noise_m: [2.0e-4, 2.0e-4, 0], attitude_noise_deg: [0, 0, 0.02], rate_Hz: 100}
excitation: {duration_s: 20, shape: {harmonics: 3}, goal: condition-number}
"""

out = Path(sys.argv[1] if len(sys.argv) > 1 else "examples_out/planar_table")
out.mkdir(parents=True, exist_ok=True)
(out / "puck.yaml").write_text(ROBOT)
(out / "table.yaml").write_text(MISSION)

mission = ff.load_mission(out / "table.yaml")
model = ff.models.Momentum(mission.robot, known=["load"])
print(f"motion in a plane shows {len(model.minimal)} clusters: {', '.join(model.minimal.leaders)}")

motion = ff.design(mission, starts=1, shakes=0)
robot = ff.draw_robot(mission, seed=3)
flight = ff.simulate(mission, motion, seed=1, robot=robot)
estimate = ff.identify(mission, flight)
truth = estimate.minimal.values(robot.parameters)
for place, formula in enumerate(estimate.formulas):
    found, half = estimate.values[place], 1.96 * estimate.sd[place]
    print(f"{formula}: CAD {estimate.cad[place]:.4f}, found {found:.4f} ± {half:.4f}, true {truth[place]:.4f}")

unseen = ff.simulate(mission, ff.random_motion(mission, seed=2), seed=2, robot=robot)
print(ff.validate(mission, estimate, unseen))
