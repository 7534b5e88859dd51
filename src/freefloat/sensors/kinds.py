"""All sensors, by the names that a mission file has for them.

    sensors:
      joints: {kind: encoder, noise_rad: 2.5e-5, rate_Hz: 100}
      gyro:   {kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.01, bias_deg_per_h: 0.1, rate_Hz: 100}

The key is the sensor's name, and with seed and run the key of its random draws. Two sensors of one kind need
labels that differ, for they become the names of channels: `gyro` and `gyro.aft`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from freefloat.files import Section, YamlDocument, shown, validate
from freefloat.sensors.accelerometer import Accelerometer
from freefloat.sensors.encoder import Encoder
from freefloat.sensors.gyro import Gyro
from freefloat.sensors.pose_sensor import PoseSensor
from freefloat.sensors.sensor import Sensor
from freefloat.sensors.star_tracker import StarTracker
from freefloat.sensors.tachometer import Tachometer
from freefloat.sensors.torque_sensor import TorqueSensor
from freefloat.sensors.velocity_sensor import VelocitySensor

AnySensor = Annotated[
    Encoder | Gyro | Accelerometer | StarTracker | PoseSensor | VelocitySensor | Tachometer | TorqueSensor,
    Field(discriminator="kind"),
]


def _named(sensors: dict[str, Sensor]) -> dict[str, Sensor]:
    """Every sensor under its own name, no two of them giving the same channel."""
    givers: dict[str, str] = {}
    for name, sensor in sensors.items():
        if sensor.name not in ("", name):
            raise ValueError(f"calls the sensor {shown(name)} also {shown(sensor.name)}; allowed: one name")
        for channel in map(sensor.channel_name, sensor.gives()):
            other = givers.setdefault(channel, name)
            if other != name:
                both = f"{shown(other)} and {shown(name)}"
                raise ValueError(f"lets {both} both give {channel}; allowed: a label for one of them")
    return {name: sensor.model_copy(update={"name": name}) for name, sensor in sensors.items()}


Sensors = Annotated[dict[Annotated[str, Field(min_length=1)], AnySensor], AfterValidator(_named)]


class _OneMission(Section):
    sensors: Sensors


def make_sensor(name: str, settings: Mapping[str, Any]) -> Sensor:
    """A sensor from what a mission file would say of it: `make_sensor("gyro", {"kind": "gyro", ...})`."""
    document = YamlDocument("sensors", {"sensors": {name: dict(settings)}})
    return validate(_OneMission, document).sensors[name]
