"""The 19 clusters pi and 5 clusters phi of the servicer with three joints, in printed order and with printed signs.

O.-O. Christidi-Loumpasefski, E. Papadopoulos, "On the parameter identification of free-flying space manipulator
systems", Robotics and Autonomous Systems, 2022, Table 4 and Appendix; the thesis of M. Spirolazzi (2022) has the same
pi in its Tables 4.2 and 4.4. Their products are of vectors from a joint to the centre of mass seen from either side;
ours, of first moments, have the opposite sign. They track joint 1, we the base's origin: w x r_joint1 joins the
columns of the base's moments.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array
from freefloat.models.angular_momentum import AngularMomentum, BaseVelocity
from freefloat.robot.model import Robot
from freefloat.studies.catalogue import published

ZERO = ("*.products", "link1.mx", "link1.my", "link2.my", "link2.mz", "link3.my", "link3.mz")
PI = (  # leaders of our clusters, pi 1 to 19
    *(f"[I{axes}_base]" for axes in ("xx", "xy", "xz", "yy", "yz", "zz")),
    *(f"[I{axes}_{link}]" for link in ("link1", "link2", "link3") for axes in ("xx", "zz")),
    *(f"[m{axis}_base]*[mx_{link}]/M" for link in ("link2", "link3") for axis in ("y", "z", "x")),
    "[mx_link2]*[mx_link3]/M",
)
PHI = ("[mx_base]/M", "[my_base]/M", "[mx_link3]/M", "[mx_link2]/M", "[mz_base]/M")  # phi 1 to 5
_SIGNS = np.array([-1.0 if "*" in leader else 1.0 for leader in PI])


def printed_values(study: str, group: str, column: str) -> Array:
    """A column of a printed table, such as `true_value` of `pi`, shape (clusters,)."""
    entries = published(study)["parameters"][group]["entries"]
    return np.array([entry[column] for entry in entries], dtype=float)


@dataclass(frozen=True, eq=False)
class ServicerClusters:
    """The clusters of one servicer; its values are the true ones."""

    robot: Robot

    @cached_property
    def angular(self) -> AngularMomentum:
        """Our model behind pi."""
        return AngularMomentum(self.robot, zero=ZERO)

    @cached_property
    def velocity(self) -> BaseVelocity:
        """Our model behind phi."""
        return BaseVelocity(self.robot, zero=ZERO)

    @cached_property
    def pi(self) -> Array:
        """True values, shape (19,) [kg m^2]."""
        return self.pi_of(self.angular.values())

    @cached_property
    def phi(self) -> Array:
        """True values, shape (5,) [m]."""
        return self.phi_of(self.velocity.values())

    def pi_of(self, values: ArrayLike) -> Array:
        """Pi from values of our clusters of angular momentum, shape (..., 19)."""
        return _SIGNS * np.asarray(values, float)[..., self._pi_places]

    def phi_of(self, eta: ArrayLike) -> Array:
        """Phi from values of our clusters of base velocity, shape (..., 5)."""
        found = np.asarray(eta, float)[..., self._phi_places]
        joint1 = self.robot.point("joint1").xyz
        found[..., :2] = joint1[:2] - found[..., :2]
        found[..., 4] -= joint1[2]  # their sign; the component itself is positive
        return found

    def of_standard(self, parameters: ArrayLike) -> tuple[Array, Array, float]:
        """Pi (19,), phi (5,) and total mass [kg] of standard parameters, (10 bodies,)."""
        standard = np.asarray(parameters, float)
        pi, phi = self.pi_of(self.angular.values(standard)), self.phi_of(self.velocity.values(standard))
        underlying = self.angular.underlying
        return pi, phi, float(underlying.mass @ underlying.minimal.values(standard))

    @cached_property
    def _pi_places(self) -> NDArray[np.int64]:
        return _places(PI, self.angular.minimal.leaders)

    @cached_property
    def _phi_places(self) -> NDArray[np.int64]:
        return _places(PHI, self.velocity.minimal.leaders)


def mass_by_ratio(pi: Array, phi: Array) -> Array:
    """Total mass [kg] as pi 18 over phi 1 phi 3 (Eq. 42), from clusters of shape (..., 19) and (..., 5)."""
    return np.asarray(pi[..., 17] / (phi[..., 0] * phi[..., 2]))


def _places(wanted: tuple[str, ...], leaders: tuple[str, ...]) -> NDArray[np.int64]:
    return np.array([leaders.index(leader) for leader in wanted], dtype=np.int64)
