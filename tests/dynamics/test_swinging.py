"""Passive joints along a motion of the others, on random trees: against flights of the simulation, and in themselves.

The simulation integrates the whole robot by another formula, attitude included, and shares no code of the law with what
is tried here.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from random_trees import random_robot
from simulation.swinging_robots import slow

from freefloat.dynamics.energy import kinetic_energy_regressor
from freefloat.dynamics.reaction import NotPossible
from freefloat.dynamics.samples import Samples
from freefloat.dynamics.swinging import Around, CannotSwing, Direct, EvenSteps, Swing, fastest_swing, springs_of
from freefloat.motion.combined import Combined
from freefloat.motion.fourier import Fourier
from freefloat.robot.rotations import rotations
from freefloat.simulation.simulate import Disturbance, Start, simulate_motion

LASTS_S = 3.0
WEIGHTS = np.array([1.0, 5.0, 5.0, 1.0]) / 12.0  # of Lobatto's formula, over a step


@dataclass(frozen=True)
class Case:
    """A random tree, how its driven joints and wheels move, and what it has at first.

    momentum: total, axes of the first instant. torque: from outside, the same axes. start: of passive joints.
    """

    robot: object
    motion: object
    momentum: np.ndarray
    torque: np.ndarray
    start: np.ndarray

    @classmethod
    def of(cls, seed, base="free", passive=2, wheels=0, turns=False, still=False):
        robot = random_robot(
            seed, bodies=passive + 3, base=base, wheels=wheels, prismatic=bool(seed % 2), passive=passive
        )
        rng = np.random.default_rng([seed, 43])
        motion = slow(robot, LASTS_S, seed, 0.0 if still else 0.3)
        if wheels:
            names = tuple(wheel.name for wheel in robot.wheels)
            size = 0.0 if still else [0.3 / wheel.spin_inertia for wheel in robot.wheels]
            motion = Combined((motion, Fourier(names, size * rng.normal(size=(4, wheels)), LASTS_S)))
        axes = turns * np.array([0.0, 0.0, 1.0] if base == "planar" else [1.0, 1.0, 1.0])
        start = 0.05 * rng.normal(size=(2, passive))
        return cls(robot, motion, axes * rng.normal(size=3), 0.1 * axes * rng.normal(size=3), start)

    def steps(self, finer=1):
        usual = EvenSteps.over(self.robot, 0.0, LASTS_S, 0.1)
        return EvenSteps(0.0, usual.length / finer, usual.count * finer)

    def around(self, t):
        moved, robot = self.motion.samples(self.robot, np.clip(t, 0.0, LASTS_S)), self.robot
        spin = spin_rate = np.zeros((t.size, 3))
        if robot.wheels:
            rates = moved.wheel_rates, moved.wheel_accelerations
            spin, spin_rate = ((each * robot.wheel_inertias) @ robot.wheel_axes for each in rates)
        H = self.momentum + (t - t[0])[:, None] * self.torque
        return Around(moved.q, moved.dq, moved.ddq, spin, spin_rate, H, self.torque + np.zeros((t.size, 3)))

    def swing(self, steps, guess=None, **changed):
        given = {"phi": self.robot.parameters, "springs": springs_of(self.robot), "start": self.start}
        given |= {"around": self.around(steps.t)} | changed
        return Swing.of(self.robot, given["phi"], given["springs"], steps, given["around"], given["start"], guess)

    def flown(self, t):
        """The same by the simulation in steps that are a small part of any other here, base axes turned at first."""
        turn = np.array([0.0, 0.0, 0.6, 0.8] if self.robot.base == "planar" else [0.1, -0.5, 0.7, 0.5])
        turn /= np.linalg.norm(turn)
        R = rotations(turn[None])[0]
        start = Start(attitude=turn, angular_momentum=self.momentum, swing=self.start)
        pushed = Disturbance(torque_Nm=R @ self.torque)
        flown = simulate_motion(self.robot, self.motion, t, start, "held", None, (), pushed, step_s=2e-3)
        return flown, R.T @ rotations(flown.attitude)


CASES = {
    "one, free": {"seed": 0, "passive": 1},
    "two that may slide": {"seed": 1, "passive": 2},
    "three, wheels": {"seed": 2, "passive": 3, "wheels": 2},
    "two, wheels, momentum": {"seed": 3, "passive": 2, "wheels": 2, "turns": True},
    "three, momentum": {"seed": 4, "passive": 3, "turns": True},
    "one, planar": {"seed": 5, "passive": 1, "base": "planar"},
    "three, planar, a wheel, momentum": {"seed": 7, "passive": 3, "base": "planar", "wheels": 1, "turns": True},
}


# ---------------------------------------------------------------------- the motion


@pytest.mark.parametrize("name", CASES)
def test_passive_joints_swing_as_the_simulation_has_them(name):
    """In steps of a twentieth of the fastest period to some 1e-8 rad, and 64 times nearer in halves of them."""
    case, errors = Case.of(**CASES[name]), []
    passive, usual = case.robot.passive, case.steps()
    flown, turned = case.flown(usual.t[::3])
    exact = flown.q[:, passive], flown.dq[:, passive], flown.w, flown.ddq[:, passive]
    for finer in (1, 2):
        swing = case.swing(case.steps(finer))
        found = swing.position, swing.rate, swing.law.w, swing.law.acceleration
        errors.append([np.abs(a[:: 3 * finer] - b).max() for a, b in zip(found, exact, strict=True)])
        if swing.around.turns:
            assert np.abs(swing.R[:: 3 * finer] - turned).max() < 1e-7 / finer**3.5  # attitudes are of order four
    assert np.ptp(exact[0], axis=0).min() > 0.01
    assert (np.array(errors[0]) < [3e-8, 2e-7, 3e-8, 2e-6]).all(), errors
    assert (np.log2(np.divide(errors[0][:2], errors[1][:2])) > 5.7).all(), errors


@pytest.mark.parametrize("name", CASES)
def test_between_places_the_motion_goes_on(name):
    """Positions and rates between places are of order five: what polynomials of a step leave."""
    case, t, errors = Case.of(**CASES[name]), np.linspace(0.0, LASTS_S, 301), []
    passive = case.robot.passive
    flown, _ = case.flown(t)
    for finer in (1, 2):
        found = case.swing(case.steps(finer)).at(t)
        pairs = zip(found, (flown.q, flown.dq, flown.ddq), strict=True)
        errors.append([np.abs(mine - theirs[:, passive]).max() for mine, theirs in pairs])
    assert (np.array(errors[0]) < [2e-7, 1e-6, 1e-4]).all(), errors
    assert (np.log2(np.divide(*errors)) > [4.5, 4.5, 3.5]).all(), errors


@pytest.mark.parametrize("name", CASES)
def test_rates_of_the_base_are_the_integrals_of_its_accelerations(name):
    """Momentum gives the ones, the balance of forces the others: they belong together where momentum is conserved."""
    case = Case.of(**CASES[name])
    swing = case.swing(case.steps())
    inner = np.arange(swing.steps.count)[:, None] * 3 + np.arange(4)
    risen = swing.steps.length * np.einsum("j,kji->ki", WEIGHTS, swing.law.base[:, 3:][inner])
    np.testing.assert_allclose(risen, np.diff(swing.law.w[::3], axis=0), atol=1e-7)
    assert np.ptp(swing.law.w, axis=0).max() > 5e-3


@pytest.mark.parametrize("name", ["one, free", "three, wheels", "three, momentum", "one, planar"])
def test_energy_is_lost_to_dampers_and_nowhere_else(name):
    """Of springs that swing from their start while driven joints are held."""
    case = Case.of(**CASES[name], still=True)
    case = replace(case, torque=np.zeros(3))
    swing, robot = case.swing(case.steps(2)), case.robot
    stiffness, damping = springs_of(robot)
    moves = {"q": swing.q, "dq": swing.dq, "v": swing.law.v, "w": swing.law.w}
    ends = Samples(**{name: each[[0, -1]] for name, each in moves.items()})
    moving = kinetic_energy_regressor(robot, ends) @ robot.parameters
    energy = moving + 0.5 * swing.position[[0, -1]] ** 2 @ stiffness
    inner = np.arange(swing.steps.count)[:, None] * 3 + np.arange(4)
    lost = swing.steps.length * ((swing.rate**2 @ damping)[inner] @ WEIGHTS).sum()
    assert lost > 1e-3 * energy[0] * (1.0 - case.momentum.any())
    assert energy[1] - energy[0] + lost == pytest.approx(0.0, abs=1e-7 * energy[0])


def test_a_guess_changes_nothing_but_the_way():
    case = Case.of(**CASES["three, momentum"])
    steps = case.steps()
    first = case.swing(steps)
    other = {"phi": 1.03 * case.robot.parameters, "springs": 0.9 * springs_of(case.robot)}
    alone, led = case.swing(steps, **other), case.swing(steps, first, **other)
    assert np.abs(alone.position - first.position).max() > 1e-3
    np.testing.assert_allclose(led.position, alone.position, atol=1e-10)
    np.testing.assert_allclose(led.R, alone.R, atol=1e-10)


# ---------------------------------------------------------------------- derivatives


def unknowns_of(case, swing):
    """All kinds of unknowns: how each changes the swing, how far to step, what it does at every place and at first."""
    robot, around, since = case.robot, swing.around, (swing.steps.t - swing.steps.start)[:, None, None]
    rng, phi, springs = np.random.default_rng(3), robot.parameters, springs_of(robot)
    columns, (m, p) = np.arange(phi.size), swing.position.shape
    every = swing.by_parameters(columns, np.ones(phi.size, dtype=bool))
    none, at_rest = Direct(np.zeros((m, p, 1)), np.zeros((m, 3, 1))), np.zeros((2, p))
    for body in range(len(robot.bodies)):
        way = np.zeros(phi.size)
        own = slice(10 * body, 10 * body + 10)
        way[own] = (0.1 + np.abs(phi[own])) * rng.normal(size=10)
        does = Direct(every.force @ way[:, None], every.rate @ way[:, None])
        yield f"body {body}", {"phi": lambda by, way=way: phi + by * way}, 1e-5, does, at_rest
    for k in range(springs.size):
        way = np.zeros(springs.size)
        way[k] = springs.reshape(-1)[k]
        does = Direct(swing.by_springs.force @ way[:, None], none.rate)
        changed = {"springs": lambda by, way=way: springs + by * way.reshape(2, -1)}
        yield f"spring {k}", changed, 2e-4, does, at_rest
    by_q, by_dq, by_ddq = swing.by_joints
    for joint in robot.driven.tolist():
        own, here = slice(joint, joint + 1), np.eye(len(robot.joints))[joint]

        def moved(by, here=here):
            return replace(around, q=around.q + by * here)

        def scaled(by, here=here):
            q, dq, ddq = (each * (1.0 + by * here) for each in (around.q, around.dq, around.ddq))
            return replace(around, q=q, dq=dq, ddq=ddq)

        does = Direct(by_q.force[:, :, own], by_q.rate[:, :, own])
        yield f"zero {joint}", {"around": moved}, 1e-4, does, at_rest
        q, dq, ddq = (each[:, None, own] for each in (around.q, around.dq, around.ddq))
        force = by_q.force[:, :, own] * q + by_dq.force[:, :, own] * dq + by_ddq.force[:, :, own] * ddq
        does = Direct(force, by_q.rate[:, :, own] * q + by_dq.rate[:, :, own] * dq)
        yield f"scale {joint}", {"around": scaled}, 1e-3, does, at_rest
    for axis in ([2] if robot.base == "planar" else [0, 1, 2]) if around.turns else []:
        own, here = slice(axis, axis + 1), np.eye(3)[axis]

        def turned(by, here=here):
            return replace(around, momentum=around.momentum + by * here)

        def pushed(by, here=here):
            momentum = around.momentum + by * since[:, :, 0] * here
            return replace(around, momentum=momentum, torque=around.torque + by * here)

        given, twisted = swing.by_momentum, swing.by_torque
        does = Direct(given.force[:, :, own], given.rate[:, :, own])
        yield f"momentum {axis}", {"around": turned}, 1e-3, does, at_rest
        force = (since * given.force + twisted.force)[:, :, own]
        yield f"torque {axis}", {"around": pushed}, 1e-3, Direct(force, (since * given.rate)[:, :, own]), at_rest
    for k in range(2 * p):
        first = np.eye(2 * p)[k].reshape(2, p)
        yield f"start {k}", {"start": lambda by, first=first: case.start + by * first}, 1e-4, none, first


def between(changed, t):
    """Changes of positions and rates at times t, (n, passive, k) each."""
    _, passive, k = changed.position.shape
    both = np.zeros((t.size, 2 * passive, k))
    changed.add_to(both, np.broadcast_to(np.eye(2 * passive), (t.size, 2 * passive, 2 * passive)), t)
    return both[:, :passive], both[:, passive:]


@pytest.mark.parametrize("name", CASES)
def test_every_derivative_is_that_of_the_swing(name):
    """By a random change of each body, and by every other unknown, at all places and between them."""
    case = Case.of(**CASES[name])
    steps = case.steps(2 if CASES[name].get("turns") else 1)  # attitudes are of order four only, their changes of six
    swing, t = case.swing(steps), np.linspace(0.1, LASTS_S, 40)
    names, changes, sizes, direct, first = zip(*unknowns_of(case, swing), strict=True)
    whole = Direct(*(np.concatenate([getattr(each, part) for each in direct], axis=2) for part in ("force", "rate")))
    changed = swing.derivative(whole, np.stack(first, axis=2))
    found = changed.position, changed.rate, changed.acceleration, *between(changed, t)
    for index, (change, by) in enumerate(zip(changes, sizes, strict=True)):
        ends = []
        for sign in (1.0, -1.0):
            at = case.swing(steps, swing, **{what: value(sign * by) for what, value in change.items()})
            ends.append((at.position, at.rate, at.law.acceleration, *at.at(t)[:2]))
        for exact, ahead, behind in zip(found, *ends, strict=True):
            column, size = (ahead - behind) / (2.0 * by), np.abs(exact[..., index]).max()
            np.testing.assert_allclose(exact[..., index], column, 0.0, 1e-5 * size + 1e-10 / by, err_msg=names[index])
        assert np.abs(found[0][..., index]).max() > 1e-6, names[index]


def test_accelerations_are_pulled_as_they_change():
    """What one instant does to accelerations, by finite differences of the law at places, where nothing is between."""
    case = Case.of(**CASES["two, wheels, momentum"])
    swing = case.swing(case.steps())
    robot, around, by = case.robot, swing.around, 1e-6
    pulled = swing.pulled(swing.steps.t)

    def change(make):
        return (make(by).law.acceleration - make(-by).law.acceleration) / (2.0 * by)

    for k in range(robot.passive.size):
        here = np.eye(robot.passive.size)[k]
        found = change(lambda by, here=here: replace(swing, position=swing.position + by * here))
        np.testing.assert_allclose(pulled.position[:, :, k], found, rtol=1e-6, atol=1e-6)
        found = change(lambda by, here=here: replace(swing, rate=swing.rate + by * here))
        np.testing.assert_allclose(pulled.rate[:, :, k], found, rtol=1e-6, atol=1e-6)
    for joint in robot.driven.tolist():
        for name, exact in zip(("q", "dq", "ddq"), pulled.by_joints, strict=True):
            here = np.eye(len(robot.joints))[joint]
            found = change(
                lambda by, here=here, name=name: replace(
                    swing, around=replace(around, **{name: getattr(around, name) + by * here})
                )
            )
            np.testing.assert_allclose(exact[:, :, joint], found, rtol=1e-6, atol=1e-6)
    for axis in range(3):
        turn = np.cross(np.eye(3), np.eye(3)[axis])  # the matrix that multiplies by a unit vector from the left
        found = change(lambda by, turn=turn: replace(swing, R=swing.R @ (np.eye(3) + by * turn)))
        np.testing.assert_allclose(pulled.turn[:, :, axis], found, rtol=1e-6, atol=1e-6)


# ---------------------------------------------------------------------- what is refused


def test_springs_that_ask_for_too_many_steps_are_refused():
    robot = Case.of(0, passive=1).robot
    assert 0.1 < fastest_swing(robot) < 10.0
    with pytest.raises(
        CannotSwing, match=r"asks for .* steps over 1e\+06 s; allowed: at most 200000; springs as stiff"
    ):
        EvenSteps.over(robot, 0.0, 1e6, 0.1)


def test_a_motion_without_bound_is_refused():
    case = Case.of(0, passive=1)
    with pytest.raises(NotPossible, match=r"swing without bound|no motion"):
        case.swing(case.steps(), springs=np.array([[-1e4], [0.0]]))
