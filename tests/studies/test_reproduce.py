"""All studies: every figure that is promised is there, and every figure follows from the robot."""

import json
import re
from importlib import import_module

import numpy as np
import pytest

from freefloat.robot.parameters import com_of, inertia_about_com, parameters_from_com
from freefloat.studies.catalogue import study_robot
from freefloat.studies.reproducing import TITLES, reproduce

PROMISED = [
    "naveen.minimal.max_relative_deviation",
    "naveen.noiseless.max_relative_error",
    "naveen.pruning.intervals",
    "naveen.pruning.condition_number",
    "naveen.ols.median_relative_error",
    "naveen.default.median_relative_error",
    "naveen.default.max_relative_error",
    "naveen.prediction.base_linear_rms",
    "naveen.prediction.base_angular_rms",
    "naveen.prediction.torque_rms",
    "christidi.pi.max_relative_deviation",
    "christidi.phi.max_relative_deviation",
    "christidi.noiseless.max_relative_error",
    "christidi.condition_number",
    "christidi.pi.mean_relative_error",
    "christidi.phi.max_relative_error",
    "christidi.mass.relative_error",
    "christidi.thruster_mass",
    "christidi.planar.clusters",
    "spirolazzi.pi.max_deviation",
    "spirolazzi.case1.max_mean_relative_error",
    "spirolazzi.case2.max_mean_relative_error",
    "spirolazzi.n1.condition_number",
    "spirolazzi.oossim.condition_number",
    "spirolazzi.ols.spread_ratio",
    "spirolazzi.ols.big_rms",
    "spirolazzi.default.big_rms",
    "spirolazzi.default.over_cramer_rao",
    "spirolazzi.lag.recovered_ms",
    "spirolazzi.design.condition_number",
    "spirolazzi.design.accuracy_gain",
    "spirolazzi.validation.max_rate_error",
    "gautier.base_parameters",
    "gautier.condition_number.r15",
    "gautier.condition_number.r20",
    "gautier.condition_number.r30",
    "gautier.equilibrium.r30",
    "gautier.identification.optimum_r30.relative_error",
    "gautier.bound.eq12",
    "gautier.cause.other_limits",
    "gautier.appendix.example1.error",
    "ayusawa.gradient.relative_error",
    "ayusawa.gradient.speed_ratio",
    "ayusawa.sequential.condition_numbers",
    "ayusawa.random_selection.condition_number",
    "flexible.panels.arm_known.flexible.inertia",
    "flexible.panels.arm_unknown.flexible.over_sd",
    "flexible.tank.arm_known.frequency",
    "flexible.tank.arm_unknown.damping",
    "flexible.tank.printed_motion.residual",
]
TIMINGS = {"ayusawa.gradient.speed_ratio"}
# Searches that a glance ends far from an optimum, and motions drawn to their limits: parameters that differ by 1e-15
# send them elsewhere, so that no other robot gives the same.
BY_ROUNDING = ("ayusawa.sequential.wrench.", "ayusawa.random_selection.")
FIELDS = {"name", "published", "ours", "unit", "better", "tolerance", "comparable", "holds", "note"}


def heavier(name):
    """A study's robot with one per cent more mass in every body, its centres and inertias about them unchanged."""
    robot = study_robot(name)
    bodies = np.array(robot.parameters).reshape(-1, 10)
    for row in bodies:
        if row[0] > 0.0:
            row[:] = parameters_from_com(1.01 * row[0], com_of(row), inertia_about_com(row))
    return robot.with_parameters(bodies.ravel())


@pytest.fixture(scope="module", params=list(TITLES))
def study(request):
    (found,) = reproduce([request.param], "glance")
    return found


@pytest.mark.slow
def test_every_promised_figure_is_there_once(study):
    names = [check.name for check in study.checks]
    assert len(set(names)) == len(names)
    assert {name for name in PROMISED if name.startswith(study.study)} <= set(names)
    assert all(name.startswith(f"{study.study}.") for name in names)
    for check in study.checks:
        assert set(check.document()) >= FIELDS
    json.dumps(study.document(), allow_nan=False)


@pytest.mark.slow
def test_what_a_note_refers_to_is_a_figure(study):
    names = [check.name for check in study.checks]
    for check in study.checks:
        for named in re.findall(rf"\b{study.study}\.[a-z]\w*(?:\.\w+)*", check.note):
            assert any(name.startswith(named) for name in names), (check.name, named)


@pytest.mark.slow
def test_every_figure_follows_from_the_masses_of_the_robot(study):
    (other,) = reproduce([study.study], "glance", robots=heavier)
    free = import_module(f"freefloat.studies.{study.study}.study").FREE_OF_MASSES
    ours = {check.name: check.ours for check in other.checks}
    assert free <= set(ours)
    for check in study.checks:
        if check.name not in free:
            assert not np.array_equal(check.ours, ours[check.name]), check.name
        elif check.name not in TIMINGS and not check.name.startswith(BY_ROUNDING):
            np.testing.assert_allclose(ours[check.name], check.ours, rtol=1e-5, err_msg=check.name)
