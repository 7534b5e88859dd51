"""Free-flying matrices of an estimate by the command line, for robots of no publication."""

import json

import numpy as np
import pytest
from cli.calling import ended
from estimate.estimates_made import estimate_of
from random_trees import random_robot

from freefloat.dynamics.samples import Samples
from freefloat.export.free_flying_model import FreeFlyingModel


@pytest.mark.parametrize(("seed", "wheels"), [(4, 4), (7, 3)])
def test_matrices_at_a_posture_are_those_of_the_model(seed, wheels, tmp_path):
    robot = random_robot(seed, bodies=5, base="free", wheels=wheels, branched=True)
    estimate = estimate_of(robot)
    estimate.save(tmp_path / "e.json")
    first, last = robot.joint_names[0], robot.joint_names[-1]
    typed = ["export", "e.json", "--free-flying", "m.json", "--at", f"{first}=0.3", "--rate", f"{last}=-0.2"]
    code, out, err = ended(typed, tmp_path)
    assert code in (0, None), err
    assert "wrote m.json" in out
    found, model = json.loads((tmp_path / "m.json").read_text()), FreeFlyingModel(estimate)
    q, dq = np.zeros((2, 1, len(robot.joints)))
    q[0, 0], dq[0, -1] = 0.3, -0.2
    assert found["speeds"][-wheels:] == [wheel.name for wheel in robot.wheels]
    moving = Samples(q=q, dq=dq, wheel_rates=np.zeros((1, wheels)))
    twist = model.base_motion(moving).value
    whole = Samples(q=q, dq=dq, v=twist[:, :3], w=twist[:, 3:], wheel_rates=np.zeros((1, wheels)))
    (point,) = robot.points
    own = found["points"][point.name]
    for document, expected in (
        (found["mass_matrix"], model.mass_matrix(q)),
        (found["bias"], model.bias(whole)),
        (own["jacobian"], model.jacobian(q, point.name)),
        (own["floating_jacobian"], model.floating_jacobian(q, point.name)),
    ):
        for name in ("value", "sd"):
            np.testing.assert_allclose(np.array(document[name], float), getattr(expected, name)[0], rtol=1e-13)
    assert found["total_mass_kg"]["value"] == pytest.approx(robot.mass)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (["--at", "elbow=0.1"], "elbow"),
        (["--at", "joint1"], "--at is 'joint1'; allowed: the name of a joint, =, and a number"),
        (["--rate", "joint1=fast"], "--rate is 'joint1=fast'; allowed: the name of a joint, =, and a number"),
    ],
)
def test_postures_that_make_no_sense_are_refused_in_one_sentence(typed, words, tmp_path):
    estimate_of(random_robot(4, bodies=4, base="free")).save(tmp_path / "e.json")
    code, out, err = ended(["export", "e.json", "--free-flying", "m.json", *typed], tmp_path)
    assert code == 2
    assert not out
    assert err.count("\n") == 1
    assert words in err
    assert not (tmp_path / "m.json").exists()


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (["--modes", "m.json", "--rate", "joint1=1"], "--rate goes with --free-flying"),
        (["--robot", "m.json", "--at", "joint1=1"], "--at goes with --free-flying or --modes"),
    ],
)
def test_postures_that_nothing_reads_are_refused(typed, words, tmp_path):
    estimate_of(random_robot(4, bodies=4, base="free")).save(tmp_path / "e.json")
    code, _, err = ended(["export", "e.json", *typed], tmp_path)
    assert code == 2
    assert words in err
    assert not (tmp_path / "m.json").exists()
