"""An IMU calibrated without equipment: lay it down in many attitudes, let it rest in each, turn it in between.

D. Tedaldi, A. Pretto, E. Menegatti, "A robust and easy to implement method for IMU calibration without external
equipments", IEEE ICRA 2014: rests are found by the variance of the readings (`static_intervals.py`), the
accelerometer is fitted to |g| over them (`imu_accelerometer.py`), the gyro to the turns between them
(`imu_gyro.py`). As there, several thresholds of the detector are tried and the one with the least misfit is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import AXES, Array
from freefloat.data.processing.imu_accelerometer import UNKNOWNS, FittedCalibration, calibrate_accelerometer
from freefloat.data.processing.imu_gyro import calibrate_gyro
from freefloat.data.processing.resampling import CannotProcess
from freefloat.data.processing.static_intervals import interval_means, static_intervals
from freefloat.sensors.channel import Channel
from freefloat.sensors.quantities import STANDARD_GRAVITY

_FACTORS = (2.0, 3.0, 4.0, 6.0, 8.0, 10.0)  # times the variance of the initial rest


@dataclass(frozen=True, slots=True, eq=False)
class ImuCalibration:
    """Both sensors of an IMU; `imu.gyro.calibration.apply(raw)` undoes the gyro's errors.

    gyro: None if there was none. intervals: the rests that were used, shape (k, 2) [s].
    """

    accelerometer: FittedCalibration
    gyro: FittedCalibration | None
    intervals: Array


def calibrate_imu(
    accelerometer: Channel,
    gyro: Channel | None = None,
    initial_s: float = 20.0,
    gravity: float = STANDARD_GRAVITY,
    window_s: float = 1.0,
    shortest_s: float = 0.5,
) -> ImuCalibration:
    """Calibrate from a recording that starts at rest and rests in at least nine attitudes.

    initial_s: length of the rest at the beginning [s]; the longer, the better the gyro's bias and the detector.
    gravity: local |g| [m/s^2]. window_s: over which the variance of readings tells rest from motion [s]. shortest_s:
    a rest counts if it is at least a window and so much longer [s].
    """
    raw = accelerometer.of(AXES)
    tried = [static_intervals(accelerometer.t, raw, initial_s, window_s, factor, shortest_s) for factor in _FACTORS]
    enough = [intervals for intervals in tried if len(intervals) >= UNKNOWNS]
    if not enough:
        raise CannotProcess(
            f"{accelerometer.name} rests in fewer than {UNKNOWNS} attitudes; allowed: at least {UNKNOWNS}, well "
            f"apart, each for {window_s + shortest_s:g} s or longer"
        )
    fits = [calibrate_accelerometer(interval_means(accelerometer.t, raw, each), gravity) for each in enough]
    best = int(np.argmin([fit.misfit for fit in fits]))
    fitted, intervals = fits[best], enough[best]
    if gyro is None:
        return ImuCalibration(fitted, None, intervals)
    force = fitted.calibration.apply(interval_means(accelerometer.t, raw, intervals))
    up = force / np.linalg.norm(force, axis=1, keepdims=True)
    return ImuCalibration(fitted, calibrate_gyro(gyro.t, gyro.of(AXES), intervals, up), intervals)
