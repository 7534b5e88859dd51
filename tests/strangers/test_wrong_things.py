"""Wrong things are what they are called, and the proof of their names (proof/prove_causes.py) counts as it says."""

from dataclasses import replace

import numpy as np
import pytest
from strangers import motion, truth
from strangers.documents import mission_document, robot_document
from strangers.flights import EMPTY, BodyTruth, Flyer, Panel, Spring, World, flown
from strangers.readings import REGULAR, recorded
from strangers.robots import CUBESAT, ROBOTS, TILTED, WHEELED
from strangers.trying_wrong import (
    RIGHT,
    Judged,
    claims_of,
    fits,
    judged as judged_flight,
    seeded,
    unit_detectability,
    variance_detectability,
)
from strangers.wrong_things import THINGS, Case

import freefloat as ff
from proof import prove_effort
from proof.prove_causes import QUICK, Asked, asked_of, broken, flown as flown_again, missed, page, promises
from proof.prove_effort import Timed

SHORT_S = 4.0
PANEL = Panel(
    (0.0, 0.35, 0.0), (1.0, 0.0, 0.0), BodyTruth(3.6, np.array([0.0, 0.3, 0.0]), 0.1 * np.eye(3)), Spring(9, 1)
)


def said_of(case):
    """Channels of a short flight, and the documents."""
    rng = seeded(3)
    flight = flown(case.robot, case.true, motion.drawn(case.robot, rng), rng, duration_s=SHORT_S, world=case.world)
    said = recorded(case.robot, case.true, flight, REGULAR, rng)
    for spoil in case.spoils:
        said = spoil(said, rng)
    channels = {channel.name: np.column_stack([channel.stamps, channel.values]) for channel in said.channels}
    return channels, robot_document(case.said), mission_document(case.said)


def right_case(robot):
    return Case(robot, robot, truth.drawn(robot, seeded(4)))


# ---------------------------------------------------------------------- the things


def test_there_are_enough_and_each_is_of_some_robot():
    assert len(THINGS) >= 24
    quick = [robot for robot in ROBOTS if robot.name in QUICK]
    assert len(quick) == 3
    assert all(any(thing.needs(robot) for robot in quick) for thing in THINGS.values())


@pytest.mark.parametrize("name", THINGS)
def test_a_thing_changes_what_is_handed_over_and_is_the_same_for_its_seed(name):
    thing = THINGS[name]
    robot = next(each for each in (CUBESAT, WHEELED, TILTED) if thing.needs(each))
    made = [thing.make(right_case(robot), thing.sizes[-1], seeded(seed)) for seed in (1, 1)]
    (first, *files), (again, *_), (right, *right_files) = map(
        said_of, [*(each.case for each in made), right_case(robot)]
    )
    assert all(np.array_equal(first[channel], again[channel]) for channel in first)
    assert made[0].causes == made[1].causes
    same = all(np.array_equal(first[channel], right[channel]) for channel in right)
    assert not same or files != right_files
    assert all(len(cause) == 2 for cause in made[0].causes)
    assert made[0].causes
    assert "none" not in dict(made[0].causes), "of what can be seen, silence is no right name"


@pytest.mark.parametrize("name", [name for name, thing in THINGS.items() if thing.base and "elastic" not in name])
def test_half_a_thing_does_half_as_much(name):
    """What is small is linear; springs are not small, and noise and what is drawn follow no size but a spread."""
    thing = THINGS[name]
    if name in ("CAD model worse than said", "swinging panel", "clock jump", "clock drift"):
        return
    robot = next(each for each in (CUBESAT, WHEELED, TILTED) if thing.needs(each))
    size = 0.1
    whole, half = (said_of(thing.make(right_case(robot), part * size, seeded(1)).case)[0] for part in (1.0, 0.5))
    right = said_of(right_case(robot))[0]
    for channel, values in right.items():
        change, less = whole[channel] - values, half[channel] - values
        assert less == pytest.approx(0.5 * change, abs=0.02 * np.abs(change).max() + 1e-12), channel


# ---------------------------------------------------------------------- the world they fly in


