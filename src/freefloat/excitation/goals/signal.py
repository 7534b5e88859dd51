"""Signal strength: motion that stands out of the noise.

    kappa + w N / sum h^2,   h the N joint rates and components of the base's twist

after B. Naveen, S. V. Shah, A. K. Misra, "Momentum model-based minimal parameter identification of a space robot",
Journal of Guidance, Control, and Dynamics, 2019, eq. 32. The signals, each h / sqrt(N), stand beside the regressor in
columns of their own, as `SignalRows` fills them. The article adds to the condition number itself; added to any other
goal, such as its logarithm, the term works alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.arrays import Array
from freefloat.excitation.goals.goal import Goal


@dataclass(frozen=True, eq=False)
class WithSignal(Goal):
    """A goal for all but the last columns, and `weight` over the sum of squares of those.

    signals: number of columns at the right that hold h / sqrt(N), zero where a row has none.
    """

    goal: Goal
    weight: float
    signals: int

    @property
    def name(self) -> str:  # type: ignore[override]
        """Of both."""
        return f"{self.goal.name} with signal strength"

    def __call__(self, C: Array) -> tuple[float, Array]:
        """The value for a matrix [C, h], shape (m, c + signals), and its derivative, in the same shape."""
        columns = C.shape[1] - self.signals
        value, Z = self.goal(np.ascontiguousarray(C[:, :columns]))
        h = C[:, columns:]
        strength = float((h**2).sum())
        return value + self.weight / strength, np.hstack([Z, (-2.0 * self.weight / strength**2) * h])
