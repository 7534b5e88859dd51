"""A mission that is designed in seconds: a small satellite with an arm of two joints."""

import yaml

import freefloat as ff

ROBOT = {
    "format": "freefloat/robot@1",
    "robot": "small",
    "base": {
        "kind": "free",
        "mass_kg": 20,
        "com_m": [0.01, 0.02, -0.01],
        "inertia_kgm2": {"xx": 0.9, "yy": 1.1, "zz": 0.8},
        "wheels": [{"name": "wx", "axis": [1, 0, 0], "spin_inertia_kgm2": 0.002, "max_rate_rad_s": 500}],
        "shape": [{"sphere": {"centre_m": [0, 0, 0], "radius_m": 0.25}}],
    },
    "bodies": [
        {
            "name": "link1",
            "parent": "base",
            "transform": {"xyz_m": [0.3, 0, 0]},
            "joint": {"name": "j1", "kind": "revolute", "axis": [0, 1, 0], "position_deg": [-90, 90], "rate_deg_s": 30},
            "mass_kg": 2,
            "com_m": [0.2, 0.01, 0],
            "inertia_kgm2": {"xx": 0.01, "yy": 0.05, "zz": 0.05},
            "shape": [{"capsule": {"from_m": [0, 0, 0], "to_m": [0.4, 0, 0], "radius_m": 0.04}}],
        },
        {
            "name": "link2",
            "parent": "link1",
            "transform": {"xyz_m": [0.4, 0, 0]},
            "joint": {"name": "j2", "kind": "revolute", "position_deg": [-120, 120], "rate_deg_s": 40},
            "mass_kg": 1.5,
            "com_m": [0.15, 0, 0.02],
            "inertia_kgm2": {"xx": 0.01, "yy": 0.03, "zz": 0.03},
            "shape": [{"capsule": {"from_m": [0, 0, 0], "to_m": [0.3, 0, 0], "radius_m": 0.04}}],
        },
    ],
}
MISSION = {
    "format": "freefloat/mission@1",
    "mission": "small",
    "robot": "robot.yaml",
    "known": {"link2": {"relative_sd": 0.002}},
    "sensors": {
        "joints": {"kind": "encoder", "noise_rad": 2.5e-5, "rate_Hz": 20},
        "gyro": {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": 0.01, "bias_deg_per_h": 0.1, "rate_Hz": 20},
    },
    "excitation": {
        "shape": {"harmonics": 2},
        "duration_s": 20,
        "limits": {"base_attitude_deg": {"roll": [-30, 30], "pitch": [-30, 30], "yaw": [-30, 30]}, "clearance_m": 0.01},
    },
}
SMALL_SENSORS = {**MISSION["sensors"], "star": {"kind": "star-tracker", "noise_arcsec": 10, "rate_Hz": 4}}


def write_small_mission(folder, name="small.yaml", **changes):
    """The mission file in a folder, with other sections where given; its path."""
    (folder / "robot.yaml").write_text(yaml.safe_dump(ROBOT))
    path = folder / name
    path.write_text(yaml.safe_dump({**MISSION, **changes}))
    return path


def small_mission(folder, **changes):
    """The mission itself."""
    return ff.load_mission(write_small_mission(folder, **changes))
