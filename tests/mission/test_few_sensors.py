"""Missions with few sensors: joint rates without positions, an attitude or a pose without a gyro."""

from importlib.resources import files

import numpy as np
import pytest

import freefloat as ff
from freefloat.mission.identifying import flights_of, settings_for

HEAD = """format: freefloat/mission@1
mission: few
robot: cepheus.yaml
known: {link2: {relative_sd: 0.002}}
excitation: {duration_s: 12, shape: {harmonics: 2}}
"""
WHEEL = "{kind: tachometer, noise_rad_s: 0.01, rate_Hz: 50}"
ENCODERS = "{kind: encoder, noise_rad: 1.0e-4, rate_Hz: 50}"
RATES = "{kind: joint-rate, noise_rad_s: 1.0e-3, bias_sd_rad_s: 5.0e-4, rate_Hz: 50}"
GYRO = "{kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.05, rate_Hz: 25}"
TRACKER = "{kind: star-tracker, noise_arcsec: 5, rate_Hz: 10}"
POSE = "{kind: pose, position_noise_m: 2.0e-4, attitude_noise_deg: 0.02, rate_Hz: 20}"
SPEED = "{kind: velocity, noise_m_s: 1.0e-4, rate_Hz: 10}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("few")
    robot = files("freefloat.studies").joinpath("cepheus.yaml").read_text(encoding="utf-8")
    (made / "cepheus.yaml").write_text(robot, encoding="utf-8")
    return made


def mission_of(folder, name, momentum="zero", more="", **sensors):
    start = "" if momentum == "zero" else ", start: {rate_deg_s: [0, 0, 1], velocity_m_s: [0.01, 0.02, 0]}"
    listed = "".join(f"  {sensor}: {text}\n" for sensor, text in {**sensors, "wheel": WHEEL}.items())
    text = f"{HEAD}momentum: {momentum}\nflight: {{wheel_rates_rad_s: {{wz: 100}}{start}}}\nsensors:\n{listed}{more}"
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return ff.load_mission(folder / f"{name}.yaml")


def warnings_of(mission, recording, settings=None):
    """What processing for the mission's method warns of."""
    chosen = settings or settings_for(mission, "maximum-likelihood")
    return flights_of(mission, {"flight": recording}, None, {}, chosen)[0][1].warnings


def errors_of(estimate, robot):
    return (estimate.values - estimate.minimal.values(robot.parameters)) / estimate.sd


def inertia_sd(estimate):
    """Of the base's inertia, over itself."""
    place = estimate.names.index("Izz_base")
    return estimate.sd[place] / estimate.values[place]


@pytest.mark.parametrize("momentum", ["zero", "unknown"])
@pytest.mark.parametrize("sensors", [{"tracker": TRACKER}, {"cameras": POSE}, {"tracker": TRACKER, "speed": SPEED}])
def test_a_robot_is_found_without_a_gyro(folder, sensors, momentum):
    mission = mission_of(folder, "blind", momentum, joints=ENCODERS, **sensors)
    robot = ff.draw_robot(mission, seed=4)
    estimate = ff.identify(mission, ff.simulate(mission, seed=1, robot=robot))
    assert estimate.residual.ratio == pytest.approx(1.0, abs=0.1)
    assert (errors_of(estimate, robot) ** 2).mean() < 3.0
    assert inertia_sd(estimate) < 0.03  # 8 % by the CAD model
    assert ff.validate(mission, estimate, ff.simulate(mission, seed=2, robot=robot)).verdict == "pass"


def test_joint_rates_alone_will_do(folder):
    mission = mission_of(folder, "rates", joints=RATES, gyro=GYRO)
    robot = ff.draw_robot(mission, seed=4)
    recording = ff.simulate(mission, seed=1, robot=robot)
    assert not recording.of_quantity("q")
    estimate = ff.identify(mission, recording)
    assert any("joint positions were not recorded" in note for note in estimate.notes)
    assert estimate.residual.ratio == pytest.approx(1.0, abs=0.1)
    assert (errors_of(estimate, robot) ** 2).mean() < 3.0
    assert inertia_sd(estimate) < 0.03
    assert "joint rates" in estimate.budget.sources
    assert ff.validate(mission, estimate, ff.simulate(mission, seed=2, robot=robot)).verdict == "pass"


def test_where_joints_started_is_said_or_asked_for(folder):
    plain = mission_of(folder, "rates", joints=RATES, gyro=GYRO)
    start = ff.fly(plain, seed=1).q[0]
    recording = ff.simulate(plain, seed=1)
    anonymous = ff.Recording(list(recording))  # of which nobody knows the command
    assert any("nobody said where j1, j2 started" in said for said in ff.identify(plain, anonymous).warnings)
    more = f"identify: {{start_positions: {{j1: {start[0]}, j2: {start[1]}}}}}\n"
    told = ff.identify(mission_of(folder, "told", more=more, joints=RATES, gyro=GYRO), anonymous)
    assert not any("nobody said" in said for said in told.warnings)
    np.testing.assert_allclose(told.values, ff.identify(plain, recording).values, rtol=1e-6, atol=1e-8)
    with pytest.raises(ff.FreefloatError, match=r"identify\.start_positions names 'j9'; allowed: j1, j2"):
        mission_of(folder, "wrong", more="identify: {start_positions: {j9: 0}}\n", joints=RATES, gyro=GYRO)


def test_a_start_that_the_declared_spread_covers_is_not_asked_for(folder):
    wide, narrow = (
        mission_of(folder, "wide", more=f"identify: {{nuisances: {{joint_zero_rad: {sd}}}}}\n", joints=RATES, gyro=GYRO)
        for sd in (1.0, 0.7)
    )
    anonymous = ff.Recording(list(ff.simulate(wide, seed=1)))
    assert not any("nobody said" in said for said in warnings_of(wide, anonymous))
    assert any("nobody said where j1 started" in said for said in warnings_of(narrow, anonymous)), "up to 2.5 rad"
    linear = settings_for(wide, "weighted")
    assert any("nobody said" in said for said in warnings_of(wide, anonymous, linear)), "which estimates no start"


def test_each_recording_may_start_elsewhere(folder):
    more = "identify: {start_positions: {j1: 0.1, j2: 0.2, second.csv: {j2: 0.5}}}\n"
    mission = mission_of(folder, "each", more=more, joints=RATES, gyro=GYRO)
    recordings = {name: ff.simulate(mission, seed=seed) for seed, name in enumerate(("first.csv", "second.csv"))}
    starts = [flight.samples.q[0] for flight in ff.problem(mission, recordings).flights]
    np.testing.assert_allclose(starts, [[0.1, 0.2], [0.1, 0.5]], atol=0.01)
    with pytest.raises(ff.FreefloatError, match=r"identify\.start_positions names 'j9'; allowed: j1, j2"):
        mission_of(folder, "wrong", more="identify: {start_positions: {second.csv: {j9: 0}}}\n", joints=RATES)


def test_a_velocity_alone_is_refused_in_a_sentence(folder):
    mission = mission_of(folder, "speed", joints=ENCODERS, speed=SPEED.replace("noise", "axes: body, noise", 1))
    with pytest.raises(ff.FreefloatError, match="neither angular rates nor attitude"):
        ff.identify(mission, ff.simulate(mission, seed=1))
