"""The published identification: pi from momentum, phi from velocity, each by least squares, and the mass from both.

O.-O. Christidi-Loumpasefski, E. Papadopoulos, "On the parameter identification of free-flying space manipulator
systems", Robotics and Autonomous Systems, 2022. With the total momentum constant in inertial axes,

    (R_k Y_k - R_1 Y_1) pi = R_1 h - R_k h        (Eq. 24; h the wheels' momentum, base axes)
    W_k phi + R_k^T v_cm = v_k - x_k              (Eq. 31, where the index of R is missing)

The noise of the first sample is in every row of Eq. 24. The mean over all samples instead of the first one is the same
as momentum that is estimated along with pi, what `recipes.christidi_two_steps` does. Joint rates are derivatives of the
encoders' angles; the article does not say by which method. Attitude is integrated from the gyro's rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from freefloat.arrays import Array
from freefloat.data.processing.attitude import integrate_rates
from freefloat.data.processing.derivative_savitzky_golay import SavitzkyGolay
from freefloat.data.processing.differentiation import Differentiator
from freefloat.dynamics.momentum_rows import spin_momentum
from freefloat.dynamics.samples import Samples
from freefloat.robot.rotations import rotations
from freefloat.studies.christidi.clusters import ServicerClusters, mass_by_ratio
from freefloat.studies.christidi.servicer import STEP_S, Servicer, ServicerReadings

Reference = Literal["first", "mean"]
FIVE_SAMPLES = SavitzkyGolay(5.0 * STEP_S, degree=2)  # the shortest window that smooths at all


@dataclass(frozen=True, slots=True, eq=False)
class Identified:
    """Pi (19,) [kg m^2], phi (5,) [m] and total mass [kg] of one run, or their errors over the true ones."""

    pi: Array
    phi: Array
    mass: float

    def errors(self, truth: ServicerClusters) -> Identified:
        """Sizes of the relative errors."""
        return Identified(
            np.abs(self.pi / truth.pi - 1.0),
            np.abs(self.phi / truth.phi - 1.0),
            abs(self.mass / truth.robot.mass - 1.0),
        )


def measured(servicer: Servicer, readings: ServicerReadings, rates: Differentiator) -> Samples:
    """One run as the article reads it: joint rates by differentiation, attitude by integration."""
    attitude = integrate_rates(readings.t, readings.w, servicer.start.attitude)
    dq = rates.motion(readings.t, readings.q).rate
    spin = np.tile(servicer.wheel_rates, (readings.t.size, 1))
    return Samples(q=readings.q, dq=dq, v=readings.v, w=readings.w, attitude=attitude, wheel_rates=spin, t=readings.t)


def identified(clusters: ServicerClusters, samples: Samples, reference: Reference = "first") -> Identified:
    """Both steps and Eq. 42; reference: what is subtracted from all rows of momentum."""
    velocity = clusters.velocity
    Y, right = momentum_rows(clusters, samples, reference)
    pi = clusters.pi_of(np.linalg.lstsq(Y, right)[0])
    R = rotations(samples.need("attitude", "the centre of mass' velocity"))
    W = np.concatenate([velocity.rows(samples), R.transpose(0, 2, 1)], axis=2)
    v = samples.need("v", "phi").ravel()
    eta = np.linalg.lstsq(W.reshape(-1, W.shape[2]), v)[0][: len(velocity.minimal)]
    phi = clusters.phi_of(eta)
    return Identified(pi, phi, float(mass_by_ratio(pi, phi)))


def momentum_rows(clusters: ServicerClusters, samples: Samples, reference: Reference) -> tuple[Array, Array]:
    """Matrix and right-hand side of Eq. 24 in our clusters, shape (3 n, 19) and (3 n,)."""
    robot = clusters.robot
    R = rotations(samples.need("attitude", "momentum in inertial axes"))
    spin = spin_momentum(robot, samples)
    Y, right = R @ clusters.angular.rows(samples), -(R @ spin[:, :, None])[..., 0]
    first = slice(0, 1) if reference == "first" else slice(None)
    Y, right = Y - Y[first].mean(axis=0), right - right[first].mean(axis=0)
    return Y.reshape(-1, Y.shape[2]), right.ravel()
