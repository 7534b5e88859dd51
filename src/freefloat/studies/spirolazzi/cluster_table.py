"""The 30 clusters of the thesis' tables, and where they are among ours.

M. Spirolazzi, "Free-floating robot inertial parameter identification towards in orbit servicing", master thesis,
Politecnico di Milano, 2022: Tables 5.3 and 6.5, numbered as in Appendix A. Our clusters of angular momentum are the
same by other names, those of their leaders; those led by a product have the opposite sign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.models.angular_momentum import AngularMomentum
from freefloat.robot.model import Robot
from freefloat.studies.catalogue import published

ALONG = {"link1": "mz", "link2": "my", "link3": "mz", "link4": "my", "link5": "mz", "link6": "my", "load": "mz"}
SIMPLE = (  # the thesis' simplifications: no products of inertia, centres of mass on one axis of each link
    "*.products",
    *(f"{link}.{moment}" for link, kept in ALONG.items() for moment in ("mx", "my", "mz") if moment != kept),
)
SMALL_ROWS = (7, 8, 11, 12, 15, 16)  # a hundredth of the others and less; the other 24 are the big ones

_LEADERS = (
    *(f"[I{axes}_base]" for axes in ("xx", "xy", "xz", "yy", "yz", "zz")),
    *(f"[I{axes}_{link}]" for link in ALONG for axes in ("xx", "zz")),
    *(f"[m{axis}_base]*[my_{link}]/M" for link in ("link2", "link4", "link6") for axis in ("y", "z", "x")),
    *(f"[my_link{a}]*[my_link{b}]/M" for a, b in ((2, 4), (2, 6), (4, 6))),
)


@dataclass(frozen=True, eq=False)
class ClusterTable:
    """One table: its identified rows by the names of our leaders, in printed order."""

    entries: Mapping[str, Mapping[str, Any]]

    def column(self, name: str) -> Array:
        """A printed column as it is, (30,)."""
        return np.array([entry[name] for entry in self.entries.values()], float)

    def clusters(self, name: str) -> Array:
        """A printed column of values with our signs, (30,)."""
        return self.column(name) * np.array([-1.0 if "*" in leader else 1.0 for leader in self.entries])

    @property
    def big(self) -> NDArray[np.bool_]:
        """Which rows are big, (30,)."""
        return np.array([entry["table_row"] not in SMALL_ROWS for entry in self.entries.values()])

    def places(self, leaders: Sequence[str]) -> NDArray[np.int64]:
        """Where the rows are among clusters with these leaders, (30,)."""
        found = list(leaders)
        return np.array([found.index(name) for name in self.entries], dtype=np.int64)

    def big_places(self, leaders: Sequence[str]) -> NDArray[np.int64]:
        """Where the big rows are among clusters with these leaders, (24,)."""
        return self.places(leaders)[self.big]


def cluster_table(study: str) -> ClusterTable:
    """Table 5.3 of `spirolazzi_n1`, or Table 6.5 of `spirolazzi_oossim`."""
    entries = published(study)["parameters"]["pi"]["entries"]
    return ClusterTable({_LEADERS[each["index"] - 1]: each for each in entries if each["role"] == "identified"})


def simple_model(robot: Robot) -> AngularMomentum:
    """Angular momentum with the thesis' simplifications and its known load: 32 clusters, 30 of them unknown."""
    return AngularMomentum(robot, ("load",), SIMPLE)
