"""Laws of the generator itself: what it calls the truth is one, and it has nothing from the package that is tried."""

import ast
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.stats import chi2
from strangers import motion, truth
from strangers.documents import file_text, robot_document
from strangers.flights import DURATION_S, STEP_S, Flyer, flown
from strangers.readings import REGULAR, Disturbances, Recorder, matrix_quaternion, recorded
from strangers.robots import ARCSEC, CUBESAT, DEGREE, ROBOTS, SLIDER, TILTED, TUG, WHEELED, turned

HERE = Path(__file__).parent
SHORT_S = 8.0  # of flights that are flown for one law alone
GENERATING = (
    "robots",
    "truth",
    "motion",
    "flights",
    "readings",
    "documents",
    "wrong_things",
    "hard_cases",
    "arms",
    "driven_arms",
    "servicer",
    "orbits",
    "swinging",
    "hidden_panels",
    "elastic_arms",
)
every_robot = pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: robot.name)


def seeded(*numbers):
    return np.random.Generator(np.random.PCG64(numbers))


@cache
def flight_of(name, duration_s=DURATION_S, step_s=STEP_S):
    robot = next(each for each in ROBOTS if each.name == name)
    true = truth.drawn(robot, seeded(7))
    return true, flown(robot, true, motion.drawn(robot, seeded(8)), seeded(9), step_s, duration_s)


# ---------------------------------------------------------------------- strangers


@pytest.mark.parametrize("name", GENERATING)
def test_generating_files_import_nothing_of_the_package(name):
    allowed = {*sys.stdlib_module_names, "numpy", "scipy", "mujoco", "strangers"}
    for node in ast.walk(ast.parse((HERE / f"{name}.py").read_text())):
        if isinstance(node, ast.Import):
            assert {each.name.split(".")[0] for each in node.names} <= allowed
        if isinstance(node, ast.ImportFrom):
            assert node.module.split(".")[0] in allowed
            if node.module == "strangers":
                assert {each.name for each in node.names} <= set(GENERATING)
            elif node.module.startswith("strangers."):
                assert node.module.removeprefix("strangers.") in GENERATING


def test_every_file_generates_or_tries_or_tests():
    files = {file.stem for file in HERE.glob("*.py")}
    tries = {"trying", *(f"trying_{what}" for what in ("wrong", "spreads", "arms", "orbits", "swings", "panels"))}
    things = ("wrong_things", "spreads", "hard_cases", "arms", "orbits", "swings", "hidden_panels", "elastic_arms")
    wrong = {f"test_{what}" for what in things}
    assert files == {*GENERATING, *tries, "test_generator", "test_coverage", *wrong}


def test_the_eight_robots_differ_as_they_should():
    joints = [len(robot.moving) for robot in ROBOTS]
    masses = [robot.base.mass_kg + sum(body.weighs.mass_kg for body in robot.bodies) for robot in ROBOTS]
    assert (len(ROBOTS), min(joints), max(joints)) == (8, 3, 12)
    assert (min(masses), max(masses)) == (pytest.approx(5.0), pytest.approx(2000.0))
    assert sum(sum(body.parent == "base" for body in robot.bodies) == 2 for robot in ROBOTS) == 2  # two arms
    kinds = {body.kind for robot in ROBOTS for body in robot.bodies}
    assert kinds == {"revolute", "prismatic", "fixed"}
    assert any(robot.wheels for robot in ROBOTS)
    assert all(any(robot.gyro.mount.rpy_deg) and any(robot.gyro.mount.xyz) for robot in ROBOTS)
    assert sum(bool(robot.tumble) for robot in ROBOTS) == 2
    assert sum(robot.tracker is not None for robot in ROBOTS) == sum(robot.camera is not None for robot in ROBOTS) == 1


# ---------------------------------------------------------------------- the true robot


