"""What a CAD model says before any data: standard parameters with a spread, one body independent of another.

Mass, centre of mass and inertia about it are taken to err independently; the spread of the ten standard
parameters follows by their exact derivatives, so that an error of the mass moves first moments and inertias
along with it. The spread of clusters is that of the parameters they are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from freefloat.arrays import Array
from freefloat.errors import FreefloatError, InvalidRobot
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PER_BODY, com_of, inertia_about_com, inertia_entries
from freefloat.robot.parts import BaseKind
from freefloat.robot.selection import select_parameters

_EXACT = 1e-18  # variance of what the spread leaves as it is
_LEAST = 1e-9  # of the largest body: a body without mass still gets a spread
_TRIES = 100  # draws until one is a robot


class UnphysicalSpread(FreefloatError):
    """A spread so wide that hardly anything drawn with it is a robot."""


@dataclass(frozen=True, slots=True)
class UnknownBody:
    """A body that no CAD model speaks of, such as a target that an arm has caught: only how large it may be.

    mass_kg, size_m: standard deviations of its mass, and of its first moments and inertias by that mass at this size.
    """

    name: str
    mass_kg: float
    size_m: float

    def sd(self) -> Array:
        """Standard deviations of its ten standard parameters, shape (10,) [SI]."""
        return self.mass_kg * np.repeat([1.0, self.size_m, self.size_m**2], [1, 3, 6])


@dataclass(frozen=True, slots=True)
class CadSpread:
    """How far a CAD model is trusted, as standard deviations.

    mass: of a body's mass. com: of its centre of mass along each axis, over its radius of gyration.
    inertia: of each entry of the inertia about the centre of mass, over the mean principal moment.
    unknown: bodies of which it says nothing, whose values in the robot are no more than a first guess.
    """

    mass: float = 0.1
    com: float = 0.1
    inertia: float = 0.1
    unknown: tuple[UnknownBody, ...] = ()

    @classmethod
    def usual(cls, base: BaseKind) -> CadSpread:
        """Of a robot that floats, built with care; of one on the ground, whose files guess all but masses."""
        return cls(com=0.3, inertia=0.3) if base == "fixed" else cls()

    def with_unknown(self, body: UnknownBody) -> CadSpread:
        """The same, but that nothing is known of one body; what was said of it before is forgotten."""
        return replace(self, unknown=(*(each for each in self.unknown if each.name != body.name), body))

    def covariance(self, robot: Robot) -> Array:
        """Covariance of all standard parameters, block by block, shape (10 bodies, 10 bodies)."""
        return self.of_parameters(robot.parameters, robot.body_names)

    def of_parameters(self, values: Array, names: Sequence[str]) -> Array:
        """The same for moving bodies of these standard parameters, (10 bodies,), and names."""
        parameters = values.reshape(-1, PER_BODY)
        heaviest = max(float(parameters[:, 0].max()), 1e-300)
        covariance = np.zeros((parameters.size, parameters.size))
        for body, phi in enumerate(parameters):
            block = slice(PER_BODY * body, PER_BODY * (body + 1))
            root = self._root(phi, heaviest)
            covariance[block, block] = root @ root.T
        for open_body in self.unknown:
            place = PER_BODY * names.index(open_body.name)
            covariance[place : place + PER_BODY, place : place + PER_BODY] = np.diag(open_body.sd() ** 2)
        return covariance

    def of_clusters(self, robot: Robot, combine: Array) -> Array:
        """Covariance of sums of the standard parameters with these weights, shape (c, 10 bodies) -> (c, c)."""
        return combine @ self.covariance(robot) @ combine.T

    def drawn(self, robot: Robot, rng: np.random.Generator, settled: Iterable[str] = ()) -> Robot:
        """A robot as far from this one as the spread says, but for what is settled: selectors of parameters.

        With masses that are not negative, as `drawn_robot` has it.
        """
        return drawn_robot(robot, self.root(robot, settled), rng.standard_normal)

    def root(self, robot: Robot, settled: Iterable[str] = ()) -> Array:
        """Of the covariance, with nothing in it that is settled, shape (10 bodies, 10 bodies)."""
        root = np.linalg.cholesky(self.covariance(robot) + _EXACT * np.eye(robot.parameters.size))
        root[select_parameters(robot, tuple(settled))] = 0.0
        return np.asarray(root, float)

    def _root(self, phi: Array, heaviest: float) -> Array:
        """Derivative of one body's parameters by mass, centre and inertia, each times its spread, (10, 10)."""
        mass = max(float(phi[0]), _LEAST * heaviest)
        c, moment = com_of(phi), max(float(np.trace(inertia_about_com(phi))) / 3.0, _LEAST * mass)
        reach = np.sqrt(1.5 * moment / mass)  # radius of gyration about an axis through the centre, on average
        root = np.zeros((PER_BODY, PER_BODY))
        root[0, 0] = 1.0
        root[1:4, 0] = c
        root[4:, 0] = inertia_entries((c @ c) * np.eye(3) - np.outer(c, c))
        root[:, 0] *= self.mass * mass
        for axis in range(3):
            e = np.eye(3)[axis]
            root[1:4, 1 + axis] = mass * e
            shifted = 2.0 * c[axis] * np.eye(3) - np.outer(c, e) - np.outer(e, c)
            root[4:, 1 + axis] = mass * inertia_entries(shifted)
        root[:, 1:4] *= self.com * reach
        root[4:, 4:] = self.inertia * moment * np.eye(6)
        return root


def known_covariance(robot: Robot, known: Mapping[str, float]) -> Array:
    """Covariance of the standard parameters as far as they are known, else zero, (10 bodies, 10 bodies).

    known: relative standard deviations by selector. A body known to one is known as a CAD model of that spread is: its
    centre of mass to that part of its radius of gyration, its inertia to that part of the mean moment. A parameter
    named by itself is known to that part of its value.
    """
    size = robot.parameters.size
    covariance, given = np.zeros((size, size)), np.zeros(size, dtype=bool)
    for selector, relative in known.items():
        columns = select_parameters(robot, selector)
        columns = columns[~given[columns]]
        given[columns] = True
        block = np.diag((relative * robot.parameters[columns]) ** 2)
        if selector in robot.body_names and relative > 0.0:
            block = CadSpread(relative, relative, relative).covariance(robot)[columns[:, None], columns]
        covariance[columns[:, None], columns] = block
    return covariance


def drawn_robot(robot: Robot, root: Array, normal: Callable[[int], Array]) -> Robot:
    """A robot whose parameters are off by root xi, xi normal numbers; drawn again while it has a negative mass.

    Masses so drawn have a normal distribution that is cut off at zero, which matters where the spread is a third of
    them or more. root: shape (10 bodies, k). normal: new numbers of mean 0 and standard deviation 1 at each call, as
    many as asked for. It is called at most a hundred times.
    """
    for _ in range(_TRIES):
        try:
            return robot.with_parameters(robot.parameters + root @ normal(root.shape[1]))
        except InvalidRobot as error:
            refused = error
    raise UnphysicalSpread(f"of {_TRIES} robots drawn around the CAD model none has masses of zero or more: {refused}")
