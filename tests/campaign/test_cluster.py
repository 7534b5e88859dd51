"""Campaigns on a Dask cluster: the same table as at home, also when a worker is killed."""

import os
import signal
import sys

import pytest
from distributed import LocalCluster
from tiny_mission import METHODS, tiny_mission

from freefloat.campaign import cluster as on_cluster
from freefloat.campaign import run_campaign
from freefloat.campaign.manifest import InvalidCampaign

RUNS = 12


@pytest.fixture(scope="module")
def mission(tmp_path_factory):
    return tiny_mission(tmp_path_factory.mktemp("mission"))


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
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
    monkeypatch.setattr(on_cluster, "_PATIENCE_S", 0.3)
    for address in ("tcp://127.0.0.1:9", "nonsense://x"):
        with pytest.raises(InvalidCampaign, match="no cluster answers at"):
            run_campaign(mission, 1, METHODS, directory=tmp_path / "c", cluster=address)


def test_without_dask_it_is_said_what_brings_it(mission, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(on_cluster.ClusterMissing, match=r'pip install "freefloat\[cluster\]"'):
        run_campaign(mission, 1, METHODS, directory=tmp_path / "c", cluster="tcp://127.0.0.1:9")
    assert not (tmp_path / "c").exists()
