"""Results can be copied, pickled and compared: a copy is equal, and another one is not."""

import copy
import math
import pickle
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import freefloat as ff
from freefloat.frozen import FrozenMapping

KEPT = Path(__file__).parent / "kept_files" / "0.2.0"
POSITIONS = np.array([[0.0], [0.2], [-0.1], [0.0], [0.1], [0.3]])
MOTIONS = {
    "fourier": lambda: ff.motion.Fourier(("j1",), POSITIONS[:4], 10.0),
    "plain-fourier": lambda: ff.motion.PlainFourier(("j1",), POSITIONS[:5], 10.0, 10.0),
    "b-spline": lambda: ff.motion.BSpline(("j1",), POSITIONS, 10.0),
    "cycloid": lambda: ff.motion.Cycloid(("j1",), POSITIONS[:3], 1.0),
    "quintic-points": lambda: ff.motion.QuinticPoints(("j1",), POSITIONS, np.arange(3.0), np.zeros((3, 1))),
    "sampled": lambda: ff.motion.Sampled(("j1",), POSITIONS, np.arange(6.0)),
}


@cache
def problem():
    return ff.problem(ff.load_mission(KEPT / "mission.yaml"), ff.load_recording(KEPT / "recording.parquet"))


def study():
    return ff.Study("naveen", "title", (ff.studies.Check("a", "angle", 1.0, math.nan),), 1.0)


def sweep():
    point = ff.excitation.SweepPoint({"duration_s": 1.0}, math.nan, (), ())
    return ff.Sweep(("duration_s",), (point,))


MADE = {  # each with a change
    "robot": (lambda: ff.load_robot(KEPT / "robot.yaml"), {"name": "other"}),
    "body": (lambda: ff.load_robot(KEPT / "robot.yaml").bodies[1], {"parameters": np.ones(10)}),
    "transform": (ff.Transform, {"p": np.array([0.0, 0.0, 1.0])}),
    **{f"motion {name}": (made, {"coefficients": None}) for name, made in MOTIONS.items()},
    "motion combined": (lambda: ff.motion.Combined((MOTIONS["fourier"](),)), {"parts": (MOTIONS["cycloid"](),)}),
    "samples": (lambda: ff.dynamics.random_states(ff.load_robot(KEPT / "robot.yaml"), 3), {"q": np.zeros((3, 1))}),
    "channel": (lambda: ff.load_recording(KEPT / "recording.csv")["gyro"], {"name": "gyro.aft"}),
    "recording": (lambda: ff.load_recording(KEPT / "recording.parquet"), {"notes": ("other",)}),
    "mission": (lambda: ff.load_mission(KEPT / "mission.yaml"), {"name": "other"}),
    "excitation": (lambda: ff.load_excitation(KEPT / "excitation.json"), {"value": 0.0}),
    "plan": (lambda: ff.plan_of(ff.load_mission(KEPT / "mission.yaml")), {"goal": "worst-accuracy"}),
    "problem": (problem, {"zero": ("base.products",)}),
    "flight": (lambda: problem().flights[0], {"name": "other"}),
    "bound": (lambda: ff.cramer_rao_bound(problem()), {"names": ()}),
    "estimate": (lambda: ff.load_estimate(KEPT / "estimate.json"), {"known": {}}),
    "validation": (lambda: ff.load_validation(KEPT / "validation.json"), {"duration_s": math.nan}),
    "run": (lambda: ff.load_run(KEPT / "run"), {"truth": None}),
    "campaign": (lambda: ff.load_campaign(KEPT / "campaign"), {"interrupted": True}),
    "model": (lambda: ff.models.Momentum(ff.load_robot(KEPT / "robot.yaml")), {"known": ("base",)}),
    "limit": (lambda: ff.excitation.BaseRate(0.1), {"highest": 0.2}),
    "start": (ff.simulation.Start, {"position": np.ones(3)}),
    "floating model": (lambda: ff.FloatingModel(ff.load_estimate(KEPT / "estimate.json")), {}),
    "sweep": (sweep, {"interrupted": True}),
    "study": (study, {"seconds": 2.0}),
}


def changed(thing, changes):
    if "coefficients" in changes:
        return thing.with_coefficients(thing.coefficients + 1.0)
    return replace(thing, **changes)


@pytest.fixture(scope="module", params=MADE)
def made(request):
    make, changes = MADE[request.param]
    return make(), changes


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
def test_a_copy_is_equal(made, copied):
    thing, _ = made
    again = copied(thing)
    assert again is not thing
    assert type(again) is type(thing)
    assert again == thing
    assert hash(again) == hash(thing)
    assert repr(again) == repr(thing)


def test_what_was_derived_before_does_not_hinder_a_copy(made):
    thing, _ = made
    for name in dir(type(thing)):
        if not name.startswith("__"):
            try:
                getattr(thing, name)
            except Exception:  # what does not apply to this one is not derived
                continue
    assert pickle.loads(pickle.dumps(thing)) == thing


def test_another_is_not_equal(made):
    thing, changes = made
    assert not changes or changed(thing, changes) != thing
    assert thing != "something else"


def arrays_of(thing, depth=4):
    """All arrays that a result holds."""
    if isinstance(thing, np.ndarray):
        yield thing
    elif depth and isinstance(thing, Mapping):
        yield from (array for each in thing.values() for array in arrays_of(each, depth - 1))
    elif depth and isinstance(thing, list | tuple):
        yield from (array for each in thing for array in arrays_of(each, depth - 1))
    elif depth and is_dataclass(thing) and not isinstance(thing, type):
        yield from (array for each in fields(thing) for array in arrays_of(getattr(thing, each.name), depth - 1))


@pytest.mark.parametrize("name", ["robot", "recording", "samples", "estimate", "bound", "flight", "start"])
def test_nobody_writes_into_a_result_nor_into_its_copy(name):
    thing = MADE[name][0]()
    before = [array.flags.writeable for array in arrays_of(thing)]
    assert before
    assert [array.flags.writeable for array in arrays_of(pickle.loads(pickle.dumps(thing)))] == before
    own = {each.name: getattr(thing, each.name) for each in fields(thing)}
    assert not [name for name, array in own.items() if isinstance(array, np.ndarray) and array.flags.writeable]


def test_copies_cannot_be_written_either():
    """Kernels are compiled for arrays that cannot be written: others would have them compiled again."""
    body = copy.deepcopy(ff.load_robot(KEPT / "robot.yaml")).bodies[0]
    with pytest.raises(ValueError, match="read-only"):
        body.parameters[0] = 1.0


def test_a_frozen_mapping_is_a_mapping_that_stays_as_it_is():
    given = {"a": np.array([1.0, math.nan])}
    mapping = FrozenMapping(given)
    given["b"] = np.zeros(1)
    assert list(mapping) == ["a"]
    assert "b" not in mapping
    assert mapping == {"a": np.array([1.0, math.nan])}
    assert mapping != {"a": np.array([1.0, 2.0])}
    assert pickle.loads(pickle.dumps(mapping)) == mapping == copy.deepcopy(mapping)
    with pytest.raises(TypeError, match="item assignment"):
        mapping["b"] = 1
