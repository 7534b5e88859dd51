"""Identify one flight again and again, a turn for every line that comes in, so that two versions can alternate.

    python identify_by_turns.py n1
    python identify_by_turns.py MISSION RECORDING

Prints the folder of the package, then the seconds of each turn, of which the first compiles. Whatever this imports must
have the same name in every version that is compared.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import freefloat as ff
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.mission.identifying import named_recordings
from freefloat.studies.spirolazzi.n1 import N1


def n1() -> Callable[[], object]:
    """The estimate of N1 from samples, as in bench_estimate.py."""
    robot = ff.study_robot("spirolazzi_n1")
    problem = replace(N1(robot).drawn(1), robot=robot)
    return lambda: MaximumLikelihood().estimate(problem)


def recorded(mission_file: str, recording_file: str) -> Callable[[], object]:
    """The estimate of a recording by the mission's method; reading files is no part of a turn."""
    mission, recordings = ff.load_mission(mission_file), named_recordings(recording_file)
    return lambda: ff.identify(mission, recordings)


def main(words: list[str]) -> None:
    print(Path(ff.__file__).parent, flush=True)
    turn = n1() if words == ["n1"] else recorded(*words)
    for _ in sys.stdin:
        start = time.perf_counter()
        turn()
        print(time.perf_counter() - start, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
