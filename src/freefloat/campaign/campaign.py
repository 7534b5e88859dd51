"""A campaign as it lies in its directory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from freefloat.campaign.manifest import NAME, Manifest, load_manifest
from freefloat.campaign.parts import read_parts
from freefloat.campaign.summary import CampaignSummary, summarise
from freefloat.errors import FileError
from freefloat.files import FilePath
from freefloat.frozen import Content

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Campaign(Content):
    """Runs of a mission and what was found in them.

    table: a row for every setting, run and method, sorted by them; `parts.py` says what is in it.
    interrupted: whether it was ended before all runs that were asked for.
    """

    directory: Path
    manifest: Manifest
    table: pl.DataFrame
    interrupted: bool = False

    @property
    def runs(self) -> int:
        """Finished runs at all settings together."""
        return self.table.select("setting", "run").n_unique()

    def summary(self) -> CampaignSummary:
        """What the runs say of each method at each setting."""
        return summarise(self.manifest, self.table)


def load_campaign(directory: FilePath) -> Campaign:
    """The campaign of a directory, with the runs that are finished."""
    folder = Path(directory)
    if not (folder / NAME).is_file():
        raise FileError(folder, f"holds no campaign: there is no {NAME} in it")
    manifest = load_manifest(folder)
    return Campaign(folder, manifest, read_parts(folder, manifest.methods))
