"""A window that begins late: the momentum, known in base axes at the first instant, is turned to those at its start."""

import numpy as np
import pytest
from random_trees import many_armed

import freefloat as ff
from freefloat.mission.identifying import flights_of, named_recordings, settings_for
from freefloat.robot.rotations import rotations

MISSION = """format: freefloat/mission@1
mission: late window
robot: robot.yaml
momentum: {{wheels_Nms: {{wheel0: 2.0, wheel1: -1.5, wheel2: 1.0}}}}
sensors:
  joints: {{kind: encoder, noise_rad: 2.5e-5, rate_Hz: 10}}
  gyro: {{kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.01, bias_sd_deg_per_h: {bias}, rate_Hz: 10}}
  wheels: {{kind: tachometer, noise_rad_s: 0.001, rate_Hz: 10}}
  star: {{kind: star-tracker, noise_arcsec: 20, rate_Hz: 5}}
  speed: {{kind: velocity, axes: body, noise_m_s: 2.0e-4, rate_Hz: 10}}
excitation: {{duration_s: 40, shape: {{harmonics: 5}}}}
flight: {{pulses: [{pulse}]}}
identify: {{window: {window}, nuisances: {{joint_place_m: null, joint_axis_rad: null}}}}
"""
PUSH = "{start_s: 2, duration_s: 1, force_N: [1.0, 0.0, 0.0]}"


def mission(folder, window="[25, 40]", bias=1.0, pulse=""):
    path = folder / "mission.yaml"
    path.write_text(MISSION.format(window=window, bias=bias, pulse=pulse))
    return ff.load_mission(path)


@pytest.fixture(scope="module")
def flown(tmp_path_factory):
    """Folder, the robot that flew, what was recorded of it, and the same without noise."""
    folder = tmp_path_factory.mktemp("late")
    many_armed(3, 1, 3).save(folder / "robot.yaml")
    asked = mission(folder)
    robot, motion = ff.draw_robot(asked, seed=1), ff.random_motion(asked, 1)
    noisy, exact = (ff.simulate(asked, motion, seed=1, robot=robot, noise=noise) for noise in (True, False))
    return folder, robot, noisy, exact


def without(recording, *names):
    return type(recording)({n: c for n, c in recording.channels.items() if n not in names}, recording.origin)


def flight_of(asked, recording):
    """The flight, and what is said of its momentum."""
    settings = settings_for(asked, "maximum-likelihood")
    ((flight, processed),) = flights_of(asked, named_recordings(recording), None, {}, settings)
    return flight, [note for note in processed.notes if "momentum" in note]


def turned(asked, exact, start_s=25.0):
    channel = exact.channels["attitude"]
    R = rotations(channel.values)
    return R[np.searchsorted(channel.t, start_s - 1e-6)].T @ R[0] @ asked.total_momentum


@pytest.mark.parametrize("method", ["two-steps", "maximum-likelihood"])
def test_a_window_that_begins_late_finds_the_mass(flown, method):
    folder, robot, noisy, _ = flown
    found = ff.identify(mission(folder), noisy, method)
    mass = ff.estimate.mass_of(found)
    assert abs(mass.value - robot.mass) < 4.0 * mass.sd
    assert mass.sd < 0.05 * robot.mass
    assert not any("momentum" in cause.what for cause in found.causes)
    assert found.residual.ratio < 1.2


def test_parts_of_a_history_that_begin_late_find_the_mass_too(flown):
    folder, robot, noisy, _ = flown
    asked = mission(folder, "whole")
    history = ff.identify_history(asked, noisy, 2, span_s=20.0, method="two-steps", truth=robot)
    assert (np.abs(history.values - history.truth) < 5.0 * history.sd).all()


@pytest.mark.parametrize(
    ("left_out", "by", "within"),
    [
        ((), "rates and attitudes", 3e-5),
        (("attitude",), "gyro's rates (", 1e-4),
        (("gyro",), "attitudes at both", 2e-4),
    ],
)
def test_the_momentum_is_turned_as_the_base_turned(flown, left_out, by, within):
    folder, _, noisy, exact = flown
    asked = mission(folder)
    flight, (said,) = flight_of(asked, without(noisy, *left_out, "body_velocity"))
    assert by in said
    h = asked.total_momentum
    truth = turned(asked, exact)
    assert np.abs(truth - h).max() > 0.01 * np.linalg.norm(h)  # so that it matters
    np.testing.assert_allclose(flight.momentum.vector, truth, atol=4.0 * within * np.linalg.norm(h))


def test_a_bias_that_attitudes_show_is_taken_off(flown):
    folder, robot, _, exact = flown
    asked = mission(folder, bias=2000.0)
    noisy = ff.simulate(asked, ff.random_motion(asked, 1), seed=1, robot=robot)
    flight, (said,) = flight_of(asked, noisy)
    assert "rates and attitudes" in said
    size = np.linalg.norm(asked.total_momentum)
    np.testing.assert_allclose(flight.momentum.vector, turned(asked, exact), atol=1.2e-4 * size)
    flight, (said,) = flight_of(asked, without(noisy, "attitude", "body_velocity"))
    assert flight.momentum.is_unknown
    assert "taken as unknown" in said


def test_what_starts_with_the_recording_is_not_turned(flown):
    folder, _, noisy, _ = flown
    asked = mission(folder, "[0, 20]")
    flight, said = flight_of(asked, noisy)
    assert said == []
    np.testing.assert_array_equal(flight.momentum.vector, asked.total_momentum)


def test_a_push_before_the_window_leaves_the_momentum_unknown(flown):
    folder, _, noisy, _ = flown
    flight, (said,) = flight_of(mission(folder, pulse=PUSH), noisy)
    assert flight.momentum.is_unknown
    assert "a thruster pushes before 25 s" in said
