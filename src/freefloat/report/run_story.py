"""What a report tells: a run from the robot file to the prediction of unseen motion, as plain inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from freefloat.arrays import Array
from freefloat.data.recording import Recording
from freefloat.dynamics.samples import Samples
from freefloat.estimate.estimate import Estimate
from freefloat.excitation.excitation import Excitation
from freefloat.models.advice import Advice
from freefloat.robot.model import Robot
from freefloat.validation.prediction import Reading
from freefloat.validation.validation import Validation


@dataclass(frozen=True, slots=True)
class Brought:
    """A recording as it was brought.

    name: of the copy that was read. file: that it was first read from, if known. hashes: SHA-256 of all that went
    into it, by name. notes: sentences, such as what was repaired.
    """

    name: str
    file: str | None
    hashes: Mapping[str, str]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Provenance:
    """What it takes to repeat a run.

    versions, seeds, hashes (SHA-256), seconds: by name. commands: lines for a shell. notes: sentences.
    brought: recordings that were not flown on the desk.
    """

    versions: Mapping[str, str]
    seeds: Mapping[str, int] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    commands: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    brought: tuple[Brought, ...] = ()


@dataclass(frozen=True, eq=False)
class RunResult:
    """What a run found.

    name: of the mission. robot: as its file has it. excitation: the motion that was flown, with what it was to tell;
    None for recorded flights of which no design is known. validation: None where nothing unseen was predicted.
    truth: the robot that flew, where that is known: for simulated flights. advice: what the sensors can tell of this
    robot.
    """

    name: str
    robot: Robot
    excitation: Excitation | None
    estimate: Estimate
    validation: Validation | None
    truth: Robot | None
    advice: Advice | None

    @property
    def base(self) -> str:
        """Name of the base's body."""
        return self.robot.bodies[0].name

    @property
    def true_values(self) -> Array | None:
        """Of the estimate's clusters, shape (c,), where they are known and sums of standard parameters."""
        if self.truth is None or self.estimate.minimal.names != self.truth.parameter_names:
            return None
        return self.estimate.minimal.values(self.truth.parameters)


@dataclass(frozen=True, eq=False)
class RunStory(RunResult):
    """A run, told.

    recording: what the estimate was made from, the first where there are several. motion: its motion with the base's
    reaction; t, q, and of a base that moves attitude and position. residuals: of all recordings, channel by channel,
    once the estimate is held. identified: parameters of the physical robot nearest to the estimate, shape
    (10 bodies,); None where there is none.
    """

    recording: Recording
    motion: Samples
    residuals: tuple[Reading, ...]
    identified: Array | None
    provenance: Provenance
