"""Blocks of time: intervals of a fit whose residuals last are as wide as the estimate scatters."""

import numpy as np
import pytest

from freefloat.estimate.likelihood.likelihood import Rows
from freefloat.estimate.likelihood.time_blocks import variance_by_blocks

ROWS = 2400


def fitted(rng, lasts, prior):
    """A slope and a bias fitted to errors that last so many rows: what was found, and its variance by blocks."""
    t = np.linspace(0.0, 1.0, ROWS)
    J = np.stack([np.sin(7.0 * t), np.ones(ROWS)], axis=1)
    noise, keep = rng.normal(size=ROWS + 5 * lasts), np.exp(-np.arange(5 * lasts + 1) / lasts)
    errors = np.convolve(noise, keep, mode="valid")
    found = np.linalg.solve(J.T @ J + prior, J.T @ errors)
    rows = Rows("w", 0, (errors - J @ found)[:, None], J[:, None, :])
    return found, variance_by_blocks((rows,), prior)


@pytest.mark.parametrize("lasts", [20, 150])
def test_errors_that_last_longer_than_short_blocks_are_allowed_for(lasts):
    rng, prior = np.random.default_rng(3), np.diag([0.0, 1e-6])
    found, variances = map(np.array, zip(*(fitted(rng, lasts, prior) for _ in range(300)), strict=True))
    inside = (np.abs(found) < 1.96 * np.sqrt(variances)).mean(axis=0)
    assert (inside > 0.9).all()


def test_what_no_reading_shows_is_not_moved_by_blocks():
    rng, t = np.random.default_rng(5), np.linspace(0.0, 1.0, ROWS)
    J = np.stack([np.sin(7.0 * t), np.sin(7.0 * t), np.ones(ROWS)], axis=1)  # the first two only together
    errors, prior = np.convolve(rng.normal(size=ROWS + 99), np.ones(100), mode="valid"), np.diag([0.0, 1e4, 0.0])
    found = np.linalg.solve(J.T @ J + prior, J.T @ errors)
    rows = Rows("w", 0, (errors - J @ found)[:, None], J[:, None, :])
    assert np.sqrt(variance_by_blocks((rows,), prior)[1]) < 1e-3 * 1e-2
