"""Both steps and the structure behind them: truth without noise, honest intervals, and all that is made of it."""

import json
from dataclasses import replace

import numpy as np
import pytest
from cli.calling import ended
from estimate.problems import make_case
from random_trees import many_armed

import freefloat as ff
from freefloat.estimate.linear.least_squares import LeastSquares
from freefloat.estimate.linear.weighted import Weighted
from freefloat.estimate.recipes import christidi_two_steps
from freefloat.estimate.structured.as_standard import BOTH, standard_estimate
from freefloat.estimate.structured.two_steps import TwoSteps
from freefloat.estimate.total_mass import mass_from_products, mass_of
from freefloat.export.floating_angular_model import FloatingAngularModel
from freefloat.export.floating_model import FloatingModel
from freefloat.export.free_flying_model import FreeFlyingModel
from freefloat.models.angular_momentum import BaseVelocity
from freefloat.models.model import NotApplicable
from freefloat.validation.random_motions import predict_random_motions

ROWS = ("angular-momentum", "base-velocity")
NOISE = {"w": 1e-5, "v": 1e-4, "dq": 1e-5}
MISSION = """format: freefloat/mission@1
mission: two steps
robot: robot.yaml
momentum: {{wheels_Nms: {{{spins}}}}}
sensors:
  joints: {{kind: encoder, noise_rad: 2.5e-5, rate_Hz: 10}}
  gyro: {{kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.01, rate_Hz: 10}}
  wheels: {{kind: tachometer, noise_rad_s: 0.001, rate_Hz: 10}}
  {speed}
excitation: {{duration_s: 40, shape: {{harmonics: 5}}}}
identify: {{method: two-steps, nuisances: {{joint_place_m: null, joint_axis_rad: null}}}}
"""
TRACKED = """star: {kind: star-tracker, noise_arcsec: 20, rate_Hz: 10}
  speed: {kind: velocity, axes: body, noise_m_s: 2.0e-4, rate_Hz: 10}"""
INTEGRATED = """star: {kind: star-tracker, noise_arcsec: 20, rate_Hz: 10}
  speed: {kind: velocity, velocity_random_walk_m_s_per_sqrt_h: 0.001, rate_Hz: 10}"""
UNSTABLE = INTEGRATED.replace("0.001,", "0.001, accelerometer_bias_instability_ug: 10,")
CAPTURED = "place: {kind: pose, position_noise_m: 1.0e-4, attitude_noise_deg: 0.01, rate_Hz: 50}"


def off(estimate, truth):
    return np.abs(estimate.values - truth).max() / np.abs(estimate.cad - truth).max()


# ---------------------------------------------------------------------- the structure


@pytest.mark.parametrize("momentum", ["zero", "unknown"])
@pytest.mark.parametrize("seed", [1, 3, 8])
def test_clusters_of_momentum_come_out_of_both_steps_for_any_tree(seed, momentum):
    case = make_case(ROWS, seed, momentum=momentum, scale="wheels")
    found = TwoSteps().estimate(case.problem)
    assert found.is_standard
    assert off(found, found.minimal.values(case.robot.parameters)) < 1e-8
    assert mass_of(found).value == pytest.approx(case.robot.mass, rel=1e-8)


@pytest.mark.parametrize("seed", [3, 8])
def test_an_estimate_of_pi_and_phi_leads_to_the_same(seed):
    case = make_case(ROWS, seed, momentum="unknown", scale="wheels")
    steps = christidi_two_steps(case.problem)
    assert steps.estimate.model == BOTH
    truth = steps.whole.minimal.values(case.robot.parameters)
    assert off(steps.whole, truth) < 1e-7
    H = FreeFlyingModel(steps.estimate).mass_matrix(case.exact[0].q[:2])
    exact = FreeFlyingModel(replace(steps.whole, values=truth)).mass_matrix(case.exact[0].q[:2])
    np.testing.assert_allclose(H.value, exact.value, atol=1e-6 * np.abs(exact.value).max())
    assert FloatingModel(steps.estimate).estimate.is_standard
    with pytest.raises(NotApplicable, match="FreeFlyingModel takes one of momentum, or of angular-momentum"):
        FloatingAngularModel(steps.estimate)


def test_random_motions_are_predicted_by_an_estimate_of_pi_and_phi():
    case = make_case(ROWS, 3, momentum="unknown", scale="wheels", noise=NOISE)
    steps = Weighted().estimate(case.problem)
    assert steps.model == BOTH
    found, same = (
        predict_random_motions(each, 4, truth=case.robot, duration_s=10.0) for each in (steps, standard_estimate(steps))
    )
    np.testing.assert_array_equal(found.largest_rate, same.largest_rate)
    assert found.within > 0.8


def test_all_products_and_what_they_are_made_of_beat_the_products_alone():
    case = make_case(ROWS, 3, momentum="unknown", scale="wheels", noise=NOISE)
    products = mass_from_products(Weighted().estimate(case.problem))
    whole = mass_of(TwoSteps().estimate(replace(case.problem, prior=None)))
    assert whole.sd < 0.7 * products.sd
    assert abs(whole.value - case.robot.mass) < 4.0 * whole.sd


def test_steps_that_contradict_each_other_are_said_to():
    case = make_case(ROWS, 3, momentum="unknown", scale="wheels", noise=NOISE)
    steps = Weighted().estimate(case.problem)
    moved = np.array(steps.values)
    moved[-1] += 60.0 * steps.sd[-1]
    with_truth, with_error = standard_estimate(steps), standard_estimate(replace(steps, values=moved))
    assert not any("contradict each other" in sentence for sentence in with_truth.warnings)
    assert any("contradict each other" in sentence for sentence in with_error.warnings)
    assert with_error.outcome == "doubtful"


