"""Estimators by name."""

import pkgutil
import subprocess
import sys
from importlib import import_module
from inspect import isabstract

import pytest

import freefloat
from freefloat.errors import FreefloatError
from freefloat.estimate.estimator import Estimator
from freefloat.estimate.methods import METHODS, UnknownMethod, default_method, make_estimator

NAMES = {
    "least-squares",
    "weighted",
    "bias-compensated",
    "total-least-squares",
    "two-steps",
    "instrumental-variable",
    "maximum-likelihood",
    "output-error",
    "input-error",
    "recursive",
    "kalman",
    "adaline",
    "hopfield-tank",
    "physically-consistent",
}
PUBLISHED = {
    "naveen-momentum",
    "christidi-two-steps",
    "spirolazzi-known-load",
    "gautier-khalil-energy",
    "atkeson-torque",
    "ayusawa-base-rows",
    "base-only",
}


def test_all_methods_of_the_mission_file_are_there():
    assert set(METHODS) == NAMES | PUBLISHED


def test_every_estimator_that_is_written_is_in_the_list():
    for found in pkgutil.walk_packages(freefloat.estimate.__path__, "freefloat.estimate."):
        import_module(found.name)
    written = {kind for kind in _below(Estimator) if kind.__module__.startswith("freefloat.") and not isabstract(kind)}
    assert {kind.__name__ for kind in written} == {type(make()).__name__ for make in METHODS.values()}


def _below(kind):
    return {each for below in kind.__subclasses__() for each in (below, *_below(below))}


@pytest.mark.parametrize("name", sorted(NAMES | PUBLISHED))
def test_each_name_makes_the_estimator_that_is_called_so(name):
    made = make_estimator(name)
    assert isinstance(made, Estimator)
    assert made.name == name
    assert isinstance(METHODS[name](), type(made))


def test_an_unknown_name_gets_one_sentence_with_the_nearest():
    with pytest.raises(UnknownMethod, match=r"'least-sqares' \(did you mean least-squares\?\); there are: ") as caught:
        make_estimator("least-sqares")
    assert isinstance(caught.value, FreefloatError)
    assert "\n" not in str(caught.value)


def test_readings_of_any_base_have_one_default_and_rows_of_a_base_that_does_not_react_another():
    assert {default_method(base) for base in ("free", "planar", "fixed")} == {"maximum-likelihood"}
    assert default_method("fixed", of_rows=True) == "weighted"
    for base in ("free", "fixed"):
        assert make_estimator("physically-consistent", base).start.name == default_method(base, of_rows=True)


def test_the_names_are_there_before_any_solver_is():
    code = "import sys, freefloat.estimate.methods as m; assert len(m.METHODS) == 21; assert 'scipy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    names = "import sys, freefloat.estimate.method_names; assert not {'numpy', 'pydantic'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", names], check=True)
