"""Case study N1 as a campaign: killed and resumed it is the same; its numbers are those of the thesis and the bound.

With other numbers of runs, of 2500 as in the thesis for instance: python tests/campaign/whole_campaign.py.
"""

import numpy as np
import pytest
from campaign.killing import all_gone, killed_at_random, parts, random_moments, started

from freefloat.campaign.campaign import load_campaign
from freefloat.campaign.running import run_campaign
from freefloat.studies.catalogue import mission_names, mission_path, published, study_mission
from freefloat.studies.spirolazzi.cluster_table import SIMPLE

METHODS = ("least-squares", "maximum-likelihood")
RUNS, CHUNK = 150, 5


def test_the_mission_is_the_experiment_of_the_thesis():
    mission, printed = study_mission("n1"), published("spirolazzi_n1")
    assert "n1" in mission_names()
    assert set(mission.settings.assume_zero) == set(SIMPLE)
    harmonics = np.array(mission.settings.trajectory["coefficients"])
    said = printed["trajectory"]
    np.testing.assert_array_equal(harmonics.T, np.hstack([said["a_rad_s"], said["b_rad_s"]]))
    assert mission.duration_s == said["duration_s"]
    assert mission.sensors["gyro"].rate_Hz == said["rate_Hz"]
    inferred = printed["noise"]["inferred"]
    density = mission.sensors["gyro"].angle_random_walk_deg_per_sqrt_h[0]
    white = np.radians(density) / 60.0 * np.sqrt(said["rate_Hz"])
    assert white == pytest.approx(inferred["gyro_white_rad_s_from_deviations"], rel=1e-6)
    assert mission.sensors["gyro"].bias_deg_per_h == (inferred["gyro_bias_deg_per_h"],) * 3


@pytest.mark.slow
def test_killed_three_times_it_is_the_same_and_its_numbers_are_right(tmp_path):
    there, rng = tmp_path / "killed", random_moments(1)
    for _ in range(3):
        before = parts(there)
        process = started(mission_path("n1"), there, RUNS, CHUNK, METHODS)
        assert all_gone(killed_at_random(process, there, rng, 3.0))
        assert before.items() <= parts(there).items()
    assert 0 < load_campaign(there).runs < RUNS
    assert started(mission_path("n1"), there, RUNS, CHUNK, METHODS).wait() == 0
    whole = run_campaign(study_mission("n1"), RUNS, METHODS, directory=tmp_path / "whole", chunk=CHUNK)
    assert load_campaign(there).table.equals(whole.table)
    (setting,) = whole.summary().settings
    linear, best = setting.compared
    assert set(best.outcomes) <= {"good", "doubtful"}
    assert best.outcomes["good"] >= 0.95 * RUNS  # chance makes a line that is doubted in one flight of a hundred
    assert 0.93 <= setting.methods[1].coverage <= 0.97
    assert 0.93 <= best.coverage <= 0.97
    assert 0.9 <= best.efficiency <= 1.1
    assert linear.efficiency >= 1.5
    # The thesis' own standard deviations, by least squares: printed to four decimals.
    names = {f"[I{axes}_base]": index for index, axes in enumerate(("xx", "xy", "xz", "yy", "yz", "zz"), start=1)}
    entries = {each["index"]: each for each in published("spirolazzi_n1")["parameters"]["pi"]["entries"]}
    for cluster in linear.clusters:
        if cluster.name in names:
            assert cluster.spread == pytest.approx(entries[names[cluster.name]]["sd"], rel=0.25)
