"""Torques of arms on the ground in the likelihood: derivatives, noise that nobody said, friction never negative."""

from dataclasses import replace

import numpy as np
import pytest
from geared import driven
from random_trees import random_robot

import freefloat as ff
from freefloat.dynamics.drive_torques import drive_torques
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.torque import inverse_dynamics
from freefloat.estimate.causes.torque_mistakes import torque_mistakes
from freefloat.estimate.estimated_drives import estimated_drives
from freefloat.estimate.likelihood.driven_joints import DrivenJoints
from freefloat.estimate.likelihood.finished import white
from freefloat.estimate.likelihood.likelihood import Likelihood
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood, _knots_noted, with_finer_curves
from freefloat.estimate.likelihood.noise_left import with_noise_left
from freefloat.estimate.likelihood.noise_levels import levels_of, levels_of_guesses
from freefloat.estimate.likelihood.reading_nodes import means_of
from freefloat.estimate.prior import CadSpread
from freefloat.estimate.recorded_flight import recorded_flight
from freefloat.motion.random_motion import random_trajectory
from freefloat.robot.drive import DRIVE_TERMS, Drive
from freefloat.sensors.encoder import Encoder
from freefloat.sensors.measured import Measured
from freefloat.sensors.torque_sensor import TorqueSensor

GRAVITY = np.array([0.0, 0.0, -9.80665])
DRIVES = (Drive(coulomb=0.4, viscous=0.3, offset=-0.1), Drive(coulomb=0.2, viscous=0.5, offset=0.2))


def arm_of(seed, bodies=3):
    robot = random_robot(seed, bodies=bodies, base="fixed", prismatic=False, branched=False)
    return replace(robot, gravity=GRAVITY)


def recording_of(robot, seed=1, duration_s=8.0, rate_Hz=200.0, torque_noise=0.0, encoder_noise=1e-6, left=None):
    """Positions and torques at the same instants; left: what the model lacks of the torques, of times and samples."""
    t, rng = np.arange(round(duration_s * rate_Hz) + 1) / rate_Hz, np.random.default_rng([seed, 3])
    samples = random_trajectory(robot, duration_s, seed, harmonics=6).samples(robot, t)
    torques = inverse_dynamics(robot, samples)[:, 6:] + drive_torques(robot, samples)
    torques = torques + torque_noise * rng.standard_normal(torques.shape)
    if left is not None:
        torques = torques + left(t)[:, None]
    names, width = robot.joint_names, len(robot.joints)
    q = samples.q + encoder_noise * rng.standard_normal(samples.q.shape)
    return ff.Recording(
        [ff.Channel("q", t, q, names, ("rad",) * width), ff.Channel("tau", t, torques, names, ("Nm",) * width)]
    )


def problem_of(robot, recording, friction, cad=None, torque=None, encoder=1e-6):
    """The problem that a recording poses; torque: noise of the sensor, None if nobody said it."""
    from freefloat.data.processing.process import process
    from freefloat.data.processing.processed import ProcessSettings
    from freefloat.estimate.problem import Problem

    sensors = (
        Encoder(name="q", noise_rad=encoder, rate_Hz=200.0),
        TorqueSensor(name="tau", noise_Nm=torque or 0.0, rate_Hz=200.0),
    )
    settings = ProcessSettings(seek_delay=False, most_samples=20000)
    model = robot if cad is None else cad
    processed = process(recording, model, None, None, settings, sensors)
    flight = recorded_flight(recording, model, processed, sensors, settings, "zero", {}, (), "one")
    return Problem(model, (flight,), friction=friction, prior=CadSpread.usual("fixed"))


