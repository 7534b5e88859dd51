"""The table of a campaign: Parquet parts in a directory, each of some runs at one setting, whole or not there.

A part is named after its setting, first and last run: `part-0000-00000025-00000049.parquet`. Chunks begin at multiples
of the manifest's `chunk`; one that was cut short by the number of runs is later completed by a part of its own. A row
is a run by one method; lists in it are in the order of the manifest's clusters.

| column | what it is |
| --- | --- |
| setting, run, method | which |
| outcome | good, doubtful or failed as the estimate says; error if there is none, and `message` says why |
| residual_ratio | root mean square of the weighted residual |
| value, sd | of every cluster: estimate, standard deviation (infinite where the data say nothing) |
| compared, compared_sd | the same estimate as the clusters by which methods are compared |
"""

from __future__ import annotations

import io
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from freefloat.errors import FileError
from freefloat.files import write_bytes

SCHEMA: Mapping[str, Any] = {
    "setting": pl.UInt32,
    "run": pl.UInt32,
    "method": pl.String,
    "outcome": pl.String,
    "message": pl.String,
    "residual_ratio": pl.Float64,
    "value": pl.List(pl.Float64),
    "sd": pl.List(pl.Float64),
    "compared": pl.List(pl.Float64),
    "compared_sd": pl.List(pl.Float64),
}
_PART = re.compile(r"part-([0-9]{4,})-([0-9]{8,})-([0-9]{8,})\.parquet")
_UNFINISHED = ".freefloat-*.part"  # what an atomic write leaves behind if it is killed
_AGAIN = "; delete it and run the campaign again, which makes it anew"
_LOCK = ".lock"
_PATIENCE_S = 5.0  # workers of a campaign that was killed hold its lock until they notice


@dataclass(frozen=True, slots=True)
class Job:
    """Runs from `first` to before `stop` at one setting."""

    setting: int
    first: int
    stop: int

    @property
    def runs(self) -> int:
        """How many."""
        return self.stop - self.first


def write_part(directory: Path, job: Job, rows: list[dict[str, Any]]) -> None:
    """Write the rows of a job, whole or not at all."""
    target = io.BytesIO()
    pl.DataFrame(rows, schema=dict(SCHEMA)).write_parquet(target, compression="zstd")
    name = f"part-{job.setting:04d}-{job.first:08d}-{job.stop - 1:08d}.parquet"
    write_bytes(directory / name, target.getvalue())


def finished(directory: Path) -> list[Job]:
    """What has been done, by the names of the parts."""
    found = (_PART.fullmatch(path.name) for path in sorted(directory.iterdir()))
    return [Job(int(part[1]), int(part[2]), int(part[3]) + 1) for part in found if part]


def missing(directory: Path, settings: int, runs: int, chunk: int) -> list[Job]:
    """What is left to do for so many runs at every setting, no job longer than a chunk or across its borders."""
    done = {setting: set[int]() for setting in range(settings)}
    for job in finished(directory):
        done.setdefault(job.setting, set()).update(range(job.first, job.stop))
    jobs = list[Job]()
    for setting in range(settings):
        first = None
        for run in range(runs + 1):
            if first is not None and (run == runs or run in done[setting] or run % chunk == 0):
                jobs.append(Job(setting, first, run))
                first = None
            if first is None and run < runs and run not in done[setting]:
                first = run
    return jobs


def read_parts(directory: Path, methods: list[str]) -> pl.DataFrame:
    """The whole table, sorted by setting, run and the order of the methods."""
    paths = [path for path in sorted(directory.iterdir()) if _PART.fullmatch(path.name)]
    frames = [_read(path) for path in paths]
    table = pl.concat(frames) if frames else pl.DataFrame(schema=dict(SCHEMA))
    order = pl.col("method").replace_strict(methods, range(len(methods)), default=len(methods))
    return table.sort("setting", "run", order)


def _read(path: Path) -> pl.DataFrame:
    try:
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FileError(path, f"is not a whole Parquet file{_AGAIN}") from error
    if dict(frame.schema) != dict(SCHEMA):
        raise FileError(path, f"has the columns {', '.join(frame.columns)}; allowed: {', '.join(SCHEMA)}{_AGAIN}")
    return frame


@contextmanager
def held(directory: Path) -> Iterator[None]:
    """Keep other campaigns out of the directory, which is made if need be.

    What was made is removed again if nothing came to be in it. The lock ends with the process, however that ends.
    """
    before = directory.exists()
    lock = directory / _LOCK
    with ExitStack() as ours:
        with _interrupts_wait():  # else one between taking the lock and keeping it would leave it behind
            ours.enter_context(_taken(lock))
            ours.callback(_leave, directory, lock, before)
        yield


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """An interrupt of what is done within comes after it."""
    if threading.current_thread() is not threading.main_thread():  # which alone is interrupted
        yield
        return
    came = []
    usual = signal.signal(signal.SIGINT, lambda *_: came.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if came:
            raise KeyboardInterrupt


def _taken(lock: Path) -> BinaryIO:
    """The lock's file, waited for if it is another's."""
    last = time.monotonic() + _PATIENCE_S
    while (file := _locked(lock)) is None:
        if time.monotonic() > last:
            raise FileError(lock.parent, "is written to by another campaign now; allowed: one at a time")
        time.sleep(0.05)
    return file


def _leave(directory: Path, lock: Path, before: bool) -> None:
    """Remove what was made, if nothing came to be in it. before: the directory was there."""
    if [path.name for path in directory.iterdir()] == [_LOCK]:
        lock.unlink()
        if not before:
            directory.rmdir()


def clear_unfinished(directory: Path) -> None:
    """Remove what a campaign left that was killed; of a directory that is held, and holds a campaign."""
    for left in directory.glob(_UNFINISHED):
        left.unlink(missing_ok=True)


def _locked(path: Path) -> BinaryIO | None:
    """The lock's file, ours until it is closed; None if it is another's."""
    try:
        path.parent.mkdir(exist_ok=True)
        file = open(path, "wb")  # noqa: SIM115  (closed by whoever holds it)
    except OSError as error:
        raise FileError(path.parent, f"cannot be written to: {(error.strerror or str(error)).lower()}") from error
    if sys.platform == "win32":  # which lacks such locks
        return file
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):  # else removed since by whoever held it
            return file
    except OSError:
        pass
    file.close()
    return None
