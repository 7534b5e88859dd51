"""How a robot with passive joints swings when nothing drives it: system modes about rest.

With the base free to give way (total momentum stays zero) the passive joints p feel the inertia

    M_e = M_pp - M_pb M_bb^-1 M_bp,        K u = (2 pi f)^2 M_e u,

which is less than M_pp: a panel swings faster on a base that floats than on one that is held. A mode u has the
damping ratio u^T D u / (4 pi f u^T M_e u): exact where damping goes with stiffness or inertia, else up to the square of
the ratio. The base moves by -M_bb^-1 M_bp u.

Once the shift of the base is eliminated (M becomes J of turning, L between turning and joints, P of joints), a mode
has the coupling inertia

    |L u|^2 / (u^T P u),

by which what a slow torque about L u has to turn exceeds what a fast one has to: of the robot's inertia, the part that
stays behind above the mode's frequency. For one appendage that is the effective modal inertia of flexible spacecraft:
P. W. Likins, "Dynamics and control of flexible space vehicles", JPL TR 32-1329, 1970.

Motions without a spring (those of the robot as a whole, joints of no stiffness) are no modes, nor is what gravity
topples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh

from freefloat.arrays import Array, frozen_array
from freefloat.dynamics.about_rest import SmallMotion, small_motion
from freefloat.errors import InvalidRobot
from freefloat.frozen import Content
from freefloat.robot.model import Robot

_SINGULAR = 1e-13  # smallest eigenvalue of a mass matrix whose diagonal is one
_NO_SPRING = 1e-12  # squares of frequencies below this part of the largest are rounding


@dataclass(frozen=True, slots=True, eq=False)
class SystemMode(Content):
    """One way in which the whole robot swings.

    frequency_Hz: of the mode without damping, the base free as it is. damping_ratio: over critical damping.
    shape: how far each passive joint moves, in the order of `robot.passive`, the largest being one [rad or m].
    turn: what the base turns by meanwhile, base axes, shape (3,) [rad]. shift: of its origin, shape (3,) [m].
    coupling_inertia: part of the robot's inertia that stays behind above the mode's frequency [kg m^2].
    """

    frequency_Hz: float
    damping_ratio: float
    shape: Array
    turn: Array
    shift: Array
    coupling_inertia: float

    @property
    def axis(self) -> Array:
        """What the base turns about, a unit vector, shape (3,); zero where it does not turn."""
        return _unit(self.turn)

    @property
    def direction(self) -> Array:
        """What the base's origin moves along, a unit vector, shape (3,); zero where it does not move."""
        return _unit(self.shift)


def system_modes(robot: Robot, q: ArrayLike | None = None) -> tuple[SystemMode, ...]:
    """Modes at joint positions q, shape (joints,), driven joints locked; slowest first.

    q: all at zero unless given. Raises InvalidRobot where a passive joint moves nothing that has inertia.
    """
    if not robot.passive.size:
        return ()
    model = small_motion(robot, q)
    _refuse_singular(model)
    squares, shapes, base = normal_shapes(model)
    turning = _turning(model)
    return tuple(
        _mode(model, math.sqrt(square), u, base @ u, turning) for square, u in zip(squares, shapes.T, strict=True)
    )


def normal_shapes(model: SmallMotion) -> tuple[Array, Array, Array]:
    """Modes of small motion, slowest first, without damping.

    Squares of (angular) frequencies (k,), shapes of inertia one (passive, k), and what the base does by what passive
    joints do (base, passive).
    """
    b, felt = model.base_rows.size, model.felt
    squares, shapes = eigh(model.K[b:, b:], 0.5 * (felt + felt.T))
    held = squares > _NO_SPRING * abs(squares).max(initial=0.0)
    return squares[held], shapes[:, held], model.base_follows


def _mode(model: SmallMotion, omega: float, u: Array, base: Array, turning: tuple[Array, Array]) -> SystemMode:
    """A mode whose shape u has the inertia one."""
    b = model.base_rows.size
    ratio = float(u @ model.D[b:, b:] @ u) / (2.0 * omega)
    L, P = turning
    coupling = float(np.sum((L @ u) ** 2) / (u @ P @ u))
    largest = u[np.argmax(np.abs(u))]
    twist = np.zeros(6)
    twist[model.base_rows] = base / largest
    shape = frozen_array(u / largest, u.shape)
    turn, shift = frozen_array(twist[3:], (3,)), frozen_array(twist[:3], (3,))
    return SystemMode(omega / (2.0 * math.pi), ratio, shape, turn, shift, coupling)


def _turning(model: SmallMotion) -> tuple[Array, Array]:
    """L and P: angular momentum by rates of passive joints, and their inertia, once the base's shift is eliminated."""
    b, s = model.base_rows.size, int((model.base_rows < 3).sum())
    M_ss, M_s = model.M[:s, :s], model.M[:s, s:]
    rest = model.M[s:, s:] - M_s.T @ np.linalg.solve(M_ss, M_s)
    return rest[: b - s, b - s :], rest[b - s :, b - s :]


def _refuse_singular(model: SmallMotion) -> None:
    diagonal = np.diag(model.M)
    scale = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    if not np.linalg.eigvalsh(model.M / np.outer(scale, scale))[0] > _SINGULAR:
        joints = ", ".join(model.coordinates[model.base_rows.size :])
        problem = "some motion of base and passive joints moves nothing that has inertia"
        raise InvalidRobot(f"passive joints {joints}", f"{problem}; allowed: bodies with mass behind each of them")


def _unit(vector: Array) -> Array:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0.0 else np.zeros(3)


def modes_summary(robot: Robot, q: ArrayLike | None = None) -> dict[str, Any]:
    """Modes as plain data; of a robot that can have none, why. q: as for `system_modes`."""
    names = [robot.joint_names[k] for k in robot.passive]
    try:
        modes = system_modes(robot, q)
    except InvalidRobot as error:
        return {"modes": [], "no_modes": str(error)}
    still = len(names) - len(modes)
    said = {"no_modes": f"nothing brings back {still} of {len(names)} motions of passive joints"} if still else {}
    listed = [
        {
            "frequency_Hz": mode.frequency_Hz,
            "damping_ratio": mode.damping_ratio,
            "joints": dict(zip(names, mode.shape.tolist(), strict=True)),
            "base_turn": mode.turn.tolist(),
            "base_shift": mode.shift.tolist(),
            "coupling_inertia_kgm2": mode.coupling_inertia,
        }
        for mode in modes
    ]
    return {"modes": listed} | said
