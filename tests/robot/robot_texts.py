"""Robot files as text."""

SERVICER = """\
format: freefloat/robot@1
robot: servicer
base:
  kind: free
  mass_kg: 200
  com_m: [0, 0, 0]
  inertia_kgm2: {xx: 27.33, yy: 16.67, zz: 22.67}
  wheels: [{name: wx, axis: [1, 0, 0], spin_inertia_kgm2: 0.18, max_rate_rad_s: 600}]
bodies:
  - name: link1
    parent: base
    transform: {xyz_m: [0.15, 0.10, 0.5], rpy_deg: [0, 0, 0]}
    dh: {a_m: 0, alpha_deg: 0, d_m: 0.2}
    joint: {name: j1, kind: revolute, position_deg: [-100, 100], rate_deg_s: 8}
    mass_kg: 2.7
    com_m: [0, 0, -0.06]
    inertia_kgm2: {xx: 0.0232, yy: 0.0237, zz: 0.0050}
    shape: [{capsule: {from_m: [0, 0, 0], to_m: [0, 0, 0.2], radius_m: 0.06}}]
  - name: link2
    parent: link1
    dh: {a_m: 0.3, alpha_deg: -90}
    joint: {name: j2, kind: prismatic}
    mass_kg: 1.5
points: {tracker: {body: base, xyz_m: [0.3, 0, 0]}}
"""
