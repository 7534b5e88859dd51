"""Where readings are predicted: as means where sensors integrate or lag, and very many of them as a few rows."""

from dataclasses import replace

import numpy as np
import pytest

import freefloat as ff
from freefloat.estimate.likelihood import reading_nodes
from freefloat.estimate.likelihood.reading_nodes import nodes_of
from freefloat.sensors.measured import INSTANT, Measured

MISSION = """format: freefloat/mission@1
mission: nodes
robot: robot.yaml
known: {{load: {{relative_sd: 0.001}}}}
sensors:
  joints: {{kind: encoder, noise_rad: 2.0e-5, rate_Hz: 50}}
  gyro: {{kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.01, rate_Hz: {rate}{more}}}
excitation: {{duration_s: 20, shape: {{harmonics: 6}}}}
"""


def mission_with(folder, rate, more=""):
    ff.study_robot("planar_known_load").save(folder / "robot.yaml")
    (folder / "mission.yaml").write_text(MISSION.format(rate=rate, more=more), encoding="utf-8")
    return ff.load_mission(folder / "mission.yaml")


def flown(mission, seed=1):
    """A recording of which nobody knows the command."""
    recording = ff.simulate(mission, seed=seed)
    return replace(recording, origin=replace(recording.origin, kind="real", command=None, seed=None))


@pytest.mark.parametrize("more", [", integration_s: 0.2", ", bandwidth_Hz: 1.5"])
def test_a_gyro_that_integrates_or_lags_is_predicted_as_one(tmp_path, more):
    mission = mission_with(tmp_path, 20, more)
    problem = ff.problem(mission, flown(mission))
    found = ff.estimate.MaximumLikelihood().estimate(problem)
    assert found.outcome == "good", found.warnings
    assert found.residual.ratio == pytest.approx(1.0, abs=0.1)
    (flight,) = problem.flights
    at_once = {name: replace(data, response=INSTANT) for name, data in flight.own_instants.items()}
    wrong = ff.estimate.MaximumLikelihood().estimate(replace(problem, flights=(replace(flight, own_instants=at_once),)))
    assert wrong.residual.ratio > 1.5 * found.residual.ratio
    away = np.abs(found.values - found.cad) / found.sd  # the robot that flew is the CAD model
    assert away.max() < 4.0
    assert (np.abs(wrong.values - wrong.cad) / wrong.sd).max() > 2.0 * away.max()


def test_rows_of_stretches_say_what_all_readings_say(tmp_path, monkeypatch):
    mission = mission_with(tmp_path, 500)
    problem = ff.problem(mission, flown(mission))
    one_by_one = ff.estimate.MaximumLikelihood().estimate(problem)
    monkeypatch.setattr(reading_nodes, "MANY", 1000)
    gathered = ff.estimate.MaximumLikelihood().estimate(problem)
    assert gathered.residual.rows < 0.5 * one_by_one.residual.rows
    assert gathered.sd == pytest.approx(one_by_one.sd, rel=1e-3)
    assert np.abs((gathered.values - one_by_one.values) / one_by_one.sd).max() < 0.02


def test_gathered_readings_have_the_noise_of_single_ones():
    rng = np.random.default_rng(0)
    t = (np.arange(30000) + rng.uniform(0.0, 0.5, 30000)) / 750.0
    t = t[(t < 10.0) | (t > 10.5)]  # a gap, which no stretch goes across
    values = np.column_stack([np.sin(t), np.cos(0.7 * t), 0.1 * t]) + 1e-3 * rng.normal(size=(t.size, 3))
    nodes = nodes_of(Measured(t, values, np.full(3, 1e-3)), np.inf)
    assert nodes.mix is not None
    assert nodes.t.size < 0.2 * t.size
    away = nodes.data.values - np.column_stack([np.sin(nodes.t), np.cos(0.7 * nodes.t), 0.1 * nodes.t])
    assert np.abs(away).max() < 5e-3
    white = nodes.rows(away[:, :, None]) / 1e-3  # noise of the rows is that of the readings
    assert np.sqrt((white**2).mean()) == pytest.approx(1.0, abs=4.0 / np.sqrt(2.0 * white.size))
    assert not ((nodes.t > 10.001) & (nodes.t < 10.499)).any()
    # What a constant has in all readings, it has in all rows.
    rows = nodes.rows(np.ones((nodes.t.size, 3, 1)))
    assert (rows**2).sum(axis=0)[:, 0] == pytest.approx(np.full(3, t.size), rel=1e-9)


def test_few_readings_stay_as_they_are():
    data = Measured(np.arange(100.0), np.zeros((100, 3)), np.ones(3))
    nodes = nodes_of(data, np.inf)
    assert nodes.data is data
    assert nodes.mix is None


def test_what_an_integrating_gyro_reads_of_another_motion_is_predicted(tmp_path):
    mission = mission_with(tmp_path, 20, ", integration_s: 0.2")
    estimate = ff.identify(mission, flown(mission))
    found = ff.validate(mission, estimate, flown(mission, seed=2))
    assert found.verdict == "pass", found.reasons
    (reading,) = found.readings
    assert reading.measured.shape == reading.residual.shape
