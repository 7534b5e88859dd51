"""Arms on the ground, in MuJoCo: random joints and bodies, motors behind gears, friction, quantised encoders.

Nothing here comes from the package that is tried. Joints move along sums of sines; MuJoCo's inverse dynamics say what
would have to act on them, rotors (`armature`) and viscous friction (`damping`) included, and Coulomb friction is
what `qfrc_applied` takes from that: MuJoCo's own `frictionloss` is soft. The sensors read at 1 kHz.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree as xml

import mujoco
import numpy as np
from strangers.documents import Document
from strangers.flights import _weigh, text
from strangers.robots import Body, Mass
from strangers.truth import CannotExist, body_of, spread_of, ten_of

GRAVITY = (0.0, 0.0, -9.81)
RATE_HZ = 1000.0
DURATION_S = 10.0
SPREAD = (0.1, 0.3, 0.3)  # of the CAD model: masses, centres, inertias, as a mission that says nothing takes it
RESOLUTION_RAD = 2.0 * np.pi / 2**17
ZERO_RAD = 1e-3  # of every encoder
TORQUE_NOISE = 0.005  # of each joint's largest torque, one standard deviation
LOAD = "load"
LOAD_AS_IT_IS = Mass(2.8, (0.02, -0.01, 0.08), 0.06)
LOAD_AS_GUESSED = Mass(1.0, (0.0, 0.0, 0.05), 0.05)


@dataclass(frozen=True)
class Arm:
    """An arm as its CAD model has it; the load, if it has one, is the last body."""

    name: str
    bodies: tuple[Body, ...]

    @property
    def joints(self) -> tuple[Body, ...]:
        """Bodies on joints that move."""
        return tuple(body for body in self.bodies if body.kind != "fixed")


@dataclass(frozen=True)
class Drives:
    """Of every joint: Coulomb [N m] and viscous friction [N m s/rad], offset [N m], rotor behind its gear [kg m^2]."""

    coulomb: np.ndarray
    viscous: np.ndarray
    offset: np.ndarray
    rotor: np.ndarray


@dataclass(frozen=True)
class TrueArm:
    """An arm as it is. bodies: the ten numbers of each. zeros: of the encoders [rad].

    redrawn: how often a body was drawn again because it could not exist.
    """

    bodies: dict[str, np.ndarray]
    drives: Drives
    zeros: np.ndarray
    redrawn: int


@dataclass(frozen=True)
class Recorded:
    """What was recorded: instants [s], positions [rad] and torques [N m] of the joints, (n,), (n, joints) each."""

    t: np.ndarray
    q: np.ndarray
    torque: np.ndarray


def arm(seed: int) -> Arm:
    """A random arm of six or seven joints, seven to forty kilogrammes, axes as robots have them and a little off."""
    rng = np.random.Generator(np.random.PCG64([seed, 7]))
    count, size = 6 + seed % 2, rng.uniform(0.7, 1.3)
    bodies, turn = list[Body](), 0.0
    for index in range(count):
        length = size * (0.15, 0.35, 0.05, 0.3, 0.05, 0.1, 0.08)[index]
        mass = size**2 * (4.0, 6.0, 3.0, 3.0, 2.0, 1.5, 0.8)[index] * rng.uniform(0.7, 1.3)
        weighs = Mass(
            mass,
            tuple((np.array([0.0, 0.0, 0.4 * length]) + 0.02 * rng.standard_normal(3)).tolist()),
            rng.uniform(0.4, 0.6) * (length + 0.1),
            tuple(rng.uniform(0.85, 1.15, 3).tolist()),
            tuple(rng.uniform(-0.1, 0.1, 3).tolist()),
        )
        before = 0.0 if index == 0 else size * (0.15, 0.35, 0.05, 0.3, 0.05, 0.1, 0.08)[index - 1]
        turn = 0.0 if index == 0 else (90.0 if index % 2 else -90.0)
        rpy = tuple((np.array([turn, 0.0, 0.0]) + rng.uniform(-3.0, 3.0, 3)).tolist())
        place = tuple((np.array([0.0, 0.0, before]) + 0.02 * rng.standard_normal(3)).tolist())
        parent = bodies[-1].name if bodies else "base"
        bodies.append(Body(f"link{index + 1}", parent, place, rpy, weighs))
    return Arm(f"arm {seed}", tuple(bodies))


def loaded(given: Arm, weighs: Mass) -> Arm:
    """The arm with a load on its flange."""
    load = Body(LOAD, given.bodies[-1].name, (0.0, 0.0, 0.05), (0.0, 0.0, 0.0), weighs, kind="fixed")
    return Arm(given.name, (*given.bodies, load))


def drawn(given: Arm, seed: int, draw: int) -> TrueArm:
    """The arm of a draw, as far from its CAD model as its mission says; the load is as it is.

    Inertias 30 % off are now and then those of no body. Such a body is drawn again, so that the prior of a mission,
    which is normal, is a little wider than what arms are drawn from.
    """
    rng = np.random.Generator(np.random.PCG64([seed, draw, 1]))
    bodies, redrawn = dict[str, np.ndarray](), 0
    for body in given.bodies:
        spread = np.zeros((10, 10)) if body.name == LOAD else spread_of(body.weighs, *SPREAD)
        while body.name not in bodies:
            ten = ten_of(body.weighs) + spread @ rng.standard_normal(10)
            try:
                body_of(ten)
                bodies[body.name] = ten
            except CannotExist:
                redrawn += 1
    size = np.array([25.0, 30.0, 15.0, 12.0, 5.0, 3.0, 2.0])[: len(given.joints)]
    drives = Drives(
        0.1 * size * rng.uniform(0.5, 1.5, size.size),
        0.05 * size * rng.uniform(0.5, 1.5, size.size),
        0.02 * size * rng.standard_normal(size.size),
        0.03 * size * rng.uniform(0.5, 1.5, size.size),
    )
    return TrueArm(bodies, drives, ZERO_RAD * rng.standard_normal(size.size), redrawn)


def deviations(given: Arm, true: TrueArm) -> np.ndarray:
    """How far bodies are from the CAD model in its standard deviations: mass, centre (3), inertia (6), (bodies, 10)."""
    off = [
        np.linalg.solve(spread_of(body.weighs, *SPREAD), true.bodies[body.name] - ten_of(body.weighs))
        for body in given.bodies
    ]
    return np.array(off)


def mjcf(given: Arm, true: TrueArm) -> str:
    """The true arm for MuJoCo, without friction that jumps."""
    root = xml.Element("mujoco", model=given.name)
    xml.SubElement(root, "compiler", angle="radian", boundmass="0", boundinertia="0", balanceinertia="false")
    option = xml.SubElement(root, "option", gravity=text(GRAVITY))
    xml.SubElement(option, "flag", contact="disable", constraint="disable")
    elements = {"base": xml.SubElement(root, "worldbody")}
    joint = 0
    for body in given.bodies:
        placed = {"pos": text(body.xyz), "xyaxes": text([body.rotation[:, 0], body.rotation[:, 1]])}
        elements[body.name] = xml.SubElement(elements[body.parent], "body", name=body.name, **placed)
        if body.kind != "fixed":
            drive = {"armature": text(true.drives.rotor[joint]), "damping": text(true.drives.viscous[joint])}
            axis = text(body.unit_axis)
            xml.SubElement(elements[body.name], "joint", name=body.joint, type="hinge", axis=axis, **drive)
            joint += 1
        _weigh(elements[body.name], body_of(true.bodies[body.name]))
    return xml.tostring(root, encoding="unicode")


def moved(given: Arm, t: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, rates and accelerations of the joints, (n, joints) each: five sines each, up to half a hertz."""
    joints, waves = len(given.joints), np.arange(1, 6)
    w = 2.0 * np.pi * 0.1 * waves
    a, b = rng.standard_normal((2, 5, joints)) * (0.5 / waves)[:, None]
    place = rng.uniform(-1.0, 1.0, joints)
    s, c = np.sin(t[:, None] * w), np.cos(t[:, None] * w)
    return place + s @ a + c @ b, (c * w) @ a - (s * w) @ b, -(s * w**2) @ a - (c * w**2) @ b


