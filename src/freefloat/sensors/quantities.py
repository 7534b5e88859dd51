"""The names of measured quantities: one spelling for channels, table columns and units.

A column is `<quantity>[.<label>]_<component>_<unit>`; a channel is all columns of one `<quantity>[.<label>]`:

    column                    what it is
    t_s                       time since the start of the recording
    q_<joint>_rad             joint position; `_m` for a joint that slides
    dq_<joint>_rad_s          joint rate; `_m_s`
    tau_<joint>_Nm            joint torque; `_N`
    gyro_x_rad_s              angular velocity, in the sensor's axes
    accelerometer_x_m_s2      specific force, in the sensor's axes
    attitude_x, _y, _z, _w    quaternion of the sensor's frame in the inertial one, scalar last: R_IB for a
                              sensor that is mounted without a rotation
    position_x_m              of the sensor's origin, in inertial axes
    velocity_x_m_s            of the sensor's origin, in inertial axes
    body_velocity_x_m_s       of the sensor's origin, in the sensor's axes
    wheel_<wheel>_rad_s       wheel rate relative to the base
    force_x_N, moment_x_Nm    external force and moment about the base origin, base axes

A label tells several sensors of one kind apart: `gyro_x_rad_s` and `gyro.aft_x_rad_s`, `q_j1_rad` and
`q.link_j1_rad`. It is made of letters, digits and hyphens, so that it ends where the component begins; a joint
may be called anything. Where each sensor sits is said by the mission, not by the recording.

Everything in memory is in SI units, and written so. On reading, `_deg`, `_deg_s`, `_rpm`, `_mm`, `_g` and such
are converted; the table below has them all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from freefloat.errors import FreefloatError
from freefloat.files import did_you_mean, shown

TIME = "t_s"
STANDARD_GRAVITY = 9.80665  # [m/s^2], the g of data sheets
MICRO_G = 1e-6 * STANDARD_GRAVITY


class InvalidRecording(FreefloatError):
    """Channels or columns that do not make a recording, or that it does not have."""


Units = Mapping[str, tuple[str, float]]  # unit as written -> SI unit, factor

_ANGLE: Units = {"rad": ("rad", 1.0), "deg": ("rad", math.pi / 180.0)}
_ANGULAR_RATE: Units = {
    "rad_s": ("rad_s", 1.0),
    "deg_s": ("rad_s", math.pi / 180.0),
    "rpm": ("rad_s", math.pi / 30.0),
}
_LENGTH: Units = {"m": ("m", 1.0), "mm": ("m", 1e-3)}
_SPEED: Units = {"m_s": ("m_s", 1.0), "mm_s": ("m_s", 1e-3)}
_ACCELERATION: Units = {"m_s2": ("m_s2", 1.0), "g": ("m_s2", STANDARD_GRAVITY)}
_FORCE: Units = {"N": ("N", 1.0), "mN": ("N", 1e-3)}
_TORQUE: Units = {"Nm": ("Nm", 1.0), "mNm": ("Nm", 1e-3)}


@dataclass(frozen=True, slots=True)
class MeasuredQuantity:
    """Something that is measured.

    of: components it may have: axes of a frame, or the names of joints or wheels.
    units: those it may be written in; empty for a quaternion.
    """

    of: Literal["xyz", "xyzw", "joint", "wheel"]
    units: Units

    @property
    def si_units(self) -> frozenset[str]:
        """The units that it has in memory and in files that freefloat writes."""
        return frozenset(si for si, _ in self.units.values()) or frozenset({""})


QUANTITIES: Mapping[str, MeasuredQuantity] = {
    "q": MeasuredQuantity("joint", {**_ANGLE, **_LENGTH}),
    "dq": MeasuredQuantity("joint", {**_ANGULAR_RATE, **_SPEED}),
    "tau": MeasuredQuantity("joint", {**_TORQUE, **_FORCE}),
    "gyro": MeasuredQuantity("xyz", _ANGULAR_RATE),
    "accelerometer": MeasuredQuantity("xyz", _ACCELERATION),
    "attitude": MeasuredQuantity("xyzw", {}),
    "position": MeasuredQuantity("xyz", _LENGTH),
    "velocity": MeasuredQuantity("xyz", _SPEED),
    "body_velocity": MeasuredQuantity("xyz", _SPEED),
    "wheel": MeasuredQuantity("wheel", _ANGULAR_RATE),
    "force": MeasuredQuantity("xyz", _FORCE),
    "moment": MeasuredQuantity("xyz", _TORQUE),
}

_LABEL = "[A-Za-z0-9-]+"
_KNOWN = "|".join(QUANTITIES)
_CHANNEL = re.compile(rf"({_KNOWN})(?:\.({_LABEL}))?")
_COLUMN = re.compile(rf"((?:{_KNOWN})(?:\.{_LABEL})?)_(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Column:
    """What the name of a column says.

    channel: `<quantity>[.<label>]`. component: an axis, a joint or a wheel.
    unit: the SI unit that the values have once they are multiplied by `factor`.
    """

    channel: str
    component: str
    unit: str
    factor: float


def quantity_of(channel: str) -> str:
    """`gyro` of the channel `gyro.aft`."""
    match = _CHANNEL.fullmatch(channel)
    if match is None:
        known = ", ".join(QUANTITIES)
        raise InvalidRecording(
            f"no quantity is called {shown(channel)}{did_you_mean(channel, QUANTITIES)}; allowed: {known}, "
            "each with or without a label of letters, digits and hyphens, such as gyro.aft"
        )
    return match[1]


def column_name(channel: str, component: str, unit: str) -> str:
    """The name of the column that holds one component of a channel."""
    return f"{channel}_{component}" + (f"_{unit}" if unit else "")


def parse_column(name: str) -> Column:
    """What the name of a column says, or one sentence on why it says nothing."""
    match = _COLUMN.fullmatch(name)
    if match is None:
        near = did_you_mean(name, (_examples(quantity)[0] for quantity in QUANTITIES))
        raise InvalidRecording(
            f"column {shown(name)} is of no known quantity{near}; known: {TIME}, {', '.join(QUANTITIES)}"
        )
    channel, rest = match.groups()
    kind = quantity_of(channel)
    quantity = QUANTITIES[kind]
    for unit in sorted(quantity.units, key=len, reverse=True) or [""]:
        component = rest.removesuffix(f"_{unit}" if unit else "")
        if (component != rest or not unit) and _fits(component, quantity):
            return Column(channel, component, *quantity.units.get(unit, ("", 1.0)))
    raise InvalidRecording(
        f"column {shown(name)} has a component or a unit that {kind} cannot have; "
        f"allowed: such as {' or '.join(_examples(kind))}"
    )


def _fits(component: str, quantity: MeasuredQuantity) -> bool:
    return component in quantity.of if quantity.of in ("xyz", "xyzw") else bool(component)


def _examples(kind: str) -> list[str]:
    quantity = QUANTITIES[kind]
    component = "x" if quantity.of in ("xyz", "xyzw") else f"<{quantity.of}>"
    return [column_name(kind, component, unit) for unit in quantity.units or [""]]
