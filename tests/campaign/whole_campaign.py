"""The whole campaign by hand: N1 as often as in the thesis, uninterrupted, killed three times, and on a Dask cluster.

    python tests/campaign/whole_campaign.py FOLDER [--runs 2500] [--seed 0]

`seed` decides when it is killed. All tables must be the same; minutes, not seconds.
"""

import argparse
import time
from pathlib import Path

from campaign.killing import all_gone, killed_at_random, parts, random_moments, started
from distributed import LocalCluster

from freefloat.campaign.campaign import load_campaign
from freefloat.campaign.running import run_campaign
from freefloat.studies.catalogue import mission_path, study_mission

METHODS = ("least-squares", "maximum-likelihood")
CHUNK = 5
LONGEST_S = 0.02  # after a new part and before it is killed, for each run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=2500)
    parser.add_argument("--seed", type=int, default=0)
    said = parser.parse_args()
    said.folder.mkdir(exist_ok=True)
    whole = timed("whole", lambda: local(said.folder / "whole", said.runs, None))
    killed = timed("killed three times", lambda: killed_thrice(said.folder / "killed", said.runs, said.seed))
    on_dask = timed("on two Dask workers", lambda: on_cluster(said.folder / "dask", said.runs))
    few = said.runs // 10
    alone = timed(f"the first {few} in one process", lambda: local(said.folder / "alone", few, 1))
    first = whole.table.filter(whole.table["run"] < few)
    for name, same in (
        ("killed", killed.table.equals(whole.table)),
        ("dask", on_dask.table.equals(whole.table)),
        ("alone", alone.table.equals(first)),
    ):
        print(f"{name}: {'the same table' if same else 'ANOTHER TABLE'}")
        assert same
    for method in whole.summary().settings[0].compared:
        print(f"{method.method}: covered {method.coverage:.4f}, rms over the bound {method.efficiency:.3f}")


def timed(name, work):
    start = time.perf_counter()
    found = work()
    print(f"{name}: {found.runs} runs in {time.perf_counter() - start:.0f} s", flush=True)
    return found


def local(directory, runs, workers):
    return run_campaign(study_mission("n1"), runs, METHODS, directory=directory, chunk=CHUNK, workers=workers)


def killed_thrice(directory, runs, seed):
    rng = random_moments(seed)
    for _ in range(3):
        before = parts(directory)
        process = started(mission_path("n1"), directory, runs, CHUNK, METHODS)
        assert all_gone(killed_at_random(process, directory, rng, LONGEST_S * runs)), "workers outlived their campaign"
        after = parts(directory)
        assert before.items() <= after.items(), "a finished part was lost or made again"
        print(f"killed with {len(after)} parts", flush=True)
    assert started(mission_path("n1"), directory, runs, CHUNK, METHODS).wait() == 0
    assert after.items() <= parts(directory).items(), "a finished part was lost or made again"
    return load_campaign(directory)


def on_cluster(directory, runs):
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        return run_campaign(study_mission("n1"), runs, METHODS, directory=directory, chunk=CHUNK, cluster=address)


if __name__ == "__main__":
    main()
