"""Estimate files: what was saved comes back to the last bit, and what is malformed gets one sentence."""

import json
from dataclasses import fields, replace

import numpy as np
import pytest
from estimate.estimates_made import estimate_of
from estimate.problems import make_case
from random_trees import ROBOTS, random_robot

from freefloat.dynamics.samples import Samples
from freefloat.dynamics.total_momentum import TotalMomentum
from freefloat.errors import FileError
from freefloat.estimate.estimate import Estimate, load_estimate
from freefloat.estimate.estimate_parts import Budget, ChannelResidual, NothingKept, Quantity, Residual, UsedFlight
from freefloat.estimate.linear.least_squares import LeastSquares
from freefloat.estimate.prior import CadSpread


def full_estimate(robot, seed=0):
    """An estimate with everything that one can hold, odd numbers included."""
    rng = np.random.default_rng([seed, 59])
    made = estimate_of(robot, seed=seed, relative=1e-3)
    c, root = len(made.values), rng.normal(size=(len(made.values), len(made.values) + 3)) * 10.0 ** rng.uniform(-9, 3)
    shares = rng.dirichlet(np.ones(3), size=c)
    return replace(
        made,
        covariance=root @ root.T,
        residual=Residual(1.0 + 1e-16 + rng.uniform(), bool(seed % 2), 12345, c, {"w": 1.02, "attitude": np.pi}),
        budget=Budget(("noise", "joint zeros", "prior"), shares),
        nuisances=(Quantity("time offset", 1.0 / 3.0, 1e-300, "s"), Quantity("momentum x", -0.0, np.inf, "N m s")),
        unseen=np.linalg.qr(rng.normal(size=(c, 2)))[0].T,
        held=("total mass", "Ü … 'quoted' \"too\""),
        outcome="doubtful",
        warnings=("the residual is 3 times\tthe noise",),
        notes=("flight 1: q: projected",),
        origin={"seed": 3, "hashes": {"robot": "ab"}, "recordings": [{"name": "a", "run": None}], "rate": 0.1},
        prior=CadSpread(0.1, 0.3, 1.0 / 3.0),
        flights=flights_of(robot, rng),
        residuals=residuals_of(rng),
    )


def flights_of(robot, rng):
    """Two flights, of which the second was without anything that is not needed."""
    joints = len(robot.joints)
    arrays = {name: rng.normal(size=(5, joints)) for name in ("q", "dq", "ddq", "torques")}
    arrays |= {"attitude": rng.normal(size=(5, 4)), "position": rng.normal(size=(5, 3)), "w": rng.normal(size=(5, 3))}
    bare = Samples(q=np.zeros((2, joints)), t=np.array([0.0, 1.0 / 3.0]))
    first = UsedFlight("a", ("load",), TotalMomentum.unknown(), Samples(**arrays, t=np.arange(5.0)))
    return first, UsedFlight("b", (), TotalMomentum.known([0.1, -0.0, 1e-300]), bare)


def residuals_of(rng):
    """Odd numbers included, and noise that nobody knows."""
    odd = rng.normal(size=(4, 3)) * 10.0 ** rng.uniform(-300, 300, (4, 3))
    odd[0] = [-0.0, np.nan, np.inf]
    return (
        ChannelResidual("a", "w", ("x", "y", "z"), "rad/s", np.linspace(0.0, 1.0, 4), odd, np.array([1e-4, 1.0, 0.1])),
        ChannelResidual("b", "energy", ("energy",), "J", np.zeros(0), np.zeros((0, 1)), np.array([np.nan])),
    )


def assert_same(one, other):
    """Every field alike, arrays to the last bit."""
    for field in fields(Estimate):
        ours, theirs = getattr(one, field.name), getattr(other, field.name)
        if isinstance(ours, np.ndarray):
            assert ours.tobytes() == theirs.tobytes(), field.name
    for name in ("method", "model", "zero", "held", "outcome", "warnings", "notes", "nuisances", "prior"):
        assert getattr(one, name) == getattr(other, name), name
    assert dict(one.known) == dict(other.known)
    assert dict(one.origin) == dict(other.origin)
    assert one.robot.parameters.tobytes() == other.robot.parameters.tobytes()
    assert one.robot.body_names == other.robot.body_names
    assert (one.minimal.names, one.minimal.gap) == (other.minimal.names, other.minimal.gap)
    for name in ("kept", "combine"):
        assert getattr(one.minimal, name).tobytes() == getattr(other.minimal, name).tobytes()
    np.testing.assert_equal(_plain(one.residual), _plain(other.residual))
    assert (one.budget is None) == (other.budget is None)
    if one.budget is not None:
        assert one.budget.sources == other.budget.sources
        assert one.budget.shares.tobytes() == other.budget.shares.tobytes()

    assert len(one.flights) == len(other.flights)
    assert len(one.residuals) == len(other.residuals)
    for ours, theirs in zip((*one.flights, *one.residuals), (*other.flights, *other.residuals), strict=True):
        assert_alike(ours, theirs)