# ---------------------------------------------------------------------- derivatives


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_torques_and_their_derivatives_are_exact_on_random_trees_with_gears(seed):
    robot = driven(replace(random_robot(seed, base="fixed"), gravity=GRAVITY), seed)
    n, joints = 7, len(robot.joints)
    rng = np.random.default_rng(seed)
    q, dq, ddq = rng.normal(size=(3, n, joints))
    own = DrivenJoints(robot, DRIVE_TERMS, np.full(joints, 0.3))
    drives = np.array([[getattr(joint.drive, term) for joint in robot.joints] for term in DRIVE_TERMS])
    phi, columns = robot.parameters, np.arange(robot.parameters.size)
    samples = Samples(q=q, dq=dq, ddq=ddq)
    expected = inverse_dynamics(robot, samples)[:, 6:] + drive_torques(robot, samples, 0.3)
    np.testing.assert_allclose(own.torques(q, dq, ddq, drives, phi), expected, rtol=1e-12, atol=1e-11)
    found = own.slopes(q, dq, ddq, drives, phi, columns)
    scale = np.abs(expected).max()
    for place, (which, slope) in enumerate((("q", found.positions), ("dq", found.rates), ("ddq", found.accelerations))):
        for joint in range(joints):
            step = np.zeros(joints)
            step[joint] = h = 1e-5
            moved = [
                own.torques(*(v + sign * step if i == place else v for i, v in enumerate((q, dq, ddq))), drives, phi)
                for sign in (1.0, -1.0)
            ]
            numeric = (moved[0] - moved[1]) / (2.0 * h)
            np.testing.assert_allclose(slope[:, :, joint], numeric, atol=2e-7 * scale, err_msg=f"{which} {joint}")
    linear = found.parameters @ phi + found.drives @ drives.ravel()
    np.testing.assert_allclose(linear, expected, rtol=1e-10, atol=1e-9 * scale)


@pytest.mark.parametrize("seed", [1, 2])
def test_rows_of_torques_change_with_all_unknowns_as_their_derivatives_say(seed):
    robot = arm_of(seed).with_drives(DRIVES)
    recording = recording_of(robot, duration_s=2.0, torque_noise=0.05)
    recording = ff.Recording(
        [recording.channels["q"], replace(recording.channels["tau"], t=recording.channels["tau"].t + 0.003)]
    )
    problem = problem_of(robot, recording, ("coulomb", "viscous", "offset"), torque=0.05)
    likelihood = Likelihood(problem)
    assert {"time offset", "clock drift", "joint zeros", "friction"} <= {
        part.kind for part in likelihood.unknowns.parts
    }
    rng = np.random.default_rng(seed)
    spread = 1.0 / np.sqrt(np.maximum(np.diagonal(likelihood.unknowns.information), 1e-12))
    point = likelihood.start() + 0.1 * np.minimum(spread, 0.01) * rng.standard_normal(spread.size)
    J = likelihood.rows(point)[0].jacobian
    for k in range(spread.size):
        step = np.zeros_like(point)
        step[k] = h = 1e-4 * min(spread[k], 0.02)
        up, down = (likelihood.rows(point + sign * step, 0)[0].values for sign in (1.0, -1.0))
        numeric, size = -(up - down) / (2.0 * h), np.abs(J[..., k]).max()
        np.testing.assert_allclose(J[..., k], numeric, atol=1e-4 * size + 1e-6 / h, err_msg=str(k))


# ---------------------------------------------------------------------- noise that nobody said


def test_noise_that_nobody_said_is_found_whether_large_or_small():
    robot = arm_of(7).with_drives(DRIVES)
    for noise in (0.5, 0.01):
        problem = problem_of(robot, recording_of(robot, torque_noise=noise), ("coulomb", "viscous", "offset"))
        assert problem.guesses_noise
        weighed = with_noise_left(problem).flights[0].measured["joint_torques"].sd
        np.testing.assert_allclose(weighed, noise, rtol=0.15)


@pytest.mark.parametrize("said", [False, True])
def test_jumps_near_standstill_do_not_move_the_noise_of_torques(said):
    """What friction does there is no noise: rows there count for little, in the level as in the fit."""
    noise, robot = 0.05, arm_of(7).with_drives(DRIVES)
    given = problem_of(
        robot,
        recording_of(robot, torque_noise=noise),
        ("coulomb", "viscous", "offset"),
        torque=noise if said else None,
    )
    likelihood = Likelihood(with_noise_left(given))
    point = likelihood.start()
    likelihood.reweigh(point)
    (rows,) = [part for part in likelihood.rows(point, count=0) if part.channel == "joint_torques"]
    standing = rows.louder > 20.0
    assert 0 < standing.sum() < 0.05 * standing.size
    rng = np.random.default_rng(1)
    quiet = np.where(standing, 0.0, rng.standard_normal(rows.values.shape))
    jumped = replace(rows, values=np.where(standing, 9.0 * rng.choice([-1.0, 1.0], size=quiet.shape), quiet))
    assert np.sqrt((jumped.values**2).mean()) > 1.2, "by their mean square they would be noise"
    assert white((jumped,))
    if said:
        assert levels_of(likelihood, (jumped,), used=0.0) == {}
    else:
        (level,) = levels_of_guesses(likelihood, (jumped,), used=0.0).values()
        assert np.abs(level - 1.0).max() < 5.0 / np.sqrt(2.0 * len(quiet))
        assert levels_of(likelihood, (replace(jumped, values=9.0 * quiet),), used=0.0) == {}, "nothing was declared"


