"""The published experiments, run again: every study is rebuilt from its files and computed, nothing is quoted."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from importlib import import_module

from freefloat.estimate.one_thread import one_blas_thread
from freefloat.studies.catalogue import UnknownStudy, study_robot
from freefloat.studies.check import Check, Effort, Robots, Study, Watch

TITLES = {
    "naveen": "Naveen, Shah, Misra: momentum model, dual-arm robot, 52 minimal parameters",
    "gautier": "Gautier, Khalil (IJRR 1992): energy model, exciting points of a three-joint arm",
    "ayusawa": "Ayusawa, Rioux, Yoshida, Venture, Gautier (ICRA 2017): gradient of the condition number",
    "christidi": "Christidi-Loumpasefski, Papadopoulos (RAS 2022): three-joint servicer, planar robot",
    "spirolazzi": "Spirolazzi (thesis): seven-joint servicer with a known load, OOS-SIM",
    "flexible": "Rackl, Lampariello (ICMIC 2014), as the thesis reports it: panels and fuel, in numbers of our own",
}


def reproduce(
    names: Sequence[str] = ("all",),
    effort: Effort = "usual",
    robots: Robots = study_robot,
    watch: Watch | None = None,
) -> Iterator[Study]:
    """Studies by name, or `all`, one after the other.

    effort: `usual` takes about a minute each, `full` the published number of runs, `glance` a few seconds, which is
    too little for honest figures. robots: where robots come from; another source gives the figures of another robot.
    watch: told in words what is being computed.
    """
    for name in names:
        if name != "all" and name not in TITLES:
            raise UnknownStudy(name, (*TITLES, "all"))
    for name in TITLES if "all" in names else tuple(dict.fromkeys(names)):
        began = time.perf_counter()
        with one_blas_thread():
            run = import_module(f"freefloat.studies.{name}.study").checks
            checks: tuple[Check, ...] = tuple(run(robots, effort, watch or _silent))
        yield Study(name, TITLES[name], checks, time.perf_counter() - began)


def _silent(_: str) -> None:
    """Nobody listens."""
