"""The gravity gradient in a likelihood: its law beside a direct formula, noiseless truth, and what it is without it.

That simulated flights have the torque of the spread masses is shown in `tests/simulation/test_simulate.py`.
"""

from dataclasses import replace

import numpy as np
import pytest
from estimate.clocked_flights import flown
from estimate.problems import cad_of

from freefloat.dynamics.mass_centre import centre_of_mass
from freefloat.dynamics.momentum_rows import momentum_matrix
from freefloat.dynamics.orbit import InvalidOrbit, Orbit, earth_orbit_rate
from freefloat.dynamics.samples import Samples
from freefloat.estimate.bound.bound import cramer_rao_bound
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.likelihood.gravity_gradient import GravityMomentum
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.robot.rotations import rotations
from freefloat.simulation.simulate import Pulse

ORBIT = Orbit(0.01, [0.6, 0.0, 0.8])  # nine times as fast as any, to be seen in seconds

PULSES = (Pulse(2.1, 0.7, [4.0, -3.0, 2.0], [0.3, -0.2, 0.5]), Pulse(5.0, 1.1, [-2.0, 5.0, 1.0], [-0.4, 0.1, 0.2]))


def made(**how):
    return flown(4, "free", ("w", "attitude"), curves="exact", lasts_s=10.0, noisy=False, bodies=3, orbit=ORBIT, **how)


def test_the_torque_is_that_of_the_whole_robots_inertia_about_its_centre_of_mass():
    case = made()
    gravity, robot = GravityMomentum.of(case.robot, case.flight, ORBIT), case.robot
    last = min(float(data.t[-1]) for data in case.flight.own_instants.values())
    samples = case.flight.samples[np.flatnonzero(case.flight.t < last)]
    since = samples.t - samples.t[0]
    R = rotations(samples.attitude)
    R = R[0].T @ R
    nadir = np.einsum("nij,ni->nj", R, ORBIT.nadir_at(since))
    robot = robot.with_parameters(robot.parameters * np.linspace(0.9, 1.2, robot.parameters.size))
    c = centre_of_mass(robot, Samples(q=samples.q))
    steiner = (c**2).sum(axis=1)[:, None, None] * np.eye(3) - c[:, :, None] * c[:, None, :]
    inertia = momentum_matrix(robot, samples.q)[:, 3:, 3:6] - robot.mass * steiner
    torque = 3e-4 * np.cross(nadir, (inertia @ nadir[:, :, None])[..., 0])
    expected = (R @ torque[:, :, None])[..., 0]
    found = gravity.torque(robot.parameters, since)
    assert np.abs(found - expected).max() < 1e-5 * np.abs(expected).max()


@pytest.mark.parametrize("pulses", [(), PULSES], ids=["coasting", "pushed"])
def test_noiseless_truth_is_found_with_the_orbit_and_not_without(pulses):
    case = made(momentum="unknown", pulses=pulses)
    quiet = {name: replace(data, sd=1e-2 * data.sd) for name, data in case.flight.own_instants.items()}
    known = {case.robot.body_names[-1]: 0.0}
    found = []
    for orbit in (ORBIT, None):
        flight = replace(case.flight, own_instants=quiet, orbit=orbit)
        problem = Problem(
            cad_of(case.robot, known, 0.05, 4), (flight,), known=known, prior=None, nuisances=Nuisances.none()
        )
        found.append(MaximumLikelihood().estimate(problem))
    (known_orbit, free_space), truth = found, problem.minimal.values(case.robot.parameters)
    by = known_orbit.sd  # a hundredth of the usual; without the orbit intervals are widened until they hold the truth
    assert np.isfinite(by).all()
    assert np.abs((known_orbit.values - truth) / by).max() < 1e-2
    assert known_orbit.residual.ratio < 1e-2
    assert np.abs((free_space.values - truth) / by).max() > 100.0
    assert free_space.residual.ratio > 100.0


def test_what_is_no_orbit_or_nowhere_is_refused():
    for rate, nadir in ((1e-3, [0.0, 1.0, 1.0]), (1e-3, [0.0, 0.0, 0.0]), (np.nan, [0.0, 0.0, 1.0])):
        with pytest.raises(InvalidOrbit):
            Orbit(rate, nadir)
    case = made()
    with pytest.raises(InvalidProblem, match="allowed: a free base"):
        GravityMomentum.of(replace(case.robot, base="planar"), case.flight, ORBIT)
    blind = {"v": replace(case.flight.own_instants["w"])}
    with pytest.raises(InvalidProblem, match="neither attitude nor rates"):
        GravityMomentum.of(case.robot, replace(case.flight, own_instants=blind), ORBIT)


def test_the_vertical_goes_round_once_an_orbit():
    assert 2.0 * np.pi / earth_orbit_rate(500e3) / 60.0 == pytest.approx(94.6, abs=0.1)  # minutes
    assert 2.0 * np.pi / earth_orbit_rate(35_786e3) == pytest.approx(86_164.0, abs=5.0)  # a sidereal day
    quarter = 0.5 * np.pi / ORBIT.rate_rad_s
    ((x, y, z),) = ORBIT.nadir_at(np.array([quarter]))
    np.testing.assert_allclose([x, y, z], np.cross([0.0, 1.0, 0.0], [0.6, 0.0, 0.8]), atol=1e-15)
    half_turn = np.diag([-1.0, -1.0, 1.0])
    later = ORBIT.later(quarter, half_turn)
    np.testing.assert_allclose(later.nadir, half_turn @ [x, y, z], atol=1e-15)
    np.testing.assert_allclose(
        later.nadir_at(np.array([3.0]))[0], half_turn @ ORBIT.nadir_at(np.array([quarter + 3.0]))[0]
    )


@pytest.mark.parametrize(("rate", "informs"), [(0.2, True), (0.01, False)])
def test_the_torque_is_information_where_the_base_turns_by_more_than_20_degrees_against_the_vertical(rate, informs):
    """The torque counts either way: residuals are nothing at the truth."""
    orbit = Orbit(rate, [0.6, 0.0, 0.8])
    case = flown(4, "free", ("w", "attitude"), curves="exact", lasts_s=4.0, noisy=False, bodies=3, orbit=orbit)
    R = rotations(case.flight.own_instants["attitude"].values)
    t = case.flight.own_instants["attitude"].t
    seen = np.einsum("nji,ni->nj", R[0].T @ R, orbit.nadir_at(t - t[0]))
    assert (np.degrees(np.arccos((seen @ seen[0]).min())) > 20.0) == informs
    problem = Problem(case.robot, (case.flight,), nuisances=Nuisances.none())
    told = GravityMomentum.of(case.robot, case.flight, orbit)
    assert told.informs == informs
    sd, free_sd = (
        cramer_rao_bound(replace(problem, flights=(replace(case.flight, orbit=each),))).sd for each in (orbit, None)
    )
    assert (np.abs(sd / free_sd - 1.0).max() > 0.02) == informs
