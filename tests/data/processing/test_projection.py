"""Projection on the command: how accurate, how honest, and when it says no."""

from __future__ import annotations

import numpy as np
import pytest
from data.processing.n1_flight import ENCODER_SD, RATE, encoders, n1_command, n1_motion, n1_robot, n1_times, rms
from scipy.signal import lsim

from freefloat.data.processing.command_start import find_start
from freefloat.data.processing.joint_fit import FAR
from freefloat.data.processing.projection import project
from freefloat.data.processing.projection_basis import RICHEST, ProjectionBasis
from freefloat.data.processing.resampling import CannotProcess
from freefloat.errors import ShapeError
from freefloat.motion.combined import Combined
from freefloat.motion.fourier import PlainFourier
from freefloat.motion.sampled import Sampled


def projected(positions, **settings):
    return project(n1_command(), n1_times(), positions, n1_robot().joint_names, **settings)


def lagging(lag_s):
    """The joints behind a controller of first order."""
    t, position = n1_times(), n1_motion().position
    return np.stack([lsim(([1.0], [lag_s, 1.0]), column, t)[1] for column in position.T], axis=1)


def lagging_rate(lag_s):
    return (n1_motion().position - lagging(lag_s)) / lag_s


def test_rates_of_n1_are_far_better_than_central_differences():
    seen, true = encoders(n1_motion().position), n1_motion()
    central = (seen[2:] - seen[:-2]) * (0.5 * RATE)
    found = projected(seen).motion(n1_times())
    assert rms(central - true.rate[1:-1]) > 1.5e-3
    # At least 20 times is what is asked for; it is nearly 20 000 times.
    assert rms(central - true.rate[1:-1]) > 1e4 * rms(found.rate - true.rate)
    assert rms(found.position - true.position) < 1e-6
    assert rms(found.rate - true.rate) < 1.2e-7
    assert rms(found.acceleration - true.acceleration) < 2e-8


def test_without_noise_nothing_is_added_and_nothing_lost():
    found = projected(n1_motion().position)
    assert [fit.added for fit in found.fits] == [0] * 7
    assert rms(found.motion(n1_times()).acceleration - n1_motion().acceleration) < 1e-13


def test_an_encoder_zero_is_found_and_is_no_departure():
    zeros = np.linspace(-0.3, 0.3, 7)
    found = projected(encoders(n1_motion().position + zeros))
    np.testing.assert_allclose(
        found.motion(n1_times()).position - n1_motion().position, np.tile(zeros, (15001, 1)), atol=4e-6
    )
    assert found.follows.all()
    assert found.notes == ()


def test_the_covariance_is_that_of_many_runs():
    t, every = np.array([20.0, 75.0, 149.0]), slice(None, None, 10)
    seen, true = n1_motion().position[every], n1_command().evaluate(t)
    errors = []
    for seed in range(60):
        found = project(n1_command(), n1_times()[every], encoders(seen, seed), n1_robot().joint_names).motion(t)
        away = (
            found.position - true.position,
            found.rate - true.rate,
            found.acceleration - true.acceleration,
        )
        errors.append(np.stack(away, axis=-1))  # (3 times, 7 joints, 3)
    known = project(n1_command(), n1_times()[every], encoders(seen), n1_robot().joint_names, noise_sd=ENCODER_SD)
    expected = known.covariance(t)[:, 0]  # all joints are alike
    sd = np.sqrt(np.diagonal(expected, axis1=1, axis2=2))
    unit = np.array(errors) / sd[:, None, :]
    found = np.einsum("rijk,rijl->ikl", unit, unit) / (60 * 7)
    # 420 draws: a correlation is known to 0.05, a variance to 7 %.
    np.testing.assert_allclose(found, expected / (sd[:, :, None] * sd[:, None, :]), atol=0.25)


def test_a_controller_that_lags_is_followed_with_added_functions():
    found = projected(encoders(lagging(0.2)))
    added = [fit.added for fit in found.fits]
    assert found.follows.all()
    assert all(0 < terms < 40 for terms in added)
    assert rms(found.motion(n1_times()).rate[100:] - lagging_rate(0.2)[100:]) < 1e-5
    assert all("departs from the command by up to 0.0" in note and "rad" in note for note in found.notes)


def test_the_residual_it_stops_at_is_that_of_the_encoder():
    found = projected(encoders(lagging(0.2)))
    for fit in found.fits:
        assert fit.residual_sd == pytest.approx(ENCODER_SD, rel=0.03)
        assert fit.noise_sd == pytest.approx(ENCODER_SD, rel=0.03)


@pytest.mark.parametrize("known", [None, ENCODER_SD])
def test_a_vibration_is_noticed(known):
    t = n1_times()
    shaken = n1_motion().position + 2e-4 * np.sin(2 * np.pi * 5.0 * t)[:, None] * (np.arange(7) == 3)
    found = projected(encoders(shaken), noise_sd=known)
    assert found.follows.tolist() == [True, True, True, False, True, True, True]
    assert "j4 does not follow the command" in found.notes[0]
    assert "between 3.1 and 6.2 Hz" in found.notes[0]


