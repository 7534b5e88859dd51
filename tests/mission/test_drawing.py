"""Robots that fly are not their CAD models: drawn as far away as the mission says, possible, and flown by name."""

from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import freefloat as ff
from freefloat.cli import app
from freefloat.estimate.prior import CadSpread, known_covariance
from freefloat.mission.drawing import mission_flown_with
from freefloat.mission.mission_file import InvalidMission
from freefloat.mission.prior_knowledge import known_of
from freefloat.robot.parameters import PER_BODY, pseudo_inertia
from freefloat.robot.physicality import check_physicality
from freefloat.robot.transform import Transform


def test_a_seed_names_a_robot(trial):
    first, again, other = (ff.draw_robot(trial, seed).parameters for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert np.abs(first - other).max() > 0.1


def test_robots_are_as_far_away_as_the_prior_says_and_the_load_as_it_is_known(trial):
    """Sums of squares over the spread are chi-square: 1 on average, of a thousand numbers and more."""
    drawn = np.array([ff.draw_robot(trial, seed).parameters for seed in range(200)]) - trial.robot.parameters
    known = known_covariance(trial.robot, known_of(trial))
    load = np.flatnonzero(np.diagonal(known) > 0.0)
    base = np.arange(PER_BODY)
    spread = CadSpread().covariance(trial.robot)
    for columns, covariance in ((load, known), (base, spread)):
        block = covariance[np.ix_(columns, columns)]
        squares = np.einsum("ri,ij,rj->r", drawn[:, columns], np.linalg.inv(block), drawn[:, columns]) / columns.size
        assert abs(squares.mean() - 1.0) < 4.0 * np.sqrt(2.0 / (200 * columns.size))


def test_joints_are_as_far_off_as_the_nuisances_say_and_such_a_robot_may_fly(trial):
    nominal, place, turn = trial.robot.tree.arrays.geometry, [], []
    for seed in range(100):
        robot = ff.draw_robot(trial, seed)
        off = (robot.tree.arrays.geometry - nominal)[trial.robot.tree.arrays.dof >= 0]
        place.append(off[:, -3:])
        turn.append(np.linalg.norm(off[:, 27:30], axis=1))
        mission_flown_with(trial, robot)
    assert np.std(place) == pytest.approx(0.5e-3, rel=4.0 / np.sqrt(2 * np.size(place)))
    assert np.sqrt(np.mean(np.square(turn)) / 2.0) == pytest.approx(1e-3, rel=4.0 / np.sqrt(4 * np.size(turn)))


def test_geometry_that_is_declared_exact_is_not_drawn(trial):
    said = trial.path.read_text()
    exact = "identify:\n  nuisances: {joint_place_m: null, joint_axis_rad: null}\n"
    trial.path.write_text(said.replace("identify:\n", exact))
    robot = ff.draw_robot(ff.load_mission(trial.path), 1)
    assert np.array_equal(robot.tree.arrays.geometry, trial.robot.tree.arrays.geometry)
    with pytest.raises(InvalidMission, match="the place of body"):
        ff.simulate(ff.load_mission(trial.path), robot=ff.draw_robot(trial, 1))


def test_what_is_drawn_can_exist_however_wide_the_spread(trial):
    said = trial.path.read_text()
    trial.path.write_text(said.replace("prior: cad ", "prior: {mass: 0.4, com: 0.4, inertia: 0.4} "))
    wide = ff.load_mission(trial.path)
    for seed in range(30):
        robot = ff.draw_robot(wide, seed)
        assert not check_physicality(robot)
        assert all(np.linalg.eigvalsh(pseudo_inertia(phi))[0] > 0.0 for phi in robot.parameters.reshape(-1, PER_BODY))


def test_a_cad_model_that_cannot_exist_is_no_obstacle(trial):
    phi = np.array(trial.robot.parameters)
    phi[PER_BODY : 2 * PER_BODY] = 0.0
    robot = ff.draw_robot(replace(trial, robot=trial.robot.with_parameters(phi)), 3)
    assert (robot.parameters.reshape(-1, PER_BODY)[:, 0] >= 0.0).all()


def test_the_flight_is_that_of_the_drawn_robot_and_the_estimate_finds_it(trial):
    robot = ff.draw_robot(trial, 7)
    flight = ff.simulate(trial, seed=1, robot=robot)
    assert flight.origin.hashes["robot"] != ff.simulate(trial, seed=1).origin.hashes["robot"]
    estimate = ff.identify(trial, flight)
    place = estimate.names.index("Ixx_base")
    truth, cad = (estimate.minimal.values(each.parameters)[place] for each in (robot, trial.robot))
    value, sd = estimate.value("Ixx_base")
    assert abs(value - truth) < 4.0 * sd < 0.5 * abs(cad - truth)


def test_another_robot_is_refused(trial):
    with pytest.raises(InvalidMission, match=r"has the bodies .*allowed: those of mission 'trial'"):
        ff.simulate(trial, robot=ff.study_robot("cepheus"))


def with_body(robot, name, **changes):
    return replace(robot, bodies=tuple(replace(b, **changes) if b.name == name else b for b in robot.bodies))


def test_a_robot_that_is_built_otherwise_is_refused(trial):
    robot = trial.robot
    name = next(body.name for body in robot.bodies if body.joint is not None and body.joint.moves)
    body = robot.body(name)
    flipped, sliding = replace(body.joint, axis=-body.joint.axis), replace(body.joint, kind="prismatic")
    for other, words in (
        (replace(robot, base="fixed"), "the kind of its base is fixed; allowed: that of mission 'trial', free"),
        (with_body(robot, name, joint=sliding), f"the kind of joint '{body.joint.name}' is prismatic"),
        (with_body(robot, name, joint=flipped), f"the axis of joint '{body.joint.name}' is"),
        (
            with_body(robot, name, placement=Transform(body.placement.R, body.placement.p + 0.01)),
            f"the place of body '{name}' on its parent is",
        ),
        (
            with_body(robot, name, placement=Transform(body.placement.R[[1, 2, 0]], body.placement.p)),
            f"the orientation of body '{name}' on its parent is",
        ),
    ):
        with pytest.raises(InvalidMission, match=words):
            ff.simulate(trial, robot=other)


def test_the_command_line_draws_and_flies_the_same(trial, tmp_path):
    for line in (
        "draw trial.yaml --seed 7 -o flown.yaml",
        "simulate trial.yaml --robot flown.yaml --seed 1 -o a.parquet",
    ):
        result = CliRunner().invoke(app, line.split())
        assert result.exit_code == 0, result.output
    told = ff.simulate(trial, seed=1, robot=ff.draw_robot(trial, 7))
    read = ff.load_recording("a.parquet")
    for channel in told:
        assert np.allclose(read[channel.name].values, channel.values, rtol=1e-12, atol=1e-15)
    assert read.origin.hashes["robot"] == told.origin.hashes["robot"]
