"""Which instants an estimator takes a reading to be the mean of: few, for each costs a prediction.

Three over an integration (Gauss-Legendre), exact for motions that are polynomials of fifth order over it, and five
behind a bandwidth (Gauss-Laguerre), exact to the ninth: motions must be slow against the corner frequency.
"""

from __future__ import annotations

import math

import numpy as np

from freefloat.arrays import Array
from freefloat.sensors.measured import INSTANT, Response
from freefloat.sensors.sensor import Sensor

_INTEGRATION, _LAG = 3, 5  # instants


def response_of(sensor: Sensor | None) -> Response:
    """Delays [s] and weights of the instants that a reading is the mean of; at once if nobody declared the sensor."""
    if sensor is None:
        return INSTANT
    if sensor.bandwidth_Hz is not None:
        node, weight = np.polynomial.laguerre.laggauss(_LAG)
        return _pairs(node / (2.0 * math.pi * sensor.bandwidth_Hz), weight)
    if sensor.integration_s > 0.0:
        node, weight = np.polynomial.legendre.leggauss(_INTEGRATION)
        return _pairs(0.5 * sensor.integration_s * (1.0 + node), 0.5 * weight)
    return INSTANT


def _pairs(delays: Array, weights: Array) -> Response:
    return tuple(zip(delays.tolist(), (weights / weights.sum()).tolist(), strict=True))
