"""A twin of recordings of real arms: friction that no law has right, a URDF whose inertias are guesses, a slow motion.

What is exported must predict other motions in Pinocchio, and must not have moved what the data do not show.
"""

from dataclasses import replace

import numpy as np
import pinocchio
import pytest
import yaml
from cli.calling import ended
from random_trees import random_robot

import freefloat as ff
from freefloat.dynamics.torque import inverse_dynamics
from freefloat.motion.random_motion import random_trajectory
from freefloat.robot.drive import Drive
from freefloat.robot.load import load_robot
from freefloat.robot.parameters import com_of, inertia_about_com, parameters_from_com

SIZES = np.array([6.0, 8.0, 4.0])  # of friction [N m]


@pytest.fixture(scope="module")
def true_arm():
    robot = random_robot(16, bodies=4, base="fixed", prismatic=False, branched=False)
    return replace(robot, gravity=np.array([0.0, 0.0, -9.80665]))


def as_drawn(robot):
    """The robot as its URDF has it: masses nearly right, inertias twice or half of what they are."""
    rng, phi = np.random.default_rng(3), robot.parameters.reshape(-1, 10)
    rows = []
    for own in phi:
        mass, inertia = own[0] * rng.uniform(0.9, 1.1), inertia_about_com(own) * rng.uniform(0.5, 2.0)
        rows.append(parameters_from_com(mass, com_of(own), inertia))
    return robot.with_parameters(np.concatenate(rows))


def recorded(robot, seed, path):
    """200 Hz; friction grows with load and curves with rate, beside what the law of it holds."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0.0, 25.0, 5001)
    t[1:-1] += 5e-4 * rng.uniform(-1.0, 1.0, t.size - 2)
    samples = random_trajectory(robot, 25.0, seed, harmonics=8).samples(robot, t)
    bodies = inverse_dynamics(robot, samples)[:, 6:]
    sign = np.tanh(samples.dq / 0.01)
    rubs = SIZES * (sign * (1.0 + 0.002 * np.abs(bodies)) + 0.8 * np.sign(samples.dq) * np.sqrt(np.abs(samples.dq)))
    torques = bodies + rubs + 0.05 * SIZES + 0.01 * rng.standard_normal(bodies.shape)
    names = [*(f"q_{name}_rad" for name in robot.joint_names), *(f"tau_{name}_Nm" for name in robot.joint_names)]
    table = np.column_stack([t, np.round(samples.q, 6), torques])
    np.savetxt(path, table, delimiter=",", header=",".join(["t_s", *names]), comments="", fmt="%.9g")
    return samples, torques


@pytest.fixture(scope="module")
def folder(tmp_path_factory, true_arm):
    folder = tmp_path_factory.mktemp("twin")
    as_drawn(true_arm).save(folder / "arm.urdf")
    recorded(true_arm, 1, folder / "one.csv")
    assert ended(["new", "twin", "--urdf", "arm.urdf", "--base", "fixed"], folder)[0] == 0
    mission = folder / "twin.yaml"
    text = mission.read_text().replace("noise_rad: 2.5e-5, ", "").replace("noise_Nm: 0.01, ", "")
    mission.write_text(text)
    assert ended(["identify", "twin.yaml", "one.csv", "-o", "found.json"], folder)[0] == 0
    command = ["export", "found.json", "--urdf", "arm.urdf", "-o", "found.urdf", "--robot", "found.yaml"]
    assert ended(command, folder)[0] == 0
    return folder


def error_in_pinocchio(folder, urdf, drives, samples, torques):
    """Norm of the error over that of the torques; friction as the robot file has it, signs as the rates have them."""
    model = pinocchio.buildModelFromUrdf(str(folder / urdf))
    data, dq = model.createData(), samples.dq
    parts = [  # of joints without limits Pinocchio has cosine and sine
        np.column_stack([q] if joint.nq == 1 else [np.cos(q), np.sin(q)])
        for joint, q in zip(list(model.joints)[1:], samples.q.T, strict=True)
    ]
    turns = np.hstack(parts)
    rigid = np.array([pinocchio.rnea(model, data, *each) for each in zip(turns, dq, samples.ddq, strict=True)])
    rubs = [
        drive.coulomb * np.sign(r) + drive.viscous * r + drive.offset for drive, r in zip(drives, dq.T, strict=True)
    ]
    return np.linalg.norm(torques - rigid - np.column_stack(rubs)) / np.linalg.norm(torques)


def test_the_exported_robot_predicts_an_unseen_motion_in_pinocchio(folder, true_arm):
    samples, torques = recorded(true_arm, 2, folder / "two.csv")
    drives = [joint.drive for joint in load_robot(folder / "found.yaml").joints]
    bare = [Drive()] * len(drives)
    drawn, found = (
        error_in_pinocchio(folder, urdf, of, samples, torques)
        for urdf, of in (("arm.urdf", bare), ("found.urdf", drives))
    )
    assert drawn > 0.1
    assert found < 0.25 * drawn
    validated = ff.validate(
        ff.load_mission(folder / "twin.yaml"), ff.load_estimate(folder / "found.json"), folder / "two.csv"
    )
    assert validated.verdict != "fail", validated.reasons
    assert "% of its signal" in validated.reasons[0]
    assert validated.of_signal("torques") == pytest.approx(found, rel=0.6)


def test_bodies_stay_where_the_data_do_not_ask_for_more(folder, true_arm):
    before, after = (
        load_robot(folder / name, "fixed").parameters.reshape(-1, 10)[1:, 0] for name in ("arm.urdf", "found.urdf")
    )
    ratio = after / before
    assert (ratio > 0.5).all()
    assert (ratio < 2.0).all()


def test_friction_is_in_the_urdf_as_far_as_it_has_words(folder):
    robot, urdf = load_robot(folder / "found.yaml"), load_robot(folder / "found.urdf", "fixed")
    for whole, part in zip(robot.joints, urdf.joints, strict=True):
        assert part.drive.coulomb == pytest.approx(whole.drive.coulomb)
        assert part.drive.viscous == pytest.approx(whole.drive.viscous)
        assert part.drive.offset == 0.0


def test_a_total_mass_that_the_mission_says_is_that_of_what_is_estimated_and_exported(folder):
    said = yaml.safe_load((folder / "twin.yaml").read_text())
    weight = 1.1 * load_robot(folder / "found.yaml").mass
    said["identify"] = {**said.get("identify", {}), "physical": {"total_mass_kg": weight}}
    (folder / "weighed.yaml").write_text(yaml.safe_dump(said))
    given = ["weighed.yaml", "one.csv"]
    assert ended(["identify", *given, "-o", "weighed.json"], folder)[0] == 0
    consistent = ["identify", *given, "--method", "physically-consistent", "-o", "consistent.json"]
    assert ended(consistent, folder)[0] == 0
    for name in ("weighed", "consistent"):
        written = ["-o", f"{name}.urdf", "--robot", f"{name}_robot.yaml"]
        assert ended(["export", f"{name}.json", "--urdf", "arm.urdf", *written], folder)[0] == 0
        for robot in (load_robot(folder / f"{name}.urdf", "fixed"), load_robot(folder / f"{name}_robot.yaml")):
            assert robot.mass == pytest.approx(weight, rel=1e-4)
    other = ff.estimate.TradeOff(total_mass=0.9 * weight)
    ff.export_robot(ff.load_estimate(folder / "weighed.json"), folder / "other.yaml", trade_off=other)
    assert load_robot(folder / "other.yaml").mass == pytest.approx(0.9 * weight, rel=1e-4), "what is given goes first"