def flown_states(robot, world, tumble=0.0):
    true = truth.drawn(robot, seeded(7))
    given = replace(robot, tumble=tumble)
    return true, flown(given, true, motion.drawn(robot, seeded(8)), seeded(9), duration_s=SHORT_S, world=world)


def momenta(robot, world):
    """At first and last instant, inertial axes, springs left out: of a world without any."""
    true, flight = flown_states(robot, world)
    flyer, rows = Flyer(robot, true, world), [0, -1]
    q, dq, _ = flight.motion.at(flight.t[rows])
    states = np.hstack([flight.position, flight.quaternion, flight.velocity, flight.rate])[rows]
    return np.array([flyer.momentum_at(*each) for each in zip(states, q, dq, strict=True)])[:, 3:]


def test_a_torque_from_outside_changes_momentum_as_it_must():
    torque = (0.02, -0.01, 0.03)
    before, after = momenta(WHEELED, World(torque=torque))
    assert after - before == pytest.approx(SHORT_S * np.array(torque), rel=1e-5)


def test_a_panel_that_cannot_swing_is_part_of_the_base():
    stiff = replace(PANEL, spring=Spring(2e3, 20.0))
    _, rigid = flown_states(WHEELED, EMPTY)
    _, held = flown_states(WHEELED, World(panel=stiff))
    _, loose = flown_states(WHEELED, World(panel=PANEL))
    stirred = np.abs(rigid.rate).max()
    assert np.abs(held.rate - rigid.rate).max() < 1e-3 * stirred
    assert np.abs(loose.rate - rigid.rate).max() > 0.02 * stirred


def test_a_panel_swings_at_its_frequency_where_nothing_else_moves():
    """Of a base a thousand times as heavy, a joint's acceleration at the start sets it swinging."""
    still = replace(WHEELED, bodies=WHEELED.bodies[:0], wheels=())
    true = truth.as_modelled(still)
    heavy = replace(true, bodies={"base": 1e4 * true.bodies["base"]})
    flyer = Flyer(still, heavy, World(panel=replace(PANEL, spring=Spring(9.0, 0.0))))
    moment = 0.1 + 3.6 * 0.3**2
    nothing = np.zeros(0)
    slope = flyer.slope(np.array([0, 0, 0, 1, 0, 0, 0, *np.zeros(6), 0.01, 0.0]), nothing, nothing, nothing)
    assert slope[-1] == pytest.approx(-9.0 / moment * 0.01, rel=1e-3)
    assert slope[-2] == 0.0


def test_a_joint_on_a_hard_spring_is_as_one_without():
    joint = WHEELED.moving[-1].joint
    _, rigid = flown_states(WHEELED, EMPTY)
    hard, soft = (flown_states(WHEELED, World(soft={joint: Spring(k, 0.05 * k**0.5)}))[1] for k in (2e3, 20.0))
    assert np.abs(hard.rate - rigid.rate).max() < 0.1 * np.abs(soft.rate - rigid.rate).max()


def test_robots_that_are_built_otherwise_differ_by_what_is_usual_and_keep_their_files():
    lengths, tilts = [], []
    for seed in range(200):
        for said, built in zip(TILTED.bodies, truth.bent(TILTED, seeded(seed)).bodies, strict=True):
            lengths.append(np.array(built.xyz) - said.xyz)
            tilts.append(built.turn)
            assert abs(np.dot(built.turn, built.unit_axis)) < 1e-12
    assert np.std(lengths) == pytest.approx(truth.LENGTH_M, rel=0.06)
    assert np.sqrt(np.mean(np.square(tilts)) * 1.5) == pytest.approx(truth.TILT_RAD, rel=0.06)  # two axes of three


# ---------------------------------------------------------------------- what could be seen of them


@pytest.mark.slow
def test_a_load_wrong_as_a_whole_is_hardly_seen_and_a_torque_well():
    """At zero momentum the one only scales all that is unknown; what is left is what the CAD model says of that.

    Below five nothing needs to be noticed; the CAD model's part of it is 1.9 here.
    """
    index = ROBOTS.index(CUBESAT)
    assert unit_detectability("load heavier as a whole", index, 0) < 5.0
    assert 9.0 * unit_detectability("gyro turned", index, 0) > 50.0


