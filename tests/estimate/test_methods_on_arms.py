"""What methods say of an arm on the ground that they are not for: one sentence, advising nothing that is refused."""

from dataclasses import replace

import pytest
from estimate.test_torque_likelihood import arm_of, problem_of, recording_of

from freefloat.data.recording import Channel, Recording
from freefloat.errors import FreefloatError
from freefloat.estimate.methods import make_estimator

SENTENCES = {
    "base-only": "the base is fixed, so that its mass moves nothing",
    "kalman": "kalman compares how the base moves, and a fixed base does not",
    "output-error": "output-error compares how the base moves, and a fixed base does not",
    "input-error": "input-error takes friction and rotors as the robot file has them",
    "instrumental-variable": "torque rows do not predict the base's motion",
    "total-least-squares": "torque rows are not linear in the measured rates",
    "bias-compensated": "rows that are linear in the measured rates",
}
FOR_OTHER_BASES = ("momentum", "angular-momentum", "base-velocity", "kalman", "output-error", "total-least-squares")


@pytest.fixture(scope="module")
def arm():
    return arm_of(7)


@pytest.fixture(scope="module")
def problem(arm):
    recording = recording_of(arm, torque_noise=0.05, duration_s=3.0)
    return replace(problem_of(arm, recording, ("viscous",), torque=0.05), models=("torque",))


@pytest.mark.parametrize("method", SENTENCES)
def test_methods_for_other_bases_refuse_an_arm_and_advise_what_is_for_it(method, problem):
    with pytest.raises(FreefloatError) as caught:
        make_estimator(method, "fixed").estimate(problem)
    said, _, advice = str(caught.value).partition("allowed")
    assert SENTENCES[method] in said
    assert not [name for name in FOR_OTHER_BASES if name in advice]
    if method != "base-only":
        assert "weighted" in advice
        assert "maximum-likelihood" in advice


def test_joints_whose_torques_are_missing_are_named(arm):
    whole = recording_of(arm, torque_noise=0.05, duration_s=3.0)
    q, tau = whole.channels["q"], whole.channels["tau"]
    lost = arm.joint_names[1]
    rest = [name for name in arm.joint_names if name != lost]
    recording = Recording([q, Channel("tau", tau.t, tau.of(rest), tuple(rest), ("Nm",) * len(rest))])
    with pytest.raises(FreefloatError, match=f"torques of {lost} were not recorded"):
        make_estimator("maximum-likelihood").estimate(problem_of(arm, recording, ()))
    with pytest.raises(FreefloatError, match="joint torques were not recorded"):
        make_estimator("maximum-likelihood").estimate(problem_of(arm, Recording([q]), ()))
