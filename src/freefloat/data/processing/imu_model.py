"""The error model of three inertial axes, and its use: true value = T K (raw + b).

    T = | 1        -a_yz     a_zy |        K = diag(s_x, s_y, s_z)        b = (b_x, b_y, b_z)
        | a_xz      1       -a_zx |
        |-a_xy      a_yx     1    |

a_ij: by how much the axis i of the sensor is turned about the j of the frame [rad]. For an accelerometer the frame
is chosen so that a_xz = a_xy = a_yx = 0; a gyro beside it needs all six, for the frame is already chosen.
D. Tedaldi, A. Pretto, E. Menegatti, "A robust and easy to implement method for IMU calibration without external
equipments", IEEE ICRA 2014.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array, frozen_array
from freefloat.data.processing.resampling import CannotProcess
from freefloat.errors import ShapeError

ANGLES: Mapping[str, tuple[int, int, float]] = {
    "yz": (0, 1, -1.0),
    "zy": (0, 2, 1.0),
    "xz": (1, 0, 1.0),
    "zx": (1, 2, -1.0),
    "xy": (2, 0, -1.0),
    "yx": (2, 1, 1.0),
}  # where each stands in T, and its sign


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Misalignment T, shape (3, 3); scale, the diagonal of K, shape (3,); bias b, shape (3,), in raw units."""

    misalignment: Array = field(default_factory=lambda: np.eye(3))
    scale: Array = field(default_factory=lambda: np.ones(3))
    bias: Array = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self) -> None:
        for name, shape in (("misalignment", (3, 3)), ("scale", (3,)), ("bias", (3,))):
            object.__setattr__(self, name, frozen_array(getattr(self, name), shape))
        if not np.allclose(np.diag(self.misalignment), 1.0):
            raise ShapeError("the diagonal of a misalignment must be ones; scales are given apart")

    @classmethod
    def from_angles(
        cls, angles: Mapping[str, float], scale: ArrayLike = (1, 1, 1), bias: ArrayLike = (0, 0, 0)
    ) -> Calibration:
        """From angles named `yz`, `zy`, `xz`, `zx`, `xy`, `yx` [rad], as they are printed; zero if not given."""
        T = np.eye(3)
        for name, angle in angles.items():
            if name not in ANGLES:
                raise CannotProcess(f"an angle is called {name!r}; allowed: {', '.join(ANGLES)}")
            row, column, sign = ANGLES[name]
            T[row, column] = sign * angle
        return cls(T, np.asarray(scale, float), np.asarray(bias, float))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, bias: ArrayLike) -> Calibration:
        """From the product T K, shape (3, 3), and the bias."""
        product = np.asarray(matrix, float)
        scale = np.diag(product)
        return cls(product / scale, scale, np.asarray(bias, float))

    @property
    def angles(self) -> dict[str, float]:
        """The six angles by name [rad]."""
        return {name: sign * float(self.misalignment[i, j]) for name, (i, j, sign) in ANGLES.items()}

    @property
    def matrix(self) -> Array:
        """The product T K, shape (3, 3)."""
        return self.misalignment * self.scale

    def apply(self, raw: ArrayLike) -> Array:
        """True values of raw readings, shape (n, 3)."""
        return (np.asarray(raw, float) + self.bias) @ self.matrix.T

    def undo(self, true: ArrayLike) -> Array:
        """The raw readings of true values, shape (n, 3)."""
        return np.asarray(true, float) @ np.linalg.inv(self.matrix).T - self.bias
