"""Arms whose gears give way, as MuJoCo flies them and as a robot file has them: `elastic`, measured at the motor.

In MuJoCo a spring hinge about the joint's own axis is between what the encoder reads and what the joint moves
(`World.soft`). The file has stiffness and damping as a data sheet would, the truth is as far from there as a mission
takes for usual.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from strangers.documents import Document, mission_document, robot_document
from strangers.flights import Flyer, Spring, World
from strangers.robots import Stranger
from strangers.truth import Truth, as_modelled, drawn

FREQUENCY_SPREAD = 0.2  # of the frequency with the motor held, as a mission that says nothing takes it
FARTHEST = 2.0  # spreads
DAMPING_RATIO = 0.02
SLOWEST_HZ, FASTEST_HZ = 4.0, 8.0


@dataclass(frozen=True)
class Elastic:
    """A robot with gears that give way. said: springs by name of the joint as its file has them; world: as they are."""

    robot: Stranger
    true: Truth
    said: dict[str, Spring]
    world: World

    @property
    def documents(self) -> tuple[Document, Document]:
        """Robot and mission."""
        robot = robot_document(self.robot)
        for body in robot["bodies"]:  # type: ignore[attr-defined]
            spring = self.said.get(body["joint"]["name"])
            if spring is not None:
                body["joint"]["elastic"] = {
                    "stiffness_Nm_rad": spring.stiffness,
                    "damping_Nms_rad": spring.damping,
                }
        return robot, mission_document(self.robot)


def elastic(robot: Stranger, joints: int, rng: np.random.Generator) -> Elastic:
    """A robot drawn from its prior, so many of its joints elastic."""
    names = [body.joint for body in robot.moving]
    chosen = sorted(rng.choice(len(names), joints, replace=False).tolist())
    soft = {names[k]: Spring(1.0, 0.0) for k in chosen}
    carried = carried_inertias(robot, soft)
    said, real = dict[str, Spring](), dict[str, Spring]()
    for name, inertia in zip(soft, carried, strict=True):
        turns = 2.0 * np.pi * rng.uniform(SLOWEST_HZ, FASTEST_HZ)
        said[name] = Spring(inertia * turns**2, 2.0 * DAMPING_RATIO * inertia * turns)
        off = FREQUENCY_SPREAD * float(np.clip(rng.standard_normal(), -FARTHEST, FARTHEST))
        damped = said[name].damping * float(np.exp(0.3 * rng.standard_normal()))
        real[name] = Spring(said[name].stiffness * (1.0 + off) ** 2, damped)
    return Elastic(robot, drawn(robot, rng), said, World(soft=real))


def carried_inertias(robot: Stranger, soft: dict[str, Spring]) -> np.ndarray:
    """What the joints carry about their axes in the CAD model, all others at zero [kg m^2]."""
    flyer = Flyer(robot, as_modelled(robot), World(soft=soft))
    still = np.zeros(13 + 2 * flyer.swings.size)
    still[3] = 1.0
    own = flyer.free[6:]
    return np.diagonal(flyer.inertia_at(still, np.zeros(flyer.places.size)))[own]
