"""All sensors, by the names that a mission file has for them.

    sensors:
      joints: {kind: encoder, noise_rad: 2.5e-5, rate_Hz: 100}
      gyro:   {kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.01, bias_deg_per_h: 0.1, rate_Hz: 100}

The key is the sensor's name, and with seed and run the key of its random draws. Two sensors of one kind need
labels that differ, for they become the names of channels: `gyro` and `gyro.aft`.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from freefloat.files import Section, YamlDocument, shown, validate
from freefloat.sensors.accelerometer import Accelerometer, AccelerometerNuisances, SpecificForceReading
from freefloat.sensors.attitude_sensor import AttitudeReading
from freefloat.sensors.encoder import Encoder
from freefloat.sensors.gyro import Gyro, GyroNuisances, RateReading
from freefloat.sensors.joint_rate_sensor import JointRateNuisances, JointRateReading, JointRateSensor
from freefloat.sensors.pose_sensor import PoseSensor, PositionReading
from freefloat.sensors.reading import Reading
from freefloat.sensors.sensor import Sensor
from freefloat.sensors.star_tracker import StarTracker
from freefloat.sensors.tachometer import Tachometer
from freefloat.sensors.torque_sensor import TorqueNuisances, TorqueReading, TorqueSensor
from freefloat.sensors.velocity_sensor import VelocityNuisances, VelocityReading, VelocitySensor
from freefloat.sensors.wrench_sensor import WrenchSensor

AnySensor = Annotated[
    Encoder
    | Gyro
    | Accelerometer
    | StarTracker
    | PoseSensor
    | VelocitySensor
    | Tachometer
    | TorqueSensor
    | JointRateSensor
    | WrenchSensor,
    Field(discriminator="kind"),
]

# What estimators compare with a predicted motion, in the order of their rows.
READINGS: tuple[type[Reading[Any]], ...] = (
    RateReading,
    VelocityReading,
    AttitudeReading,
    PositionReading,
    JointRateReading,
    SpecificForceReading,
    TorqueReading,
)


@dataclass(frozen=True)
class SensorNuisances(AccelerometerNuisances, JointRateNuisances, GyroNuisances, VelocityNuisances, TorqueNuisances):
    """What is assumed of the errors of all sensors that estimators compare."""


def readings_among(arrays: Container[str]) -> tuple[type[Reading[Any]], ...]:
    """Readings whose array is among these, by name."""
    return tuple(reading for reading in READINGS if reading.array in arrays)


def reading_for(array: str) -> type[Reading[Any]] | None:
    """The reading that compares an array of the samples; None if estimators do not compare it."""
    return next((reading for reading in READINGS if reading.array == array), None)


def sources() -> dict[str, tuple[str, ...]]:
    """By array of the samples, of the base, the quantities that become it; the first recorded counts."""
    return {reading.array: reading.quantities for reading in READINGS if reading.of_base}


def reading_of(quantity: str) -> type[Reading[Any]] | None:
    """The reading that a quantity of a recording becomes; None if estimators do not compare it."""
    return next((reading for reading in READINGS if quantity in reading.quantities), None)


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
