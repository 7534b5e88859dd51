"""Arms on the ground: laws of their generator, and intervals that hold the truth of a few short recordings of them.

`make prove` tries 200 recordings of ten seconds (docs/proof/arms.md), the slow tests a tenth of that.
"""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from scipy.stats import chi2, t
from strangers import arms, driven_arms, truth
from strangers.documents import ROBOT_FILE
from strangers.trying import HALF
from strangers.trying_arms import ARMED, KINDS, TriedArm, Weighed, recorded_arm, tried, weighed, with_and_without

import freefloat as ff
from proof.prove_arms import ARMS, BAD, Flown, broken, fly, page

SHORT_S, SLOW_HZ = 2.0, 500.0
FALSE_ALARM = 1e-3
SEEDS = (0, 1, 2)


def seeded(*numbers):
    return np.random.Generator(np.random.PCG64(numbers))


# ---------------------------------------------------------------------- the generator


def pinocchio_arm(given, bodies):
    """The arm with bodies of these ten numbers, which are in Pinocchio's own order, in Pinocchio."""
    model, last = pin.Model(), {"base": 0}
    model.gravity.linear = np.array(arms.GRAVITY)
    for body in given.bodies:
        place = pin.SE3(body.rotation, np.array(body.xyz))
        inertia = pin.Inertia.FromDynamicParameters(bodies[body.name])
        if body.kind == "fixed":
            model.appendBodyToJoint(last[body.parent], inertia, place)
            continue
        axis = pin.JointModelRevoluteUnaligned(*body.unit_axis)
        last[body.name] = model.addJoint(last[body.parent], axis, place, body.joint)
        model.appendBodyToJoint(last[body.name], inertia, pin.SE3.Identity())
    return model


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("held", [None, arms.LOAD_AS_IT_IS], ids=["bare", "with a load"])
def test_motors_give_what_bodies_rotors_and_friction_take(seed, held):
    given = arms.arm(seed) if held is None else arms.loaded(arms.arm(seed), held)
    true, rng = arms.drawn(given, seed, 0), seeded(seed)
    q, dq, ddq = rng.normal(size=(3, 20, len(given.joints)))
    found, drives = arms.torques(given, true, q, dq, ddq), true.drives
    model = pinocchio_arm(given, true.bodies)
    data = model.createData()
    taken = [pin.rnea(model, data, *each) for each in zip(q, dq, ddq, strict=True)]
    friction = drives.coulomb * np.sign(dq) + drives.viscous * dq + drives.offset
    assert found == pytest.approx(np.array(taken) + drives.rotor * ddq + friction, rel=1e-9, abs=1e-9)


def test_rates_and_accelerations_are_those_of_the_positions():
    at, small = np.linspace(0.0, 9.0, 50), 1e-5
    _, dq, ddq = arms.moved(arms.arm(0), at, seeded(1))
    (before, slower, _), (after, faster, _) = (arms.moved(arms.arm(0), at + s, seeded(1)) for s in (-small, small))
    assert dq == pytest.approx((after - before) / (2 * small), abs=1e-7)
    assert ddq == pytest.approx((faster - slower) / (2 * small), abs=1e-6)


def test_encoders_show_whole_steps_and_torques_the_noise_that_is_said():
    given, true = arms.arm(1), arms.drawn(arms.arm(1), 1, 0)
    rng, again = seeded(3), seeded(3)
    shown = arms.recorded(given, true, rng, SHORT_S)
    q, dq, ddq = arms.moved(given, shown.t, again)
    steps = shown.q / arms.RESOLUTION_RAD
    assert steps == pytest.approx(np.round(steps), abs=1e-6)
    assert np.abs(shown.q - q - true.zeros).max() <= 0.5001 * arms.RESOLUTION_RAD
    torque = arms.torques(given, true, q, dq, ddq)
    error = (shown.torque - torque) / (arms.TORQUE_NOISE * np.abs(torque).max(axis=0))
    low, high = chi2.ppf([FALSE_ALARM, 1.0 - FALSE_ALARM], error.size)
    assert low < (error**2).sum() < high
    assert 1.0 / np.diff(shown.t) == pytest.approx(arms.RATE_HZ)


def test_the_same_seed_gives_the_same_and_another_does_not():
    first, again, draw, arm = (recorded_arm(*which, 0.1, 100.0)[1] for which in ((0, 0), (0, 0), (0, 1), (2, 0)))
    assert first.torque.tobytes() == again.torque.tobytes()
    assert first.torque.tobytes() not in {draw.torque.tobytes(), arm.torque.tobytes()}


def test_masses_are_as_far_from_the_model_as_the_prior_says_and_every_body_can_exist():
    """Whether a body can exist hardly depends on its mass, so that those drawn again leave masses normal."""
    off, redrawn = [], 0
    for seed in range(ARMS):
        given = arms.arm(seed)
        assert len(given.joints) == 6 + seed % 2
        for draw in range(3):
            true = arms.drawn(given, seed, draw)
            redrawn += true.redrawn
            assert all(truth.body_of(ten).mass_kg > 0.0 for ten in true.bodies.values())
            off.append(arms.deviations(given, true))
            for each, (mass, *_) in zip(given.bodies, off[-1], strict=True):
                assert true.bodies[each.name][0] == pytest.approx(each.weighs.mass_kg * (1.0 + arms.SPREAD[0] * mass))
    whole = np.concatenate(off)
    low, high = chi2.ppf([FALSE_ALARM, 1.0 - FALSE_ALARM], len(whole))
    assert low < np.square(whole[:, 0]).sum() < high
    assert np.square(whole[:, 1:]).sum(axis=0).mean() < low, (
        "of bodies this far away most cannot exist: the page says so"
    )
    assert redrawn > len(whole)


