"""Oscillators that nobody declared: found in the rates of a gyro as they are, and not found where nothing swings."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from cli.calling import ended
from estimate.estimates_made import estimate_of
from scipy.integrate import solve_ivp

from freefloat.estimate.cause import Cause
from freefloat.estimate.estimate import load_estimate
from freefloat.estimate.likelihood.swing_columns import SwingColumns
from freefloat.estimate.likelihood.swing_discovery import _Search
from freefloat.estimate.oscillator import Oscillator
from freefloat.mission.flying import simulate
from freefloat.mission.mission_file import load_mission
from freefloat.robot.parameters import seen_from
from freefloat.studies.catalogue import study_robot

T, STEP, NOISE = 60.0, 0.01, 1e-5
INERTIA = np.array([[60.0, 2.0, 0.0], [2.0, 45.0, -1.0], [0.0, -1.0, 70.0]])


def rates(t):
    """Of a base whose arm moves smoothly, [rad/s]."""
    y = np.cos(0.2 * t) * np.sin(0.7 * t) + 0.2 * np.cos(3.0 * t)
    return 0.01 * np.stack([np.sin(0.3 * t) + 0.4 * np.sin(1.1 * t), y, np.sin(0.5 * t)], axis=1)


def swung(t, frequency, damping, axis, J):
    """What a body of inertia J on a spring adds to the rates, by steps of its own law; frequency: on a held base."""
    inverse, w = np.linalg.inv(INERTIA), 2.0 * np.pi * frequency
    left = 1.0 - J * axis @ inverse @ axis

    def law(time, y):
        h = 1e-5
        driven = axis @ (rates(np.array([time + h]))[0] - rates(np.array([time - h]))[0]) / (2.0 * h)
        return [y[1], (-driven - 2.0 * damping * w * y[1] - w * w * y[0]) / left]

    found = solve_ivp(law, (t[0], t[-1]), [0.0, 0.0], t_eval=t, rtol=1e-8, atol=1e-12)
    return -J * found.y[1][:, None] * (inverse @ axis)


def search(seed, *swings):
    """Beside a bias and a scale of each rate, which others would explain."""
    t, rng = np.arange(0.0, T, STEP), np.random.default_rng(seed)
    left = NOISE * rng.normal(size=(t.size, 3)) + sum((swung(t, *swing) for swing in swings), np.zeros((t.size, 3)))
    every = 12
    means = (left[: t.size // every * every].reshape(-1, every, 3).mean(axis=1)) / NOISE
    tm = t[: t.size // every * every].reshape(-1, every).mean(axis=1)
    w = rates(tm)
    others = np.concatenate([np.kron(np.ones((tm.size, 1)), np.eye(3)), np.kron(w, np.eye(3))], axis=1)
    Q = np.linalg.qr(others)[0]
    inverse = np.linalg.inv(INERTIA)
    places = np.linspace(0.0, t[-1], 2000)
    columns = SwingColumns(
        tm,
        np.broadcast_to(inverse / NOISE, (tm.size, 3, 3)),
        inverse,
        places,
        np.hstack([rates(places) - rates(places[:1]), np.zeros((places.size, 3))]),
        others,
        Q,
        means.ravel(),
        means.ravel() - Q @ (Q.T @ means.ravel()),
        every,
    )
    return sorted(_Search(columns, 2.0).found(), key=lambda each: each.frequency_Hz)


X, Y = np.array([0.98, 0.199, 0.0]), np.array([0.0, 1.0, 0.0])


def test_one_is_found_as_it_is():
    [found] = search(1, (0.3, 0.01, X, 6.0))
    assert found.held_Hz == pytest.approx(0.3, rel=0.01)
    assert found.coupling_inertia == pytest.approx(6.0, rel=0.1)
    assert abs(np.dot(found.axis, X)) > np.cos(np.radians(5.0))
    assert found.damping_ratio == pytest.approx(0.01, rel=0.3)


def test_two_are_told_apart():
    found = search(2, (0.3, 0.01, X, 6.0), (0.7, 0.01, Y, 8.0))
    assert [each.held_Hz for each in found] == pytest.approx([0.3, 0.7], rel=0.02)
    assert [abs(np.dot(each.axis, e)) for each, e in zip(found, (X, Y), strict=True)] > [0.98, 0.98]


@pytest.mark.parametrize("seed", range(3))
def test_noise_does_not_swing(seed):
    assert search(seed) == []


def test_words_name_an_axis_of_the_base_where_there_is_one_near():
    swing = Oscillator(0.3123, 0.0102, 0.3, (0.0, 1.0, 0.0), 0.8123, 500.0, 400.0)
    assert swing.words == "0.312 Hz, damping 1 %, coupled to the base's y axis with 0.81 kg m^2"
    assert "the base's axis (0.7, 0.7, 0.1) with" in replace(swing, axis=(0.7, 0.7, 0.1)).words


def test_estimate_files_keep_what_swings(tmp_path):
    swing = Oscillator(0.31, 0.01, 0.3, (0.0, 1.0, 0.0), 0.8, 500.0, 400.0)
    cause = Cause("oscillation", "0.31 Hz", "something swings", 0.31, np.nan, 0.9, swings=(swing,))
    replace(estimate_of(study_robot("servicer")), causes=(cause,)).save(tmp_path / "e.json")
    assert load_estimate(tmp_path / "e.json").causes[0].swings == (swing,)
    kept = json.loads((tmp_path / "e.json").read_text())
    assert kept["causes"][0]["swings"][0].keys() == asdict(swing).keys()
    del kept["causes"][0]["swings"]  # as files had it before
    (tmp_path / "old.json").write_text(json.dumps(kept))
    assert load_estimate(tmp_path / "old.json").causes[0].swings == ()


PANEL = """
appendages:
  - {name: left, xyz_m: [0, 0.6, 0], axis: [1, 0, 0], mass_kg: 8, com_m: [0, 0.75, 0],
     inertia_kgm2: {xx: 1.6, yy: 0.7, zz: 2.2}, frequency_Hz: 0.3, damping_ratio: 0.01}
