"""Groups of unknowns: what an estimator finds beside the robot's parameters, each with what is assumed of it before.

Whoever owns an effect (a gyro its bias, a flight its momentum) makes a group of it; the estimator puts the groups of
a problem one after the other into one vector (`estimate/unknowns.py`). A kind is named by a constant of its owner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import AXES, Array


@dataclass(frozen=True, eq=False)
class UnknownGroup:
    """Unknowns of one kind.

    kind: what they are. labels, units: of each of the k. source: what the error budget calls them.
    mean, information: of what is assumed before the data, shape (k,) and (k, k); zero information: nothing.
    """

    kind: str
    labels: tuple[str, ...]
    units: tuple[str, ...]
    source: str
    mean: Array
    information: Array


def independent(
    kind: str, labels: Sequence[str], units: str | Sequence[str], sd: ArrayLike, source: str = ""
) -> UnknownGroup:
    """Unknowns about zero with standard deviations, one for all or one for each; source: the kind unless given."""
    spread = np.broadcast_to(np.asarray(sd, float), (len(labels),))
    each = (units,) * len(labels) if isinstance(units, str) else tuple(units)
    information = np.diag(1.0 / spread**2)
    return UnknownGroup(kind, tuple(labels), each, source or kind, np.zeros(len(labels)), information)


def flat(kind: str, labels: Sequence[str], unit: str) -> UnknownGroup:
    """Unknowns of which nothing is assumed."""
    size = len(labels)
    return UnknownGroup(kind, tuple(labels), (unit,) * size, kind, np.zeros(size), np.zeros((size, size)))


def along(axes: ArrayLike, words: str, ending: str = "") -> tuple[str, ...]:
    """Labels for some of the axes x, y, z, given by number: `gyro bias x`, then which flight's."""
    return tuple(f"{words} {AXES[axis]}{ending}" for axis in np.asarray(axes).tolist())


def usual_spread(sd: float | None, description: str) -> Any:
    """A field of nuisances: the standard deviation that is usually assumed of an effect; None leaves it out."""
    return field(default=sd, metadata={"description": description})
