"""Motions that are known in closed form, to hold sensors against."""

from __future__ import annotations

import numpy as np

from freefloat.dynamics.samples import Samples
from freefloat.robot.rotations import rotations
from freefloat.sensors.truth import Layout, Truth

LAYOUT = Layout(("j1", "lift"), (False, True), ("wx", "wy"))


def cone(t, spin=0.7, tilt=0.6, wobble=1.1):
    """Attitude (n, 4), body rates and their rates (n, 3) of Rz(wobble t) Rx(tilt) Rz(spin t)."""
    t = np.asarray(t, float)
    half = 0.5 * (wobble + spin) * t, 0.5 * (wobble - spin) * t
    c, s = np.cos(tilt / 2), np.sin(tilt / 2)
    attitude = np.stack([s * np.cos(half[1]), s * np.sin(half[1]), c * np.sin(half[0]), c * np.cos(half[0])], axis=1)
    a, ones = spin * t, np.ones_like(t)
    flat = wobble * np.sin(tilt)
    w = np.stack([flat * np.sin(a), flat * np.cos(a), (wobble * np.cos(tilt) + spin) * ones], axis=1)
    dw = np.stack([flat * spin * np.cos(a), -flat * spin * np.sin(a), 0.0 * ones], axis=1)
    return attitude, w, dw


def flight(t, **leave_out):
    """All that samples can hold, of a base on a cone that flies a curve, shape as in Samples."""
    t = np.asarray(t, float)
    attitude, w, dw = cone(t)
    R = rotations(attitude)
    position = np.stack([np.sin(t), np.cos(2 * t), 0.3 * t], axis=1)
    rate = np.stack([np.cos(t), -2 * np.sin(2 * t), 0.3 + 0 * t], axis=1)
    bend = np.stack([-np.sin(t), -4 * np.cos(2 * t), 0 * t], axis=1)
    v = np.einsum("nji,nj->ni", R, rate)
    dv = np.einsum("nji,nj->ni", R, bend) - np.cross(w, v)
    q = np.stack([np.sin(3 * t), 0.1 * np.cos(t)], axis=1)
    dq = np.stack([3 * np.cos(3 * t), -0.1 * np.sin(t)], axis=1)
    ddq = np.stack([-9 * np.sin(3 * t), -0.1 * np.cos(t)], axis=1)
    wheels = np.stack([100 + 50 * np.sin(t), -200 + 0 * t], axis=1)
    spins = np.stack([50 * np.cos(t), 0 * t], axis=1)
    given = {
        "q": q, "dq": dq, "ddq": ddq, "v": v, "w": w, "dv": dv, "dw": dw, "attitude": attitude,
        "position": position, "wheel_rates": wheels, "wheel_accelerations": spins, "torques": 2.0 * q,
        "base_wrench": np.hstack([bend, dw]), "t": t,
    }  # fmt: skip
    return Samples(**{name: values for name, values in given.items() if leave_out.get(name, True)})


def truth(t, **leave_out):
    return Truth(flight(t, **leave_out), LAYOUT)


def still(duration_s, rate_Hz=1.0):
    """Nothing moves."""
    t = np.linspace(0.0, duration_s, max(2, int(duration_s * rate_Hz) + 1))
    zeros = np.zeros((t.size, 3))
    samples = Samples(
        q=np.zeros((t.size, 2)),
        dq=np.zeros((t.size, 2)),
        v=zeros, w=zeros, dv=zeros, dw=zeros, position=zeros,
        attitude=np.tile([0.0, 0.0, 0.0, 1.0], (t.size, 1)),
        wheel_rates=np.zeros((t.size, 2)),
        torques=np.zeros((t.size, 2)),
        base_wrench=np.hstack([zeros, zeros]),
        t=t,
    )  # fmt: skip
    return Truth(samples, LAYOUT)
