"""The tutorial's satellite as it was built: every axis 0.6 degrees off, and the load known.

Its clusters are as large as the satellite, and what is identified of it can be exported.
"""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from command_run import run
from random_trees import tilted

from freefloat.estimate.estimate import load_estimate
from freefloat.models.model import Momentum
from freefloat.robot.load import load_robot

TUTORIAL = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text()
OFF = math.radians(0.6)


@pytest.fixture(scope="module")
def satellite(tmp_path_factory):
    """The tutorial's URDF with the changes that the tutorial makes to it."""
    path = tmp_path_factory.mktemp("tutorial") / "satellite.urdf"
    text = re.search(r"^```xml\n(.*?)^```$", TUTORIAL, re.DOTALL | re.MULTILINE).group(1)
    changes = re.findall(r"In `satellite.urdf`,\s+`([^`]+)`\s+becomes\s+`([^`]+)`", TUTORIAL)
    assert len(changes) == 2
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    path.write_text(text)
    return load_robot(path)


def test_clusters_of_the_tilted_satellite_are_as_large_as_the_satellite(satellite):
    straight = Momentum(satellite, known=("load",))
    assert len(straight.minimal) == 31
    assert np.abs(straight.values()).max() == pytest.approx(130.0)
    for seed in range(10):
        model = Momentum(tilted(satellite, OFF, seed), known=("load",))
        assert len(model.minimal) == 31
        assert np.abs(model.minimal.combine).max() < 1.01
        assert np.abs(model.values()).max() == pytest.approx(130.0)
        assert len(set(model.minimal.leaders) - set(straight.minimal.leaders)) <= 3


def test_what_is_identified_of_the_tilted_satellite_is_exported(satellite, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tilted(satellite, OFF, 3).save("satellite.urdf")
    run("new", "trial", "--urdf", "satellite.urdf")
    run("draw", "trial.yaml", "--seed", 7, "-o", "flown.yaml")
    run("simulate", "trial.yaml", "--robot", "flown.yaml", "--seed", 2, "-o", "flight.parquet")
    run("identify", "trial.yaml", "flight.parquet", "-o", "found.json")
    run("export", "found.json", "--urdf", "satellite.urdf", "-o", "identified.urdf")
    run("export", "found.json", "--robot", "identified.yaml", "--controller", "identified.c")
    estimate, exported = load_estimate("found.json"), load_robot("identified.urdf")
    assert estimate.known
    assert np.abs(estimate.values).max() < 200.0
    # A robot that can exist is as close to the estimate as the estimate is to the truth.
    off = estimate.minimal.values(exported.parameters) - estimate.values
    assert np.abs(off / np.sqrt(np.diagonal(estimate.covariance))).max() < 3.0
