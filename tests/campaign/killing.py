"""Campaigns in processes of their own, killed at random."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

SCRIPT = """
import sys
from freefloat import load_mission, run_campaign
path, directory, runs, chunk, workers, *methods = sys.argv[1:]
run_campaign(load_mission(path), int(runs), methods, directory=directory, chunk=int(chunk), workers=int(workers))
"""


def started(mission_path, directory, runs, chunk, methods, workers=2):
    """A campaign in a process of its own."""
    settings = [mission_path, directory, runs, chunk, workers, *methods]
    return subprocess.Popen([sys.executable, "-W", "error", "-c", SCRIPT, *map(str, settings)])


def killed_at_random(process, directory, rng, longest_s):
    """Kill it some time after it has finished another part; the workers it had."""
    before = len(parts(directory))
    while len(parts(directory)) == before and process.poll() is None:
        time.sleep(0.005)
    time.sleep(rng.uniform(0.0, longest_s))
    assert process.poll() is None, "it was finished before it could be killed"
    children = children_of(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait()
    return children


def parts(directory):
    """Names of the finished parts with the time of each."""
    folder = Path(directory)
    found = sorted(folder.glob("part-*.parquet")) if folder.exists() else []
    return {path.name: path.stat().st_mtime_ns for path in found}


def children_of(pid):
    """Processes that this one started."""
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def all_gone(pids, within_s=10.0):
    """Whether all of these processes have ended, or do so soon."""
    last = time.monotonic() + within_s
    while any(alive(pid) for pid in pids):
        if time.monotonic() > last:
            return False
        time.sleep(0.02)
    return True


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()


def random_moments(seed):
    return random.Random(seed)
