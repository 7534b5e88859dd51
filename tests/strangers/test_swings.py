"""Panels and fuel that swing: laws of their generator, and what is found of a few flights.

`make prove` tries a hundred flights of a minute each (docs/proof/swings.md), the slow tests three.
"""

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg
from scipy.stats import chi2
from strangers import motion, swinging, truth
from strangers.flights import Flyer, flown
from strangers.robots import DEGREE
from strangers.swinging import SYSTEMS
from strangers.trying_swings import BAD, Fitted, Swung, mission_of, swung

from proof.prove_swings import DAMPING, FREQUENCY, KINDS, OVER_BOUND, broken, page, root

SHORT_S = 12.0
FALSE_ALARM = 1e-3
every_system = pytest.mark.parametrize("name", list(SYSTEMS))


def seeded(*numbers):
    return np.random.Generator(np.random.PCG64(numbers))


def drawn(name, seed=3, begins_still=False):
    """A true robot, its springs and how it begins."""
    system, rng = SYSTEMS[name], seeded(seed)
    true = truth.drawn(system.robot, rng)
    springs = swinging.drawn_springs(system, true, rng)
    return system, true, springs, swinging.world_of(system, springs, rng, begins_still)


# ---------------------------------------------------------------------- the generator


@every_system
def test_masses_and_modes_are_those_of_mujoco(name):
    """Its inertia matrix has the base's velocity in inertial axes, which at this attitude are the base's."""
    system, true, _, world = drawn(name)
    flyer = Flyer(system.robot, true, world)
    state = np.zeros(13 + 2 * flyer.swings.size)
    state[3] = 1.0
    theirs = flyer.inertia_at(state, np.zeros(len(system.robot.moving)))[np.ix_(flyer.free, flyer.free)]
    assert swinging.mass_matrix(system, true.bodies) == pytest.approx(theirs, rel=1e-9, abs=1e-9)
    K = np.diag([0.0] * 6 + [spring.stiffness for spring in world.springs.values()])
    squares = scipy.linalg.eigh(K, theirs, eigvals_only=True)[6:]
    springs = np.array([[each.stiffness, each.damping] for each in world.springs.values()]).T
    found = swinging.modes(system, true.bodies, springs)
    assert found.frequency_Hz == pytest.approx(np.sqrt(squares) / (2.0 * np.pi), rel=1e-7)


@every_system
def test_a_body_that_is_fixed_weighs_as_part_of_the_base(name):
    system, true, _, _ = drawn(name)
    parts = swinging.with_swings_fixed(system, true.bodies)
    assert set(parts) == set(true.bodies) - set(system.held)
    whole, fixed = (swinging.mass_matrix(system, bodies)[:6, :6] for bodies in (true.bodies, parts))
    assert fixed == pytest.approx(whole, rel=1e-12, abs=1e-9)


@every_system
def test_what_swings_takes_no_momentum_from_the_whole(name):
    system, true, _, world = drawn(name)
    moves, rng = motion.drawn(system.robot, seeded(4)), seeded(5)
    flight = flown(system.robot, true, moves, rng, duration_s=3.0, world=world)
    still = flown(system.robot, true, moves, seeded(5), duration_s=3.0)
    assert np.abs(flight.rate - still.rate).max() > 1e-3, "it swings"
    halved = flown(system.robot, true, moves, seeded(5), step_s=0.005, duration_s=3.0, world=world)
    gyro = system.robot.gyro
    noise = gyro.walk * DEGREE / 60.0 * np.sqrt(gyro.rate_Hz)
    assert np.abs(flight.rate - halved.rate[::2]).max() < 1e-3 * noise
    flyer = Flyer(system.robot, true, world)
    first = np.concatenate([flight.position[0], flight.quaternion[0], flight.velocity[0], flight.rate[0], *flyer.begin])
    q, dq, _ = moves.at(np.zeros(1))
    momentum = flyer.momentum_at(first, q[0], dq[0])
    assert np.abs(momentum[3:]).max() < 1e-9