def test_noise_that_is_a_tenth_more_of_a_thousand_readings():
    """A mean of n squares has the relative standard deviation sqrt(2 / n)."""
    assert variance_detectability(1.1, 1000) == pytest.approx((0.21 / np.sqrt(2.0 / 1000.0)) ** 2)


def test_detectability_is_unknown_where_a_fit_fails_and_nothing_is_tried_any_more(monkeypatch):
    sizes = []

    def failing(thing, size, index, seed):
        sizes.append(size)
        return 1.0 if thing == RIGHT else np.nan

    monkeypatch.setattr("strangers.trying_wrong._noiseless_cost", failing)
    assert np.isnan(unit_detectability("gyro scale", 0, 0))
    assert sizes == [0.0, 1.0]


# ---------------------------------------------------------------------- what is said of some of them


@pytest.mark.parametrize(("thing", "sensor"), [("gyro noise", "gyro"), ("encoder noise", "encoders")])
def test_noise_that_is_a_seventh_more_is_named_and_leaves_estimate_and_verdict_as_they_are(thing, sensor):
    flight = judged_flight(thing, ROBOTS.index(CUBESAT), 0, 0.3, np.nan)
    assert (flight.outcome, flight.verdict) == ("good", "pass"), flight.said
    assert flight.claimed == (("noise", sensor),)


def test_a_gyro_that_is_several_times_noisier_is_no_fault_of_the_estimate():
    flight = judged_flight("gyro noise", ROBOTS.index(CUBESAT), 0, 3.0, np.nan)
    assert (flight.outcome, flight.verdict) == ("doubtful", "doubtful"), flight.said
    assert flight.claimed == (("noise", "gyro"),)


def test_a_joint_that_gives_way_under_load_is_named():
    flight = judged_flight("elastic joint", ROBOTS.index(CUBESAT), 0, 3.0, np.nan)
    assert (flight.outcome, flight.verdict) != ("good", "pass")
    assert flight.claimed == (("elastic", "load-joint"),), flight.said


def test_encoders_that_are_several_times_noisier_spoil_nothing():
    """Of this flight 28 times the noise was left, which was called an oscillation."""
    flight = judged_flight("encoder noise", [robot.name for robot in ROBOTS].index("wheeled"), 1, 10.0, np.nan)
    assert flight.claimed == (("noise", "encoders"),)
    assert (flight.ratio < 1.1, flight.verdict) == (True, "pass"), flight.said


def test_validation_claims_nothing_where_the_estimate_names_a_mistake():
    """All that it would find follows from that: joints in each other's columns were called an oscillation."""
    flight = judged_flight("two joints swapped", ROBOTS.index(CUBESAT), 0, 1.0, np.inf)
    assert [kind for kind, _ in flight.claimed] == ["order"]
    assert flight.validated == ()


# ---------------------------------------------------------------------- how they are counted


def judged(thing="gyro scale", detectability=100.0, claimed=(("gyro scale", "x"),), **other):
    given = {"outcome": "doubtful", "verdict": "doubtful", "validated": (), "predicted": 0.5, **other}
    expected = () if thing == RIGHT else (("gyro scale", "x"),)
    what = thing, "cubesat", 0, 1.0, detectability, expected, given["outcome"], given["verdict"]
    return Judged(*what, claimed, given["validated"], 1.0, given["predicted"], (), 1.0, 1.0)


def test_names_fit_by_kind_and_of_what_it_is():
    assert fits(("zero", "zero of elbow-joint"), ("zero", "elbow-joint"))
    assert not fits(("zero", "shoulder-joint"), ("zero", "elbow-joint"))
    assert not fits(("geometry", "elbow-joint"), ("zero", "elbow-joint"))
    assert fits(("oscillation", "0.35 Hz"), ("oscillation", ""))
    assert fits(("clock", "jump, time offset of gyro"), ("clock", "gyro"))
    assert fits(("dead", "gyro x"), ("dead", "x"))
    assert fits(("order", "j1, j10"), ("order", "j1, j10"))


def test_names_fit_by_whole_words():
    for claimed in ("j10", "j1-joint", "arm-j1", "j1_left"):
        assert not fits(("zero", claimed), ("zero", "j1")), claimed
    assert fits(("zero", "zero of j1"), ("zero", "j1"))
    assert not fits(("zero", "j1"), ("zero", "j.")), "names are no patterns"


