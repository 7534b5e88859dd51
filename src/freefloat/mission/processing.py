"""How a mission's recordings are processed before they are identified: `identify.processing`.

After the chain of M. Spirolazzi, "Free-floating robot inertial parameter identification towards in orbit servicing",
2022, section 6.3.1, with what it chooses by hand left to the spectrum.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from freefloat.data.processing.derivative_band_limited import BandLimited
from freefloat.data.processing.derivative_savitzky_golay import SavitzkyGolay
from freefloat.data.processing.derivative_through_samples import ThroughSamples
from freefloat.data.processing.differentiation import Differentiator
from freefloat.data.processing.filtering import ORDER, LowPass, LowPassBySpectrum
from freefloat.data.processing.imu_model import Calibration
from freefloat.data.processing.processed import ProcessSettings
from freefloat.files import Number, Positive, Section, Vector3


class LowPassSection(Section):
    """A zero-phase Butterworth low-pass; of joints, rates follow from a quintic spline through what it leaves."""

    kind: Literal["low-pass"] = "low-pass"
    cutoff_Hz: Positive | Literal["spectrum"] = Field(
        default="spectrum", description="or as the spectrum and the command ask for"
    )
    order: Annotated[int, Field(ge=1, le=12)] = Field(default=ORDER, description="of each of its two passes")

    def low_pass(self) -> LowPass | LowPassBySpectrum:
        """The filter, or that its cut-off is left to the spectrum."""
        if isinstance(self.cutoff_Hz, str):
            return LowPassBySpectrum(self.order)
        return LowPass(self.cutoff_Hz, self.order)

    def differentiator(self) -> Differentiator | LowPassBySpectrum:
        """The same, for joints."""
        found = self.low_pass()
        return BandLimited(found) if isinstance(found, LowPass) else found


class SavitzkyGolaySection(Section):
    """Polynomials fitted to a moving window."""

    kind: Literal["savitzky-golay"]
    window_s: Positive = Field(description="length of the window")
    degree: Annotated[int, Field(ge=2, le=10)] = Field(default=4, description="of the polynomials")

    def differentiator(self) -> Differentiator:
        """The same, for joints."""
        return SavitzkyGolay(self.window_s, self.degree)


class SplineSection(Section):
    """A quintic spline through all samples, noise included."""

    kind: Literal["spline"]

    def differentiator(self) -> Differentiator:
        """The same, for joints."""
        return ThroughSamples()


JointFilter = Annotated[LowPassSection | SavitzkyGolaySection | SplineSection, Field(discriminator="kind")]


class CalibrationSection(Section):
    """What an inertial sensor's readings stand for, T K (raw + bias), as `freefloat data --calibrate` finds it."""

    misalignment_rad: dict[Literal["yz", "zy", "xz", "zx", "xy", "yx"], Number] = Field(
        default_factory=dict, description="angles of T; zero unless given"
    )
    scale: Vector3 = Field(default=(1.0, 1.0, 1.0), description="the diagonal of K")
    bias: Vector3 = Field(default=(0.0, 0.0, 0.0), description="in the units of the channel")

    def calibration(self) -> Calibration:
        """The same, for processing."""
        angles = {str(name): value for name, value in self.misalignment_rad.items()}
        return Calibration.from_angles(angles, self.scale, self.bias)


class ProcessingSection(Section):
    """What is done to recordings first; the defaults suit most. Which seconds count is said by `identify.window`."""

    delays_s: dict[str, Number] = Field(
        default_factory=dict, description="by channel: how late its stamps are, taken off before anything else"
    )
    joints: JointFilter | None = Field(
        default=None, description="how joints are filtered; on their command, or curves by their noise, unless given"
    )
    gyro: LowPassSection | None = Field(
        default=None, description="low-pass of angular rates on one time base; none unless given"
    )
    torques: LowPassSection | None = Field(
        default=None,
        description="low-pass of joint torques, and the same of joints unless these say otherwise; that of the joints' "
        "spectrum unless given, for linear methods on a fixed base",
    )
    calibrations: dict[str, CalibrationSection] = Field(
        default_factory=dict, description="by channel, of gyros and accelerometers whose readings are raw"
    )

    def settings(self, usual: ProcessSettings) -> ProcessSettings:
        """Settings with what is said here in place of what is usual."""
        return replace(
            usual,
            delays_s=dict(self.delays_s),
            joints=None if self.joints is None else self.joints.differentiator(),
            gyro=None if self.gyro is None else self.gyro.low_pass(),
            torques=usual.torques if self.torques is None else self.torques.low_pass(),
            calibrations={name: each.calibration() for name, each in self.calibrations.items()},
        )
