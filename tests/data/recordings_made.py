"""Recordings to write and read, what makes two of them equal, and what an error says."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.data.origin import Origin
from freefloat.data.recording import Recording
from freefloat.errors import FileError
from freefloat.sensors.channel import Channel


def multi_rate(seed=0):
    """Joints at 100 Hz, one of which slides; two gyros at 30 Hz, one with a gap; three star tracker fixes."""
    rng = np.random.default_rng(seed)
    joints = Channel("q", np.arange(50) / 100, rng.normal(size=(50, 3)), ("j1", "arm_m_2", "lift"), ("rad", "rad", "m"))
    t = 1e-3 + np.arange(20) / 30
    gyro = Channel("gyro", t, 1e-5 * rng.normal(size=(20, 3)), tuple("xyz"), "rad_s")
    kept = np.r_[0:5, 15:20]
    aft = Channel("gyro.aft", t[kept], rng.normal(size=(10, 1)), ("z",), "rad_s")
    quaternions = rng.normal(size=(3, 4))
    attitude = Channel("attitude", [0.0, 0.1, 0.7], quaternions, tuple("xyzw"), "")
    origin = Origin("simulated", hashes={"robot": "ab12"}, seed=3, run=7, mission="n1", made_by="freefloat 0.1")
    return Recording([joints, gyro, aft, attitude], origin, start_ns=1_700_000_000_000_000_001, notes=("a note",))


def assert_same_channels(one, other):
    assert list(one.channels) == list(other.channels)
    for a, b in zip(one, other, strict=True):
        assert (a.name, a.components, a.units) == (b.name, b.components, b.units)
        assert np.array_equal(a.t, b.t)
        assert np.array_equal(a.values, b.values)


def said_by(action, *arguments, **settings):
    """What the FileError says that this must raise: one line that names the file first."""
    with pytest.raises(FileError) as caught:
        action(*arguments, **settings)
    said = str(caught.value)
    assert "\n" not in said
    assert said.startswith(f"{caught.value.path}: ")
    return said.removeprefix(f"{caught.value.path}: ")