@every_robot
def test_spreads_are_slopes_of_the_ten_numbers(robot):
    """Central differences of a body whose mass, centre and inertia about the centre are moved one after the other."""
    small = 1e-5
    for body in (robot.base, *(each.weighs for each in robot.bodies)):
        m, c, moment = body.mass_kg, np.array(body.com), np.trace(body.inertia) / 3.0

        def ten(mass, com, inertia):
            whole = truth.about_frame(inertia, mass, com)
            return np.array([mass, *(mass * com), *(whole[entry] for entry in truth.ENTRIES)])

        columns = [ten(m * (1 + s), c, body.inertia) for s in (small, -small)]
        slopes = [(columns[0] - columns[1]) / (2 * small)]
        for axis in np.eye(3):
            ends = [ten(m, c + s * body.radius * axis, body.inertia) for s in (small, -small)]
            slopes.append((ends[0] - ends[1]) / (2 * small))
        for row, column in truth.ENTRIES:
            change = np.zeros((3, 3))
            change[row, column] = change[column, row] = moment
            ends = [ten(m, c, body.inertia + s * change) for s in (small, -small)]
            slopes.append((ends[0] - ends[1]) / (2 * small))
        expected = np.array(slopes).T * np.repeat([0.3, 0.2, 0.1], [1, 3, 6])
        assert truth.spread_of(body, 0.3, 0.2, 0.1) == pytest.approx(expected, rel=1e-6, abs=1e-9 * m)


def test_robots_are_as_far_from_the_model_as_the_mission_says_and_none_is_drawn_again():
    """Squared distances in units of the spread are of ten degrees of freedom a body."""
    seeds, squared, count = 30, 0.0, 0
    for index, robot in enumerate(ROBOTS):
        bodies = {"base": robot.base, **{body.name: body.weighs for body in robot.bodies}}
        spreads = {
            name: truth.spread_of(
                body,
                *((robot.known[name],) * 3 if name in robot.known else vars(robot.prior).values()),
            )
            for name, body in bodies.items()
        }
        for seed in range(seeds):
            drawn = truth.drawn(robot, seeded(seed, index))
            assert drawn.redrawn == 0, (robot.name, seed)
            for name, ten in drawn.bodies.items():
                squared += (np.linalg.solve(spreads[name], ten - truth.ten_of(bodies[name])) ** 2).sum()
                count += 10
    low, high = chi2.ppf([0.001, 0.999], count)
    assert low < squared < high


def test_a_body_that_cannot_exist_is_refused():
    ten = truth.ten_of(CUBESAT.base)
    flat = np.array(ten)
    flat[9] += flat[4] + flat[6]  # turns about z more than all its mass can
    with pytest.raises(truth.CannotExist):
        truth.body_of(flat)
    found = truth.body_of(ten)
    assert found.inertia == pytest.approx(CUBESAT.base.inertia)
    assert found.com == pytest.approx(CUBESAT.base.com)


# ---------------------------------------------------------------------- the flight


@every_robot
def test_mujoco_has_the_masses_that_were_drawn(robot):
    """Wheels included: what the base has on its own and what it has with its wheels at rest are two things."""
    true = truth.drawn(robot, seeded(3))
    alone, drawn = Flyer(replace(robot, bodies=()), true), truth.body_of(true.bodies["base"])
    state = np.array([0, 0, 0, 1, 0, 0, 0, *np.zeros(6)], float)
    inertia = alone.inertia_at(state, np.zeros(len(robot.wheels)))[:6, :6]
    whole = np.zeros((3, 3))
    for (row, column), value in zip(truth.ENTRIES, true.bodies["base"][4:], strict=True):
        whole[row, column] = whole[column, row] = value
    assert inertia[3:, 3:] == pytest.approx(whole, rel=1e-9, abs=1e-9 * whole.max())
    assert inertia[[1, 2, 0], [5, 3, 4]] == pytest.approx(drawn.mass_kg * drawn.com[[0, 1, 2]], rel=1e-9, abs=1e-9)
    total = sum(ten[0] for ten in true.bodies.values())
    assert Flyer(robot, true).model.body_subtreemass[0] == pytest.approx(total, rel=1e-12)


