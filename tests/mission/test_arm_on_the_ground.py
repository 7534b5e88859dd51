"""An arm on the ground as people record it: a URDF, a CSV of positions and torques, friction, unknown noise."""

from dataclasses import replace

import numpy as np
import pytest
from cli.calling import ended
from random_trees import random_robot

import freefloat as ff
from freefloat.dynamics.drive_torques import drive_torques
from freefloat.dynamics.torque import inverse_dynamics
from freefloat.estimate.estimated_drives import estimated_drives
from freefloat.motion.random_motion import random_trajectory
from freefloat.robot.drive import Drive

NOISE = 0.02  # N m of a reading
DRIVES = (
    Drive(coulomb=0.4, viscous=0.3, offset=-0.1),
    Drive(coulomb=0.2, viscous=0.5, offset=0.2),
    Drive(coulomb=0.3, viscous=0.2, offset=0.1),
)


@pytest.fixture(scope="module")
def arm():
    robot = random_robot(6, bodies=4, base="fixed", prismatic=False, branched=False)
    return replace(robot, gravity=np.array([0.0, 0.0, -9.80665])).with_drives(DRIVES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, arm):
    """A URDF that is 10 % off, two recordings, and the mission as it is written, without any noise."""
    folder = tmp_path_factory.mktemp("arm")
    off = 1.0 + 0.1 * np.random.default_rng(1).uniform(-1.0, 1.0, arm.parameters.size)
    bare = arm.with_parameters(arm.parameters * off).with_drives([Drive()] * len(DRIVES))
    bare.save(folder / "arm.urdf")
    for seed, name in enumerate(("one.csv", "two.csv"), start=1):
        record(arm, seed, folder / name)
    assert ended(["new", "trial", "--urdf", "arm.urdf", "--base", "fixed"], folder)[0] == 0
    mission = folder / "trial.yaml"
    said = mission.read_text().replace("noise_rad: 2.5e-5, ", "").replace("noise_Nm: 0.01, ", "")
    mission.write_text(said.replace("maximum-likelihood", "weighted"))
    return folder


def record(arm, seed, path):
    rng = np.random.default_rng(seed)
    t = np.linspace(0.0, 20.0, 4001)
    t[1:-1] += 5e-4 * rng.uniform(-1.0, 1.0, t.size - 2)
    samples = random_trajectory(arm, 20.0, seed, harmonics=8).samples(arm, t)
    torques = inverse_dynamics(arm, samples)[:, 6:] + drive_torques(arm, samples)
    noisy = torques + NOISE * rng.normal(size=torques.shape)
    names = [*(f"q_{name}_rad" for name in arm.joint_names), *(f"tau_{name}_Nm" for name in arm.joint_names)]
    rows = np.column_stack([t, np.round(samples.q, 5), noisy])
    np.savetxt(path, rows, delimiter=",", header=",".join(["t_s", *names]), comments="", fmt="%.9g")


@pytest.fixture(scope="module")
def estimate(folder):
    return ff.identify(ff.load_mission(folder / "trial.yaml"), folder / "one.csv")


def test_friction_is_chosen_and_found_and_noise_is_what_rows_leave(estimate, arm):
    assert any(note.startswith("friction chosen: coulomb, viscous, offset; held-out") for note in estimate.notes)
    assert any(note.startswith("nobody said the noise of torques") for note in estimate.notes)
    assert np.isnan(estimate.residual.ratio), "that is no measure of itself"
    found = estimated_drives(estimate)
    for drive, true, joint in zip(found, DRIVES, arm.joint_names, strict=True):
        assert drive.coulomb == pytest.approx(true.coulomb, abs=4.0 * estimate.value(f"Coulomb friction of {joint}")[1])
        assert drive.coulomb == pytest.approx(true.coulomb, rel=0.2)
    errors = (estimate.values - estimate.minimal.values(arm.parameters)) / estimate.sd
    assert np.sqrt(np.mean(errors**2)) < 2.0
    assert "torques left over: joint1 " in f"{estimate.torque_words} "


