"""A momentum plan for the wheels, whatever their arrangement.

The momentum that three orthogonal wheels were planned to have can be given by any wheels that span it; of the
many ways to share it among more than three, the one with the least rates (the pseudo-inverse) is taken.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array
from freefloat.dynamics.momentum_rows import momentum_by_wheel_rates
from freefloat.motion.sampled import Sampled
from freefloat.motion.trajectory import InvalidTrajectory, matrix
from freefloat.robot.model import Robot

_UNREACHED = 1e-9  # of the largest momentum of the plan


def allocate_momentum(robot: Robot, t: ArrayLike, momentum: ArrayLike) -> Sampled:
    """Motion of all wheels that has this momentum relative to the base at each time.

    t: from 0, shape (n,) [s]. momentum: in the base frame, shape (n, 3) [N m s].
    """
    plan = matrix("momentum", momentum, 3)
    rates = wheel_rates(robot, plan)
    trajectory = Sampled.from_rates([wheel.name for wheel in robot.wheels], t, rates, degree=_degree(len(plan)))
    for fault in trajectory.check(robot).faults():
        raise InvalidTrajectory(f"to have this momentum, wheel {fault}")
    return trajectory


def wheel_rates(robot: Robot, momentum: Array) -> Array:
    """Least rates that give this momentum, shape (n, wheels) [rad/s], from (n, 3) [N m s], base frame."""
    if not robot.wheels:
        raise InvalidTrajectory(f"{robot.name} has no wheels; a momentum plan needs some")
    per_rate = momentum_by_wheel_rates(robot)
    rates: Array = momentum @ np.linalg.pinv(per_rate).T
    missing = momentum - rates @ per_rate.T
    sizes = np.linalg.norm(missing, axis=1)
    worst = int(sizes.argmax())
    if sizes[worst] > _UNREACHED * np.linalg.norm(momentum, axis=1).max():
        x, y, z = missing[worst] / sizes[worst]
        raise InvalidTrajectory(
            f"the wheels of {robot.name} cannot have momentum along ({x:.3g}, {y:.3g}, {z:.3g}); "
            f"the plan needs {sizes[worst]:.3g} N m s there"
        )
    return rates


def _degree(samples: int) -> int:
    """Smooth rates where there are samples enough, else straight lines between them."""
    return 4 if samples >= 4 else 2