@every_robot
def test_momentum_is_conserved_and_zero_where_the_mission_says_so(robot):
    true, flight = flight_of(robot.name, SHORT_S)
    flyer, rows = Flyer(robot, true), np.arange(0, flight.t.size, 50)
    q, dq, _ = flight.motion.at(flight.t[rows])
    states = np.hstack([flight.position, flight.quaternion, flight.velocity, flight.rate])[rows]
    found = np.array([flyer.momentum_at(*each) for each in zip(states, q, dq, strict=True)])
    inertia = flyer.inertia_at(states[0], q[0])
    size = np.trace(inertia[3:6, 3:6]) * np.abs(flight.rate).max()
    assert np.abs(found[:, 3:] - found[0, 3:]).max() < 1e-6 * size
    assert np.abs(found[:, :3] - found[0, :3]).max() < 1e-6 * inertia[0, 0] * np.abs(flight.velocity).max()
    assert (np.abs(found[:, 3:]).max() < 1e-6 * size) == (robot.tumble == 0.0)


@every_robot
def test_half_the_step_changes_readings_by_a_thousandth_of_the_noise_at_most(robot):
    """An attitude's or a position's error grows with time, so it may be as much less as the flight is shorter."""
    t = np.linspace(0.0, SHORT_S, 2001)
    (_, whole), (_, half) = flight_of(robot.name, SHORT_S), flight_of(robot.name, SHORT_S, STEP_S / 2)
    part = 1e-3 * SHORT_S / DURATION_S
    assert np.abs(whole.rate_at(t) - half.rate_at(t)).max() < 1e-3 * robot.gyro.walk * DEGREE / 60.0 * 10.0
    if robot.tracker:
        turned_by = 2.0 * np.abs(whole.attitude_at(t) - half.attitude_at(t)).max()
        assert turned_by < part * min(robot.tracker.noise_arcsec) * ARCSEC
    if robot.camera:
        assert np.abs(whole.position_at(t) - half.position_at(t)).max() < part * robot.camera.position_noise_m


@every_robot
def test_robots_move_up_to_one_hertz_with_the_rates_that_are_said(robot):
    _, flight = flight_of(robot.name, SHORT_S)
    moves, t = flight.motion, np.linspace(1.0, 29.0, 300)
    assert moves.turns.max() < 2.0 * np.pi < 1.3 * moves.turns.max()
    q, dq, ddq = moves.at(t)
    before, after = moves.at(t - 1e-5), moves.at(t + 1e-5)
    assert dq == pytest.approx((after[0] - before[0]) / 2e-5, abs=1e-7 * (1.0 + np.abs(q).max()))
    assert ddq == pytest.approx((after[1] - before[1]) / 2e-5, abs=1e-6 * (1.0 + np.abs(dq).max()))
    assert np.ptp(q, axis=0).min() > 0.05
    assert np.sqrt((flight.rate**2).mean()) > 100.0 * robot.gyro.walk * DEGREE / 60.0 * 10.0  # of the gyro's noise


# ---------------------------------------------------------------------- the readings


