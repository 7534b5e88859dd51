"""Columns of the unknowns of a flight from those of the law of motion, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

_COMPILE = {"cache": True, "nogil": True, "fastmath": {"contract"}}


@njit(**_COMPILE)
def spread_columns(S, gain, c, q, dq, ddq, scale, since, joint, position, rate, targets, G):
    """Columns of gain times the base's velocities by what acts at one instant, into G (m, rows, columns).

    S (m, r, c + 2 dofs): A_b^-1 of the columns of parameters, positions, rates. gain: (rows, r).
    q, dq, ddq: of the joints, `scale` (dofs,) times their curves.
    targets: first columns in G of parameters, joint zeros, joint scales, curve errors (joint, position, rate as in
    `CurveErrors`), time offset, drift (`since` its factor), positions and rates of the curves; -1 leaves them out.
    Other columns become zero.
    """
    m, r, dofs = S.shape[0], S.shape[1], dq.shape[1]
    row = np.empty(S.shape[2])
    parameters, zeros, scales, bends = targets[0], targets[1], targets[2], targets[3]
    offset, drift, joints = targets[4], targets[5], targets[6]
    for k in range(m):
        for i in range(gain.shape[0]):
            row[:] = 0.0
            for j in range(r):
                if gain[i, j] != 0.0:
                    factor = -gain[i, j]
                    for e in range(row.size):
                        row[e] += factor * S[k, j, e]
            out = G[k, i]
            out[:] = 0.0
            for e in range(c):
                out[parameters + e] = row[e]
            late = 0.0
            for j in range(dofs):
                late -= row[c + j] * dq[k, j] + row[c + dofs + j] * ddq[k, j]
            if offset >= 0:
                out[offset] = late
            if drift >= 0:
                out[drift] = late * since[k]
            if scales >= 0:
                for j in range(dofs):
                    out[scales + j] = (row[c + j] * q[k, j] + row[c + dofs + j] * dq[k, j]) / scale[j]
            for j in range(dofs):  # from here on by the curves, of which joints move `scale` times as far
                row[c + j] *= scale[j]
                row[c + dofs + j] *= scale[j]
            if zeros >= 0:
                for e in range(dofs):
                    out[zeros + e] = row[c + e]
            if bends >= 0:
                for e in range(joint.size):
                    j = joint[e]
                    out[bends + e] = row[c + j] * position[k, e] + row[c + dofs + j] * rate[k, e]
            if joints >= 0:
                for e in range(2 * dofs):
                    out[joints + e] = row[c + e]