def test_right_wrong_and_silent_claims_differ():
    assert judged().named
    assert not judged().misnamed
    wrong = judged(claimed=(("torque", ""),))
    assert (wrong.named, wrong.misnamed) == (False, True)
    silent = judged(claimed=())
    assert (silent.named, silent.misnamed) == (False, False)
    assert judged(claimed=(("torque", ""), ("gyro scale", "x"))).named
    assert judged(RIGHT, 0.0, claimed=()).named
    assert judged(RIGHT, 0.0).misnamed


def test_a_wrong_claim_of_either_counts_and_the_answer_is_the_estimates_or_else_the_validations():
    scale, torque = (("gyro scale", "x"),), (("torque", ""),)
    second = judged(claimed=(), validated=scale)
    assert (second.answer, second.named, second.misnamed) == (scale, True, False)
    for claimed, validated in ((scale, torque), (torque, scale), ((), torque)):
        either = judged(claimed=claimed, validated=validated)
        assert (either.named, either.misnamed) == (False, True)
        assert either.answer == (claimed or validated)
    both = judged(claimed=scale, validated=(*torque, *scale))
    assert (both.answer, both.named, both.misnamed) == (scale, True, False)
    alarmed = judged(RIGHT, 0.0, claimed=(), validated=torque)
    assert (alarmed.named, alarmed.misnamed) == (False, True)


def test_a_cause_without_a_name_is_no_claim():
    causes = [ff.estimate.Cause(kind, name, "", 0.0, 1.0, 1.0) for kind, name in (("none", ""), ("torque", "w"))]
    assert claims_of(causes) == (("torque", "w"),)


def test_promises_that_are_kept_and_broken():
    good = judged(RIGHT, 0.0, (), outcome="good", verdict="pass")
    kept = [*[judged()] * 19, judged(claimed=()), *[good] * 20]
    assert broken(kept) == ()
    passed, misnamed = judged(verdict="pass"), judged(claimed=(("torque", ""),))
    said = broken([*kept, passed, *[misnamed] * 5, replace(good, verdict="doubtful"), replace(good, verdict="fail")])
    assert [sentence.rsplit(":", 1)[0] for sentence in said] == [
        "detectability 50 or more: no PASS",
        "detectability 50 or more, at most one claim: it is the right one",
        "detectability 50 or more: no wrong claim",
        "all flights: no wrong claim",
        "nothing wrong: good and PASS",
    ]
    hidden = judged(detectability=1.0, claimed=(), outcome="good", verdict="pass", predicted=1.2)
    assert broken([*kept, hidden]) == (
        "detectability below 5, PASS: prediction errs by less than the noise: 0 of 1, promised 100 %",
    )
    for of in ("claimed", "validated"):
        shaken = replace(good, **{of: (("oscillation", "0.4 Hz"),)})
        assert any("oscillation" in sentence for sentence in broken([*kept * 10, shaken]))


def test_wrong_claims_of_what_can_be_seen_do_not_hide_among_right_flights():
    good = judged(RIGHT, 0.0, (), outcome="good", verdict="pass")
    flights = [*[judged()] * 24, judged(claimed=(("torque", ""),)), *[good] * 1000]
    assert broken(flights) == ("detectability 50 or more: no wrong claim: 24 of 25, promised 97 %",)


def test_what_cannot_be_seen_is_promised_nothing():
    between = judged(detectability=20.0, claimed=(), verdict="pass", predicted=3.0)
    assert [promise.of for promise in promises([between])] == [0, 0, 0, 0, 0, 1, 0, 0, 0]
    text = page([between], 1)
    assert "| nothing wrong: good and PASS | 0 of 0 | 95 % | no flights |" in text
    assert "| all flights: no wrong claim | 1 of 1 | 97 % | yes |" in text


def test_flights_whose_detectability_is_not_known_are_counted():
    flights = [judged(detectability=np.nan, verdict="pass"), judged(), replace(judged(detectability=np.nan), size=3.0)]
    text = page(flights, 1)
    assert "Detectability not known: 2 flights." in text
    assert "| 1 | 100 (1e+02 to 1e+02), 1 unknown | 2 |" in text
    assert "| 3 | unknown | 1 |" in text
    assert promises(flights)[0].of == 1