def test_a_known_body_that_is_uncertain_widens_intervals_and_needs_the_method():
    case = make_case(ROWS, 3, momentum="unknown", scale="known", noise=NOISE, known={"body3": 0.0})
    sure = TwoSteps().estimate(case.problem)
    unsure = TwoSteps().estimate(replace(case.problem, known={"body3": 0.05}))
    assert (unsure.sd >= sure.sd * (1.0 - 1e-6)).all()
    assert "body3" in unsure.budget.sources
    steps = Weighted().estimate(replace(case.problem, known={"body3": 0.05}))
    with pytest.raises(NotApplicable, match="allowed: known values without one, or the method two-steps"):
        standard_estimate(steps)


# ---------------------------------------------------------------------- missions


def mission(folder, robot, speed=TRACKED):
    robot.save(folder / "robot.yaml")
    spins = ", ".join(f"{wheel.name}: {spin}" for wheel, spin in zip(robot.wheels, (2.0, -1.5, 1.0), strict=True))
    (folder / "mission.yaml").write_text(MISSION.format(spins=spins, speed=speed))
    return ff.load_mission(folder / "mission.yaml")


@pytest.mark.slow
def test_a_mission_by_two_steps_is_validated_and_exported(tmp_path):
    asked = mission(tmp_path, many_armed(3, 1, 3))
    robot = ff.draw_robot(asked, seed=1)
    seen, unseen = (ff.simulate(asked, ff.random_motion(asked, k), seed=k, robot=robot) for k in (1, 2))
    found = ff.identify(asked, seen)
    assert (found.method, found.model, found.outcome) == ("two-steps", "momentum", "good")
    assert ff.validate(asked, found, unseen).verdict == "pass"
    ff.export_controller(found, tmp_path / "servicer.c")
    ff.export_robot(found, tmp_path / "found.yaml")
    assert ff.load_robot(tmp_path / "found.yaml").mass == pytest.approx(robot.mass, rel=0.01)


@pytest.mark.slow
def test_the_same_is_done_by_commands(tmp_path):
    mission(tmp_path, many_armed(3, 1, 3))
    for command in (
        "draw mission.yaml --seed 1 -o flown.yaml",
        "simulate mission.yaml --robot flown.yaml --seed 1 -o a.parquet",
        "simulate mission.yaml --robot flown.yaml --seed 2 -o b.parquet",
        "identify mission.yaml a.parquet --method two-steps -o found.json",
        "validate mission.yaml found.json b.parquet",
        "validate mission.yaml found.json --random 20 --robot flown.yaml",
        "export found.json --controller servicer.c --robot found.yaml",
    ):
        code, _, err = ended(command.split(), tmp_path)
        assert code == 0, (command, err)
    code, said, err = ended(["mass", "found.json", "--json"], tmp_path)
    assert code == 0, err
    mass, truth = json.loads(said), ff.load_robot(tmp_path / "flown.yaml").mass
    assert abs(mass["value"] - truth) < 4.0 * mass["sd"]
    assert ff.load_estimate(tmp_path / "found.json").outcome == "good"
    assert "_mass_matrix" in (tmp_path / "servicer.c").read_text()


@pytest.mark.parametrize("speed", [UNSTABLE, CAPTURED], ids=["accelerometer", "motion capture"])
def test_an_integrated_accelerometer_or_positions_serve_as_velocity(speed, tmp_path):
    asked = mission(tmp_path, many_armed(1, 2, 3), speed)
    robot = ff.draw_robot(asked, seed=2)
    found = ff.identify(asked, ff.simulate(asked, ff.random_motion(asked, 2), seed=2, robot=robot))
    mass = ff.estimate.mass_of(found)
    assert abs(mass.value - robot.mass) < 4.0 * mass.sd
    assert mass.sd < 0.01 * robot.mass
    assert found.residual.ratio < 1.3


@pytest.mark.slow
def test_two_steps_hold_the_truth_where_the_accelerometers_bias_is_unstable(tmp_path):
    asked, inside = mission(tmp_path, many_armed(1, 2, 3), UNSTABLE), []
    for seed in range(16):
        robot = ff.draw_robot(asked, seed=seed)
        found = ff.identify(asked, ff.simulate(asked, ff.random_motion(asked, seed), seed=seed, robot=robot))
        inside.append(np.mean(np.abs(found.values - found.minimal.values(robot.parameters)) < 1.96 * found.sd))
    assert 0.88 < np.mean(inside) < 0.99


@pytest.mark.slow
def test_rows_of_base_velocity_alone_hold_the_truth_where_the_accelerometers_bias_is_unstable(tmp_path):
    """As a walk that is right at high frequencies the flicker left 81 % of the intervals around the truth."""
    asked, inside = mission(tmp_path, many_armed(1, 2, 3), UNSTABLE), []
    for seed in range(20):
        robot = ff.draw_robot(asked, seed=seed)
        problem = ff.problem(asked, ff.simulate(asked, ff.random_motion(asked, seed), seed=seed, robot=robot))
        found = LeastSquares().estimate(replace(problem, models=("base-velocity",)))
        inside.append(np.mean(np.abs(found.values - BaseVelocity(robot).values()) < 1.96 * found.sd))
    assert 0.90 < np.mean(inside) < 0.99


@pytest.mark.slow
def test_entries_of_free_flying_matrices_are_covered():
    """A small part of proof/prove_matrices.py, which flies ten robots twenty times each."""
    from proof import prove_matrices

    flights = [prove_matrices.fly(seed) for seed in (0, 1, 2, 7, 11, 13)]
    for number in range(2):
        assert prove_matrices.pooled([flight[number] for flight in flights]) > 0.85
