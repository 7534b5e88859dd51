"""Currents recorded in place of torques: gains of drives that are known, or that a known load shows."""

from dataclasses import replace

import numpy as np
import pytest
import yaml
from excitation.points_mission import limited
from random_trees import random_parameters, random_robot

import freefloat as ff
from freefloat.errors import FreefloatError
from freefloat.robot.model import Body
from freefloat.robot.parts import Joint

TRUE = {"joint1": 11.2, "joint2": -8.0, "joint3": 5.5}  # N m/A
BELIEVED = {"joint1": 9.0, "joint2": -9.5, "joint3": 6.5}


@pytest.fixture(scope="module")
def arm():
    """An arm that carries a load of 3 kg."""
    robot = limited(random_robot(12, bodies=4, base="fixed", prismatic=False, branched=False))
    held = Joint("grip", "fixed")
    load = Body("load", robot.body_names[-1], held, parameters=random_parameters(np.random.default_rng(1), 3.0, 0.2))
    bodies = (*robot.bodies, load)
    return replace(robot, bodies=bodies, gravity=np.array([0.0, 0.0, -9.80665]), separate=frozenset({"load"}))


def mission_of(folder, robot, gain, **torques):
    robot.save(folder / "arm_robot.yaml")
    said = {
        "format": "freefloat/mission@1",
        "mission": "arm",
        "robot": "arm_robot.yaml",
        "known": {"load": {"relative_sd": 1e-3}},
        "prior": "none",
        "sensors": {
            "joints": {"kind": "encoder", "noise_rad": 1e-5, "rate_Hz": 100},
            "torques": {"kind": "torque", "noise_Nm": 0.05, "rate_Hz": 100, "gain": gain, **torques},
        },
        "excitation": {"shape": {"kind": "fourier", "harmonics": 4}, "duration_s": 12.0},
        "identify": {"friction": [], "without": {"bare": ["load"]}},
    }
    (folder / "arm.yaml").write_text(yaml.safe_dump(said))
    return ff.load_mission(folder / "arm.yaml")


def unloaded(robot):
    parameters = np.array(robot.parameters)
    parameters[-10:] = 0.0
    return robot.with_parameters(parameters)


@pytest.fixture(scope="module")
def flights(tmp_path_factory, arm):
    """With the load, and without it, recorded as currents."""
    mission = mission_of(tmp_path_factory.mktemp("true"), arm, TRUE)
    return {
        "loaded": ff.simulate(mission, seed=1),
        "bare": ff.simulate(mission, seed=2, robot=unloaded(arm)),
    }


def test_a_load_of_known_mass_shows_gains_that_nobody_knows(tmp_path, arm, flights):
    mission = mission_of(tmp_path, arm, BELIEVED, gain_relative_sd=0.5)
    estimate = ff.identify(mission, flights)
    found = {quantity.name: quantity for quantity in estimate.nuisances}
    for joint, gain in TRUE.items():
        error = found[f"torque gain of {joint}"]
        shown = BELIEVED[joint] / gain - 1.0  # what is read, times the gain that was believed, over the torque
        assert error.value == pytest.approx(shown, abs=4.0 * error.sd)
        assert error.sd < 0.01
    errors = (estimate.values - estimate.minimal.values(arm.parameters)) / estimate.sd
    assert np.sqrt(np.mean(errors**2)) < 2.0
    unseen = ff.simulate(mission_of(tmp_path, arm, TRUE), seed=3)
    assert ff.validate(mission, estimate, {"unseen": unseen}, without={"unseen": []}).of_signal("torques") < 0.01


def test_one_recording_leaves_them_as_open_as_they_were(tmp_path, arm, flights):
    """Every torque could be so many times larger, and the bodies with them; one gain that is known ends that."""

    def spreads(relative_sd):
        mission = mission_of(tmp_path, arm, TRUE, gain_relative_sd=relative_sd)
        found = ff.identify(mission, {"loaded": flights["loaded"]}, without={"loaded": []})
        return np.array([found.value(f"torque gain of {joint}")[1] for joint in TRUE])

    for sd in (0.5, 0.02):  # of three gains that err alike, each as much
        np.testing.assert_allclose(spreads(sd), sd / np.sqrt(3.0), rtol=0.25)
    others = spreads({"joint2": 0.5, "joint3": 0.5})
    assert others[0] < 1e-5
    assert (others[1:] < 0.01).all()


@pytest.mark.parametrize("method", ["maximum-likelihood", "weighted"])
def test_gains_that_are_known_make_torques_of_currents(tmp_path, arm, flights, method):
    estimate = ff.identify(mission_of(tmp_path, arm, TRUE), flights, method=method)
    assert not [quantity for quantity in estimate.nuisances if "gain" in quantity.name]
    errors = (estimate.values - estimate.minimal.values(arm.parameters)) / estimate.sd
    assert np.sqrt(np.mean(errors**2)) < 2.0


def test_linear_methods_say_that_they_take_gains_as_exact(tmp_path, arm, flights):
    for relative_sd, said in ((0.1, True), (0.0, False)):
        mission = mission_of(tmp_path, arm, TRUE, gain_relative_sd=relative_sd)
        found = ff.identify(mission, flights, method="weighted")
        assert any("take gains of torques as exact" in warning for warning in found.warnings) == said


def test_what_is_recorded_times_the_gain_is_the_torque(arm, tmp_path, flights):
    torques = ff.simulate(mission_of(tmp_path, arm, 1.0), seed=1)
    read, true = flights["loaded"].channels["tau"], torques.channels["tau"]
    np.testing.assert_allclose(read.values * list(TRUE.values()), true.values, rtol=1e-12)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"gain": 0.0}, "gives a gain of 0"),
        ({"gain": {"joint1": 0}}, "gives a gain of 0 for 'joint1'; allowed: a number that is not zero"),
        ({"gain": 1.0, "gain_relative_sd": -0.1}, "gain_relative_sd"),
        ({"gain": {"joint9": 2.0}}, "no joint named 'joint9'"),
    ],
)
def test_gains_that_cannot_be_are_refused(tmp_path, arm, said, sentence):
    with pytest.raises(FreefloatError, match=sentence):
        ff.simulate(mission_of(tmp_path, arm, **said), seed=1)
