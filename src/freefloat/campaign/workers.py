"""Chunks of runs over processes of this machine, each with one thread of linear algebra.

Results come over a pipe of each worker's own, so that one that is killed leaves nothing locked: its chunk is done again
by another. Workers end with the process that started them, however that ends.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections import Counter, deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from freefloat.campaign.manifest import InvalidCampaign
from freefloat.campaign.parts import Job
from freefloat.campaign.runs import chunk_rows
from freefloat.campaign.settings import CampaignSetting
from freefloat.errors import FreefloatError
from freefloat.estimate.one_thread import one_blas_thread

Done = tuple[Job, list[dict[str, Any]]]
_MOST_DEATHS = 3  # of workers over one chunk
_OFTEN_S = 0.2


def run_jobs(settings: Mapping[int, CampaignSetting], jobs: Sequence[Job], workers: int) -> Generator[Done]:
    """The rows of every job, as they come; in this process if one worker is enough."""
    if workers <= 1 or len(jobs) <= 1:
        for job in jobs:
            with one_blas_thread():
                rows = chunk_rows(settings[job.setting], job.first, job.stop)
            yield job, rows
        return
    yield from _Crew(settings, jobs).run(min(workers, len(jobs)))


@dataclass(slots=True, eq=False)
class _Worker:
    process: Any
    pipe: Connection
    job: Job | None = None


class _Crew:
    """Workers, and what is left for them to do."""

    def __init__(self, settings: Mapping[int, CampaignSetting], jobs: Sequence[Job]) -> None:
        self.settings, self.left = settings, deque(jobs)
        self.deaths, self.workers = Counter[Job](), list[_Worker]()
        # Forked workers inherit the settings with all that is compiled, and a user's script is not run again.
        self.context: Any = multiprocessing.get_context("fork" if sys.platform.startswith("linux") else "spawn")

    def run(self, count: int) -> Iterator[Done]:
        """All jobs by so many workers."""
        try:
            self.workers = [self._started() for _ in range(count)]
            while busy := [worker for worker in self.workers if worker.job is not None]:
                ready = wait([worker.pipe for worker in busy])
                for worker in busy:
                    if worker.pipe in ready:
                        yield from self._heard(worker)
        finally:
            for worker in self.workers:
                worker.process.kill()  # it has nothing to lose: parts are written here
                worker.process.join()
                worker.pipe.close()

    def _started(self) -> _Worker:
        here, there = self.context.Pipe()
        process = self.context.Process(target=_work, args=(self.settings, there, os.getpid()), daemon=True)
        with warnings.catch_warnings():  # on threads at a fork: of theirs, workers use none
            warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)
            process.start()
        there.close()
        worker = _Worker(process, here)
        self._next(worker)
        return worker

    def _next(self, worker: _Worker) -> None:
        worker.job = self.left.popleft() if self.left else None
        if worker.job is not None:
            with suppress(OSError):  # of one that is dead: its pipe will say so
                worker.pipe.send(worker.job)

    def _heard(self, worker: _Worker) -> Iterator[Done]:
        job = worker.job
        assert job is not None
        try:
            reply = worker.pipe.recv()
        except (EOFError, OSError):
            self._buried(worker, job)
            return
        if isinstance(reply, Exception):
            raise reply
        self._next(worker)
        yield job, reply

    def _buried(self, worker: _Worker, job: Job) -> None:
        """Its job comes first for another; but a job that kills every worker ends the campaign."""
        worker.process.join()
        worker.pipe.close()
        self.workers.remove(worker)
        self.deaths[job] += 1
        if self.deaths[job] == _MOST_DEATHS:
            raise InvalidCampaign(
                f"{_MOST_DEATHS} workers ended over runs {job.first} to {job.stop - 1} of setting {job.setting}, the "
                f"last with exit code {worker.process.exitcode}; is there enough memory for so many workers? Finished "
                "parts are kept"
            )
        self.left.appendleft(job)
        self.workers.append(self._started())


def _work(settings: Mapping[int, CampaignSetting], pipe: Connection, parent: int) -> None:
    """A worker: runs jobs until its parent ends; an interrupt is the parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    with one_blas_thread():
        while True:
            try:
                job = pipe.recv()
                pipe.send(_rows(settings[job.setting], job))
            except (EOFError, OSError):
                return


def _rows(setting: CampaignSetting, job: Job) -> list[dict[str, Any]] | Exception:
    """The rows of a job, or what is wrong with it or the program as text: not every error survives a pipe."""
    try:
        return chunk_rows(setting, job.first, job.stop)
    except FreefloatError as error:
        return InvalidCampaign(str(error))
    except Exception:
        return RuntimeError(f"a run of {job} raised\n{traceback.format_exc()}")


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_OFTEN_S)
    os._exit(1)
