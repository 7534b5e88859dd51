"""All sensors, by the names that a mission file has for them.

    sensors:
      joints: {kind: encoder, noise_rad: 2.5e-5, rate_Hz: 100}
      gyro:   {kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.01, bias_deg_per_h: 0.1, rate_Hz: 100}

The key is the sensor's name, and with seed and run the key of its random draws. Two sensors of one kind need
labels that differ, for they become the names of channels: `gyro` and `gyro.aft`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from freefloat.experiment.recording import Origin, Recording
from freefloat.experiment.sensors_base import Output, Readings, Sensor
from freefloat.experiment.sensors_inertial import Accelerometer, Gyro
from freefloat.experiment.sensors_joint import Encoder, Tachometer, TorqueSensor
from freefloat.experiment.sensors_pose import PoseSensor, StarTracker, VelocitySensor
from freefloat.experiment.truth import Layout, Truth
from freefloat.files import Section, YamlDocument, shown, validate

__all__ = [
    "Accelerometer",
    "AnySensor",
    "Encoder",
    "Gyro",
    "Layout",
    "Output",
    "PoseSensor",
    "Readings",
    "Sensor",
    "Sensors",
    "StarTracker",
    "Tachometer",
    "TorqueSensor",
    "Truth",
    "VelocitySensor",
    "make_sensor",
    "record",
]

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


def record(sensors: Iterable[Sensor], truth: Truth, seed: int, run: int = 0, origin: Origin | None = None) -> Recording:
    """What all sensors say of a motion in one run.

    origin: what else is known of where the motion came from; seed and run are added.
    """
    channels = [channel for sensor in sensors for channel in sensor.measure(truth, seed, run)]
    known = replace(origin or Origin(), kind="simulated", seed=seed, run=run)
    return Recording({channel.name: channel for channel in channels}, known)
