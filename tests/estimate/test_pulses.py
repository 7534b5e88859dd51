"""Pulses in a likelihood: noiseless truth, one error a thruster, the bound."""

from dataclasses import replace

import numpy as np
import pytest
from estimate.clocked_flights import flown
from estimate.problems import cad_of

from freefloat.estimate.bound.bound import cramer_rao_bound
from freefloat.estimate.likelihood.maximum_likelihood import MaximumLikelihood
from freefloat.estimate.problem import Problem
from freefloat.estimate.problem_data import Nuisances
from freefloat.estimate.unknowns import PULSE_FORCE, unknowns_of
from freefloat.simulation.simulate import CannotFly, Pulse

FORCE, POINT = [4.0, -3.0, 2.0], [0.3, -0.2, 0.5]
EXACT = (Pulse(1.3, 0.7, FORCE, POINT), Pulse(4.05, 1.1, [-2.0, 5.0, 1.0], [-0.4, 0.1, 0.2]))
ALL = ("w", "attitude", "v", "position")


@pytest.mark.parametrize("base", ["free", "planar"])
def test_noiseless_pushes_show_the_mass_and_the_scale_without_anything_known(base):
    made = flown(4, base, ALL, "unknown", None, "exact", 0, lasts_s=10.0, noisy=False, bodies=3, pulses=EXACT)
    quiet = {name: replace(data, sd=1e-2 * data.sd) for name, data in made.flight.own_instants.items()}
    flight = replace(made.flight, own_instants=quiet)
    problem = Problem(cad_of(made.robot, {}, 0.05, 4), (flight,), prior=None, nuisances=Nuisances.none())
    estimate = MaximumLikelihood().estimate(problem)
    assert estimate.residual.ratio < 1e-3
    truth = problem.minimal.values(made.robot.parameters)
    np.testing.assert_allclose(estimate.values[0], made.robot.mass, rtol=1e-6)
    assert np.abs((estimate.values - truth) / estimate.sd).max() < 1e-2
    assert np.isfinite(estimate.sd).all()


def test_pulses_of_one_thruster_share_an_error_and_the_bound_is_what_it_leaves():
    first, second = Pulse(1.3, 0.7, FORCE, POINT, 0.01), Pulse(4.0, 0.4, FORCE, POINT, 0.01)
    other = replace(second, relative_sd=0.02)
    for pulses, count, expected in (((first, second), 1, 0.01), ((first, other), 2, 0.02 / 5.0**0.5)):
        made = flown(4, "free", ALL, "zero", None, "exact", 0, lasts_s=6.0, bodies=3, pulses=pulses)
        problem = Problem(made.robot, (made.flight,), prior=None)
        labels = [part.labels for part in unknowns_of(problem).parts if part.kind == PULSE_FORCE]
        assert labels == [tuple(f"error of thruster {k}" for k in range(1, count + 1))]
        bound = cramer_rao_bound(problem)
        assert bound.sd[0] / bound.values[0] == pytest.approx(expected, rel=0.02)


def test_a_spread_below_zero_is_refused():
    with pytest.raises(CannotFly, match=r"the force of a pulse is known to -0\.1; allowed: zero or more"):
        Pulse(1.0, 1.0, FORCE, POINT, -0.1)
