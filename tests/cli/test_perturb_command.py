"""`freefloat perturb` and `freefloat front`: what is shown, printed as JSON, and refused."""

import json

import numpy as np
import pytest
from calling import ended
from excitation.points_mission import write_points_mission

import freefloat as ff
from freefloat.excitation.procedures import optimum_points as procedure


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A mission of points, and a motion designed for it."""
    folder = tmp_path_factory.mktemp("perturb")
    write_points_mission(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(procedure, "_MOST_STEPS", 20)
        code, said, err = ended(["design", "arm.yaml", "--starts", "1", "-o", "motion.json"], folder)
        assert code == 0, err
        assert "optimum points, equilibrium" in said
        assert "1/1 searches   21 points   value " in err
        yield folder


def test_a_design_is_perturbed(folder):
    arguments = ["perturb", "arm.yaml", "--excitation", "motion.json", "--draws", "5"]
    code, said, _ = ended(arguments, folder)
    assert code == 0
    assert said.startswith("arm  20 energy rows of 10 unknowns · condition number ")
    lines = said.splitlines()
    assert lines[1].split() == [
        *("perturbed", "level", "dY/Y", "dW/W", "dX/X", "95", "%", "bound", "cond(W+dW)", "within", "bound")
    ]
    assert [line.split()[0] for line in lines[2:11]] == 3 * ["right-hand"] + 3 * ["regressor"] + 3 * ["both"]
    code, document, _ = ended([*arguments, "--json"], folder)
    found = ff.perturb(ff.load_mission(folder / "arm.yaml"), ff.load_excitation(folder / "motion.json"), draws=5)
    assert json.loads(document) == found.document()
    designed = ff.load_excitation(folder / "motion.json").condition_number
    assert found.condition_number == pytest.approx(designed), "rows are those of the points"


def test_the_front_is_a_line_for_each_weight(folder):
    arguments = ["front", "arm.yaml", "--weights", "0,0.5", "--starts", "1"]
    code, said, _ = ended([*arguments[:3], "0.5", *arguments[4:]], folder)
    assert code == 0
    assert said.startswith("arm  optimum points for 1 weights of the equilibrium\n")
    code, document, _ = ended([*arguments, "--json"], folder)
    found = json.loads(document)
    assert [each["weight"] for each in found] == [0.0, 0.5]
    assert found[1]["equilibrium"] < found[0]["equilibrium"]
    assert np.isclose(float(said.splitlines()[2].split()[1]), found[1]["condition_number"], rtol=1e-4)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["perturb", "arm.yaml", "--levels", "few"], "--levels is 'few'; allowed: finite numbers with commas"),
        (["perturb", "arm.yaml", "--levels", "nan"], "--levels is 'nan'; allowed: finite numbers with commas"),
        (["perturb", "arm.yaml", "--levels", "-1"], "a level of noise is -1; allowed: a number greater than 0"),
        (["front", "arm.yaml", "--weights", "-1"], "a weight of the equilibrium is -1; allowed: 0 or more"),
    ],
)
def test_wrong_ways_are_one_sentence(folder, arguments, words):
    code, said, err = ended(arguments, folder)
    assert (code, said) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1