def test_friction_of_drives_opposes_rates_and_holds_joints_that_stick():
    """What motors give less what a body without Coulomb friction takes, by rates at the end of each step."""
    given, step = arms.arm(0), driven_arms.STEP_S
    true = arms.drawn(given, 0, 0)
    _, q, dq, torque = driven_arms.followed(given, true, seeded(5), 0.4)
    sliding = replace(true, drives=replace(true.drives, coulomb=np.zeros(6)))
    taken = arms.torques(given, sliding, q[:-1], dq[:-1], np.diff(dq, axis=0) / step)
    friction, rate, most = torque[:-1] - taken, dq[1:], true.drives.coulomb
    assert (np.abs(friction) <= most * (1.0 + 1e-6)).all()
    moving = np.abs(rate) > 1e-6
    assert friction[moving] == pytest.approx((most * np.sign(rate))[moving], rel=1e-6)
    assert 10 < (~moving).sum() < moving.sum(), "some joint sticks for a while"


def test_the_mission_holds_robot_gravity_and_sensors_only():
    given = arms.arm(0)
    assert set(arms.mission_document(given, ROBOT_FILE)) == {"format", "mission", "robot", "sensors"}
    assert set(arms.robot_document(given)["base"]) == {"kind", "gravity_m_s2"}
    assert all("drive" not in body for body in arms.robot_document(given)["bodies"])


# ---------------------------------------------------------------------- short recordings


def test_a_short_recording_holds_clusters_friction_and_rotors():
    """Of one recording's clusters about five are independent: fewer than half inside would come once in a thousand."""
    found = tried(1, 0, SHORT_S, SLOW_HZ)
    assert found.outcome not in BAD, found.said
    assert found.coverage > 0.5, found.errors
    errors = np.concatenate([found.drives[kind] for kind in KINDS])
    assert errors.size == 4 * found.joints - 1, "all are visible but the rotor of the joint on the base"
    assert (np.abs(errors) <= HALF).mean() > 0.5, found.drives


def test_a_load_that_nobody_knows_is_found_by_recordings_with_it_and_without():
    found = weighed(0, 0, SHORT_S, SLOW_HZ)
    assert abs(found.mass_kg - arms.LOAD_AS_IT_IS.mass_kg) < 3.3 * found.sd_kg  # once in a thousand times
    assert found.sd_kg < 0.01 * found.mass_kg


def test_a_load_on_an_arm_that_is_known_is_found_by_one_recording():
    """The verb takes base and arm for known; it cannot tell an arm that is heavier than its CAD model from a load."""
    mission, recordings = with_and_without(0, 0, SHORT_S, SLOW_HZ, as_modelled=True)
    found = ff.find_target(mission, {ARMED: recordings[ARMED]}, arms.LOAD, mass_kg=3.0, size_m=0.1)
    mass = next(each for each in found.quantities if each.name == f"m_{arms.LOAD}")
    assert abs(mass.value - arms.LOAD_AS_IT_IS.mass_kg) < 3.3 * mass.sd
    assert mass.sd < 0.01 * mass.value


@pytest.mark.slow
def test_a_tenth_of_the_proof_holds():
    """Twenty recordings are too few for a bootstrap of each kind: coverage is compared by Student's interval."""
    flown = [fly(seed) for seed in range(ARMS)]
    assert not [each.tried.said for each in flown if each.tried.outcome in BAD]
    assert not [said for said in broken(flown) if "loads" in said]
    tries = [each.tried for each in flown]
    informed = [(np.abs(each.errors[~each.rested]) <= HALF).mean() for each in tries]
    kinds = {"clusters": informed, **{kind: [each.held(kind) for each in tries] for kind in KINDS}}
    for kind, held in kinds.items():
        half = t.isf(0.005 / len(kinds), len(held) - 1) * np.std(held, ddof=1) / np.sqrt(len(held))
        assert np.mean(held) + half > 0.95, (kind, held)


# ---------------------------------------------------------------------- what would be said of others


def recordings_with(width, count=100):
    """Recordings whose errors are so many times what they promise."""
    rng, made = np.random.default_rng(0), []
    for seed in range(count):
        names = tuple(map(str, range(20)))
        drives = {kind: width * rng.normal(size=6) for kind in KINDS}
        given = (width * rng.normal(size=20), np.arange(20) < 8, drives, 1, "good", (), 1.0, 3, 1.0)
        found = Weighed("arm 0", seed, arms.LOAD_AS_IT_IS.mass_kg + width * rng.normal(), 1.0, "good")
        made.append(Flown(TriedArm(f"arm {seed % ARMS}", seed % ARMS, seed // ARMS, 6, names, *given), found))
    return made


def test_honest_intervals_break_no_promise_and_narrow_ones_all():
    assert broken(recordings_with(1.0)) == ()
    said = broken(recordings_with(1.4))
    assert [each.split(" is ")[0] for each in said[:-1]] == [
        "coverage of clusters",
        "coverage of clusters that the data show",
        *(f"coverage of {kind}" for kind in KINDS),
    ]
    assert "loads are within" in said[-1]


def test_the_page_counts_what_failed_and_what_has_no_interval():
    flown = recordings_with(1.0, 3)
    none = np.zeros(0)
    refused = replace(flown[0].tried, errors=none, rested=none.astype(bool), drives={}, outcome="refused", ratio=np.nan)
    text = page([Flown(refused, None), *flown[1:]])
    assert "1 of 3 failed" in text
    assert "| arm 0 | 6 | 1 | 0 of 0 | 0 of 0 | none |" in text
    assert "Outcomes: 2 good, 1 refused." in text
    assert "nan" not in text