def test_what_was_found_predicts_what_it_has_not_seen(folder, estimate):
    seen = ff.validate(ff.load_mission(folder / "trial.yaml"), estimate, folder / "two.csv")
    assert seen.of_signal("torques") < 0.05
    assert seen.verdict != "fail"


def test_a_rate_of_samples_leaves_the_choice_of_friction_by_maximum_likelihood_as_it_is(folder):
    """Else torques would be filtered for that rate, and the joints, which are curves, not."""
    chosen = []
    for said in ("", "  rate_Hz: 20\n"):
        text = (folder / "trial.yaml").read_text().replace("identify:\n", f"identify:\n{said}")
        (folder / "slow.yaml").write_text(text)
        found = ff.identify(ff.load_mission(folder / "slow.yaml"), folder / "one.csv", method="maximum-likelihood")
        chosen += [note for note in found.notes if note.startswith("friction chosen")]
    assert chosen[0] == chosen[1]


def test_torques_and_joints_are_cut_alike_by_spectrum_or_as_asked(folder):
    mission = folder / "trial.yaml"
    by_spectrum = steps(ff.load_mission(mission), folder)
    assert by_spectrum["q"] == by_spectrum["tau"]
    text = mission.read_text().replace("identify:\n", "identify:\n  processing: {torques: {cutoff_Hz: 6}}\n")
    (folder / "cut.yaml").write_text(text)
    asked = steps(ff.load_mission(folder / "cut.yaml"), folder)
    assert asked["q"] == asked["tau"] == "low-passed at 6 Hz without lag"


def steps(mission, folder):
    """What was done to positions and torques, up to the first comma."""
    notes = ff.identify(mission, folder / "one.csv", method="least-squares").notes
    said = dict(note.split(": ", 1) for note in notes if note.startswith(("q: ", "tau: ")))
    return {name: words.split(",")[0] for name, words in said.items()}


@pytest.mark.parametrize(
    ("asked", "columns"), [("[]", 0), ("[viscous]", 3), ("[offset, viscous, coulomb]", 9), ("auto", 9)]
)
def test_a_mission_says_which_friction_is_unknown(folder, asked, columns):
    path = folder / "asked.yaml"
    path.write_text((folder / "trial.yaml").read_text().replace("friction: auto", f"friction: {asked}"))
    found = ff.identify(ff.load_mission(path), folder / "one.csv", method="least-squares")
    assert len(found.nuisances) == columns
    wanting = [sentence for sentence in found.warnings if "held-out torque error" in sentence]
    (said,) = (*wanting, *(note for note in found.notes if "held-out torque error" in note))
    assert said.startswith("friction chosen" if asked == "auto" else "friction given")
    assert ("; with coulomb, viscous, offset it would be" in said) == (columns in (0, 3))
    assert bool(wanting) == (columns in (0, 3)), "another set would halve the error"
    assert not wanting or (found.warnings[0] == said and found.outcome != "good")


def test_a_base_that_nobody_said_is_bolted_down_is_asked_about(folder):
    assert ended(["new", "floating", "--urdf", "arm.urdf"], folder)[0] == 0
    code, _, err = ended(["identify", "floating.yaml", "one.csv"], folder)
    assert code == 2
    assert "or a base of kind fixed, if it is bolted down" in err


def test_friction_without_torques_is_refused(folder):
    text = (folder / "trial.yaml").read_text().replace("friction: auto", "friction: [viscous]")
    (folder / "asked.yaml").write_text(text)
    rows = [line.split(",")[:4] for line in (folder / "one.csv").read_text().splitlines()]
    (folder / "bare.csv").write_text("".join(f"{','.join(row)}\n" for row in rows))
    code, _, err = ended(["identify", "asked.yaml", "bare.csv"], folder)
    assert code == 2
    assert "identify.friction is viscous, but no joint torques are compared" in err
