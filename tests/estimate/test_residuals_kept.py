"""What an estimate keeps of its flights: residuals of every channel with their sign and size, motion, prior."""

from dataclasses import replace

import numpy as np
import pytest
from estimate.problems import make_case

from freefloat.estimate.methods import make_estimator
from freefloat.estimate.prior import CadSpread

PUSH = 10.0  # standard deviations that are added to one reading
CASES = {
    "maximum-likelihood": ("momentum", "free", {"w": 1e-4}, "w", ("x", "y", "z"), "rad/s"),
    "kalman": ("momentum", "free", {"w": 1e-4}, "w", ("x", "y", "z"), "standard deviations of an innovation"),
    "output-error": ("momentum", "planar", {"w": 1e-4}, "w", ("z",), "rad/s"),
    "input-error": ("torque", "fixed", {"torques": 0.01}, "torques", None, "N m"),
    "weighted": ("torque", "fixed", {"torques": 0.01}, "torques", None, "N m"),
}


def found_in(method, push=0.0, flights=1):
    """The estimate, its problem; of a problem whose fortieth reading of the first component is pushed up."""
    model, base, noise, channel, *_ = CASES[method]
    problem = make_case(model, 3, base=base, bodies=3, n=240, noise=noise, flights=flights).problem
    first = problem.flights[0]
    values = np.array(getattr(first.samples, channel))
    values[40, 2 if base == "planar" else 0] += push * noise[channel]
    pushed = replace(first, samples=replace(first.samples, **{channel: values}))
    problem = replace(problem, flights=(pushed, *problem.flights[1:]), prior=CadSpread(0.2, 0.3, 0.4))
    return make_estimator(method, base).estimate(problem), problem


@pytest.mark.parametrize("method", CASES)
def test_residuals_are_measured_less_predicted_over_the_noise_of_the_fit(method):
    _, _, _, channel, components, unit = CASES[method]
    estimate, problem = found_in(method)
    (left,) = estimate.residuals
    assert (left.flight, left.channel) == ("flight0", channel)
    assert left.components == (components or problem.robot.joint_names)
    assert left.unit in (unit, f"{unit} or N")
    np.testing.assert_array_equal(left.t, problem.flights[0].t)
    ratios = estimate.residual.by_channel
    rms = np.sqrt((left.over_noise**2).mean(axis=0))
    if channel in ratios:
        assert np.sqrt(np.mean(rms**2)) == pytest.approx(ratios[channel], rel=1e-9)
    else:
        assert list(ratios.values()) == pytest.approx(rms.tolist(), rel=1e-9)
    pushed = found_in(method, PUSH)[0].residuals[0].over_noise
    change = pushed[40, 0] - left.over_noise[40, 0]
    assert 0.5 * PUSH < change < 1.01 * PUSH, "up, and hardly anything of one reading is taken up by the fit"


def test_every_flight_is_kept_with_its_motion_and_what_was_said_of_it():
    estimate, problem = found_in("weighted", flights=2)
    assert estimate.prior == CadSpread(0.2, 0.3, 0.4)
    assert [each.name for each in estimate.flights] == ["flight0", "flight1"]
    assert [each.flight for each in estimate.residuals] == ["flight0", "flight1"]
    for kept, flight in zip(estimate.flights, problem.flights, strict=True):
        assert kept.momentum.is_zero
        assert kept.without == ()
        np.testing.assert_array_equal(kept.motion.q, flight.samples.q)
        np.testing.assert_array_equal(kept.motion.torques, flight.samples.torques)


def test_of_a_long_flight_a_few_hundred_instants_of_the_motion_are_kept():
    problem = make_case("torque", 3, base="fixed", bodies=3, n=2000, noise={"torques": 0.01}).problem
    estimate = make_estimator("weighted", "fixed").estimate(problem)
    motion, t = estimate.flights[0].motion, problem.flights[0].t
    assert len(motion) == 241
    assert (motion.t[0], motion.t[-1]) == (t[0], t[-1])
    assert len(estimate.residuals[0].t) == 2000


@pytest.mark.parametrize("method", ["output-error", "input-error", "weighted"])
def test_noise_that_nobody_knows_is_not_a_number(method):
    model, base, _, channel, *_ = CASES[method]
    problem = make_case(model, 3, base=base, bodies=3, n=240).problem
    left = make_estimator(method, base).estimate(problem).residuals[0]
    assert left.channel == channel
    assert np.isnan(left.noise).all()
    assert np.abs(left.residual).max() < 1e-4, "the samples are exact"
