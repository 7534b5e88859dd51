"""Can these bodies exist? Findings in words, never a refusal.

A mass distribution with no negative mass anywhere has principal inertias about its centre of mass
I1 <= I2 <= I3 with I1 > 0 and I1 + I2 > I3. Together with m > 0 this says the same as a positive definite
pseudo-inertia (see parameters.py). Where I1 + I2 = I3 the body is a sheet, a rod or a point: a limit that
no body reaches, on which methods that need a positive definite pseudo-inertia fail.

A wheel of spin inertia J about the unit vector a holds at least the second moments (J/2) (E - a a^T) about
its own centre; the base, which contains it, must hold more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from freefloat.arrays import Array
from freefloat.robot.model import Robot
from freefloat.robot.parameters import PARAMETER_NAMES, PER_BODY, inertia_about_com
from freefloat.robot.parts import Body

Fault = Literal["no mass", "inertia without mass", "inertia not positive", "triangle inequality", "no extent", "wheels"]

RELATIVE_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about a body that cannot be.

    body: its name.
    fault: which of the checks failed.
    lumped: False for the body as its source gives it, True for the moving body with all that is fixed to it.
    sentence: what is wrong, with the numbers.
    """

    body: str
    fault: Fault
    lumped: bool
    sentence: str

    def __str__(self) -> str:
        carried = " with what is fixed to it" if self.lumped else ""
        return f"body {self.body!r}{carried}: {self.sentence}"


def check_physicality(robot: Robot) -> tuple[Finding, ...]:
    """What is impossible about the bodies as given, the moving bodies made of them, and the wheels."""
    findings: list[Finding] = []
    for index, name in enumerate(robot.tree.names):
        parts = [body for body in robot.bodies if robot.tree.carried[body.name][0] == index]
        findings += _moving_body_findings(robot, name, parts, _moving_parameters(robot, index))
    return (*findings, *_wheel_findings(robot))


def _moving_parameters(robot: Robot, index: int) -> Array:
    return robot.parameters[PER_BODY * index : PER_BODY * (index + 1)]


def _moving_body_findings(robot: Robot, name: str, parts: Sequence[Body], whole: Array) -> Iterator[Finding]:
    """Findings on each body that is given, then those on the sum of them that are not the same again."""
    told = set[Fault]()
    for body in parts:
        for fault, sentence in _faults(body.parameters):
            told.add(fault)
            yield Finding(body.name, fault, False, sentence)
    lumped = len(parts) > 1
    if not whole.any() and _must_have_mass(robot, robot.body(name)):
        yield Finding(name, "no mass", lumped, "it moves, but has no mass and no inertia")
    if lumped:
        for fault, sentence in _faults(whole):
            if fault not in told:
                yield Finding(name, fault, True, sentence)


def _must_have_mass(robot: Robot, body: Body) -> bool:
    if body.joint is None:
        return robot.base != "fixed"
    # what carries a passive joint may weigh nothing: the cross of a pendulum of two axes, the motor's side of a gear
    springs = any(each.parent == body.name and each.joint and each.joint.passive for each in robot.bodies)
    return body.joint.moves and not springs


def _faults(phi: Array) -> list[tuple[Fault, str]]:
    """What is impossible about these ten parameters, the gravest only; nothing if they are all zero."""
    if phi[0] == 0.0 and phi.any():
        return [("inertia without mass", f"its mass is zero, but {_largest(phi)}")]
    return _inertia_faults(phi) if phi[0] > 0.0 else []


def _largest(phi: Array) -> str:
    index = int(abs(phi).argmax())
    return f"{PARAMETER_NAMES[index]} is {phi[index]:.4g} {'kg m' if index < 4 else 'kg m^2'}"


def _inertia_faults(phi: Array) -> list[tuple[Fault, str]]:
    principal = np.linalg.eigvalsh(inertia_about_com(phi))
    excess = float(principal[0] + principal[1] - principal[2])
    listed = f"the principal inertias about its centre of mass are {_listed(principal)} kg m^2"
    if principal[0] < -_rounding(phi):
        return [("inertia not positive", f"{listed}; all must be positive")]
    if excess < -_rounding(phi):
        return [("triangle inequality", f"{listed}; the largest exceeds the sum of the others by {-excess:.4g}")]
    if excess <= _rounding(phi):
        return [("no extent", f"{listed}, those of a sheet, a rod or a point, which no body quite is")]
    return []


def _rounding(phi: Array) -> float:
    # the inertia about the centre of mass is a small difference of numbers as large as these
    return RELATIVE_ROUNDING * float(abs(phi[4:]).max())


def _wheel_findings(robot: Robot) -> list[Finding]:
    """Whether the wheels, taken together, fit inside the base with all that is fixed to it."""
    phi = _moving_parameters(robot, 0)
    if not robot.wheels or robot.base == "fixed" or phi[0] == 0.0:
        return []
    base, wheels = _second_moments(phi), _wheels_second_moments(robot)
    left, directions = np.linalg.eigh(base - wheels)
    if left[0] >= -_rounding(phi) or np.linalg.eigvalsh(base)[0] < -_rounding(phi):
        return []  # they fit; or the base alone is impossible, which is told already
    along = directions[:, 0] * np.sign(directions[abs(directions[:, 0]).argmax(), 0])
    sentence = (
        f"its wheels do not fit inside it: along [{_listed(along)}] the second moment of its mass is "
        f"{along @ base @ along:.4g} kg m^2, and its wheels need {along @ wheels @ along:.4g}"
    )
    return [Finding(robot.tree.names[0], "wheels", _lumped_base(robot), sentence)]


def _second_moments(phi: Array) -> Array:
    """Sigma about the centre of mass, shape (3, 3) [kg m^2]."""
    inertia = inertia_about_com(phi)
    return 0.5 * np.trace(inertia) * np.eye(3) - inertia


def _wheels_second_moments(robot: Robot) -> Array:
    discs = [0.5 * wheel.spin_inertia * (np.eye(3) - np.outer(wheel.axis, wheel.axis)) for wheel in robot.wheels]
    return np.sum(discs, axis=0)


def _lumped_base(robot: Robot) -> bool:
    return sum(carrier == 0 for carrier, _ in robot.tree.carried.values()) > 1


def _listed(numbers: Iterable[float]) -> str:
    return ", ".join(f"{number + 0.0:.4g}" for number in numbers)
