"""What a gyro shows of springs: gradients of modes are exact, and what is said to be hidden is."""

from dataclasses import replace

import numpy as np
import pytest
from random_trees import random_robot

from freefloat.dynamics.modes import system_modes
from freefloat.dynamics.swinging import springs_of
from freefloat.models.swings_shown import _clusters, _factors, _mode, swings_shown
from freefloat.robot.parts import Joint
from freefloat.robot.spring import Spring


def with_springs(robot, springs):
    """The robot with these stiffnesses and dampings, (2, passive)."""
    of, bodies = iter(np.transpose(springs)), []
    for body in robot.bodies:
        joint = body.joint
        if joint is not None and joint.passive is not None:
            joint = Joint(joint.name, joint.kind, joint.axis, passive=Spring(*map(float, next(of))))
        bodies.append(replace(body, joint=joint))
    return replace(robot, bodies=tuple(bodies))


class Gradients:
    """Takes down what it is asked about."""

    def __init__(self):
        self.asked = []

    def of(self, gradient):
        self.asked.append(gradient)
        return 1.0


@pytest.mark.parametrize(("seed", "base"), [(2, "free"), (3, "free"), (5, "planar")])
def test_modes_change_with_springs_and_clusters_as_differences_say(seed, base):
    robot = random_robot(seed, bodies=5, base=base, passive=1 + seed % 2)
    minimal = _clusters(robot, ())
    factors, springs, c = _factors(robot, minimal), springs_of(robot), len(_clusters(robot, ()))
    for number, mode in enumerate(system_modes(robot)):
        gradients = Gradients()
        _mode(robot, minimal, factors, mode, gradients)
        of_ratio, of_frequency = gradients.asked

        def logs(along, number=number):
            phi = np.array(robot.parameters)
            phi[minimal.kept] += along[:c]
            changed = with_springs(robot.with_parameters(phi), springs + along[c:].reshape(2, -1))
            found = system_modes(changed)[number]
            return np.log(found.frequency_Hz), np.log(found.damping_ratio)

        rng = np.random.default_rng(seed)
        for _ in range(4):
            along = 1e-5 * factors * rng.normal(size=factors.size)
            differences = np.subtract(logs(along), logs(-along)) / 2.0
            assert of_frequency @ (along / factors) == pytest.approx(differences[0], rel=1e-5, abs=1e-11)
            if len(robot.passive) == 1:  # of several, shapes change with the unknowns, to which damping is not blind
                assert of_ratio @ (along / factors) == pytest.approx(differences[1], rel=1e-5, abs=1e-11)


def test_the_scale_is_lost_without_anything_known_and_only_then():
    robot = random_robot(1, bodies=5, base="free", passive=2)
    alone, known = swings_shown(robot), swings_shown(robot, ("base",))
    assert alone.scale_lost
    assert "known bodies or turning wheels" in alone.sentences[-1]
    assert not known.scale_lost
    better = [more.stiffness / less.stiffness for less, more in zip(alone.springs, known.springs, strict=True)]
    assert min(better) > 1.0
    assert all("shows as frequency squared times inertia" in sentence for sentence in known.sentences[2:4])
    for mode, spring in zip(known.modes, known.springs, strict=True):
        assert mode.frequency > 10.0 * spring.stiffness


def test_what_cannot_move_the_base_does_not_show():
    """A spring so stiff that what it carries hardly gives way."""
    robot = random_robot(3, bodies=6, base="free", passive=1)
    stiff = with_springs(robot, springs_of(robot) * [[3000.0], [10.0]])
    said = swings_shown(stiff).sentences
    assert "neither its frequency nor its damping shows" in said[0]
    assert "does not show by itself" in said[1]


def test_of_nothing_that_swings_or_is_driven_nothing_is_said():
    assert swings_shown(random_robot(1, bodies=4, base="free")) is None
    assert swings_shown(random_robot(1, bodies=4, base="fixed", passive=1)) is None
    assert swings_shown(random_robot(1, bodies=3, base="free", passive=2)) is None
