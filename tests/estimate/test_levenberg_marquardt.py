"""Damped Gauss-Newton where the data, or numbers, show nothing."""

import numpy as np
import pytest

from freefloat.estimate.likelihood.levenberg_marquardt import _solve, levenberg_marquardt


def line(slope):
    """Residuals of slope p against (1, 2, 3)."""
    return lambda p, derivatives: (np.array([1.0, 2.0, 3.0]) - slope @ p, slope)


@pytest.mark.parametrize("units", [None, np.ones(2)])
def test_nothing_is_moved_that_nothing_shows(units):
    fit = levenberg_marquardt(line(np.zeros((3, 2))), np.array([4.0, 5.0]), np.zeros(2), np.zeros((2, 2)), units)
    np.testing.assert_array_equal(fit.point, [4.0, 5.0])


@pytest.mark.parametrize("units", [None, np.ones(2)])
def test_what_is_shown_is_moved_and_the_rest_is_not(units):
    slope = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])
    fit = levenberg_marquardt(line(slope), np.array([4.0, 5.0]), np.zeros(2), np.zeros((2, 2)), units)
    np.testing.assert_allclose(fit.point, [1.0, 5.0])
    assert fit.converged


def test_a_matrix_that_is_nowhere_positive_gives_no_step():
    for matrix in (-np.eye(3), np.zeros((3, 3)), np.diag([-2.0, -1.0, 0.0])):
        np.testing.assert_array_equal(_solve(matrix, np.ones(3)), np.zeros(3))


def test_directions_that_are_not_positive_are_left_alone():
    np.testing.assert_allclose(_solve(np.diag([-1.0, 2.0, 4.0]), np.ones(3)), [0.0, 0.5, 0.25])