def test_a_joint_that_gets_stuck_is_noticed():
    stuck = n1_motion().position.copy()
    stuck[6000:, 2] = stuck[6000, 2]
    found = projected(encoders(stuck))
    assert found.follows.tolist() == [True, True, False, True, True, True, True]
    assert found.fits[2].relative > FAR
    assert "j3 does not follow the command: it is off by up to" in found.notes[0]


def test_another_motion_is_noticed():
    found = projected(encoders(n1_motion().position[::-1].copy()))
    assert not found.follows.any()


def test_a_larger_noise_than_the_encoder_has_is_noticed():
    seen = encoders(n1_motion().position, sd=2 * ENCODER_SD)
    assert not projected(seen, noise_sd=ENCODER_SD).follows.any()
    assert projected(seen, noise_sd=2 * ENCODER_SD).follows.all()


@pytest.mark.parametrize("step", [1e-5, 1e-4, 1e-3])
def test_rounding_is_no_motion(step):
    found = projected(np.round(n1_motion().position / step) * step, rounding=step)
    assert [fit.added for fit in found.fits] == [0] * 7
    assert rms(found.motion(n1_times()).rate - n1_motion().rate) < 2e-3 * step


def test_a_command_sampled_too_finely_to_be_a_basis_is_compared_with():
    t = np.linspace(0.0, 150.0, 301)
    command = Sampled.from_positions(n1_robot().joint_names, t, n1_command().evaluate(t).position)
    assert command.coefficients.shape[0] > RICHEST
    found = project(command, n1_times(), encoders(lagging(0.1)), n1_robot().joint_names)
    assert found.follows.all()
    assert rms(found.motion(n1_times()).rate[100:] - lagging_rate(0.1)[100:]) < 1e-5


def test_dependent_functions_and_joints_without_a_command_are_no_trouble():
    # Two parts, both with a constant, which the projection adds once more; j3 ... j7 just stay where they are.
    rng, t = np.random.default_rng(3), np.arange(2001) / 50.0
    parts = [PlainFourier((name,), rng.normal(size=(5, 1)), 40.0, 40.0) for name in ("j1", "j2")]
    command, names = Combined(tuple(parts)), n1_robot().joint_names
    true = np.zeros((2001, 7)) + 0.4
    true[:, :2] = command.evaluate(t).position
    found = project(command, t, encoders(true), names)
    assert found.follows.all()
    assert found.fits[0].basis.terms == 5
    assert rms(found.motion(t).position - true) < 3e-6
    assert rms(found.motion(t).rate[:, 2:]) < 1e-6


def test_the_functions_are_orthonormal_on_the_samples():
    t = n1_times()[::10]
    for pieces in (0, 16):
        basis = ProjectionBasis.on(n1_command(), 0.0, pieces, t)
        functions = basis.at(t)
        np.testing.assert_allclose(functions.T @ functions, np.eye(basis.terms), atol=1e-8)


def test_lost_samples_do_no_harm():
    kept = np.random.default_rng(5).random(15001) > 0.3
    seen = encoders(n1_motion().position)
    found = project(n1_command(), n1_times()[kept], seen[kept], n1_robot().joint_names)
    assert found.follows.all()
    assert rms(found.motion(n1_times()).rate - n1_motion().rate) < 1.5e-7


@pytest.mark.parametrize("late", [0.0, 3.21734, 17.0])
def test_the_start_of_the_command_is_found(late):
    t = np.arange(18001) / RATE
    since = np.clip(t - late, 0.0, 150.0)
    seen = encoders(n1_command().evaluate(since).position + 0.1)
    found = find_start(n1_command(), t, seen, n1_robot().joint_names)
    assert found.start_s == pytest.approx(late, abs=5e-6)
    assert abs(found.start_s - late) < 5 * found.sd_s
    assert 1e-7 < found.sd_s < 2e-6


def test_what_cannot_be_projected_is_one_sentence():
    names, t = n1_robot().joint_names, n1_times()
    with pytest.raises(CannotProcess, match="only 11 samples of the joints fall within the command"):
        project(n1_command(), t, n1_motion().position, names, start_s=149.9)
    with pytest.raises(ShapeError, match="positions must have shape"):
        project(n1_command(), t, n1_motion().position[:, :3], names)
    with pytest.raises(CannotProcess, match="less than half of the command's 150 s"):
        find_start(n1_command(), t[:5000], n1_motion().position[:5000], names)
    with pytest.raises(CannotProcess, match="the command moves none of the recorded joints"):
        find_start(n1_command(), t, n1_motion().position[:, :1], ["elbow"])
