"""What joints transmit along a predicted motion: by that a joint gives way that is not as stiff as the model has it.

An encoder on the motor's side reads q + tau / k where a spring of stiffness k transmits tau to the link (M. Spong, J.
Dyn. Sys. Meas. Control 109, 1987). Where the spring is stiff, the link then moves as if the joint's curve had changed
by -tau / k, with tau of the rigid robot.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.interpolate import CubicSpline

from freefloat.arrays import Array
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import torque_regressor
from freefloat.estimate.likelihood.flight_prediction import FlightPrediction

_PER_KNOT, _MOST = 4, 20_000  # instants for each knot of the joints' curves; altogether


def transmitted_torques(flight: FlightPrediction, point: Array, phi: Array) -> CubicSpline:
    """Torques, or forces, of all joints as curves of the joints' time, (joints,) [N m or N].

    flight: with curves of which a few coefficients count at a time. phi: standard parameters there, (10 bodies,).
    """
    assert flight.local is not None
    spline = flight.local.spline
    first, last = float(flight.flight.t[0]), float(flight.flight.t[-1])
    count = min(math.ceil((last - first) / spline.spacing_s * _PER_KNOT) + 1, _MOST)
    t = np.linspace(first, last, max(count, _PER_KNOT))
    motion = flight.motion_as_read(point, phi, t)  # a gyro's noise in the curves would be found in its readings again
    at = slice(None, None, 2) if flight.turns else slice(None)
    q, dq, ddq, v, w = (part[at] for part in (motion.q, motion.dq, motion.ddq, motion.v, motion.w))
    dv, dw = (CubicSpline(t, part)(t, 1) for part in (v, w))
    Y = torque_regressor(flight.robot_at(point), Samples(q=q, dq=dq, ddq=ddq, v=v, w=w, dv=dv, dw=dw))
    return CubicSpline(t, Y[:, 6:] @ np.where(flight.present, phi, 0.0))
