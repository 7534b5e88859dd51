"""Panels that no file has swing at the lines that MuJoCo's mass matrix says, and the package finds them."""

import numpy as np
import pytest
from strangers import motion
from strangers.flights import flown
from strangers.hidden_panels import SERVICER, Line, hidden
from strangers.robots import turned
from strangers.trying_panels import Found, TriedPanels, angle, mean_lines, tried

from proof.prove_discovery import broken, page


def test_the_servicer_is_that_of_its_file():
    """Where its load is, and how heavy all is, from the numbers that `freefloat inspect` prints."""
    robot = SERVICER
    place, turn = np.zeros(3), np.eye(3)
    for body in robot.bodies:  # a chain
        place, turn = place + turn @ np.array(body.xyz), turn @ turned(*body.rpy_deg)
    assert place == pytest.approx([0.15, 0.1, 0.5 + 0.2 + 0.4 + 0.39 + 0.36])
    assert robot.base.mass_kg + sum(body.weighs.mass_kg for body in robot.bodies) == pytest.approx(238.3)
    assert np.diag(robot.base.inertia) == pytest.approx([27.33, 16.67, 22.67])


def test_a_panel_that_is_let_go_swings_at_its_line():
    rng = np.random.default_rng(3)
    there = hidden(1, 20.0, rng)
    moves = motion.drawn(there.robot, rng)
    free, held = (
        flown(there.robot, there.true, moves, np.random.default_rng(1), step_s=0.02, duration_s=20.0, **how)
        for how in ({"world": there.world}, {})
    )
    apart = free.rate - held.rate
    power = (np.abs(np.fft.rfft(apart * np.hanning(len(apart))[:, None], axis=0)) ** 2).sum(axis=1)
    [line] = mean_lines(there, moves)
    assert np.fft.rfftfreq(len(apart), 0.02)[np.argmax(power)] == pytest.approx(line.frequency_Hz, abs=0.06)


def judged(lines, found, worth=1e3, said=()):
    return TriedPanels(0, lines, (worth,) * len(lines), found, said, "good", 1.0, 1.0)


def test_what_is_right_and_what_is_not():
    x, y = np.eye(3)[:2]
    one, two = Line(0.5, 0.01, x), Line(0.9, 0.01, y)
    near, far, turned_away = Found(0.51, 0.02, -x), Found(0.52, 0.01, x), Found(0.5, 0.01, y)
    assert judged((one,), (near,)).right
    assert not judged((one,), (far,)).right
    assert not judged((one,), (turned_away,)).right
    assert not judged((one, two), (near,)).right
    assert judged((one,), (), worth=10.0).right
    assert not judged((), (near,)).right
    assert judged((), (), said=("the gyro shows an oscillation",)).claimed
    assert angle(x, -x) == pytest.approx(0.0, abs=1e-6)
    several = [judged((one,), (near,)), judged((one,), (far,)), judged((), (near,))]
    assert len(broken(several)) == 2
    assert "| 1 panel | 1 of 2 |" in page(several)


@pytest.mark.slow
def test_a_hidden_panel_is_found():
    """The servicer of a seed with one panel; the proof has many."""
    assert tried(0).right