def test_what_lasts_counts_by_its_density_at_the_frequencies_of_the_motion():
    """A slow error of the model is as many independent readings as it has slow waves, not as many as were taken."""
    robot = arm_of(7).with_drives(DRIVES)

    def slow(t):
        rng = np.random.default_rng(5)
        f = rng.uniform(0.5, 3.0, 30)
        return 0.5 * np.sin(2.0 * np.pi * f * t[:, None] + rng.uniform(0.0, 6.0, 30)).sum(axis=1) / np.sqrt(15.0)

    given = problem_of(robot, recording_of(robot, torque_noise=0.01, left=slow), ("coulomb", "viscous", "offset"))
    problem = with_noise_left(given)
    sd = problem.flights[0].measured["joint_torques"].sd
    likelihood = Likelihood(problem)
    band = 0.5 / likelihood.flights[0].local.spline.spacing_s  # Hz
    rows = likelihood.flights[0].measured["joint_torques"].t
    rate = 1.0 / np.median(np.diff(rows))
    np.testing.assert_allclose(sd, 0.5 * np.sqrt(0.5 * rate / band), rtol=0.4)
    estimate = MaximumLikelihood().estimate(given)
    assert np.isnan(estimate.residual.ratio)  # what is left says nothing of noise that nobody said
    assert not any("noise" in warning for warning in estimate.warnings)
    errors = (estimate.values - estimate.minimal.values(robot.parameters)) / estimate.sd
    assert np.sqrt(np.mean(errors**2)) < 1.5


def test_finer_knots_are_said_where_curves_got_them_only():
    """An estimate whose noise nobody said has noise that was found, not other knots."""
    robot, friction = arm_of(7).with_drives(DRIVES), ("coulomb", "viscous", "offset")
    problem = problem_of(robot, recording_of(robot, torque_noise=0.05), friction)
    assert not any("finer knots" in note for note in MaximumLikelihood().estimate(problem).notes)
    likelihood, finer = Likelihood(problem), Likelihood(with_finer_curves(problem))
    assert list(_knots_noted(problem, likelihood)) == []
    (said,) = _knots_noted(problem, finer)
    assert f"every {0.5 * likelihood.flights[0].local.spline.spacing_s:.3g} s" in said


def test_declared_noise_is_kept_and_the_residual_judged_by_it():
    robot = arm_of(7).with_drives(DRIVES)
    problem = problem_of(robot, recording_of(robot, torque_noise=0.05), ("coulomb", "viscous", "offset"), torque=0.05)
    assert not problem.guesses_noise
    estimate = MaximumLikelihood().estimate(problem)
    assert estimate.residual.ratio == pytest.approx(1.0, abs=0.05)
    assert estimate.outcome == "good", estimate.warnings


# ---------------------------------------------------------------------- what is found


def test_bodies_and_friction_of_an_arm_are_found_beside_a_model_that_is_off():
    robot = arm_of(9, bodies=4).with_drives((*DRIVES, Drive(coulomb=0.3, viscous=0.2, offset=0.1, rotor=0.4)))
    off = 1.0 + 0.1 * np.random.default_rng(2).uniform(-1.0, 1.0, robot.parameters.size)
    cad = robot.with_parameters(robot.parameters * off).with_drives([Drive()] * 3)
    terms = ("coulomb", "viscous", "offset", "rotor")
    estimate = MaximumLikelihood().estimate(problem_of(robot, recording_of(robot, torque_noise=0.02), terms, cad))
    errors = (estimate.values - estimate.minimal.values(robot.parameters)) / estimate.sd
    assert np.sqrt(np.mean(errors**2)) < 1.5
    assert np.abs(errors).max() < 4.0
    first = robot.joint_names[0]
    assert [note for note in estimate.notes if "no motion tells it from the inertia" in note] == [
        f"rotor inertia of {first}: no motion tells it from the inertia about the joint's axis of what the joint "
        "turns; only their sum shows"
    ]
    found = {each.name: each for each in estimate.nuisances}
    for joint, drive in zip(robot.joints, robot.joints, strict=True):
        for words, value in (("Coulomb friction", drive.drive.coulomb), ("viscous friction", drive.drive.viscous)):
            each = found[f"{words} of {joint.name}"]
            assert each.value == pytest.approx(value, abs=4.0 * each.sd)
            assert each.sd < 0.1 * value


