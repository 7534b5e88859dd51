"""Where a recording came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from freefloat.frozen import Content, FrozenMapping


@dataclass(frozen=True, slots=True, eq=False)
class Origin(Content):
    """Where a recording came from.

    kind: simulated, or recorded: brought in from a file that does not say otherwise.
    file: the file it was first read from.
    hashes: SHA-256 of everything that went into it, by name (a file; mission, robot).
    seed, run: of the random draws of a simulation. mission: its name.
    made_by: program and version. command: the motion that was commanded, as `Trajectory.document` gives it.
    """

    kind: Literal["simulated", "recorded"] = "recorded"
    file: str | None = None
    hashes: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None
    run: int | None = None
    mission: str | None = None
    made_by: str | None = None
    command: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "hashes", FrozenMapping(dict(self.hashes)))
