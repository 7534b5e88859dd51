"""Searches over processes: the same for a seed, whatever their number, but for the order in which they end."""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

from freefloat.estimate.one_thread import one_blas_thread
from freefloat.excitation.solver.local_search import Errand, Found, Progress, Watch, run_errand
from freefloat.excitation.solver.planned_task import PlannedTask
from freefloat.excitation.solver.sequential_quadratic import TOLERANCE

_OFTEN_S = 0.2


def search(
    task: PlannedTask,
    errands: Sequence[Errand],
    workers: int = 1,
    most_iterations: int = 300,
    watch: Watch | None = None,
    tolerance: float = TOLERANCE,
) -> Iterator[Found]:
    """The end of every errand, as they come; the same for any number of workers, but for their order.

    watch: called now and then with where an errand is.
    """
    if workers <= 1 or len(errands) <= 1 or not sys.platform.startswith("linux"):
        with one_blas_thread():
            for errand in errands:
                yield run_errand(task, errand, most_iterations, watch, tolerance)
        return
    yield from _in_processes(task, errands, min(workers, len(errands)), most_iterations, watch, tolerance)


def usual_workers() -> int:
    """As many as there are processors to use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def _in_processes(
    task: PlannedTask,
    errands: Sequence[Errand],
    workers: int,
    most_iterations: int,
    watch: Watch | None,
    tolerance: float,
) -> Iterator[Found]:
    # Forked workers inherit the task: nothing of it need be written down, and a user's script is not run again.
    context = multiprocessing.get_context("fork")
    jobs, results = context.SimpleQueue(), context.Queue()
    for number in range(len(errands)):
        jobs.put(number)
    for _ in range(workers):
        jobs.put(None)
    crew = [
        context.Process(target=_work, args=(task, errands, most_iterations, tolerance, jobs, results), daemon=True)
        for _ in range(workers)
    ]
    for process in crew:
        process.start()
    try:
        missing = len(errands)
        while missing:
            try:
                said = results.get(timeout=1.0)
            except queue.Empty:
                if not any(process.is_alive() for process in crew):
                    raise RuntimeError("a worker of the search ended before its work did") from None
                continue
            if isinstance(said, Exception):
                raise said
            if isinstance(said, Progress):
                if watch is not None:
                    watch(said)
                continue
            missing -= 1
            yield said
    finally:
        for process in crew:
            process.terminate()
            process.join()


def _work(
    task: PlannedTask, errands: Sequence[Errand], most_iterations: int, tolerance: float, jobs: Any, results: Any
) -> None:
    """A worker: runs errands until there are none; an interrupt is the parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    last = 0.0

    def told(progress: Progress) -> None:
        nonlocal last
        now = time.perf_counter()
        if now - last > _OFTEN_S:
            last = now
            results.put(progress)

    with one_blas_thread():
        while (number := jobs.get()) is not None:
            try:
                results.put(run_errand(task, errands[number], most_iterations, told, tolerance))
            except Exception as error:
                results.put(error)
                return