def test_friction_that_would_be_negative_is_held_at_zero_and_says_what_the_data_alone_would_make_of_it():
    robot = arm_of(7).with_drives((Drive(coulomb=0.4, viscous=0.0), Drive(coulomb=0.2, viscous=0.5)))
    held = 0
    for seed in range(4):
        recording = recording_of(robot, seed=seed + 1, torque_noise=0.3)
        estimate = MaximumLikelihood().estimate(problem_of(robot, recording, ("coulomb", "viscous")))
        drives = estimated_drives(estimate)
        assert all(drive.viscous >= 0.0 and drive.coulomb >= 0.0 for drive in drives)
        first = next(each for each in estimate.nuisances if each.name.startswith("viscous friction"))
        notes = [note for note in estimate.notes if note.startswith("friction is not negative")]
        if notes:
            held += 1
            assert first.value == 0.0
            assert f"{first.name} (-" in notes[0]
        assert first.sd > 1e-3  # as uncertain as it was when it was free
        assert abs(first.value) < 4.0 * first.sd
    assert held > 0


def test_of_several_readings_within_a_knot_the_mean_counts_but_not_across_gaps():
    t = np.concatenate([np.arange(10) * 0.01, 1.0 + np.arange(7) * 0.01])
    values = np.column_stack([t, 2.0 * t])
    found = means_of(Measured(t, values, np.array([0.3, 0.6])), 0.035)
    np.testing.assert_allclose(found.data.t, [0.01, 0.04, 0.07, 1.01, 1.04])
    np.testing.assert_allclose(found.data.values[:, 1], 2.0 * found.data.t)
    np.testing.assert_allclose(found.data.sd, np.array([0.3, 0.6]) / np.sqrt(3.0))
    assert means_of(Measured(t, values, np.ones(2)), 0.015).data.t is t


def test_torques_that_were_stamped_together_with_positions_share_their_clock():
    robot = arm_of(7).with_drives(DRIVES)
    together = recording_of(robot, duration_s=2.0)
    apart = ff.Recording(
        [together.channels["q"], replace(together.channels["tau"], t=together.channels["tau"].t + 1e-3)]
    )
    kinds = [
        {part.kind for part in Likelihood(problem_of(robot, each, ())).unknowns.parts} for each in (together, apart)
    ]
    assert "time offset" not in kinds[0]
    assert "time offset" in kinds[1]


# ---------------------------------------------------------------------- mistakes


def with_torques(recording, signs):
    torques = recording.channels["tau"]
    return ff.Recording([recording.channels["q"], replace(torques, values=torques.values * signs)])


def test_a_torque_with_the_other_sign_is_named_and_the_estimate_fails():
    robot = arm_of(7).with_drives(DRIVES)
    wrong = with_torques(recording_of(robot, torque_noise=0.05), np.array([1.0, -1.0]))
    estimate = MaximumLikelihood().estimate(problem_of(robot, wrong, ("coulomb", "viscous", "offset")))
    assert estimate.outcome == "failed"
    assert [(cause.kind, cause.name) for cause in estimate.causes] == [("sign", robot.joint_names[1])]
    assert f"torques of {robot.joint_names[1]} have the other sign" in estimate.warnings[0]


def test_gravity_upside_down_is_named():
    robot = arm_of(7).with_drives(DRIVES)
    model = replace(robot, gravity=-GRAVITY)
    estimate = MaximumLikelihood().estimate(problem_of(robot, recording_of(robot), ("coulomb", "viscous"), cad=model))
    assert estimate.outcome == "failed"
    assert [(cause.kind, cause.name) for cause in estimate.causes] == [("sign", "gravity")]


def test_right_recordings_of_arms_whose_models_are_off_hold_no_mistake():
    for seed in range(20):
        robot = arm_of(seed, bodies=3 + seed % 4)
        drive = Drive(coulomb=3.0, viscous=2.0, offset=1.0, rotor=1.0)
        robot = robot.with_drives([drive] * len(robot.joints))
        cad = CadSpread.usual("fixed").drawn(robot, np.random.default_rng(seed))
        recording = recording_of(robot, seed=seed, duration_s=3.0)
        assert torque_mistakes(problem_of(robot, recording, (), cad)) == (), seed
