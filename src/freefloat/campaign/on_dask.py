"""Chunks of runs over the workers of a Dask cluster: the same rows as at home, written by whoever asked for them.

To the last bit they are the same on the same kind of processor: libraries of linear algebra choose their instructions
by it. Every worker needs the same version of freefloat.
"""

from __future__ import annotations

import asyncio
import logging
import re
import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any

from freefloat import __version__
from freefloat.campaign.manifest import InvalidCampaign
from freefloat.campaign.parts import Job
from freefloat.campaign.runs import chunk_rows
from freefloat.campaign.settings import CampaignSetting
from freefloat.campaign.workers import Done
from freefloat.errors import FreefloatError
from freefloat.estimate.one_thread import one_blas_thread

_PATIENCE_S = 20.0
_ADDRESS = re.compile(r"(tcp|tls|ws|wss)://[^\s/]+:[0-9]{1,5}")
_LOST = "the cluster was lost; finished parts are kept, and the same command goes on from there"


class ClusterMissing(FreefloatError):
    """The library that talks to clusters is not installed."""

    def __init__(self) -> None:
        super().__init__('clusters need Dask, which is not installed; `pip install "freefloat[cluster]"` brings it')


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the cluster at this address, whose connection then ends. What goes wrong is said once, by us."""
    try:
        from distributed import Client
    except ImportError as error:
        raise ClusterMissing from error
    if not _ADDRESS.fullmatch(address):
        raise InvalidCampaign(f"{address!r} is not an address of a cluster; allowed: tcp, tls, ws or wss://HOST:PORT")
    try:
        with ThreadPoolExecutor(1) as elsewhere:  # than in a loop of events that the caller may have
            elsewhere.submit(lambda: asyncio.run(asyncio.wait_for(_answer(address), _PATIENCE_S))).result()
        client = Client(address, timeout=_PATIENCE_S, set_as_default=False)
    except Exception as error:  # of sockets, protocols, certificates: whatever it is, there is no cluster
        raise InvalidCampaign(f"no cluster answers at {address!r}; allowed: the address of a Dask scheduler") from error
    log = logging.getLogger("distributed.client")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        with client:
            yield client
    finally:
        log.setLevel(level)


async def _answer(address: str) -> None:
    """Ask who is there. A client that is refused cannot be closed, and waits forever for one that is no scheduler."""
    from distributed import Security
    from distributed.comm import connect

    comm = await connect(address, timeout=_PATIENCE_S, **Security().get_connection_args("client"))
    try:
        await comm.write({"op": "identity", "reply": True})
        reply = await comm.read()
        if not (isinstance(reply, Mapping) and reply.get("type") == "Scheduler"):
            raise InvalidCampaign(f"{address!r} is no scheduler")
    finally:
        comm.abort()


def run_on_cluster(client: Any, settings: Mapping[int, CampaignSetting], jobs: Sequence[Job]) -> Generator[Done]:
    """The rows of every job, as they come. A job whose worker dies is done again by another, a few times."""
    from distributed import as_completed

    with _kept(), warnings.catch_warnings():  # on flights that are long: each is sent once
        warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
        # Tasks of their own, not scattered data: a worker that dies takes nothing along that is not made again.
        shared = {number: client.submit(_same, setting, pure=False) for number, setting in settings.items()}
        futures = {
            client.submit(_cluster_rows, shared[job.setting], job.first, job.stop, __version__, pure=False): job
            for job in jobs
        }
    with _kept():
        for future in as_completed(list(futures), loop=client.loop):
            job = futures.pop(future)
            yield job, _result(future, job)
            future.release()


@contextmanager
def _kept() -> Iterator[None]:
    """A scheduler that ends cancels what it was asked for, or its connection breaks."""
    try:
        yield
    except (CancelledError, asyncio.CancelledError, OSError) as error:
        raise InvalidCampaign(_LOST) from error


def _result(future: Any, job: Job) -> list[dict[str, Any]]:
    from distributed import KilledWorker

    try:
        rows: list[dict[str, Any]] = future.result()
    except KilledWorker as error:
        raise InvalidCampaign(
            f"workers of the cluster ended over runs {job.first} to {job.stop - 1} of setting {job.setting} again and "
            "again; is there enough memory? Finished parts are kept"
        ) from error
    except ModuleNotFoundError as error:
        raise InvalidCampaign(f"a worker of the cluster lacks {error.name}; every worker needs freefloat") from error
    return rows


def _same(setting: CampaignSetting) -> CampaignSetting:
    return setting


def _cluster_rows(setting: CampaignSetting, first: int, stop: int, version: str) -> list[dict[str, Any]]:
    if version != __version__:
        raise InvalidCampaign(f"a worker has freefloat {__version__}; allowed: {version}, as the campaign has")
    _one_thread_for_good()
    return chunk_rows(setting, first, stop)


@cache
def _one_thread_for_good() -> None:
    """Workers may run several jobs at once in threads, of which none may set back what it found."""
    one_blas_thread().__enter__()
