"""A body without joints, thrown by hand: gyro, accelerometer and a flywheel, flown by a few lines of our own here."""

from dataclasses import replace

import numpy as np
import pytest
from random_trees import random_robot

import freefloat as ff
from freefloat.data.processing.free_flight import free_flight_span
from freefloat.estimate.bound.bound import cramer_rao_bound
from freefloat.estimate.likelihood.finished import stacked
from freefloat.estimate.likelihood.likelihood import Likelihood
from freefloat.estimate.single_body import about_centre
from freefloat.mission.identifying import problem
from freefloat.models.model import NotApplicable

MASS, CENTRE = 0.44, np.array([0.012, -0.003, 0.031])
INERTIA = np.array([[3.2e-4, -2e-6, -5e-6], [-2e-6, 2.2e-4, 1.8e-5], [-5e-6, 1.8e-5, 3.4e-4]])  # about the centre
SPIN, AXIS = 1.7e-6, np.array([0.0, 0.0, -1.0])
LASTS_S, RATE_HZ, HAND_S, CATCH_S = 0.5, 1000.0, 0.05, 0.46
BIAS = np.array([0.1, -0.05, 0.08])
GYRO_SD, FORCE_SD, WHEEL_SD, SHAKE = 0.005, 0.2, 2.0, 0.6
SCALE, TURN = np.array([0.012, -0.007, 0.009]), np.array([-0.008, 0.011, 0.006])  # of the accelerometer
DRAG = 9e-6  # of the air [N m s]

ROBOT = """format: freefloat/robot@1
robot: thrown
base:
  kind: free
  mass_kg: 0.44
  inertia_kgm2: {xx: 6.0e-4, yy: 5.0e-4, zz: 4.0e-4}
  wheels: [{name: fly, axis: [0, 0, -1], spin_inertia_kgm2: 1.705e-6, spin_inertia_relative_sd: 0.005}]
"""
MISSION = """format: freefloat/mission@1
mission: throw
robot: robot.yaml
momentum: unknown
prior: none
known: {base.m: {relative_sd: 1.0e-4}}
sensors:
  gyro: {kind: gyro, noise_rad_s: 0.005, rate_Hz: 1000, clock: imu}
  accelerometer: {kind: accelerometer, noise_m_s2: 0.25, rate_Hz: 1000, clock: imu}
  fly: {kind: tachometer, noise_rad_s: 2.0, rate_Hz: 250, clock: imu}
identify:
  nuisances: {misalignment_rad: null, accelerometer_bias_m_s2: 0.3}
"""


def wheel(t):
    """Rate of the flywheel, which is spun up and braked in flight, and its change."""
    up, down = np.tanh((t - 0.15) / 0.03), np.tanh((t - 0.35) / 0.04)
    rate = 200.0 + 550.0 * (up - down)
    return rate, 550.0 * ((1.0 - up**2) / 0.03 - (1.0 - down**2) / 0.04)


def slope(t, w, inertia=INERTIA):
    """Euler's equation of body and flywheel."""
    rate, change = wheel(t)
    torque = -DRAG * w - SPIN * change * AXIS
    return np.linalg.solve(inertia, torque - np.cross(w, inertia @ w + SPIN * rate * AXIS))


