"""A small robot that stands on one foot, for tests: root in the trunk, a leg of two joints, an arm of three."""

from pathlib import Path

ROBOT = """\
format: freefloat/robot@1
robot: stander
base:
  mass_kg: 6
  com_m: [0.01, 0, 0.1]
  inertia_kgm2: {xx: 0.12, yy: 0.1, zz: 0.06, xy: 0.002, xz: -0.003, yz: 0.001}
  shape:
    - capsule: {from_m: [0, 0, 0], to_m: [0, 0, 0.25], radius_m: 0.08}
bodies:
  - name: thigh
    parent: base
    transform: {xyz_m: [0, 0, -0.05]}
    joint: {name: hip, kind: revolute, axis: [0, 1, 0], position_deg: [-25, 25], rate_deg_s: 60,
            acceleration_deg_s2: 200, torque_Nm: 80}
    mass_kg: 2.5
    com_m: [0.01, 0.005, -0.14]
    inertia_kgm2: {xx: 0.02, yy: 0.021, zz: 0.005, xy: 2e-4, xz: 3e-4, yz: -1e-4}
    shape:
      - capsule: {from_m: [0, 0, -0.05], to_m: [0, 0, -0.25], radius_m: 0.05}
  - name: foot
    parent: thigh
    transform: {xyz_m: [0, 0, -0.3]}
    joint: {name: ankle, kind: revolute, axis: [1, 0, 0], position_deg: [-20, 20], rate_deg_s: 60,
            acceleration_deg_s2: 200, torque_Nm: 80}
    mass_kg: 1.2
    com_m: [0.03, 0, -0.03]
    inertia_kgm2: {xx: 0.002, yy: 0.004, zz: 0.005}
    shape:
      - sphere: {centre_m: [0.02, 0, -0.03], radius_m: 0.05}
  - name: upper_arm
    parent: base
    transform: {xyz_m: [0, -0.14, 0.22]}
    joint: {name: shoulder, kind: revolute, axis: [0, 1, 0], position_deg: [-100, 60], rate_deg_s: 120,
            acceleration_deg_s2: 500, torque_Nm: 25}
    mass_kg: 1.1
    com_m: [0.005, -0.01, -0.1]
    inertia_kgm2: {xx: 0.006, yy: 0.006, zz: 0.001, xy: 1e-4, xz: -2e-4, yz: 1e-4}
    shape:
      - capsule: {from_m: [0, 0, 0], to_m: [0, 0, -0.2], radius_m: 0.04}
  - name: forearm
    parent: upper_arm
    transform: {xyz_m: [0, 0, -0.22]}
    joint: {name: elbow, kind: revolute, axis: [1, 0.3, 0], position_deg: [-90, 30], rate_deg_s: 120,
            acceleration_deg_s2: 500, torque_Nm: 15}
    mass_kg: 0.8
    com_m: [0.01, 0.004, -0.09]
    inertia_kgm2: {xx: 0.004, yy: 0.0042, zz: 0.0008, xy: 1e-4, xz: 1e-4, yz: -1e-4}
    shape:
      - capsule: {from_m: [0, 0, -0.03], to_m: [0, 0, -0.18], radius_m: 0.035}
"""

MISSION = """\
format: freefloat/mission@1
mission: stander
robot: stander.yaml
stance:
  body: foot
  gravity_m_s2: [0, 0, -9.81]
sensors:
  joints: {kind: encoder, noise_rad: 2e-5, rate_Hz: 100}
  ground: {kind: wrench, noise_N: 0.5, noise_Nm: 0.05, rate_Hz: 100}
excitation:
  duration_s: 8
  shape: {harmonics: 3}
  goal: condition-number
  limits:
    support_polygon_m: [[0.1, 0.05, -0.07], [0.1, -0.05, -0.07], [-0.06, -0.05, -0.07], [-0.06, 0.05, -0.07]]
    zero_moment_point_inside_m: 0.005
    clearance_m: 0.01
"""


def write_standing_mission(folder, text=MISSION):
    """The mission and its robot in a folder; the path of the mission."""
    folder = Path(folder)
    (folder / "stander.yaml").write_text(ROBOT)
    path = folder / "mission.yaml"
    path.write_text(text)
    return path
