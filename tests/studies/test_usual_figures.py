"""Studies at the usual effort: what holds, and that whatever does not, or cannot be compared, says why."""

import pytest
from studies.figures_listed import LISTED, usual

pytestmark = pytest.mark.slow


def each(of):
    return pytest.mark.parametrize(
        ("study", "name"), [(study, name) for study, listed in LISTED.items() for name in sorted(getattr(listed, of))]
    )


@each("hold")
def test_as_usual_it_holds(study, name):
    assert usual(study)[name].holds


@each("do_not")
def test_what_does_not_hold_says_why(study, name):
    assert not usual(study)[name].holds
    assert usual(study)[name].note


@each("unprinted")
def test_what_cannot_be_compared_says_why(study, name):
    assert usual(study)[name].note
