"""What a campaign costs beyond its parts, simulate and identify, and what a second worker saves, on N1."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import measure  # before anything numerical
from measure import Row

from freefloat.campaign.running import run_campaign
from freefloat.campaign.settings import prepared
from freefloat.estimate.one_thread import one_blas_thread
from freefloat.mission.flying import fly, simulate
from freefloat.mission.identifying import identify
from freefloat.studies.catalogue import study_mission

METHODS = ("least-squares", "maximum-likelihood")


def compare(quick: bool) -> list[Row]:
    runs, chunk, rounds = (4, 1, 1) if quick else (40, 5, 3)
    mission = study_mission("n1")
    truth = fly(mission)
    setting, _ = prepared(mission, 0, {}, mission.trajectory, METHODS, 0, "drawn", 1)

    def parts_alone() -> float:
        """The same runs by hand: simulate, then identify by every method from the run's CAD model."""
        start = time.perf_counter()
        with one_blas_thread():
            for run in range(runs):
                recording = simulate(mission, mission.trajectory, 0, run, truth)
                of_run = setting.mission_of(run)
                for method in METHODS:
                    identify(of_run, recording, method, mission.trajectory)
        return (time.perf_counter() - start) / runs

    def campaign(workers: int) -> float:
        """From the first run to the last part; what is done once, before the first run, is not part of a run."""
        with tempfile.TemporaryDirectory() as folder:
            marks = list[float]()
            settings = {"directory": Path(folder) / "c", "workers": workers, "chunk": chunk}
            run_campaign(mission, runs, METHODS, watch=lambda _: marks.append(time.perf_counter()), **settings)
            return (marks[-1] - marks[0]) / runs

    campaign(1)  # compiles
    alone, one, two = (float("inf") for _ in range(3))
    for _ in range(rounds):
        alone, one, two = min(alone, parts_alone()), min(one, campaign(1)), min(two, campaign(2))
    return [
        Row(f"campaign of {runs} N1 runs by 2 methods, simulate + identify alone", one, alone, "run", 1.3, False),
        Row(f"campaign of {runs} N1 runs: two workers, one", two, one, "run", 1.7, True),
    ]


if __name__ == "__main__":
    sys.exit(measure.run("campaign", __doc__, compare))
