"""Error-state extended Kalman filter: attitude, gyro bias and parameters together, sample by sample as on board.

The gyro and the star tracker are compared with the base motion that the clusters predict (`reaction.py`), at the
estimate of that moment. States: clusters and known parameters that may deviate, joint zeros, momentum where it is
unknown, the gyro's bias (which walks), the first attitude, and the error of the predicted attitude. The CAD model's
spread is the covariance to begin with; the triangle of the covariance is what is kept (`kalman_kernel.py`).

A filter linearises a reading once, at an estimate that is still poor. Two things mend that. In the first pass the gain
is smaller where the prediction, not the sensor, is the uncertain part (underweighting: Zanetti, DeMars, Bishop, Journal
of Guidance, Control, and Dynamics, 2010). Later passes start again from the CAD model and its spread but take all
derivatives at the last pass's estimate, each a Gauss-Newton step (iterated filter: Bell, Cathey, IEEE Transactions on
Automatic Control, 1993), so that they end at maximum likelihood with the same unknowns. With three passes noiseless
truth is met to 1e-6 of the CAD model's spread where predicted attitude does not matter.

    Kalman(passes=1).track(problem)      # what a filter on board would have said after each sample
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from freefloat.estimate.estimate import Budget, Estimate, Quantity, Residual
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.kalman_run import KalmanRun, Pass
from freefloat.estimate.problem import Problem
from freefloat.experiment.processing.whiteness import whiteness
from freefloat.robot.transform import Array

_FEWEST = 16  # samples of a test for whiteness
_SETTLED = 0.1  # standard deviations that the last pass may move a cluster by


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """What the filter said after each of n samples, flights one after another.

    names: clusters first, then everything else. t: shape (n,) [s]; flight: number of the flight, shape (n,).
    values, sd: shape (n, names) [SI]; NaN outside the flight that something belongs to.
    innovations: what each reading added to the prediction, over its standard deviation: white, of variance one, if
        all is as believed, shape (n, readings); channels: what the readings are.
    """

    names: tuple[str, ...]
    t: Array
    flight: NDArray[np.int64]
    values: Array
    sd: Array
    innovations: Array
    channels: tuple[str, ...]
