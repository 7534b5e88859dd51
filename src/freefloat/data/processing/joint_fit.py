"""The motion of one joint as a sum of functions, and what there is to say of the fit."""

from __future__ import annotations

from dataclasses import dataclass

from freefloat.arrays import Array
from freefloat.data.processing.projection_basis import ProjectionBasis
from freefloat.data.processing.whiteness import Whiteness

FAR = 0.1  # of the command's root mean square: further away a joint does not follow it


@dataclass(frozen=True, slots=True, eq=False)
class JointFit:
    """One joint.

    basis, coefficients: the motion is the command's fixed part plus basis @ coefficients; shape (k,).
    noise_sd: of an encoder sample [rad or m]; the coefficients' covariance is its square times the unit matrix.
    residual_sd: of what the fit leaves over. added: functions beyond the command's own and a constant.
    departure: largest distance from the command, less a constant, and `relative`: its root mean square in units
        of the commanded motion's.
    """

    name: str
    basis: ProjectionBasis
    coefficients: Array
    whiteness: Whiteness
    residual_sd: float
    added: int
    departure: float
    relative: float
    unit: str

    @property
    def described(self) -> bool:
        """Whether the fit may be used: the residual is white."""
        return self.whiteness.white

    @property
    def follows(self) -> bool:
        """Whether the fit may be used and the joint is near its command."""
        return self.described and self.relative <= FAR

    @property
    def noise_sd(self) -> float:
        """Standard deviation of an encoder sample [rad or m]."""
        return self.whiteness.noise_sd

    def sentence(self, rate_Hz: float) -> str:
        """What there is to say of it; rate_Hz: of the encoder."""
        if self.relative > FAR:
            return (
                f"{self.name} does not follow the command: it is off by up to {self.departure:.3g} {self.unit}, "
                f"{100.0 * self.relative:.2g} % of the commanded motion"
            )
        if not self.whiteness.white:
            low, high = (rate_Hz * f for f in self.whiteness.worst_band)
            return (
                f"{self.name} does not follow the command: {self.added} added functions still leave "
                f"{self.whiteness.excess:.2g} times the power of noise between {low:.2g} and {high:.2g} Hz"
            )
        if self.added:
            off = f"{self.departure:.3g} {self.unit}"
            return f"{self.name} departs from the command by up to {off}; {self.added} functions added"
        return f"{self.name} follows the command"
