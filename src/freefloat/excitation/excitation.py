"""The result of a design: a motion, what it will tell, and how far it stays from every limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from freefloat.exact_json import plain, save_json
from freefloat.excitation.collision_check import CollisionCheck
from freefloat.excitation.margin import Margin
from freefloat.excitation.sheet import FlightSheet
from freefloat.files import FilePath
from freefloat.frozen import Content
from freefloat.motion.trajectory import Trajectory

FORMAT = "freefloat/excitation@1"


@dataclass(frozen=True, slots=True)
class Prediction:
    """Of a cluster, a spring or a mode: its value in the CAD model, and the standard deviation that it will have."""

    name: str
    value: float
    sd: float

    @property
    def relative(self) -> float:
        """Standard deviation over the size of the value; infinite for a value of zero."""
        return self.sd / abs(self.value) if self.value else np.inf


@dataclass(frozen=True, slots=True)
class HowFound:
    """How the motion was found.

    values: of the goal at the end of every start, in the order of starts; not a number for those that found no motion
    within the limits or did not end; the last is that of an earlier motion, where there is one. Of the best two it is
    the value after shaking them so many times. drawn: random motions that it was selected from, none where it was
    searched for. best: number of the start that was best, or how many there were if an
    interrupted search was better. iterations, seconds: of all.
    """

    solver: str
    seed: int
    values: tuple[float, ...]
    best: int
    iterations: int
    seconds: float
    interrupted: bool = False
    shakes: int = 0
    drawn: int = 0


@dataclass(frozen=True, eq=False)
class Excitation(Content):
    """A designed motion.

    goal: its name. value: of the goal, the smaller the better. condition_number: of the model's rows.
    predictions: of every cluster, by the Cramér-Rao bound; none where there are no sensors to predict with.
    swings: of stiffness and damping of every passive joint [N m/rad, N m s/rad or N/m, N s/m], of frequency [Hz] and
        damping ratio of every mode; these are among the unknowns of `predictions` too.
    optimality: largest component of the Lagrangian's gradient over the goal's own; small at a minimum.
    sheet: what the motion does to the robot, where it was asked for. origin: where all of it came from, as plain data.
    collisions: which of them the limits rule out.
    locked: passive joints, which the search took as fixed where their springs rest, as do value, condition number
        and all margins but those of deflection and vibration.
    """

    trajectory: Trajectory
    goal: str
    value: float
    condition_number: float
    predictions: tuple[Prediction, ...]
    margins: tuple[Margin, ...]
    how: HowFound
    optimality: float
    warnings: tuple[str, ...] = ()
    origin: Mapping[str, object] = field(default_factory=dict)
    sheet: FlightSheet | None = None
    collisions: CollisionCheck = field(default_factory=CollisionCheck)
    locked: tuple[str, ...] = ()
    swings: tuple[Prediction, ...] = ()

    def __repr__(self) -> str:
        moved = f"{self.trajectory.duration_s:.4g} s of {', '.join(self.trajectory.channels)}"
        kept = self.collisions.beside("within all limits" if self.feasible else "beyond a limit")
        return f"<Excitation for {self.goal}: {moved}, {kept}, condition number {self.condition_number:.4g}>"

    @property
    def feasible(self) -> bool:
        """Whether every limit is kept."""
        return all(margin.kept for margin in self.margins)

    @property
    def tightest(self) -> Margin | None:
        """The limit that is nearest to its bound, in parts of the bound's size."""
        return min(self.margins, key=lambda margin: margin.share, default=None)

    @property
    def typical_accuracy(self) -> float:
        """Median over the clusters of standard deviation over value; not a number without predictions."""
        return typical_accuracy(self.predictions)

    def document(self) -> dict[str, Any]:
        """The excitation as plain data, exact."""
        sheet = plain(self.sheet)
        if sheet is not None:
            del sheet["margins"], sheet["collisions"]  # which are the excitation's own
        return {
            "format": FORMAT,
            "goal": self.goal,
            "value": plain(self.value),
            "condition_number": plain(self.condition_number),
            "optimality": plain(self.optimality),
            "how": plain(self.how),
            "predictions": plain(self.predictions),
            "swings": plain(self.swings),
            "margins": plain(self.margins),
            "collisions": plain(self.collisions),
            "sheet": sheet,
            "warnings": list(self.warnings),
            "locked": list(self.locked),
            "origin": plain(self.origin),
            "trajectory": self.trajectory.document(),
        }

    def save(self, path: FilePath) -> None:
        """Write an excitation file, JSON, whole or not at all; `load_excitation` reads it back."""
        save_json(path, self.document())


def typical_accuracy(predictions: Iterable[Prediction]) -> float:
    """Median of standard deviation over value, where both are there; not a number where none has both."""
    relative = [each.relative for each in predictions if np.isfinite(each.relative)]
    return float(np.median(relative)) if relative else float("nan")


def trajectory_of(motion: Trajectory | Excitation) -> Trajectory:
    """The motion itself."""
    return motion.trajectory if isinstance(motion, Excitation) else motion
