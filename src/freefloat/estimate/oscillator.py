"""What swings on a base although the robot file has it fixed: a damped oscillator that the base's turning drives."""

from __future__ import annotations

from dataclasses import dataclass

from freefloat.arrays import AXES

_NEARLY = 0.985  # cosine of ten degrees: nearer to an axis of the base, it is called that


@dataclass(frozen=True, slots=True)
class Oscillator:
    """One that was found in what a rigid robot leaves.

    frequency_Hz: as it swings on the floating base, without damping. damping_ratio: over critical damping, there.
    held_Hz: the frequency with the base held.
    axis: about which it pushes the base, base axes, a unit vector. coupling_inertia: as that of `system_modes`, the
    part of the robot's inertia that stays behind above the frequency [kg m^2]. gain: by how much less a fit costs with
    it; driven: how much of that its being driven by the base's turning saves, and not a swing from before.
    """

    frequency_Hz: float
    damping_ratio: float
    held_Hz: float
    axis: tuple[float, float, float]
    coupling_inertia: float
    gain: float
    driven: float

    @property
    def words(self) -> str:
        """What swings, how, and on what."""
        largest = max(range(3), key=lambda k: abs(self.axis[k]))
        listed = ", ".join(f"{part:.2g}" for part in self.axis)
        about = f"{AXES[largest]} axis" if abs(self.axis[largest]) > _NEARLY else f"axis ({listed})"
        return (
            f"{self.frequency_Hz:.3g} Hz, damping {100.0 * self.damping_ratio:.2g} %, coupled to the base's {about} "
            f"with {self.coupling_inertia:.2g} kg m^2"
        )
