"""The flight sheet of a designed motion: what operators ask before they fly it, and go or no-go per limit."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from freefloat.excitation.collision_check import CollisionCheck
from freefloat.excitation.margin import Margin
from freefloat.frozen import Content


@dataclass(frozen=True, slots=True)
class Turned:
    """How far an angle of the base goes: lowest and highest [rad]."""

    lowest: float
    highest: float


@dataclass(frozen=True, slots=True)
class WheelUse:
    """Momentum of one wheel relative to the base [N m s].

    at_start: what it holds. largest: size of the largest. allowed: by its largest rate, infinite where it has none.
    """

    name: str
    at_start: float
    largest: float
    allowed: float


@dataclass(frozen=True, slots=True)
class SwingUse:
    """A passive joint: how far it swings at most and when, and the amplitude with which it goes on at the end.

    largest, left: [rad], of one that slides [m] (unit).
    """

    name: str
    largest: float
    at_s: float
    left: float
    unit: str = "rad"


@dataclass(frozen=True, slots=True)
class Nearest:
    """The two bodies that come nearest to each other, neighbours left out; negative where they overlap."""

    a: str
    b: str
    distance_m: float
    at_s: float


@dataclass(frozen=True, slots=True)
class GravityGradient:
    """What the torque of the gravity gradient costs.

    torque_Nm: the largest there can be, 3/2 n^2 (largest - smallest moment of inertia of the whole robot), at any time.
    allowed_s: how long a motion on the same path may take until shift_sd is one; infinite without a torque, not a
        number where nothing is predicted or where it is far from the motion's own duration.
    assumed: whether the orbital rate is ours, for want of one. estimated: whether a constant external torque is among
        what the data determine; then the motion may last longer.
    shift_sd: by how many predicted standard deviations the cluster that suffers most is off after this motion if the
        torque acts in one direction all the time, unknown to the estimator; not a number where nothing is predicted.
    modelled: whether the orbit is the mission's, so that estimators know of the torque.
    wider: by what part the interval that suffers most is wider for other torques from outside, which are estimated
        along in an orbit; not a number without one.
    """

    orbital_rate_rad_s: float
    torque_Nm: float
    allowed_s: float
    assumed: bool
    estimated: bool
    shift_sd: float = math.nan
    modelled: bool = False
    wider: float = math.nan


@dataclass(frozen=True, eq=False)
class FlightSheet(Content):
    """What a motion does to the robot as it is assumed to be.

    roll, pitch, yaw: of the base in the inertial frame. pointing_rad: the largest rotation from the first attitude.
    base_rate_rad_s: the largest. nearest: none where fewer than two bodies have shapes.
    margins, collisions: of all limits, as in `Excitation`. swings: passive joints; all else is with these locked.
    """

    duration_s: float
    roll: Turned
    pitch: Turned
    yaw: Turned
    pointing_rad: float
    pointing_at_s: float
    base_rate_rad_s: float
    base_rate_at_s: float
    wheels: tuple[WheelUse, ...] = ()
    nearest: Nearest | None = None
    gravity_gradient: GravityGradient | None = None
    margins: tuple[Margin, ...] = ()
    collisions: CollisionCheck = field(default_factory=CollisionCheck)
    swings: tuple[SwingUse, ...] = ()

    @property
    def go(self) -> bool:
        """Whether every limit is kept."""
        return all(margin.kept for margin in self.margins)

    @property
    def verdict(self) -> str:
        """GO or NO-GO, and what a reader must not take it for."""
        said = "GO" if self.go else "NO-GO"
        if self.nearest is not None and self.nearest.distance_m < 0.0:
            said += f", {'but ' if self.go else ''}{self.nearest.a} and {self.nearest.b} overlap"
        return self.collisions.beside(said)

    @property
    def matters(self) -> tuple[tuple[str, str], ...]:
        """What there is to say, each matter with its words: duration first, the verdict with a count of limits last."""
        lines = [("duration", f"{self.duration_s:.4g} s"), *self._base()]
        still = all(wheel.at_start == wheel.largest == 0.0 for wheel in self.wheels)
        lines += [("wheels", "still")] if self.wheels and still else [_wheel(wheel) for wheel in self.wheels]
        lines += [(swing.name, _swing(swing)) for swing in self.swings]
        if self.nearest is not None:
            near = self.nearest
            apart = f", {near.distance_m:.3f} m" if near.distance_m >= 0.0 else f" overlap by {-near.distance_m:.3f} m"
            lines.append(("closest", f"{near.a} and {near.b}{apart} at {near.at_s:.4g} s"))
        lines.append(("collisions", self.collisions.in_words))
        if self.gravity_gradient is not None:
            lines.append(("gravity gradient", _gradient(self.gravity_gradient)))
        broken = sum(not margin.kept for margin in self.margins)
        counted = f"{len(self.margins)} limits kept" if self.go else f"{broken} of {len(self.margins)} limits broken"
        return (*lines, (self.verdict, counted))

    def as_text(self) -> str:
        """The sheet, a line for each matter, then each limit with its margin."""
        lines = [f"{matter:<16}  {words}" for matter, words in self.matters]
        return "\n".join([*lines, *(f"  {go_or_no_go(margin)}" for margin in self.margins)])

    def _base(self) -> list[tuple[str, str]]:
        if not (self.pointing_rad or self.base_rate_rad_s):
            return []  # a base that is held
        angles = ("roll", "pitch", "yaw")
        turned = [name for name in angles if getattr(self, name).lowest or getattr(self, name).highest]
        ranges = [f"{name} {_degrees(getattr(self, name))}°" for name in turned]
        pointing, rate = np.degrees([self.pointing_rad, self.base_rate_rad_s])
        return [
            ("base attitude", ", ".join(ranges)),
            ("base pointing", f"turns by up to {pointing:.2f}° at {self.pointing_at_s:.4g} s"),
            ("base rate", f"up to {rate:.3g} °/s at {self.base_rate_at_s:.4g} s"),
        ]


def in_words(value: float, unit: str, digits: int = 3) -> str:
    """A value, or a distance from a limit, in the unit that people read: degrees for radians."""
    if unit.startswith("rad"):
        return f"{np.degrees(value):.{digits}g} {unit.replace('rad', '°', 1)}".replace(
            " °", "°" if unit == "rad" else " °"
        )
    return f"{value:.{digits}g} {unit}"


def _degrees(turned: Turned) -> str:
    return f"{np.degrees(turned.lowest):.1f} to {np.degrees(turned.highest):.1f}"


def _wheel(wheel: WheelUse) -> tuple[str, str]:
    allowed = f" of {wheel.allowed:.4g}" if math.isfinite(wheel.allowed) else ""
    held = f"holds {wheel.at_start + 0.0:.4g} at the start, then up to {wheel.largest:.4g}{allowed} N m s"
    return f"wheel {wheel.name}", held


def _swing(swing: SwingUse) -> str:
    if not math.isfinite(swing.largest):
        return "swings without bounds"
    largest, left = in_words(swing.largest, swing.unit), in_words(swing.left, swing.unit)
    return f"swings by up to {largest} at {swing.at_s:.4g} s, {left} left at the end"


def _gradient(gradient: GravityGradient) -> str:
    orbit = f"{gradient.orbital_rate_rad_s:.3g} rad/s"
    orbit += ", assumed: low Earth orbit" if gradient.assumed else ""
    torque = f"up to {gradient.torque_Nm:.2g} N m (orbital rate {orbit})"
    if math.isnan(gradient.shift_sd):
        return f"{torque}, part of the model" if gradient.modelled else torque
    shifts = f"{torque}: unknown, shifts a cluster by up to {gradient.shift_sd:.2g} predicted standard deviations"
    if math.isfinite(gradient.allowed_s):
        shifts += f", by one in a motion of {gradient.allowed_s:.3g} s"
    if gradient.modelled:
        beside = f"; other torques widen an interval by up to {100.0 * gradient.wider:.2g} %"
        return f"{shifts}, but is part of the model{'' if math.isnan(gradient.wider) else beside}"
    if gradient.estimated:
        return f"{shifts}, but is estimated along"
    if gradient.shift_sd <= 1.0:
        return shifts
    along = "identify.nuisances.external_torque_Nm to have it estimated along"
    return f"{shifts}; give orbit to have it in the model, or {along}"


def go_or_no_go(margin: Margin) -> str:
    """A limit with its margin, or by how much it is broken."""
    if not margin.kept:
        return f"no-go  {margin.limit}: broken by {in_words(-margin.slack, margin.unit)} at {margin.at_s:.4g} s"
    return f"go     {margin.limit}: {in_words(margin.slack, margin.unit)} left at {margin.at_s:.4g} s"
