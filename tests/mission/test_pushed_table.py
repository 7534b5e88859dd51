"""The planar robot on its table, joints locked, attitude held by its wheel: a thruster's pulse weighs it."""

from importlib.resources import files

import numpy as np
import pytest
from command_run import run

import freefloat as ff

MISSION = """format: freefloat/mission@1
mission: push
robot: cepheus.yaml
sensors:
  joints: {kind: encoder, noise_rad: 1.0e-4, rate_Hz: 100}
  wheel: {kind: tachometer, noise_rad_s: 0.01, rate_Hz: 100}
  cameras: {kind: pose, position_noise_m: [2.0e-4, 2.0e-4, 0], attitude_noise_deg: [0, 0, 0.02], rate_Hz: 100}
trajectory:
  {format: freefloat/trajectory@1, kind: fourier, channels: [j1, j2], duration_s: 10, coefficients: [[0, 0], [0, 0]]}
flight:
  wheels: hold-attitude
  pulses: [{start_s: 2, duration_s: 3, force_N: [0, 0.5, 0], point_m: [0.012, 0, 0], relative_sd: 0.001}]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("push")
    robot = files("freefloat.studies").joinpath("cepheus.yaml").read_text(encoding="utf-8")
    (made / "cepheus.yaml").write_text(robot, encoding="utf-8")
    (made / "push.yaml").write_text(MISSION, encoding="utf-8")
    return made


def weighed(folder, seed):
    """Mass found less true over it, and over its standard deviation, of a robot drawn like the mission's."""
    mission = ff.load_mission(folder / "push.yaml")
    robot = ff.draw_robot(mission, seed=1000 + seed)
    estimate = ff.identify(mission, ff.simulate(mission, seed=seed, robot=robot))
    off = estimate.values[0] - robot.mass
    return off / robot.mass, off / estimate.sd[0]


def test_the_command_line_weighs_the_robot(folder):
    path = folder / "push.parquet"
    run("simulate", folder / "push.yaml", "--seed", 1, "-o", path)
    found = run("identify", folder / "push.yaml", path, "-o", folder / "push.json")
    assert "force of pulses" in found.output
    estimate = ff.load_estimate(folder / "push.json")
    assert estimate.names[0] == "m_base"
    assert estimate.sd[0] == pytest.approx(0.001 * 13.55, rel=0.1)
    assert abs(estimate.values[0] - 13.55) < 3.0 * estimate.sd[0]
    (folder / "coasting.yaml").write_text(MISSION + "identify: {pulses: {flight: []}}\n", encoding="utf-8")
    blind = ff.identify(ff.load_mission(folder / "coasting.yaml"), ff.load_recording(path))
    assert blind.residual.ratio > 10.0  # a push that nobody spoke of is no noise


def test_an_accelerometer_weighs_it_as_well(folder):
    gyro = "gyro: {kind: gyro, noise_rad_s: 1.0e-4, rate_Hz: 100}"
    inertial = f"{gyro}\n  felt: {{kind: accelerometer, noise_m_s2: 1.0e-3, rate_Hz: 100}}"
    cameras = next(line.strip() for line in MISSION.splitlines() if "cameras" in line)
    for calibrated, least, most in ((1e-3, 0.001, 0.003), (1e-2, 0.009, 0.011)):  # it weighs no better than its scale
        scale = f"identify: {{nuisances: {{accelerometer_scale: {calibrated}}}}}\n"
        (folder / "felt.yaml").write_text(MISSION.replace(cameras, inertial) + scale, encoding="utf-8")
        mission = ff.load_mission(folder / "felt.yaml")
        robot = ff.draw_robot(mission, seed=5)
        estimate = ff.identify(mission, ff.simulate(mission, seed=5, robot=robot))
        assert estimate.residual.ratio == pytest.approx(1.0, abs=0.1)
        assert least * robot.mass < estimate.sd[0] < most * robot.mass
        assert abs(estimate.values[0] - robot.mass) < 3.0 * estimate.sd[0]


def test_the_wheel_keeps_the_attitude_while_the_thruster_pushes_beside_the_centre(folder):
    mission = ff.load_mission(folder / "push.yaml")
    flown = ff.fly(mission, seed=3)
    assert np.abs(flown.w).max() < 1e-12
    assert np.abs(flown.dw).max() < 1e-12
    robot, during = mission.robot, (flown.t > 2.001) & (flown.t < 4.999)
    force = robot.mass * np.gradient(flown.v[during, 1], flown.t[during])
    arm = 0.012 - robot.centre_of_mass()[0]
    moment = arm * force
    spun = robot.wheels[0].spin_inertia * flown.wheel_accelerations[during, 0]
    np.testing.assert_allclose(spun, moment, rtol=1e-6)
    assert np.abs(force / 0.5 - 1.0).max() < 0.005
    assert np.abs(force / 0.5 - 1.0).min() > 1e-6  # the thruster of this seed is not exact


def test_methods_that_do_not_know_of_pushes_refuse_them(folder):
    mission = ff.load_mission(folder / "push.yaml")
    recording = ff.simulate(mission, seed=1)
    for method in ("weighted", "kalman"):
        with pytest.raises(ff.FreefloatError, match="thrusters pushed, which this method does not reckon with"):
            ff.identify(mission, recording, method=method)


@pytest.mark.slow
def test_the_mass_is_within_half_a_percent_and_in_its_interval(folder):
    relative, standard = np.transpose([weighed(folder, seed) for seed in range(40)])
    assert np.abs(relative).max() < 0.005
    inside = int((np.abs(standard) < 1.96).sum())
    assert inside >= 34  # of 40 at 95 %: fewer once in a hundred
    assert 0.7 < np.sqrt((standard**2).mean()) < 1.3
