"""Fourier series: ends, and the published experiments."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import ShapeError
from freefloat.motion.fourier import Fourier, PlainFourier
from freefloat.motion.trajectory import InvalidTrajectory
from freefloat.studies.catalogue import published, study_robot


def published_motion(study):
    """The motion that a study's publication prints."""
    table, robot = published(study)["trajectory"], study_robot(study)
    return Fourier.from_harmonics(robot.joint_names, table["a_rad_s"], table["b_rad_s"], table["duration_s"])


def ends_of(trajectory):
    motion = trajectory.evaluate([0.0, trajectory.duration_s])
    return np.stack([motion.position, motion.rate, motion.acceleration], axis=1).reshape(6, -1)


def test_it_is_the_printed_formula():
    rng, T, t = np.random.default_rng(1), 7.0, np.linspace(0.0, 7.0, 31)
    a, b, w = rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), 2 * np.pi / T
    l = np.arange(1, 4)  # noqa: E741
    plain = PlainFourier.from_harmonics(("x", "y"), [0.3, -0.2], a, b, T)
    series = (np.sin(w * np.outer(t, l)) / (w * l)) @ a.T - (np.cos(w * np.outer(t, l)) / (w * l)) @ b.T
    np.testing.assert_allclose(plain.evaluate(t).position - series, [[0.3, -0.2]] * 31, atol=1e-13)
    # What the quintic adds is of degree five: six values determine it everywhere.
    rest = Fourier.from_harmonics(("x", "y"), a, b, T).evaluate(t).position - series
    fit = np.polynomial.polynomial.polyfit(t / T, rest, 5)
    np.testing.assert_allclose(np.polynomial.polynomial.polyval(t / T, fit).T, rest, atol=1e-12)


def test_it_rests_at_zero_at_both_ends_unless_told_otherwise():
    rng = np.random.default_rng(2)
    rest = Fourier(("x", "y"), rng.normal(size=(8, 2)), 150.0)
    np.testing.assert_array_equal(ends_of(rest), 0.0)
    ends = rng.normal(size=(6, 2))
    np.testing.assert_allclose(ends_of(Fourier(("x", "y"), rest.coefficients, 150.0, ends)), ends, atol=1e-12)
    same = Fourier(("x", "y"), rest.coefficients, 150.0, ends[:, :1])
    np.testing.assert_allclose(ends_of(same), ends[:, [0, 0]], atol=1e-12)


def test_a_plain_series_repeats_itself():
    plain = PlainFourier(("x",), np.arange(1.0, 6.0)[:, None], 12.0, 4.0)
    t = np.linspace(0.0, 4.0, 9)
    np.testing.assert_allclose(plain.evaluate(t).rate, plain.evaluate(t + 8.0).rate, atol=1e-12)


@pytest.mark.parametrize(
    ("study", "lowest", "highest", "rate"),
    [
        (
            "spirolazzi_n1",
            [-98.33, -47.92, -100.3, -42.21, -98.39, -90.45, -92.65],
            [99.93, 51.8, 98.64, 52.24, 98.14, 95.49, 93.52],
            [8.88, 8.21, 8.37, 7.87, 9.11, 8.49, 10.01],
        ),
        (
            "spirolazzi_oossim",
            [-91.89, -52.31, -104.26, -50.26, -98.91, -68.16, -90.57],
            [88.66, 46.6, 97.1, 48.89, 96.13, 66.57, 91.41],
            [9.45, 8.0, 9.17, 7.32, 8.72, 8.58, 9.36],
        ),
    ],
)
def test_the_printed_coefficients_reach_as_far_as_others_computed(study, lowest, highest, rate):
    found = published_motion(study).extremes()
    np.testing.assert_allclose(np.degrees(found.lowest), lowest, atol=0.006)
    np.testing.assert_allclose(np.degrees(found.highest), highest, atol=0.006)
    np.testing.assert_allclose(np.degrees(found.rate), rate, atol=0.006)


