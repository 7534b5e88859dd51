"""The servicer of `freefloat new` in a low orbit: what pulls and turns it there, to the last body.

Inertial axes have their origin where a companion flies on the circular orbit. A body's gravity less that of the
companion is central, not linearised, and acts on every body of the robot at its own centre; what it does to a body
about that centre is the gradient's torque on its own inertia. So positions see the orbit too. A magnet in the base, in
the field of the Earth, which goes round the normal of the orbit, turns the base besides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from strangers.robots import Gyro, Mount, Prior, Stranger, Tracker
from strangers.servicer import ARM, BASE

EARTH_M3_S2 = 3.986004418e14
RADIUS_M = 6378137.0 + 500e3
RATE_RAD_S = float(np.sqrt(EARTH_M3_S2 / RADIUS_M**3))
FIELD_T = 4e-5
SLOW_HZ = np.linspace(0.015, 0.2, 6)  # of joints that carry a load far: one sine in each interval


@dataclass(frozen=True)
class InOrbit:
    """Where the planet is, and the field.

    nadir, normal: unit vectors at right angles in inertial axes: to the planet at time zero, and about which it turns.
    magnet: in base axes [A m^2]. field: in inertial axes at time zero [T]. field_rate: of its turn about the normal, in
    orbital rates: two in an orbit over the poles.
    """

    nadir: np.ndarray
    normal: np.ndarray
    magnet: np.ndarray
    field: np.ndarray
    field_rate: float = 2.0

    def around(self, vector: np.ndarray, angle: float) -> np.ndarray:
        """A vector turned about the normal, shape (3,)."""
        along = (vector @ self.normal) * self.normal
        return along + np.cos(angle) * (vector - along) + np.sin(angle) * np.cross(self.normal, vector)

    def torque_of_magnet(self, base: np.ndarray, t: float) -> np.ndarray:
        """In inertial axes, for an attitude (3, 3) of the base, shape (3,) [N m]."""
        return np.cross(base @ self.magnet, self.around(self.field, self.field_rate * RATE_RAD_S * t))

    def push(self, model: Any, data: Any, t: float) -> np.ndarray:
        """On the base's freedoms in MuJoCo: force in inertial, torque about its origin in its own axes, shape (6,).

        data: as MuJoCo has it for the positions of the moment.
        """
        down = self.around(self.nadir, RATE_RAD_S * t)
        places, masses = data.xipos[1:], model.body_mass[1:]
        there = places - RADIUS_M * down  # from the planet
        pull = -EARTH_M3_S2 * there / (there**2).sum(axis=1, keepdims=True) ** 1.5
        forces = masses[:, None] * (pull - EARTH_M3_S2 / RADIUS_M**2 * down)
        axes = data.ximat[1:].reshape(-1, 3, 3)
        own = np.einsum("bji,j->bi", axes, down)
        turned = 3.0 * RATE_RAD_S**2 * np.cross(own, model.body_inertia[1:] * own)
        base = data.xmat[1].reshape(3, 3)
        torque = np.cross(places - data.xpos[1], forces).sum(axis=0) + np.einsum("bij,bj->i", axes, turned)
        return np.concatenate([forces.sum(axis=0), base.T @ (torque + self.torque_of_magnet(base, t))])


def drawn_orbit(rng: np.random.Generator, torque_Nm: float) -> InOrbit:
    """Any orbit of that height, and a magnet that turns the base by about so much."""
    nadir, normal = np.linalg.qr(rng.standard_normal((3, 3)))[0][:2]
    field, magnet = (vector / np.linalg.norm(vector) for vector in rng.standard_normal((2, 3)))
    across = max(float(np.linalg.norm(np.cross(magnet, field))), 0.3)
    return InOrbit(nadir, normal, torque_Nm / FIELD_T / across * magnet, FIELD_T * field)


# ---------------------------------------------------------------------- the servicer


SERVICER = Stranger(
    "servicer",
    BASE,
    ARM,
    Prior(0.1, 0.1, 0.04),
    {"load": 0.002},
    Gyro(50.0, 0.01, Mount((0.1, -0.1, 0.05), (0, 90, 0))),
    encoder_Hz=50.0,  # of joints that move slowly
    tracker=Tracker(5.0, (5.0, 5.0, 30.0), Mount((0.3, 0.0, 0.0), (0, 90, 0))),
    tumble=0.001,
    fastest=0.14,
)