def thrown(seed, path, centre=CENTRE, inertia=INERTIA):
    """A table of one throw: held at first, caught at the end, shaken by its motor, the tachometer read four times."""
    rng, t = np.random.default_rng(seed), np.arange(0.0, LASTS_S, 1.0 / RATE_HZ)
    w = np.empty((t.size, 3))
    w[0] = rng.normal(size=3) * [9.0, 7.0, 5.0] + [12.0, 0.0, 4.0]
    for k, now in enumerate(t[:-1]):
        h, x = t[k + 1] - now, w[k]
        a = slope(now, x, inertia)
        b = slope(now + h / 2, x + h / 2 * a, inertia)
        c = slope(now + h / 2, x + h / 2 * b, inertia)
        w[k + 1] = x + h / 6 * (a + 2 * b + 2 * c + slope(now + h, x + h * c, inertia))
    dw, arm = np.array([slope(now, x, inertia) for now, x in zip(t, w, strict=True)]), -centre
    force = np.cross(dw, arm) + np.cross(w, np.cross(w, arm))
    force = (1.0 + SCALE) * (force - np.cross(TURN, force)) + BIAS + FORCE_SD * rng.normal(size=w.shape)
    force += SHAKE * np.sin(2.0 * np.pi * 190.0 * t)[:, None] * [1.0, 0.8, 0.4]
    w = w + GYRO_SD * rng.normal(size=w.shape)
    held = (t < HAND_S) | (t > CATCH_S)
    force[held] += [4.0, -7.0, 5.0]
    w[held] += np.where(t < HAND_S, 30.0 * (HAND_S - t), 40.0 * (t - CATCH_S))[held, None]
    seen = wheel(t)[0] + WHEEL_SD * rng.normal(size=t.size)
    seen = 1.5 * np.round(seen[np.arange(t.size) // 4 * 4] / 1.5)
    columns = [
        "t_s",
        *(f"gyro_{x}_rad_s" for x in "xyz"),
        *(f"accelerometer_{x}_m_s2" for x in "xyz"),
        "wheel_fly_rad_s",
    ]
    table = np.column_stack([t, w, force, seen])
    np.savetxt(path, table, delimiter=",", header=",".join(columns), comments="", fmt="%.9g")
    return ff.load_recording(path)


@pytest.fixture(scope="module")
def throws(tmp_path_factory):
    folder = tmp_path_factory.mktemp("throws")
    (folder / "robot.yaml").write_text(ROBOT)
    (folder / "throw.yaml").write_text(MISSION)
    mission = ff.load_mission(folder / "throw.yaml")
    recordings = {f"throw {seed}": thrown(seed, folder / f"throw_{seed}.csv") for seed in (1, 2)}
    return mission, recordings, ff.identify(mission, recordings)


def test_the_flight_begins_after_the_hand_and_ends_before_the_catch(throws):
    for recording in throws[1].values():
        start, end = free_flight_span(recording)
        assert HAND_S <= start < HAND_S + 0.02
        assert CATCH_S - 0.02 < end <= CATCH_S
    cut = [note for note in throws[2].notes if "free flight, as the accelerometer shows it" in note]
    assert len(cut) == 2


TRUTH = {f"centre of mass {x}": c for x, c in zip("xyz", CENTRE, strict=True)}
TRUTH |= {f"I{'xyz'[i]}{'xyz'[j]} about it": INERTIA[i, j] for i in range(3) for j in range(i, 3)}


def test_centre_and_inertia_about_it_lie_within_their_intervals(throws):
    truth, found = TRUTH, {quantity.name: quantity for quantity in about_centre(throws[2])}
    assert set(found) == set(truth)
    for name, exact in truth.items():
        assert abs(found[name].value - exact) < 3.5 * found[name].sd, name
    for name in ("Ixx", "Iyy", "Izz"):
        assert found[f"{name} about it"].sd < 0.02 * truth[f"{name} about it"]
    assert max(found[f"centre of mass {x}"].sd for x in "xyz") < 1e-3


BLOCK_KG, BLOCK_CENTRE = 0.34, np.array([0.0124, -0.0045, 0.038])
BLOCK = np.array([[1.6e-4, -1e-6, 2e-6], [-1e-6, 1.3e-4, 3e-6], [2e-6, 3e-6, 2.4e-4]])  # about its centre
IN_TWO = """
bodies:
  - name: block
    parent: base
    joint: {name: mount, kind: fixed}
    mass_kg: 0.34
    com_m: [0.012, -0.004, 0.04]
    inertia_kgm2: {xx: 3.0e-4, yy: 2.0e-4, zz: 4.0e-4}
"""


def huygens(mass, by):
    return mass * ((by @ by) * np.eye(3) - np.outer(by, by))


def test_a_block_is_weighed_by_throws_with_and_without_it(tmp_path):
    """What carries it is what is left of the body: all of it shows in one fit, and in what is printed."""
    rest = MASS - BLOCK_KG
    place = (MASS * CENTRE - BLOCK_KG * BLOCK_CENTRE) / rest
    carrier = INERTIA - BLOCK - huygens(BLOCK_KG, BLOCK_CENTRE - CENTRE) - huygens(rest, place - CENTRE)
    (tmp_path / "robot.yaml").write_text(ROBOT.replace("mass_kg: 0.44", "mass_kg: 0.10") + IN_TWO)
    known = "known: {base.m: {relative_sd: 1.0e-4}, block.m: {relative_sd: 1.0e-4}}"
    without = "identify:\n  without: {alone 3: [block], alone 4: [block]}"
    text = MISSION.replace("known: {base.m: {relative_sd: 1.0e-4}}", known).replace("identify:", without)
    (tmp_path / "throw.yaml").write_text(text)
    mission = ff.load_mission(tmp_path / "throw.yaml")
    recordings = {f"both {seed}": thrown(seed, tmp_path / "both.csv") for seed in (1, 2)}
    recordings |= {f"alone {seed}": thrown(seed, tmp_path / "alone.csv", place, carrier) for seed in (3, 4)}
    estimate = ff.identify(mission, recordings)
    found = {quantity.name: quantity for quantity in about_centre(estimate)}
    off = []
    for body, centre, inertia in (("base", place, carrier), ("block", BLOCK_CENTRE, BLOCK)):
        off += [(found[f"centre of mass {x} of {body}"], centre[k]) for k, x in enumerate("xyz")]
        entries = [(i, j) for i in range(3) for j in range(i, 3)]
        off += [(found[f"I{'xyz'[i]}{'xyz'[j]} about it of {body}"], inertia[i, j]) for i, j in entries]
    assert len(off) == len(found)
    assert max(abs(each.value - exact) / each.sd for each, exact in off) < 3.5
    for axis, moment in zip("xyz", np.diag(BLOCK), strict=True):
        assert found[f"I{axis}{axis} about it of block"].sd < 0.03 * moment
    always = ff.identify(mission, {name: recordings[name] for name in ("both 1", "both 2")})
    with pytest.raises(NotApplicable, match="do not tell bodies apart"):
        about_centre(always)


def test_each_throw_by_itself_holds_the_truth_within_its_own_interval(throws, tmp_path):
    mission, off = throws[0], []
    for seed in range(3, 9):
        estimate = ff.identify(mission, thrown(seed, tmp_path / "throw.csv"))
        found = {quantity.name: quantity for quantity in about_centre(estimate)}
        off += [abs(found[name].value - exact) / found[name].sd for name, exact in TRUTH.items()]
        for name in ("Ixx about it", "Iyy about it", "Izz about it"):
            assert found[name].sd < 0.03 * TRUTH[name]
    assert np.mean(np.array(off) < 1.96) >= 0.9
    assert max(off) < 4.0


def test_what_the_accelerometer_and_the_air_do_is_found(throws):
    found = {quantity.name: quantity for quantity in throws[2].nuisances}
    assumed = 0.03 * 5e-4
    for number in (1, 2):
        for entry in ("xx", "xy", "xz", "yy", "yz", "zz"):
            drag = found[f"drag {entry} of throw {number}"]
            assert abs(drag.value - (DRAG if entry[0] == entry[1] else 0.0)) < 3.5 * drag.sd, drag.name
            assert drag.sd < 0.9 * assumed, drag.name
    for axis, scale, turn in zip("xyz", SCALE, TURN, strict=True):
        for name, exact in (("scale", scale), ("misalignment", turn)):
            each = found[f"accelerometer {name} {axis}"]
            assert abs(each.value - exact) < 3.5 * each.sd, each.name
            assert each.sd < 0.0099


def test_without_the_air_the_residual_would_not_be_noise(throws):
    mission, recordings, estimate = throws
    own = mission.settings.identify
    given = own.nuisances.model_copy(update={"drag_per_s": None})
    still = own.model_copy(update={"nuisances": given})
    asked = replace(mission, settings=mission.settings.model_copy(update={"identify": still}))
    assert ff.identify(asked, recordings).residual.by_channel["w"] > 1.2 * estimate.residual.by_channel["w"]


@pytest.fixture(scope="module")
def found_again(throws):
    """The likelihood of one throw, and the unknowns as they were found from both."""
    mission, recordings, estimate = throws
    likelihood = Likelihood(problem(mission, {"throw 1": recordings["throw 1"]}))
    found = dict(zip(estimate.names, estimate.values, strict=True))
    found |= {quantity.name.removesuffix(" of throw 1"): quantity.value for quantity in estimate.nuisances}
    return likelihood, np.array([found[label] for label in likelihood.unknowns.labels])


def test_derivatives_of_a_throw_are_those_of_its_residuals(found_again):
    likelihood, point = found_again
    J = stacked(likelihood.rows(point))[1]
    for index, label in enumerate(likelihood.unknowns.labels):
        step = 1e-2 / np.abs(J[:, index]).max() * np.eye(point.size)[index]
        ahead, behind = (stacked(likelihood.rows(point + s, 0))[0] for s in (step, -step))
        column = (behind - ahead) / (2.0 * step[index])
        assert np.abs(J[:, index] - column).max() <= 1e-6 * np.abs(column).max(), label


def test_the_bound_is_the_covariance_of_an_estimate_there(found_again):
    likelihood, point = found_again
    count, labels = len(likelihood.problem.minimal), likelihood.unknowns.labels
    bound = cramer_rao_bound(likelihood.problem, point[:count], dict(zip(labels[count:], point[count:], strict=True)))
    there = Likelihood(likelihood.problem)
    there.reweigh(point)
    J = stacked(there.rows(point))[1]
    information = J.T @ J + there.unknowns.information
    scale = 1.0 / np.sqrt(np.diagonal(information))
    sd = scale * np.sqrt(np.diagonal(np.linalg.inv(information * np.outer(scale, scale))))
    assert bound.nuisance_names == labels[count:]
    np.testing.assert_allclose(bound.sd, sd[:count], rtol=1e-6)
    np.testing.assert_allclose([each.sd for each in bound.nuisances], sd[count:], rtol=1e-6)


def test_the_flywheel_is_estimated_along(throws):
    found = {quantity.name: quantity for quantity in throws[2].nuisances}
    inertia = found["spin inertia of fly"]
    assert abs(inertia.value - SPIN) < 3.5 * inertia.sd
    assert inertia.sd < 1.01 * 0.005 * 1.705e-6
    assert "wheels" in throws[2].budget.sources
    for axis, bias in zip("xyz", BIAS, strict=True):
        each = found[f"accelerometer bias {axis} of throw 1"]
        assert abs(each.value - bias) < 3.5 * each.sd


def test_a_spread_of_the_flywheel_widens_what_it_scales(throws):
    mission, recordings, estimate = throws
    exact = tuple(replace(each, relative_sd=0.0) for each in mission.robot.wheels)
    other = ff.identify(replace(mission, robot=replace(mission.robot, wheels=exact)), recordings)
    izz = estimate.names.index("Izz_base")
    assert estimate.sd[izz] > 1.2 * other.sd[izz]


def test_a_window_may_be_given(throws):
    mission, recordings, _ = throws
    own = mission.settings.identify.model_copy(update={"window": (0.1, 0.4)})
    asked = replace(mission, settings=mission.settings.model_copy(update={"identify": own}))
    for flight in problem(asked, recordings).flights:
        for data in flight.own_instants.values():
            assert 0.1 <= data.t[0] < 0.102
            assert 0.398 < data.t[-1] <= 0.4


def test_several_bodies_have_no_such_centre(throws):
    with pytest.raises(NotApplicable, match="some move against others"):
        about_centre(replace(throws[2], robot=random_robot(0)))