def test_the_printed_coefficients_leave_the_printed_limits():
    margins = published_motion("spirolazzi_n1").check(study_robot("spirolazzi_n1"))
    assert not margins.within
    np.testing.assert_allclose(np.degrees(margins.position)[[1, 2, 3, 5, 6]], [-1.8, -0.3, -2.2, -5.5, -3.5], atol=0.06)
    np.testing.assert_allclose(
        np.degrees(margins.rate)[[0, 1, 2, 4, 5]], [-0.88, -0.21, -0.37, -1.11, -0.49], atol=0.006
    )
    assert "j6 exceeds its position limit by 0.0959 rad" in margins.faults()


def test_the_servicers_motion_passes_its_checkpoints():
    computed = published("christidi_servicer")["computed"]
    motion = published_motion("christidi_servicer").evaluate(computed["t_s"])
    np.testing.assert_allclose(motion.position, computed["q_rad"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.rate, computed["dq_rad_s"], rtol=0, atol=1e-9)


def test_the_servicers_extremes_lie_between_its_samples():
    # Computed elsewhere from samples 50 ms apart, and so a little short of the true ones.
    motion = published_motion("christidi_servicer")
    found, samples = motion.extremes(), motion.evaluate(0.05 * np.arange(1601))
    sampled = [samples.position.min(axis=0), samples.position.max(axis=0), np.abs(samples.rate).max(axis=0)]
    expected = [
        [-0.408072411546, -1.98031421048, -3.62888927136],
        [4.05548442024, 3.10941159477, 0.897491397592],
        [0.281119846639, 0.297896055613, 0.36130287882],
    ]
    np.testing.assert_allclose(sampled, expected, atol=1e-11)
    assert (found.lowest < sampled[0]).all()
    assert (found.highest > sampled[1]).all()
    assert (found.rate > sampled[2]).all()
    np.testing.assert_allclose([found.lowest, found.highest, found.rate], expected, atol=2e-5)


@pytest.mark.parametrize("study", ["spirolazzi_n1", "spirolazzi_oossim", "christidi_servicer", "cepheus"])
def test_the_published_motions_rest_at_zero_at_both_ends(study):
    np.testing.assert_array_equal(ends_of(published_motion(study)), 0.0)


@pytest.mark.parametrize(
    ("build", "error", "said"),
    [
        (lambda: Fourier(("x",), np.ones((3, 1)), 1.0), ShapeError, "as many sines as cosines, found 3 rows"),
        (
            lambda: PlainFourier(("x",), np.ones((2, 1)), 1.0, 1.0),
            ShapeError,
            "a constant, then .* found 2 rows",
        ),
        (lambda: Fourier(("x",), np.ones((2, 2)), 1.0), ShapeError, r"shape \(k, 1\), found \(2, 2\)"),
        (lambda: Fourier(("x",), np.ones((0, 1)), 1.0), ShapeError, r"shape \(k, 1\), found \(0, 1\)"),
        (lambda: Fourier(("x",), np.ones((2, 1)), -1.0), InvalidTrajectory, "duration_s is -1; allowed"),
        (lambda: PlainFourier(("x",), np.ones((3, 1)), 1.0, 0.0), InvalidTrajectory, "period_s is 0; allowed"),
        (lambda: Fourier(("x",), np.ones((2, 1)), 1.0, np.ones((5, 1))), ShapeError, r"ends must .* \(6, 1\)"),
        (lambda: Fourier(("x", "x"), np.ones((2, 2)), 1.0), InvalidTrajectory, "channels are x, x; allowed"),
        (lambda: Fourier((), np.ones((2, 0)), 1.0), InvalidTrajectory, "channels are none"),
        (lambda: Fourier(("a\nb",), np.ones((2, 1)), 1.0), InvalidTrajectory, "is not a name"),
        (
            lambda: Fourier.from_harmonics(("x",), [[1.0]], [[1.0, 2.0]], 1.0),
            ShapeError,
            "a and b must have one",
        ),
        (
            lambda: PlainFourier.from_harmonics(("x",), [0.0, 1.0], [[1.0]], [[1.0]], 1.0),
            ShapeError,
            "constant must have shape",
        ),
    ],
)
def test_what_makes_no_series_is_refused(build, error, said):
    with pytest.raises(error, match=said):
        build()