"""


@pytest.mark.slow
def test_from_a_line_to_a_robot_file(tmp_path):
    """A panel that nobody declared is found and named, its appendage written, and the flight then explained."""
    assert ended(("new", "trial"), tmp_path)[0] == 0
    given = tmp_path / "servicer.yaml"
    rigid = given.read_text()
    given.write_text(rigid + PANEL)
    mission = load_mission(tmp_path / "trial.yaml")
    for seed in (0, 2):
        simulate(mission, seed=seed).save(tmp_path / f"flight{seed}.parquet")
    base, *others = mission.robot.bodies
    panel = next(body for body in others if body.name == "left")
    whole = base.parameters + seen_from(panel.placement, panel.parameters)
    still = (replace(base, parameters=whole), *(body for body in others if body is not panel))
    replace(mission.robot, bodies=still).save(given)
    code, out, _ = ended(
        ("identify", "trial.yaml", "flight0.parquet", "--add-appendage", "new.yaml", "-o", "rigid.json"), tmp_path
    )
    assert code == 0
    assert "wrote new.yaml, the robot with an appendage" in out
    [swing] = load_estimate(tmp_path / "rigid.json").causes[0].swings
    assert swing.frequency_Hz == pytest.approx(0.324, rel=0.03)
    assert abs(swing.axis[0]) > np.cos(np.radians(10.0))
    (tmp_path / "trial.yaml").write_text((tmp_path / "trial.yaml").read_text().replace("servicer.yaml", "new.yaml"))
    assert ended(("identify", "trial.yaml", "flight0.parquet", "-o", "swinging.json"), tmp_path)[0] == 0
    code, out, _ = ended(("validate", "trial.yaml", "swinging.json", "flight2.parquet"), tmp_path)
    assert code == 0
    assert "PASS" in out
