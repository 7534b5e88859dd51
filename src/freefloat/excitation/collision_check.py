"""Which collisions the limits of a motion rule out, in words that stand beside every go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Extent = Literal["unknown", "none", "named", "shaped", "all"]


@dataclass(frozen=True, slots=True)
class CollisionCheck:
    """Bodies that the limits of a motion keep apart, and those that they do not.

    extent: none where no clearance was asked for; named where pairs of bodies with shapes were left out; shaped where
        only bodies without shapes were; all where every two bodies are kept apart that are no neighbours; unknown of
        designs whose files do not say.
    pairs: bodies that are kept apart. without_shape: bodies that could not be.
    """

    extent: Extent = "unknown"
    pairs: tuple[tuple[str, str], ...] = ()
    without_shape: tuple[str, ...] = ()

    @property
    def doubt(self) -> str:
        """What must be said beside a go; nothing where all collisions were checked."""
        words = {
            "unknown": "collisions perhaps not checked",
            "none": "collisions not checked",
            "named": "collisions not all checked",
            "shaped": "collisions not all checked",
        }
        return words.get(self.extent, "")

    def beside(self, verdict: str) -> str:
        """A verdict with the doubt after it."""
        return f"{verdict}, {self.doubt}" if self.doubt else verdict

    @property
    def in_words(self) -> str:
        """What was checked and what was not, as the end of a sentence about collisions."""
        if self.extent == "all":
            return "checked between all bodies that are no neighbours"
        if self.extent == "shaped":
            return f"not checked for {', '.join(self.without_shape)}: no shape"
        if self.extent == "named":
            return f"checked only between {', '.join(f'{a} and {b}' for a, b in self.pairs)}"
        if self.extent == "none":
            return "not checked: no clearance between bodies is asked for (excitation.limits.clearance_m)"
        return "not known to be checked: the file of the design does not say"
