"""A set of clusters: names, values, and what belongs to none."""

from dataclasses import replace

import numpy as np
import pytest

from freefloat.errors import ShapeError
from freefloat.models.angular_momentum import AngularMomentum, BaseVelocity
from freefloat.models.closed_form_clusters import closed_form
from freefloat.models.minimal import MinimalParameters
from freefloat.models.model import Momentum, NotApplicable
from freefloat.studies.catalogue import study_robot

CLUSTERS = MinimalParameters(
    ("a", "b", "c", "d"), np.array([0, 2]), np.array([[1.0, -2.0, 0.0, 0.0], [0.0, 0.5, 1.0, 0.0]])
)


def test_clusters_are_led_by_their_kept_parameters():
    assert len(CLUSTERS) == 2
    assert CLUSTERS.leaders == ("a", "c")
    assert CLUSTERS.formulas == ("a - 2 b", "1/2 b + c")


def test_what_is_in_no_cluster_is_never_seen():
    assert CLUSTERS.never == ("d",)


def test_values_are_taken_of_one_set_of_parameters_or_of_many():
    np.testing.assert_array_equal(CLUSTERS.values([1, 2, 3, 4]), [-3, 4])
    many = CLUSTERS.values(np.arange(24.0).reshape(2, 3, 4))
    assert many.shape == (2, 3, 2)
    np.testing.assert_array_equal(many[1, 2], CLUSTERS.values(np.arange(20.0, 24.0)))


def test_the_columns_that_multiply_the_clusters_are_the_kept_ones():
    Y = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_array_equal(CLUSTERS.reduce(Y), Y[:, :, [0, 2]])


def test_clusters_cannot_be_changed_from_outside():
    combine = np.eye(2)
    minimal = MinimalParameters(("a", "b"), np.array([0, 1]), combine)
    combine[0, 1] = 7.0
    np.testing.assert_array_equal(minimal.combine, np.eye(2))
    for array in (minimal.combine, minimal.kept):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("shape", [(1, 3), (2, 2), (3, 2)])
def test_a_matrix_that_does_not_fit_the_names_is_refused(shape):
    with pytest.raises(ShapeError, match=r"combine must have shape \(2, 3\)"):
        MinimalParameters(("a", "b", "c"), np.array([0, 1]), np.zeros(shape))


@pytest.mark.parametrize("model", [Momentum, AngularMomentum, BaseVelocity])
def test_a_fixed_base_has_no_momentum_to_speak_of(model):
    with pytest.raises(NotApplicable, match="use energy or torque"):
        len(model(study_robot("gautier_khalil_arm")).minimal)


def test_minimal_parameters_are_found_once_for_a_geometry_and_anew_for_another():
    robot = study_robot("gautier_khalil_arm")
    heavier = robot.with_parameters(1.1 * robot.parameters)
    assert closed_form(heavier) is closed_form(robot)
    floating, weightless = replace(robot, base="free"), replace(robot, gravity=np.zeros(3))
    assert [len(closed_form(each)) for each in (robot, weightless, floating)] == [15, 13, 31]
