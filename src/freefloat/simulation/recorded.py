"""A flight as its sensors record it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from freefloat.data.origin import Origin
from freefloat.data.recording import Recording
from freefloat.sensors.sensor import Sensor
from freefloat.sensors.truth import Truth


def record(
    sensors: Iterable[Sensor], truth: Truth, seed: int | None, run: int = 0, origin: Origin | None = None
) -> Recording:
    """What all sensors say of a motion in one run. seed: None for nothing that is drawn.

    origin: what else is known of where the motion came from; seed and run are added.
    """
    channels = [channel for sensor in sensors for channel in sensor.measure(truth, seed, run)]
    known = replace(origin or Origin(), kind="simulated", seed=seed, run=run)
    return Recording({channel.name: channel for channel in channels}, known)
