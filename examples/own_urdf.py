"""Your own URDF: from a file to a robot whose inertias are measured, on the desk.

Writes into examples_out/own_urdf, or the folder given.
"""

import sys
from pathlib import Path

import freefloat as ff

URDF = """<robot name="cubesat">
  <link name="bus">
    <inertial> <mass value="24"/> <inertia ixx="0.42" iyy="0.40" izz="0.30" ixy="0" ixz="0" iyz="0"/> </inertial>
  </link>
  <joint name="shoulder" type="revolute"> <parent link="bus"/> <child link="boom"/> <origin xyz="0.11 0 0.15"/>
    <axis xyz="0 1 0"/> <limit lower="-1.5" upper="1.5" velocity="0.3" effort="1"/> </joint>
  <link name="boom">
    <inertial> <origin xyz="0.2 0 0"/> <mass value="1.2"/>
      <inertia ixx="0.001" iyy="0.018" izz="0.018" ixy="0" ixz="0" iyz="0"/> </inertial>
  </link>
  <joint name="wrist" type="revolute"> <parent link="boom"/> <child link="load"/> <origin xyz="0.4 0 0"/>
    <axis xyz="1 0 0"/> <limit lower="-2.5" upper="2.5" velocity="0.5" effort="1"/> </joint>
  <link name="load">
    <inertial> <origin xyz="0.05 0.08 0"/> <mass value="3"/>
      <inertia ixx="0.02" iyy="0.015" izz="0.02" ixy="0" ixz="0" iyz="0"/> </inertial>
  </link>
</robot>
"""

MISSION = """
format: freefloat/mission@1
mission: own
robot: cubesat.urdf
known: {load: {relative_sd: 0.002}}     # it was weighed; motion alone never gives kilograms
sensors:
  joints: {kind: encoder, noise_rad: 5.0e-5, rate_Hz: 50}
  gyro: {kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.05, rate_Hz: 50}
excitation: {duration_s: 40, shape: {harmonics: 3}}
"""

out = Path(sys.argv[1] if len(sys.argv) > 1 else "examples_out/own_urdf")
out.mkdir(parents=True, exist_ok=True)
(out / "cubesat.urdf").write_text(URDF)
(out / "own.yaml").write_text(MISSION)

mission = ff.load_mission(out / "own.yaml")
for finding in ff.robot.check_physicality(mission.robot):
    print(finding)
for sentence in ff.advise(mission.robot, known=["load"]).sentences:
    print(sentence)

motion = ff.design(mission, starts=1, shakes=0)
robot = ff.draw_robot(mission, seed=3)  # who really flies: not quite what the URDF says
estimate = ff.identify(mission, ff.simulate(mission, motion, seed=1, robot=robot))
unseen = ff.simulate(mission, ff.random_motion(mission, seed=2), seed=2, robot=robot)
print(ff.validate(mission, estimate, unseen))

truth = estimate.minimal.values(robot.parameters)
for name in ("Ixx_bus", "Iyy_bus", "Izz_bus"):
    place = estimate.names.index(name)
    found, half = estimate.values[place], 1.96 * estimate.sd[place]
    print(f"{name} + …: URDF {estimate.cad[place]:.3f}, found {found:.3f} ± {half:.3f}, true {truth[place]:.3f} kg m²")

ff.export_urdf(estimate, out / "cubesat.urdf", out / "identified.urdf")
print(f"wrote {out / 'identified.urdf'}")
