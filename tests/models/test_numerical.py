"""Independent columns by numbers: which are kept, how the others follow, and when nobody can tell."""

import numpy as np
import pytest

from freefloat.models.numerical import CLEAR_GAP, UnclearRank, independent_columns, standard_preference
from freefloat.robot.parameters import PARAMETER_NAMES, parameter_names

RNG = np.random.default_rng(1)
BASIS = RNG.normal(size=(50, 2))
MIXED = np.array([[1.0, 0.0, 2.0, 0.0, 1 / 3], [0.0, 1.0, -3.0, 0.0, 0.7]])  # five columns of rank two
NAMES = ("a", "b", "c", "nothing", "e")


def turned(values, rows=60):
    """A matrix with these singular values and no structure."""
    rng = np.random.default_rng(2)
    left = np.linalg.qr(rng.normal(size=(rows, len(values))))[0]
    right = np.linalg.qr(rng.normal(size=(len(values), len(values))))[0]
    return left * values @ right


def test_the_first_independent_columns_stand_for_the_others():
    minimal = independent_columns(BASIS @ MIXED, NAMES)
    assert minimal.leaders == ("a", "b")
    np.testing.assert_allclose(minimal.combine, MIXED, rtol=0, atol=1e-12)
    assert minimal.combine[0, 2] == 2.0  # what is simple is exact
    assert minimal.combine[0, 4] == 1 / 3
    assert minimal.gap > 1e12


def test_a_column_of_zeros_is_never_seen():
    assert independent_columns(BASIS @ MIXED, NAMES).never == ("nothing",)


def test_who_stands_for_a_cluster_is_a_matter_of_preference():
    Y = BASIS @ MIXED
    minimal = independent_columns(Y, NAMES, preference=[4, 2, 0, 1, 3])
    assert minimal.leaders == ("c", "e")
    np.testing.assert_allclose(Y[:, minimal.kept] @ minimal.combine, Y, atol=1e-12)


def test_units_do_not_change_which_columns_are_kept():
    Y, units = BASIS @ MIXED, np.array([0.01, 1.0, 100.0, 1.0, 1e3])
    plain, scaled = independent_columns(Y, NAMES), independent_columns(Y * units, NAMES)
    assert scaled.leaders == plain.leaders
    np.testing.assert_allclose(scaled.values(1.0 / units), plain.values(np.ones(5)) / units[:2], rtol=1e-9)


def test_no_columns_have_no_clusters():
    assert len(independent_columns(np.zeros((7, 3)), ("a", "b", "c"))) == 0
    assert len(independent_columns(np.zeros((7, 0)), ())) == 0


def test_a_clear_gap_is_told():
    minimal = independent_columns(turned([1.0, 0.5, 0.2, 1e-15, 1e-16]), "abcde")
    assert len(minimal) == 3
    assert minimal.gap > CLEAR_GAP


def test_singular_values_that_fall_without_a_gap_are_refused_in_one_sentence():
    with pytest.raises(UnclearRank, match="no clear gap in the singular values: number") as caught:
        independent_columns(turned(np.logspace(0, -16, 17)), [f"p{k}" for k in range(17)])
    assert "\n" not in str(caught.value)
    assert 0 < caught.value.rank < 17
    values = caught.value.singular_values
    assert values[caught.value.rank - 1] < CLEAR_GAP * values[caught.value.rank]


@pytest.mark.parametrize("angle", np.logspace(-12, -1, 23))
def test_columns_however_close_are_two_clusters_or_one_or_refused_but_never_wrong(angle):
    """Two directions an angle apart; a third column that is the sum of both."""
    u, v = np.linalg.qr(BASIS)[0].T
    Y = np.column_stack([u, u + angle * v, 2.0 * u + angle * v])
    try:
        minimal = independent_columns(Y, "abc")
    except UnclearRank:
        assert angle < 1e-7
        return
    lost = np.abs(Y[:, minimal.kept] @ minimal.combine - Y).max()
    assert lost <= (1e-12 if len(minimal) == 2 else 2.0 * angle)
    assert len(minimal) == 2 or angle < 1e-8


def test_a_welcome_column_almost_within_the_span_of_others_is_not_used_to_tell_them_apart():
    """Ten times over, the second of three directions differs from the first by 1e-4 of the third."""
    rng = np.random.default_rng(3)
    blocks = [rng.normal(size=(90, 2)) for _ in range(10)]
    Y = np.hstack([np.column_stack([u, u + 1e-4 * v, v]) for u, v in (block.T for block in blocks)])
    minimal = independent_columns(Y, [f"p{k}" for k in range(30)])
    assert len(minimal) == 20
    np.testing.assert_allclose(Y[:, minimal.kept] @ minimal.combine, Y, rtol=0, atol=1e-12)


def test_the_preference_for_standard_parameters_names_every_column_once_and_the_base_first():
    order = standard_preference(4)
    assert sorted(order) == list(range(40))
    names = np.array(parameter_names(["base", "one", "two", "three"]))[order]
    assert names[:10].tolist() == [f"{name}_base" for name in PARAMETER_NAMES]
    assert names[10:13].tolist() == ["Ixx_one", "Ixx_two", "Ixx_three"]
    assert names[-3:].tolist() == ["m_one", "m_two", "m_three"]
