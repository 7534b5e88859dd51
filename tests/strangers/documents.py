"""What is written of a stranger: its CAD model in a robot file, its sensors and what is known in a mission file."""

from __future__ import annotations

from strangers.robots import Mass, Mount, Stranger
from strangers.truth import GYRO_BIAS_RAD_S, JOINT_ZERO_M, JOINT_ZERO_RAD, MISALIGNMENT_RAD

Document = dict[str, object]
ROBOT_FILE = "robot.yaml"


def yaml(value: object) -> str:
    """YAML in one line, of mappings, lists, texts and numbers; numbers so that they are read back exactly."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {yaml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(yaml, value)) + "]"
    if isinstance(value, str):
        return f'"{value}"'
    return f"{float(value):.16e}"  # YAML takes 1e-5, without a point, for a text


def file_text(document: Document) -> str:
    """A document with a line for every entry of the outermost mapping."""
    return "".join(f"{key}: {value if key == 'format' else yaml(value)}\n" for key, value in document.items())


def robot_document(robot: Stranger) -> Document:
    """The CAD model."""
    base: Document = {"kind": "free", **_weighs(robot.base)}
    if robot.wheels:
        base["wheels"] = [
            {"name": wheel.name, "axis": wheel.axis, "spin_inertia_kgm2": wheel.spin} for wheel in robot.wheels
        ]
    bodies = [
        {
            "name": body.name,
            "parent": body.parent,
            "transform": {"xyz_m": body.xyz, "rpy_deg": body.rpy_deg},
            "joint": {"name": body.joint, "kind": body.kind, "axis": body.unit_axis.tolist()},
            **_weighs(body.weighs),
        }
        for body in robot.bodies
    ]
    return {"format": "freefloat/robot@1", "robot": robot.name, "base": base, "bodies": bodies}


def _weighs(body: Mass) -> Document:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia.tolist()
    inertia = {"xx": xx, "yy": yy, "zz": zz, "xy": xy, "xz": xz, "yz": yz}
    return {"mass_kg": body.mass_kg, "com_m": body.com, "inertia_kgm2": inertia}


def mission_document(robot: Stranger, trusted: bool = True) -> Document:
    """What the mission says; how clocks differ it does not. trusted: whether the CAD model is a prior."""
    prior = robot.prior
    return {
        "format": "freefloat/mission@1",
        "mission": robot.name,
        "robot": ROBOT_FILE,
        "known": {name: {"relative_sd": spread} for name, spread in robot.known.items()},
        "prior": {"mass": prior.mass, "com": prior.com, "inertia": prior.inertia} if trusted else "none",
        "momentum": "unknown" if robot.tumble else "zero",
        "sensors": _sensors(robot),
        "identify": {
            "nuisances": {
                "gyro_bias_rad_s": GYRO_BIAS_RAD_S,
                "misalignment_rad": MISALIGNMENT_RAD,
                "joint_zero_rad": JOINT_ZERO_RAD,
                "joint_zero_m": JOINT_ZERO_M,
            }
        },
    }


def _sensors(robot: Stranger) -> Document:
    gyro, tracker, camera = robot.gyro, robot.tracker, robot.camera
    encoders = {"noise_rad": robot.encoder_noise, "noise_m": robot.slide_noise, "rate_Hz": robot.encoder_Hz}
    sensors: Document = {
        "joints": {"kind": "encoder", **encoders},
        "gyro": {
            "kind": "gyro",
            "angle_random_walk_deg_per_sqrt_h": gyro.walk,
            "rate_Hz": gyro.rate_Hz,
            "mounting": _placed(gyro.mount),
        },
    }
    if tracker:
        noise = {"noise_arcsec": tracker.noise_arcsec, "rate_Hz": tracker.rate_Hz}
        sensors["tracker"] = {"kind": "star-tracker", **noise, "mounting": _placed(tracker.mount)}
    if camera:
        noise = {"position_noise_m": camera.position_noise_m, "attitude_noise_deg": camera.attitude_noise_deg}
        sensors["camera"] = {
            "kind": "pose",
            **noise,
            "rate_Hz": camera.rate_Hz,
            "mounting": _placed(camera.mount),
        }
    if robot.wheels:
        noise = {"noise_rad_s": robot.tachometer_noise, "rate_Hz": robot.tachometer_Hz}
        sensors["tachometers"] = {"kind": "tachometer", **noise}
    return sensors


def _placed(mount: Mount) -> Document:
    return {"xyz_m": mount.xyz, "rpy_deg": mount.rpy_deg}