def recorded(
    given: Arm,
    true: TrueArm,
    rng: np.random.Generator,
    duration_s: float = DURATION_S,
    rate_hz: float = RATE_HZ,
) -> Recorded:
    """What encoders and torque sensors say of a random motion of the true arm."""
    t = np.arange(round(duration_s * rate_hz) + 1) / rate_hz
    q, dq, ddq = moved(given, t, rng)
    return sensed(true, t, q, torques(given, true, q, dq, ddq), rng)


def torques(given: Arm, true: TrueArm, q: np.ndarray, dq: np.ndarray, ddq: np.ndarray) -> np.ndarray:
    """What motors give for a motion, shape (n, joints) each [N m]."""
    model = mujoco.MjModel.from_xml_string(mjcf(given, true))
    data, torque, drives = mujoco.MjData(model), np.empty_like(q), true.drives
    for k in range(len(q)):
        data.qpos[:], data.qvel[:], data.qacc[:] = q[k], dq[k], ddq[k]
        data.qfrc_applied[:] = -drives.coulomb * np.sign(dq[k]) - drives.offset
        mujoco.mj_inverse(model, data)
        torque[k] = data.qfrc_inverse - data.qfrc_applied
    return torque


def sensed(true: TrueArm, t: np.ndarray, q: np.ndarray, torque: np.ndarray, rng: np.random.Generator) -> Recorded:
    """What encoders and torque sensors say of joints and motors."""
    noise = TORQUE_NOISE * np.abs(torque).max(axis=0) * rng.standard_normal(torque.shape)
    shown = RESOLUTION_RAD * np.round((q + true.zeros) / RESOLUTION_RAD)
    return Recorded(t, shown, torque + noise)


def robot_document(given: Arm) -> Document:
    """The CAD model, which knows nothing of drives."""
    bodies = [
        {
            "name": body.name,
            "parent": body.parent,
            "transform": {"xyz_m": body.xyz, "rpy_deg": body.rpy_deg},
            "joint": {"name": body.joint, "kind": body.kind, "axis": body.unit_axis.tolist()},
            "mass_kg": body.weighs.mass_kg,
            "com_m": body.weighs.com,
            "inertia_kgm2": _entries(body.weighs),
        }
        for body in given.bodies
    ]
    base: Document = {"kind": "fixed", "gravity_m_s2": GRAVITY}
    return {"format": "freefloat/robot@1", "robot": given.name, "base": base, "bodies": bodies}


def _entries(weighs: Mass) -> Document:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = weighs.inertia.tolist()
    return {"xx": xx, "yy": yy, "zz": zz, "xy": xy, "xz": xz, "yz": yz}


def mission_document(given: Arm, robot_file: str) -> Document:
    """Robot, gravity and sensors only."""
    sensors = {
        "joints": {"kind": "encoder", "resolution_rad": RESOLUTION_RAD, "rate_Hz": RATE_HZ},
        "torques": {"kind": "torque", "rate_Hz": RATE_HZ},
    }
    return {"format": "freefloat/mission@1", "mission": given.name, "robot": robot_file, "sensors": sensors}
