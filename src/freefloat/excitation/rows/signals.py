"""Rows with the signals beside them that sensors read: joint rates and the base's twist.

    [ C  0 ]
    [ 0  h ],   h of shape (n, joints + 6), over the root of its number of entries

for `WithSignal`, after B. Naveen, S. V. Shah, A. K. Misra, "Momentum model-based minimal parameter identification of a
space robot", Journal of Guidance, Control, and Dynamics, 2019, eq. 32. Rows of zeros change no singular value of C.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.excitation.planned_motion import Conditions
from freefloat.excitation.rows.reaction_slope import ReactedMotion, react
from freefloat.excitation.rows.rows import DesignRows, Filled, MotionSlope
from freefloat.robot.base_axes import allowed_rows


@dataclass(frozen=True, eq=False)
class FilledSignals(Filled):
    """Rows and signals of one motion.

    matrix: shape (m + n, columns + signals).
    """

    inner: Filled
    motion: ReactedMotion
    matrix: Array

    def pull_back(self, Z: Array) -> MotionSlope:
        """Derivative by the motion of a number whose derivative by the matrix is Z, in its shape."""
        m, columns = self.inner.matrix.shape
        h = Z[m:, columns:] / np.sqrt(Z[m:, columns:].size)
        joints = self.motion.samples.q.shape[1]
        twist = np.zeros((len(h), 6))
        twist[:, allowed_rows(self.motion.robot)] = h[:, joints:]
        own = self.motion.slope(np.zeros((len(h), joints)), h[:, :joints], twist[:, :3], twist[:, 3:])
        return self.inner.pull_back(Z[:m, :columns]) + own


@dataclass(frozen=True, eq=False)
class SignalRows(DesignRows):
    """Other rows, and signals in columns of their own.

    conditions: of the robot that moves.
    """

    rows: DesignRows
    conditions: Conditions

    @property
    def signals(self) -> int:
        """Number of columns that hold signals: joint rates, then what of a twist the base can have."""
        return len(self.conditions.robot.joints) + int(allowed_rows(self.conditions.robot).size)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the rows' columns, then of the signals."""
        robot = self.conditions.robot
        twist = np.array(["vx", "vy", "vz", "wx", "wy", "wz"])[allowed_rows(robot)]
        signals = [*robot.joint_names, *(f"base {component}" for component in twist)]
        return (*self.rows.names, *(f"signal of {name}" for name in signals))

    def fill(self, samples: Samples) -> FilledSignals:
        """The matrix for a motion of joints and wheels."""
        inner, motion = self.rows.fill(samples), react(self.conditions.robot, samples, self.conditions.momentum)
        dq = motion.samples.need("dq", "signals")
        v, w = motion.samples.base_twist(motion.robot, "signals")
        h = np.hstack([dq, np.hstack([v, w])[:, allowed_rows(motion.robot)]])
        return FilledSignals(inner, motion, block_diag(inner.matrix, h / np.sqrt(h.size)))
