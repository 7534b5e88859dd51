"""A mission that is flown and identified in milliseconds: a satellite with one joint, ten seconds at 4 Hz."""

import yaml
from excitation.small_mission import MISSION, ROBOT

import freefloat as ff

TINY_ROBOT = {**ROBOT, "robot": "tiny", "bodies": ROBOT["bodies"][:1]}
LIMITS = {name: limit for name, limit in MISSION["excitation"]["limits"].items() if name != "clearance_m"}
TINY = {
    **MISSION,
    "mission": "tiny",
    "excitation": {**MISSION["excitation"], "limits": LIMITS},  # one joint leaves no clearance to check
    "known": {"link1.m": {"relative_sd": 0.01}},
    "sensors": {
        "joints": {"kind": "encoder", "noise_rad": 2.5e-5, "rate_Hz": 4},
        "gyro": {"kind": "gyro", "angle_random_walk_deg_per_sqrt_h": 0.01, "bias_deg_per_h": 0.1, "rate_Hz": 4},
    },
    "trajectory": {
        "format": "freefloat/trajectory@1",
        "kind": "fourier",
        "channels": ["j1"],
        "duration_s": 10.0,
        "coefficients": [[0.3], [-0.2], [0.1], [0.2]],
    },
}
METHODS = ("least-squares", "maximum-likelihood")


def write_tiny_mission(folder, name="tiny.yaml", **changes):
    """The mission file in a folder, with other sections where given; its path."""
    (folder / "robot.yaml").write_text(yaml.safe_dump(TINY_ROBOT))
    path = folder / name
    path.write_text(yaml.safe_dump({**TINY, **changes}))
    return path


def tiny_mission(folder, **changes):
    """The mission itself."""
    return ff.load_mission(write_tiny_mission(folder, **changes))
