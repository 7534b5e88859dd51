"""Campaigns on a Dask cluster: the same table as at home, also when a worker is killed."""

import os
import signal
import socket
import sys

import dask
import pytest
from campaign.tiny_mission import METHODS
from distributed import LocalCluster

from freefloat.campaign import on_dask
from freefloat.campaign.campaign import load_campaign
from freefloat.campaign.manifest import InvalidCampaign
from freefloat.campaign.running import run_campaign

RUNS = 12


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        yield cluster


def test_a_cluster_gives_the_same_table_also_if_a_worker_is_killed(mission, cluster, tmp_path):
    at_home = run_campaign(mission, RUNS, METHODS, directory=tmp_path / "home", chunk=2, workers=1)
    address = cluster.scheduler_address
    plain = run_campaign(mission, RUNS, METHODS, directory=tmp_path / "plain", chunk=2, cluster=address)
    assert plain.table.equals(at_home.table)
    struck = []

    def strike(standing):
        if standing.finished >= 2 and not struck:
            struck.append(next(iter(cluster.workers.values())).pid)
            os.kill(struck[0], signal.SIGKILL)

    there = tmp_path / "struck"
    made = run_campaign(mission, RUNS, METHODS, directory=there, chunk=2, cluster=address, watch=strike)
    assert struck
    assert made.table.equals(at_home.table)


def test_a_cluster_that_does_not_answer_is_a_sentence(mission, tmp_path, monkeypatch):
    monkeypatch.setattr(on_dask, "_PATIENCE_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections, and is no scheduler
        mute = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        for address in ("tcp://127.0.0.1:9", mute, "tls://127.0.0.1:9"):
            with pytest.raises(InvalidCampaign, match="no cluster answers at"):
                run_campaign(mission, 1, METHODS, directory=tmp_path / "c", cluster=address)
    for address in ("nonsense://x:1", "127.0.0.1:8786", "tcp://here", ""):
        with pytest.raises(InvalidCampaign, match="is not an address of a cluster"):
            run_campaign(mission, 1, METHODS, directory=tmp_path / "c", cluster=address)
    assert not (tmp_path / "c").exists()


def test_a_cluster_that_is_lost_is_a_sentence_and_the_campaign_goes_on_elsewhere(mission, tmp_path, monkeypatch):
    monkeypatch.setattr(on_dask, "_PATIENCE_S", 2.0)
    there, settings = tmp_path / "c", {"directory": tmp_path / "c", "chunk": 1}
    home = {"processes": False, "protocol": "tcp://", "dashboard_address": ":0"}
    brief = dask.config.set({"distributed.comm.timeouts.connect": "1s"})  # it waits for its own scheduler at its end
    with brief, LocalCluster(n_workers=1, threads_per_worker=1, **home) as lost:

        def strike(standing):
            if standing.finished == 3:
                lost.sync(lost.scheduler.close)

        with pytest.raises(InvalidCampaign, match="the cluster was lost; finished parts are kept"):
            run_campaign(mission, 40, METHODS, cluster=lost.scheduler_address, watch=strike, **settings)
    assert 3 <= load_campaign(there).runs < 40
    assert run_campaign(mission, 5, METHODS, workers=1, **settings).runs >= 5


def test_without_dask_it_is_said_what_brings_it(mission, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(on_dask.ClusterMissing, match=r'pip install "freefloat\[cluster\]"'):
        run_campaign(mission, 1, METHODS, directory=tmp_path / "c", cluster="tcp://127.0.0.1:9")
    assert not (tmp_path / "c").exists()
