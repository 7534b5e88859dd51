"""A run of seconds: a small satellite whose wheel is measured too."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from excitation.small_mission import MISSION, write_small_mission

import freefloat as ff

SENSORS = {**MISSION["sensors"], "wheels": {"kind": "tachometer", "noise_rad_s": 0.01, "rate_Hz": 20}}


def small_run(folder, watch=None):
    """The run, its mission beside it."""
    mission = ff.load_mission(write_small_mission(folder, sensors=SENSORS))
    return ff.run(mission, folder / "small.run", starts=1, seed=3, watch=watch, workers=1, shakes=0)


@cache
def shared_run():
    """The run and what was told of it, made once in a process: for tests that only read it."""
    folder = Path(tempfile.mkdtemp(prefix="small_run_"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    told = []
    return small_run(folder, told.append), told
