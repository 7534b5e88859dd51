"""How what pulses give changes with the unknowns: with attitude, centre of mass and force while they push.

With bars for what a unit of each unknown changes, and R -> R exp(alpha),

    of R F:                alpha x F, turned by R
    of R ((x - c) x F):    alpha x ((x - c) x F) - cbar x F, turned by R

and of an error of the force what the pulse gives itself.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from freefloat.arrays import Array
from freefloat.estimate.pushes import Gained
from freefloat.robot.rotations import cross_matrices


class PushedChange:
    """Changes of what pulses gave by the first `count` unknowns.

    R: attitudes, (m, 3, 3). places: of every pulse, where its thruster's error is among the unknowns, -1 for none.
    centre_change: of the centre of mass by unknowns at instants of the grid, (n, 3, at least count).
    """

    def __init__(
        self,
        gained: Gained,
        R: Array,
        count: int,
        places: NDArray[np.int64],
        centre_change: Callable[[NDArray[np.int64]], Array],
    ) -> None:
        self.gained, self.pushes, self.count, self.places = gained, gained.pushes, count, places
        on = self.pushes.on
        self._shape = (on.size, 3, 3, count)
        self._R = self.pushes.in_three(R)
        self._force = np.broadcast_to(self.pushes.wrench[on, None, :3], (on.size, 3, 3))
        self._moment = self.pushes.moment(gained.centre)
        at = (2 * on[:, None] + np.arange(3)).reshape(-1)
        self._centre = centre_change(at)[:, :, :count].reshape(self._shape)
        self._alpha = np.zeros(self._shape)

    @property
    def first(self) -> Array:
        """Force and moment about the centre of mass at the first instant, shape (6,)."""
        return np.concatenate([part[0] for part in self.pushes.at_instants(self.gained.centre)])

    def turn_to(self, alpha: Array, turned: Array, F: Array) -> None:
        """Take attitudes to change by alpha, (n, 3, count); alpha' = F alpha + turned at all instants and half-way."""
        on, h = self.pushes.on, np.diff(self.pushes.t[::2])[:, None, None]
        first, last = alpha[on], alpha[on + 1]
        slopes = (F[2 * on] @ first + turned[2 * on]) - (F[2 * on + 2] @ last + turned[2 * on + 2])
        self._alpha = np.stack([first, 0.5 * (first + last) + h[on] / 8.0 * slopes, last], axis=1)

    def momentum(self) -> Array:
        """Of the angular momentum that pulses gave, at all instants and half-way, (m, 3, count)."""
        change = -cross_matrices(self._moment.reshape(-1, 3)) @ self._alpha.reshape(-1, 3, self.count)
        change += cross_matrices(self._force.reshape(-1, 3)) @ self._centre.reshape(-1, 3, self.count)
        change = change.reshape(self._shape)
        for wrench, place in zip(self.pushes.each, self.places, strict=True):
            if place >= 0:
                change[..., place] += self.pushes.moment(self.gained.centre, wrench)
        return self.pushes.once(self._R @ change)

    def impulse(self) -> tuple[Array, Array]:
        """Of linear momentum that they gave and of its integral, at the instants, (n, 3, count) each."""
        change = -cross_matrices(self._force.reshape(-1, 3)) @ self._alpha.reshape(-1, 3, self.count)
        change = change.reshape(self._shape)
        for wrench, place in zip(self.pushes.each, self.places, strict=True):
            if place >= 0:
                change[..., place] += wrench[self.pushes.on, None, :3]
        turned = self._R @ change
        return self.pushes.once(turned)[::2], self.pushes.twice(turned)
