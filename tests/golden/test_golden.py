"""What this version computes is what the version said in the golden files did; see make_golden.py."""

import math

import pytest
from golden import make_golden
from golden.make_golden import FORECAST, NAMES, PROBLEMS, SENSORS, compared, golden
from skips import OTHER_ARITHMETIC

# Another order of a sum, or another BLAS, moves values by their condition number times 1e-16. With the kernels of
# another processor (OPENBLAS_CORETYPE=Haswell instead of SkylakeX, numpy without AVX-512) values moved by up to 1e-8
# of their standard deviation, and what has none (residuals, standard deviations, forecasts) by 1e-9 of itself. A
# mistake in a formula, a lost row or another draw moves them by far more than these.
OF_VALUE, OF_SD, WITHOUT_SD = 1e-9, 1e-6, 1e-7
# Figures of published studies moved by 9e-10 from one run to another on one machine.
OF_FIGURE = 1e-8
NOTHING = 1e-12  # errors that are rounding alone
# Figures that a search found: another rounding sends it another way. Whether they hold is compared.
SEARCHED = (
    "naveen.pruning.updated_rule.intervals",
    "spirolazzi.design.condition_number",
    "spirolazzi.design.accuracy_gain",
    "spirolazzi.oossim.design.condition_number",
)

PARTS = {(name, place): part for name in NAMES if name != "studies" for place, part in enumerate(golden(name))}


def same_arithmetic(name):
    return make_golden.made_with(name) == make_golden.arithmetic()


def allowed(pair):
    if 0.0 < pair.sd < math.inf:
        return max(OF_VALUE * abs(pair.golden), OF_SD * pair.sd)
    return WITHOUT_SD * abs(pair.golden)


def check(name, before, now):
    """All numbers within the tolerances, all else the same; what rounding decides, only where it is the same."""
    assert set(before) == set(now)
    if before.get("rounding") and not same_arithmetic(name):
        pytest.skip(OTHER_ARITHMETIC)
    pairs, unlike = compared(before, now)
    assert not unlike
    beyond = [pair for pair in pairs if not abs(pair.now - pair.golden) <= allowed(pair)]
    assert not beyond


def listed(name):
    return [part for (file, _), part in PARTS.items() if file == name]


@pytest.mark.parametrize(("name", "method"), [(name, part["method"]) for name in PROBLEMS for part in listed(name)])
def test_estimates(name, method):
    (before,) = (part for part in listed(name) if part["method"] == method)
    check(name, before, make_golden.solved(name, method))


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_method_that_is_tried_is_in_the_file(name):
    assert [part["method"] for part in listed(name)] == list(make_golden.posed(name).methods)


@pytest.mark.parametrize("name", FORECAST)
def test_forecasts(name):
    (before,) = (part for part in listed("designs") if part.get("name") == name)
    check("designs", before, make_golden.forecast(name))


@pytest.mark.parametrize("kind", SENSORS)
def test_draws(kind):
    before = [part for part in listed("draws") if part.get("kind") in (kind, f"{kind}, moving")]
    for each, now in zip(before, make_golden.drawn(kind), strict=True):
        check("draws", each, now)


@pytest.mark.parametrize("name", make_golden.DRAWN)
def test_drawn_robots(name):
    (before,) = (part for part in listed("draws") if part.get("name") == f"robot for {name}")
    check("draws", before, make_golden.drawn_robot(name))


@pytest.mark.slow
def test_figures_of_studies():
    """Names and whether figures hold everywhere; their values where rounding is the same, for most come of searches."""
    before = golden("studies")
    now = make_golden.figures(dict.fromkeys(each["name"].partition(".")[0] for each in before))  # none that came later
    assert [(each["name"], each["holds"]) for each in now] == [(each["name"], each["holds"]) for each in before]
    if not same_arithmetic("studies"):
        pytest.skip(OTHER_ARITHMETIC)
    found = [compared(*both) for both in zip(before, now, strict=True) if both[0]["name"] not in SEARCHED]
    assert len(found) == len(before) - len(SEARCHED)
    assert not [sentence for _, unlike in found for sentence in unlike]
    pairs = [pair for some, _ in found for pair in some]
    assert not [pair for pair in pairs if not abs(pair.now - pair.golden) <= max(OF_FIGURE * abs(pair.golden), NOTHING)]
