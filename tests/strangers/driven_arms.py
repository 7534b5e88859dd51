"""Arms on the ground whose drives follow a command: what friction does to the motion shows in it.

MuJoCo gives masses, gravity and viscous friction of the true arm (`arms.mjcf`), drives weigh gravity as it is and pull
every joint to its command with a spring and a damper, and Coulomb friction acts through generalised forces: whatever in
-c to c brings the joint's rate to zero, and c against the rate if nothing does. Joints so stick at reversals and leave
with a jump of acceleration. Time steps are those of J. J. Moreau, "Unilateral contact and dry friction in finite
freedom dynamics", 1988: velocities at the step's end are those that friction opposes.
"""

from __future__ import annotations

import mujoco
import numpy as np
from strangers import arms

STEP_S = 2.5e-4
BANDWIDTH_HZ = 8.0  # of the drives
DAMPING = 0.7
_SWEEPS = 100  # over joints at most, for friction of joints that hang together
_SETTLED = 1e-12  # of the largest friction


def followed(
    given: arms.Arm, true: arms.TrueArm, rng: np.random.Generator, duration_s: float, step_s: float = STEP_S
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Instants [s], positions, rates and what motors give at each step's begin, shapes (n,) and (n, joints) each."""
    model = mujoco.MjModel.from_xml_string(arms.mjcf(given, true))
    data, inertia = mujoco.MjData(model), np.empty((model.nv, model.nv))
    t = step_s * np.arange(round(duration_s / step_s) + 1)
    wanted, wanted_rate, _ = arms.moved(given, t, rng)
    q, dq, torque = wanted.copy(), wanted_rate.copy(), np.empty_like(wanted)
    friction, w = np.zeros(model.nv), 2.0 * np.pi * BANDWIDTH_HZ
    for k in range(t.size):
        data.qpos[:], data.qvel[:] = q[k], 0.0
        mujoco.mj_forward(model, data)
        gravity = data.qfrc_bias.copy()
        data.qvel[:] = dq[k]
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, inertia)
        pull = w**2 * (wanted[k] - q[k]) + 2.0 * DAMPING * w * (wanted_rate[k] - dq[k])
        torque[k] = gravity + np.diag(inertia) * pull
        if k + 1 == t.size:
            break
        reach = step_s * np.linalg.inv(inertia)
        free = dq[k] + reach @ (torque[k] - true.drives.offset + data.qfrc_passive - data.qfrc_bias)
        friction = _against(reach, free, true.drives.coulomb, friction)
        dq[k + 1] = free + reach @ friction
        q[k + 1] = q[k] + step_s * dq[k + 1]
    return t, q, dq, torque


def _against(reach: np.ndarray, free: np.ndarray, most: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Friction that stops rates or is as large as it can be and against them; projected Gauss-Seidel from a start."""
    force = start.copy()
    for _ in range(_SWEEPS):
        before = force.copy()
        for joint in range(force.size):
            rate = free[joint] + reach[joint] @ force
            force[joint] = np.clip(force[joint] - rate / reach[joint, joint], -most[joint], most[joint])
        if np.abs(force - before).max() < _SETTLED * most.max():
            break
    return force


def recorded(
    given: arms.Arm,
    true: arms.TrueArm,
    rng: np.random.Generator,
    duration_s: float = arms.DURATION_S,
    rate_hz: float = arms.RATE_HZ,
) -> arms.Recorded:
    """What encoders and torque sensors say of it."""
    t, q, _, torque = followed(given, true, rng, duration_s)
    every = slice(None, None, round(1.0 / (rate_hz * STEP_S)))
    return arms.sensed(true, t[every], q[every], torque[every], rng)
