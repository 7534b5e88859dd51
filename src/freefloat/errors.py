"""Everything that can go wrong, each with the sentence a user needs.

FreefloatError
├── FileError        a file cannot be read or written, or what it says is not allowed
│   └── WrongFormat  a file of another kind than the one that is wanted
├── InvalidRobot     the parts given do not make a robot (a reader adds the file's name)
├── UnknownName      a body, joint, wheel or point that this robot does not have
├── BadResult        all that was asked for was done, and nothing good came of it
├── ShapeError       an array of the wrong shape, or one that a computation needs and nobody gave
└── further ones, each beside what raises it: NotApplicable, UnclearRank and TooManyClusters (models),
    UnknownModel, MassNotVisible, UnreadableFormula, UnknownStudy, InvalidTrajectory, NotDriven, InvalidRecording,
    CannotFly, CannotProcess, InvalidProblem, UnknownMethod, NotPossible, NotSolved, CasadiMissing, JinjaMissing,
    InvalidMission, InvalidPlan, Infeasible (designs), InvalidSweep, InvalidValidation

The command line prints the sentence and exits with code 2, of a BadResult with 1; it never shows a traceback for these.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike


class FreefloatError(Exception):
    """Base of all errors that freefloat raises on purpose."""


class FileError(FreefloatError):
    """A file is missing, unreadable, of the wrong kind, or holds something that is not allowed."""

    def __init__(self, path: str | PathLike[str], problem: str) -> None:
        self.path, self.problem = path, problem
        name = " ".join(str(path).splitlines())  # one sentence stays one line, whatever a file is called
        super().__init__(f"{name}: {problem}")


class WrongFormat(FileError):
    """A file of another kind than the one that is wanted. found: which, such as `mission`, `recording` or `URDF`."""

    def __init__(self, path: str | PathLike[str], problem: str, found: str) -> None:
        self.found = found
        super().__init__(path, problem)


class InvalidRobot(FreefloatError):
    """Bodies, joints or numbers that do not make a robot."""

    def __init__(self, where: str, problem: str) -> None:
        self.where, self.problem = where, problem
        super().__init__(f"{where}: {problem}")


class UnknownName(FreefloatError):
    """A name that the robot does not have; the sentence lists those it has."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        listed = ", ".join(self.known) or "none"
        super().__init__(f"no {kind} named {name!r}; this robot has: {listed}")


class BadResult(FreefloatError):
    """Nothing is wrong with what was given, and yet nothing good came of it."""


class ShapeError(FreefloatError):
    """An array does not fit the robot, or one that is needed was not given."""


def is_interrupt(error: BaseException | None) -> bool:
    """Whether an error is an interrupt, or what a compiled function makes of one that falls into it."""
    return isinstance(error, KeyboardInterrupt) or (isinstance(error, SystemError) and is_interrupt(error.__cause__))
