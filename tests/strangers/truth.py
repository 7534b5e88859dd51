"""The true robot of a seed, drawn from just the prior that its mission states, and the errors of its sensors.

A body's ten numbers are m, m c (3) and the inertia about its frame's origin (xx, xy, yy, xz, yz, zz). The prior is
normal in these: mass, centre and inertia about the centre err independently, and what follows for the ten is linearised
at the CAD model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from strangers.robots import Body, Mass, Stranger, Wheel

NAMES = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
ENTRIES = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))  # of the inertia matrix, as `NAMES` has them

# Standard deviations that every mission states of its sensors' errors.
GYRO_BIAS_RAD_S = 1e-3
MISALIGNMENT_RAD = 1e-3
JOINT_ZERO_RAD = 1e-3
JOINT_ZERO_M = 1e-3
LENGTH_M = 5e-4  # of where a joint sits in its parent, along each axis
TILT_RAD = 1e-3  # of its axis, about each axis across it


class CannotExist(Exception):
    """A body that no distribution of mass has."""


@dataclass(frozen=True)
class BodyTruth:
    """What MuJoCo needs of a body: mass, centre [m] and the inertia matrix about it [kg m^2]."""

    mass_kg: float
    com: np.ndarray
    inertia: np.ndarray


@dataclass(frozen=True)
class Truth:
    """A true robot and its sensors' errors, the same in all flights of a seed.

    bodies: the ten numbers by name of the body, `base` first. zeros: of the encoders, in the order of the joints that
    move [rad or m]. misalignment: rotation vector of the gyro against its mount [rad]. redrawn: how often a body was
    drawn again because it could not exist.
    """

    bodies: dict[str, np.ndarray]
    zeros: np.ndarray
    misalignment: np.ndarray
    redrawn: int


def about_frame(inertia: np.ndarray, mass: float, com: np.ndarray) -> np.ndarray:
    """Inertia about the frame's origin from that about the centre (Huygens and Steiner), shape (3, 3)."""
    return inertia + mass * ((com @ com) * np.eye(3) - np.outer(com, com))


def ten_of(body: Mass) -> np.ndarray:
    """The ten numbers of the CAD model's body, shape (10,)."""
    return _ten(body.mass_kg, np.array(body.com), body.inertia)


def _ten(mass: float, com: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    whole = about_frame(inertia, mass, com)
    return np.array([mass, *(mass * com), *(whole[entry] for entry in ENTRIES)])


def wheel_inertia(wheel: Wheel) -> np.ndarray:
    """About its own centre, base axes, the same however it is turned, shape (3, 3)."""
    along = np.outer(wheel.axis, wheel.axis)
    return wheel.spin * along + wheel.across * (np.eye(3) - along)


def body_of(ten: np.ndarray) -> BodyTruth:
    """Mass, centre and inertia about it; refused unless a distribution of mass has them."""
    mass, com = ten[0], ten[1:4] / ten[0]
    whole = np.zeros((3, 3))
    for (row, column), value in zip(ENTRIES, ten[4:], strict=True):
        whole[row, column] = whole[column, row] = value
    inertia = whole - mass * ((com @ com) * np.eye(3) - np.outer(com, com))
    moments = np.linalg.eigvalsh(inertia)
    if not (mass > 0.0 and moments[0] > 0.0 and moments[0] + moments[1] > moments[2]):
        raise CannotExist(f"mass {mass:.4g} kg, moments {moments} kg m^2")
    return BodyTruth(float(mass), com, inertia)


def spread_of(body: Mass, mass: float, com: float, inertia: float) -> np.ndarray:
    """Change of the ten numbers by one standard deviation of mass, centre (3) and inertia (6), shape (10, 10)."""
    m, c = body.mass_kg, np.array(body.com)
    columns = np.zeros((10, 10))
    heavier = about_frame(np.zeros((3, 3)), 1.0, c)
    columns[:, 0] = mass * m * np.array([1.0, *c, *(heavier[entry] for entry in ENTRIES)])
    for axis, e in enumerate(np.eye(3)):
        moved = m * (2.0 * (c @ e) * np.eye(3) - np.outer(c, e) - np.outer(e, c))
        columns[:, 1 + axis] = com * body.radius * np.array([0.0, *(m * e), *(moved[entry] for entry in ENTRIES)])
    columns[4:, 4:] = inertia * np.trace(body.inertia) / 3.0 * np.eye(6)
    return columns


def as_modelled(robot: Stranger) -> Truth:
    """The CAD model itself, with sensors that do not err."""
    named = {"base": robot.base, **{body.name: body.weighs for body in robot.bodies}}
    return Truth({name: ten_of(body) for name, body in named.items()}, np.zeros(len(robot.moving)), np.zeros(3), 0)


def bent(robot: Stranger, rng: np.random.Generator) -> Stranger:
    """The robot as it was built: frames of joints that move a little elsewhere, axes a little tilted."""

    def built(body: Body) -> Body:
        shift, tilt = LENGTH_M * rng.standard_normal(3), TILT_RAD * rng.standard_normal(3)
        if body.kind == "fixed":
            return body
        tilt -= (tilt @ body.unit_axis) * body.unit_axis  # about the axis itself it is the joint's zero
        return replace(body, xyz=tuple(np.array(body.xyz) + shift), turn=tuple(np.array(body.turn) + tilt))

    return replace(robot, bodies=tuple(built(body) for body in robot.bodies))


def drawn(robot: Stranger, rng: np.random.Generator, times: float = 1.0) -> Truth:
    """A robot as far from its CAD model as its mission says, or so many times as far in what is not known."""
    bodies, redrawn = dict[str, np.ndarray](), 0
    spinning = (_ten(wheel.mass_kg, np.array(wheel.place), wheel_inertia(wheel)) for wheel in robot.wheels)
    wheels = sum(spinning, np.zeros(10))
    for name, body in (("base", robot.base), *((each.name, each.weighs) for each in robot.bodies)):
        prior, known = robot.prior, robot.known.get(name)
        spreads = times * prior.mass, times * prior.com, times * prior.inertia
        spread = spread_of(body, *(spreads if known is None else (known,) * 3))
        while name not in bodies:
            ten = ten_of(body) + spread @ rng.standard_normal(10)
            try:
                body_of(ten)
                body_of(ten - wheels if name == "base" else ten)  # the base less its wheels, too
                bodies[name] = ten
            except CannotExist:
                redrawn += 1
    slides = np.array([body.kind == "prismatic" for body in robot.moving])
    zeros = np.where(slides, JOINT_ZERO_M, JOINT_ZERO_RAD) * rng.standard_normal(slides.size)
    return Truth(bodies, zeros, MISALIGNMENT_RAD * rng.standard_normal(3), redrawn)
