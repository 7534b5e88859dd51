"""How far two arrays of the same quantities differ, relative to the size of each quantity; ranks that are clear."""

import numpy as np
from scipy.linalg import svdvals


def relative_difference(ours, theirs, floor=0.0):
    """Largest difference over samples, each entry measured by its own largest value over the samples.

    ours, theirs: shape (n, ...), samples first.
    floor: an entry is measured by no less than this share of the largest of all entries. Needed where
        entries vanish by law, so that both sides hold nothing but rounding there. One that is exactly zero
        throughout is always measured by the largest of all.
    """
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    assert ours.shape == theirs.shape
    assert ours.size > 0
    size, largest = np.abs(theirs).max(axis=0), np.abs(theirs).max()
    size = np.maximum(np.where(size > 0.0, size, largest), floor * largest)
    difference = np.abs(ours - theirs).max(axis=0)  # nan stays nan
    return float(np.max(difference / np.where(size > 0.0, size, 1.0)))


def assert_agree(ours, theirs, tolerance, floor=0.0):
    """Fail if the relative difference exceeds the tolerance, or is not a number."""
    found = relative_difference(ours, theirs, floor)
    assert found <= tolerance, f"relative difference {found:.3g}, allowed {tolerance:g}"


def clear_rank(matrix):
    """Number of singular values, which must fall by five orders of magnitude after it or not at all."""
    size = np.linalg.norm(matrix, axis=0)
    values = svdvals(matrix / np.where(size > 0.0, size, 1.0))
    rank = int((values > 1e-9 * values[0]).sum())
    assert rank == values.size or values[rank - 1] > 1e5 * values[rank]
    return rank