def assert_alike(one, other):
    """Dataclasses, arrays to the last bit."""
    for field in fields(one):
        ours, theirs = getattr(one, field.name), getattr(other, field.name)
        if isinstance(ours, Samples):
            assert_alike(ours, theirs)
        elif isinstance(ours, np.ndarray):
            assert ours.shape == theirs.shape
            assert ours.tobytes() == theirs.tobytes(), field.name
        else:
            assert ours == theirs, field.name


def _plain(residual):
    return {**{f.name: getattr(residual, f.name) for f in fields(residual)}, "by_channel": dict(residual.by_channel)}


@pytest.mark.parametrize("index", [0, 4, 9, 16, 33])
def test_what_was_saved_comes_back_to_the_last_bit(tmp_path, index):
    estimate = full_estimate(ROBOTS[index], index)
    estimate.save(tmp_path / "e.json")
    assert_same(estimate, load_estimate(tmp_path / "e.json"))


@pytest.mark.parametrize("models", ["angular-momentum", ("angular-momentum", "base-velocity"), "energy"])
def test_estimates_of_any_model_come_back(tmp_path, models):
    case = make_case(models, 3, scale="known")
    found = LeastSquares().estimate(case.problem)
    assert np.isnan(found.residual.ratio), "the noise is not known"
    found.save(tmp_path / "e.json")
    assert_same(found, load_estimate(tmp_path / "e.json"))


def test_numbers_that_are_not_come_back_as_that(tmp_path):
    made = full_estimate(random_robot(2, bodies=3, base="free"))
    values = made.values.copy()
    values[1] = np.nan
    replace(made, values=values, outcome="failed").save(tmp_path / "e.json")
    assert "NaN" not in (tmp_path / "e.json").read_text()
    np.testing.assert_array_equal(load_estimate(tmp_path / "e.json").values, values)


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    path = tmp_path_factory.mktemp("estimates") / "e.json"
    full_estimate(random_robot(2, bodies=3, base="free")).save(path)
    return json.loads(path.read_text())


def without(document, field):
    return {name: value for name, value in document.items() if name != field}


def changed(document, name, text):
    """The first residuals with other packed numbers."""
    first = document["residuals"][0]
    return first | {name: first[name] | {"float64": text}}


