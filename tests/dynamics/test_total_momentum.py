"""What callers may say of the total momentum."""

import numpy as np
import pytest

from freefloat.dynamics.total_momentum import TotalMomentum
from freefloat.errors import ShapeError


@pytest.mark.parametrize(
    ("said", "kind", "vector"),
    [("zero", "zero", [0, 0, 0]), ("unknown", "unknown", [0, 0, 0]), ([1, 2, 3], "known", [1, 2, 3])],
)
def test_words_and_vectors_are_understood(said, kind, vector):
    found = TotalMomentum.of(said)
    assert (found.kind, found.vector.tolist()) == (kind, vector)
    assert (found.is_zero, found.is_unknown) == (kind == "zero", kind == "unknown")
    assert TotalMomentum.of(found) is found


def test_a_vector_of_zeros_is_known_to_be_zero_and_not_declared_so():
    found = TotalMomentum.known(np.zeros(3))
    assert found.kind == "known"
    assert not found.is_zero


@pytest.mark.parametrize(("said", "sentence"), [("known", "allowed: zero, unknown"), ([1, 2], r"found \(2,\)")])
def test_anything_else_is_refused_in_one_sentence(said, sentence):
    with pytest.raises(ShapeError, match=sentence):
        TotalMomentum.of(said)