@pytest.mark.parametrize("robot", [SLIDER, TUG, WHEELED, TILTED], ids=lambda robot: robot.name)
def test_readings_are_true_but_for_noise_at_the_instants_of_their_clocks(robot):
    true, flight = flight_of(robot.name)
    said = recorded(robot, true, flight, Disturbances(), seeded(5))
    channels = {channel.name: channel for channel in said.channels}
    sensors = {"gyro": "gyro", "attitude": "tracker" if robot.tracker else "camera", "position": "camera"}
    for name, channel in channels.items():
        clock = said.clocks.get(sensors.get(name, "tachometers"))
        t = channel.stamps if name == "q" else (channel.stamps - clock.offset_s) / (1.0 + clock.drift)
        assert t.min() >= 0.0
        assert t.max() <= DURATION_S
        R = Rotation.from_quat(np.roll(flight.attitude_at(t), -1, axis=1))
        if name == "q":
            error = channel.values - flight.motion.at(t)[0][:, : len(robot.moving)] - true.zeros
            sd = robot.encoder_noise
        elif name == "gyro":
            mounted = Rotation.from_matrix(turned(*robot.gyro.mount.rpy_deg)) * Rotation.from_rotvec(true.misalignment)
            error = channel.values - mounted.inv().apply(flight.rate_at(t))
            error -= error.mean(axis=0)  # the bias
            sd = robot.gyro.walk * DEGREE / 60.0 * 10.0
        elif name == "attitude":
            mounted = Rotation.from_matrix(turned(*(robot.tracker or robot.camera).mount.rpy_deg))
            error = ((R * mounted).inv() * Rotation.from_quat(channel.values)).as_rotvec()
            arcsec = np.array(robot.tracker.noise_arcsec) * ARCSEC if robot.tracker else None
            sd = arcsec if robot.tracker else robot.camera.attitude_noise_deg * DEGREE
        elif name == "position":
            error = channel.values - flight.position_at(t) - R.apply(robot.camera.mount.xyz)
            sd = robot.camera.position_noise_m
        else:
            error, sd = channel.values - flight.motion.at(t)[1][:, len(robot.moving) :], robot.tachometer_noise
        low, high = chi2.ppf([1e-4, 1.0 - 1e-4], error.size)
        assert 0.99 * low < ((error / sd) ** 2).sum() < high, name


def test_every_sensor_has_a_clock_and_gaps_of_its_own():
    offsets, longest = [], []
    for seed in range(20):
        for robot in (TUG, WHEELED, TILTED):
            true, flight = flight_of(robot.name)
            said = recorded(robot, true, flight, Disturbances(), seeded(seed))
            clocks = [clock.offset_s for clock in said.clocks.values()]
            assert len(set(clocks)) == 2
            offsets += clocks
            longest += [np.diff(channel.stamps).max() for channel in said.channels]
            assert all(np.diff(channel.stamps).min() > 0.0 for channel in said.channels)
    assert (min(offsets) >= 0.0, max(offsets) < 0.025, max(offsets) > 0.02) == (True, True, True)
    assert 0.9 < max(longest) < 2.5, "gaps may meet, or meet lost samples of a slow sensor"


def test_without_disturbances_all_is_regular_but_for_one_clock():
    true, flight = flight_of(TUG.name)
    said = recorded(TUG, true, flight, REGULAR, seeded(5))
    for channel in said.channels:
        steps = np.diff(channel.stamps)
        assert steps == pytest.approx(steps[0])
    assert len(set(said.clocks.values())) == 1


def test_the_same_seed_says_the_same_and_another_does_not():
    true, flight = flight_of(SLIDER.name)
    first, again, other = (recorded(SLIDER, true, flight, Disturbances(), seeded(seed)) for seed in (1, 1, 2))
    assert first.channels[1].values.tobytes() == again.channels[1].values.tobytes()
    assert first.channels[1].values[:50].tobytes() != other.channels[1].values[:50].tobytes()


def test_quaternions_of_matrices_are_those_of_scipy():
    for angles in ((0, 0, 0), (180, 0, 45), (30, -50, 110), (0, 90, 0), (0, 0, 180)):
        found = Rotation.from_quat(np.roll(matrix_quaternion(turned(*angles)), -1))
        assert found.as_matrix() == pytest.approx(
            Rotation.from_euler("xyz", angles, degrees=True).as_matrix(), abs=1e-12
        )


def test_no_instant_is_outside_the_flight():
    _, flight = flight_of(SLIDER.name)
    for seed in range(50):
        t = Recorder(flight, Disturbances(), seeded(seed)).instants(5.0)
        assert t[0] >= 0.0
        assert t[-1] <= DURATION_S
        assert (np.diff(t) > 0.0).all()


def test_files_hold_all_digits():
    text = file_text(robot_document(TILTED))
    assert f"mass_kg: {TILTED.base.mass_kg:.16e}" in text
    assert text.startswith("format: freefloat/robot@1\n")