MALFORMED = {
    "not JSON": (lambda d: "{", ["line"]),
    "empty": (lambda d: "", ["empty"]),
    "a list": (lambda d: [1, 2], ["mapping"]),
    "another file": (lambda d: d | {"format": "freefloat/robot@1"}, ["format", "not an estimate file"]),
    "another version": (lambda d: d | {"format": "freefloat/estimate@2"}, ["estimate@2", "freefloat/estimate@1"]),
    "no values": (lambda d: without(d, "values"), ["values is missing", "a number for each cluster"]),
    "a misspelt field": (lambda d: d | {"valeus": []}, ["valeus", "did you mean values"]),
    "text for a number": (lambda d: d | {"values": ["heavy", *d["values"][1:]]}, ["values[0]", "heavy"]),
    "too few values": (lambda d: d | {"values": d["values"][1:]}, ["values", "allowed: 1 of"]),
    "a covariance of another size": (lambda d: d | {"covariance": d["covariance"][1:]}, ["covariance"]),
    "a ragged covariance": (lambda d: d | {"covariance": [d["covariance"][0][1:], *d["covariance"][1:]]}, ["or"]),
    "shares for other sources": (
        lambda d: d | {"budget": {"sources": ["noise"], "shares": d["budget"]["shares"]}},
        ["budget.shares", "allowed"],
    ),
    "unseen of another size": (lambda d: d | {"unseen": [[1.0]]}, ["unseen"]),
    "a cluster of nobody": (lambda d: d | {"clusters": [{"name": "x", "of": {"x": 1.0}}, *d["clusters"][1:]]}, ["'x'"]),
    "a cluster without its leader": (
        lambda d: d | {"clusters": [{"name": "m_base", "of": {"mx_base": 1.0}}, *d["clusters"][1:]]},
        ["clusters[0]", "m_base"],
    ),
    "a parameter twice": (lambda d: d | {"parameters": [*d["parameters"], "m_base"]}, ["parameters", "twice"]),
    "known that the robot lacks": (lambda d: d | {"known": {"laod": 0.1}}, ["laod"]),
    "zero that the robot lacks": (lambda d: d | {"zero": ["link9.mx"]}, ["link9"]),
    "a robot that is none": (lambda d: d | {"robot": {"format": "freefloat/robot@1"}}, ["robot"]),
    "a prior of nothing": (lambda d: d | {"prior": {"mass": 0.0, "com": 0.1, "inertia": 0.1}}, ["prior.mass"]),
    "an old prior that is none": (
        lambda d: without(d, "prior") | {"origin": {"prior": "cad"}},
        ["origin has the prior 'cad'"],
    ),
    "residuals that are not packed": (lambda d: d | {"residuals": [changed(d, "t", "????")]}, ["cannot be unpacked"]),
    "residuals of another shape": (
        lambda d: d | {"residuals": [changed(d, "residual", d["residuals"][0]["t"]["float64"])]},
        ["shape [4, 3]", "32 bytes", "allowed: 96"],
    ),
    "residuals at other instants": (
        lambda d: d | {"residuals": [d["residuals"][0] | {"t": d["residuals"][1]["t"]}]},
        ["residuals of w", "(4, 3)", "(0, 3)"],
    ),
    "motion of another kind": (
        lambda d: d | {"flights": [d["flights"][0] | {"motion": {"speed": d["residuals"][0]["t"]}}]},
        ["flights.motion has speed"],
    ),
    "an outcome of its own": (lambda d: d | {"outcome": "great"}, ["outcome", "good, doubtful or failed"]),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_file_gets_one_sentence(tmp_path, document, name):
    change, mentions = MALFORMED[name]
    changed = change(document)
    path = tmp_path / "broken.json"
    path.write_text(changed if isinstance(changed, str) else json.dumps(changed))
    with pytest.raises(FileError) as caught:
        load_estimate(path)
    sentence = str(caught.value)
    assert sentence.startswith(str(path))
    assert "\n" not in sentence
    for mention in mentions:
        assert mention in sentence, sentence


def test_a_fault_is_told_with_its_line(tmp_path, document):
    text = (tmp_path / "e.json").as_posix()
    full_estimate(random_robot(2, bodies=3, base="free")).save(text)
    lines = (tmp_path / "e.json").read_text().splitlines()
    place = next(index for index, line in enumerate(lines) if line.startswith('"outcome"'))
    lines[place] = '"outcome": "great",'
    (tmp_path / "e.json").write_text("\n".join(lines))
    with pytest.raises(FileError, match=f"line {place + 1}: outcome"):
        load_estimate(text)


def test_an_estimate_that_cannot_be_written_leaves_the_old_file_whole(tmp_path):
    path = tmp_path / "e.json"
    estimate = full_estimate(random_robot(2, bodies=3, base="free"))
    estimate.save(path)
    before = path.read_bytes()
    for origin in ({"robot": estimate.robot}, {"rate": np.inf}):
        with pytest.raises(FileError, match="cannot be written"):
            replace(estimate, origin=origin).save(path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["e.json"]
    with pytest.raises(FileError, match="cannot be written"):
        estimate.save(tmp_path / "nowhere" / "e.json")


def test_files_of_the_first_release_still_load(tmp_path, document):
    """They have the prior among their origin, and keep neither flights nor residuals."""
    spread = {"mass": 0.2, "com": 0.3, "inertia": 0.4}
    old = {name: value for name, value in document.items() if name not in ("prior", "flights", "residuals")}
    path = tmp_path / "old.json"
    for origin, prior in (({"prior": spread}, CadSpread(**spread)), ({"prior": None}, None), ({}, None)):
        path.write_text(json.dumps(old | {"origin": origin}))
        found = load_estimate(path)
        assert found.prior == prior
        assert found.flights == found.residuals == ()
        for need in (found.need_flights, found.need_residuals):
            with pytest.raises(NothingKept, match=r"freefloat 0\.1 saved; allowed: one identified again"):
                need()


def test_residuals_of_a_long_flight_are_packed_small(tmp_path):
    """Of 150 s at 100 Hz, gyro and star tracker: their bits are noise, and hardly anything is added to them."""
    rng, t = np.random.default_rng(0), np.arange(15000) / 100.0
    gyro, tracker = 1e-4 * rng.normal(size=(15000, 3)), 1e-4 * rng.normal(size=(1500, 3))
    axes = ("x", "y", "z")
    made = full_estimate(random_robot(2, bodies=3, base="free"))
    long = (
        ChannelResidual("a", "w", axes, "rad/s", t, gyro, np.full(3, 1e-4)),
        ChannelResidual("a", "attitude", axes, "rad", t[::10], tracker, np.full(3, 1e-4)),
    )
    replace(made, residuals=()).save(tmp_path / "short.json")
    replace(made, residuals=long).save(tmp_path / "long.json")
    added = (tmp_path / "long.json").stat().st_size - (tmp_path / "short.json").stat().st_size
    assert added < 4 / 3 * (gyro.nbytes + tracker.nbytes) + 80_000
    again = load_estimate(tmp_path / "long.json")
    assert [each.residual.tobytes() for each in again.residuals] == [gyro.tobytes(), tracker.tobytes()]
    assert again.residuals[0].t.tobytes() == t.tobytes()
    np.testing.assert_array_equal(again.residuals[0].over_noise, gyro / 1e-4)