def test_springs_are_as_far_off_as_missions_take_them_to_be():
    off, ratios = [], []
    for seed in range(60):
        for name, system in SYSTEMS.items():
            _, true, springs, _ = drawn(name, seed)
            for body, held in system.held.items():
                for axis, spring in zip(held.axes, springs[body], strict=True):
                    inertia = swinging.held_inertia(true.bodies[body], axis)
                    w = np.sqrt(spring.stiffness / inertia)
                    off.append((w / (2.0 * np.pi * held.frequency_Hz) - 1.0) / swinging.FREQUENCY_SPREAD)
                    ratios.append(spring.damping / (2.0 * w * inertia))
    assert np.abs(off).max() <= swinging.FARTHEST
    low, high = chi2.ppf([FALSE_ALARM, 1.0 - FALSE_ALARM], len(off))
    assert low * 0.9 < np.square(off).sum() < high  # what is farther off was drawn again
    assert (min(ratios), max(ratios)) == (pytest.approx(0.005, rel=0.1), pytest.approx(0.02, rel=0.1))


@every_system
def test_files_say_what_swings_in_short_forms_or_take_it_to_be_fixed(name):
    swings, fixed = (mission_of(name, knows).robot for knows in (True, False))
    hinges = sum(len(held.axes) for held in SYSTEMS[name].held.values())
    assert (swings.passive.size, fixed.passive.size) == (hinges, 0)
    assert sum(fixed.parameters[::10]) == pytest.approx(sum(swings.parameters[::10]))


# ---------------------------------------------------------------------- what is found


def assert_found(each):
    """Of a flight's errors about a dozen are independent: one so large comes once in thousands of flights."""
    assert each.flexible.outcome not in BAD, each.flexible.said
    assert not any("left_hinge" in said or "fuel" in said for said in each.flexible.said)
    assert each.flexible.coverage > 0.7, each.flexible.errors
    assert np.abs(each.springs).max() < 4.0, each.springs
    for off, bound in (each.frequencies, each.dampings):
        assert (np.abs(off) < 4.5 * bound).all()


def test_a_short_flight_shows_how_fuel_swings():
    assert_found(swung("tank", 1, SHORT_S))


@pytest.mark.slow
def test_a_few_flights_of_the_proof_hold():
    flights = [swung("panels", 101), swung("panels", 102), swung("tank", 103)]
    for each in flights:
        assert_found(each)
        off, bound = each.frequencies
        shown = bound < FREQUENCY / 3.0  # of a tank's two modes one shows less
        assert shown.any()
        assert (np.abs(off[shown]) < FREQUENCY).all()
        assert each.rigid.outcome != "good", "a rigid robot is no explanation"
        assert each.rigid.inertia > 5.0 * each.flexible.inertia
    assert root([each.over_bound for each in flights]) < 1.5


# ---------------------------------------------------------------------- what would be said of others


def flights_with(width, count=60):
    """Flights whose errors are so many times what they promise."""
    rng, made = np.random.default_rng(0), []
    for seed in range(count):
        fits = [
            Fitted(width * rng.normal(size=20), np.arange(20) < 8, 0.001 * scale, "good", (), 1.0, 1.0)
            for scale in (width**4, 40.0, 1.0)
        ]
        sharp = [
            np.array([width * rng.normal(size=2) * error / 3.0, [error / 3.0] * 2]) for error in (FREQUENCY, DAMPING)
        ]
        own = (width * rng.normal(size=20), width * rng.normal(size=(2, 2)), *sharp)
        made.append(tuple(Swung(name, seed, seed % 2 == 0, *fits, *own) for name in SYSTEMS))
    return made


def test_honest_intervals_break_no_promise_and_narrow_ones_all():
    assert broken(flights_with(1.0)) == ()
    said = broken(flights_with(2.0))
    assert len(said) == len(SYSTEMS) * (4 + len(KINDS))
    assert "times the bound" in said[0]
    assert root([each.over_bound for of_seed in flights_with(1.0) for each in of_seed]) < OVER_BOUND


def test_the_page_counts_what_was_refused():
    flown_ones = flights_with(1.0, 3)
    none = np.zeros(0)
    refused = Fitted(none, none.astype(bool), np.nan, "refused", ("no",), np.nan, 1.0)
    first = replace(flown_ones[0][0], flexible=refused, over_bound=none, springs=none, frequencies=none, dampings=none)
    text = page([(first, flown_ones[0][1]), *flown_ones[1:]])
    assert "panels: 1 of 3 failed" in text
    assert "2 good, 1 refused" in text
    assert "nan" not in text