def test_the_page_counts_flights_by_what_was_claimed():
    flights = [judged(), judged(claimed=(("torque", ""), ("gyro scale", "x"))), judged(claimed=())]
    text = page([*flights, judged(RIGHT, 0.0, (), outcome="good", verdict="pass")], 1)
    assert "| thing | gyro scale | none | torque |" in text
    assert "| gyro scale | 1 | 1 | 1 |" in text
    assert "| gyro scale | 1e-3 of the rate | 1 | 100 (1e+02 to 1e+02) | 3 | 0 | 2 | 0 |" in text
    assert "cubesat 1.0 s; of what takes longest, 1.0 times as long (gyro scale, 1)." in text
    assert "nan" not in text


def test_flights_that_may_not_pass_and_did_are_listed():
    assert "Flights that passed" not in page([judged(verdict="fail")], 1)
    text = page([judged(detectability=51.3, claimed=(), verdict="pass", predicted=0.05)], 1)
    assert "detectability 51.3; the prediction errs by 0.05 of the noise" in text


def test_a_test_that_chance_passes_seldom_is_silent_as_often_as_drawn_numbers_say():
    rng = np.random.default_rng(0)
    saved = ((rng.standard_normal((200_000, 10)) + np.sqrt(50.0 / 10.0)) ** 2).sum(axis=1)
    chance = (rng.standard_normal((200_000, 10)) ** 2).sum(axis=1)
    limit = np.quantile(chance, 0.99)
    assert missed(0.01, 10) == pytest.approx((saved < limit).mean(), rel=0.2)


def test_only_things_that_a_robot_can_have_are_flown():
    asked = asked_of([RIGHT, "wheels in rpm"], ["cubesat", "wheeled"], 2, 3, bent=False)
    wheels = [each for each in asked if each.thing != RIGHT]
    assert {ROBOTS[each.index].name for each in wheels} == {"wheeled"}
    assert len(wheels) == 2
    assert len(asked) - len(wheels) == 4 + 3
    assert len({(each.thing, each.index, each.seed) for each in asked}) == len(asked)


def test_what_was_kept_by_the_same_package_is_not_flown_again(tmp_path, monkeypatch):
    keep, once = tmp_path / "flights.jsonl", [Asked("gyro scale", 0, 0, True), Asked(RIGHT, 0, 0, True)]
    made = {"gyro scale": (judged(validated=(("torque", ""),)), judged(claimed=())), RIGHT: (judged(RIGHT, 0.0, ()),)}
    monkeypatch.setattr("proof.prove_causes.fly", lambda asked: made[asked.thing])
    expected = [*made["gyro scale"], *made[RIGHT]]
    assert flown_again(once[:1], 1, keep, False, "abc1234") == expected[:2]
    monkeypatch.setitem(made, "gyro scale", ())
    assert flown_again(once, 1, keep, False, "abc1234") == expected
    assert flown_again(once, 1, keep, False, "def5678") == expected[2:]


# ---------------------------------------------------------------------- how long they take


def timed_flights(longest):
    """Two robots, one of which usually takes ten times as long as the other."""
    usual = [Timed(RIGHT, robot, seed, s, False) for robot, s in (("a", 1.0), ("b", 10.0)) for seed in range(3)]
    return [*usual, Timed("gyro scale", "a", 0, 2.0, False), Timed("gyro scale", "b", 0, 10.0 * longest, True)]


def test_times_are_compared_with_right_flights_of_the_same_robot():
    assert prove_effort.ratios(timed_flights(4.0))["gyro scale"] == pytest.approx([2.0, 4.0])
    assert prove_effort.broken(timed_flights(5.0)) == ()
    assert prove_effort.broken(timed_flights(5.2)) == ("gyro scale: up to 5.2 times as long, promised 5",)
    text = prove_effort.page(timed_flights(5.2), 3)
    assert "| gyro scale | 3.60 | 5.20 | 2 | 1 | **no** |" in text
    assert "Median time with nothing wrong: a 1.0 s, b 10.0 s." in text
