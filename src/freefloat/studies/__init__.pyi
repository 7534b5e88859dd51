"""The public names of `freefloat.studies` and where they live."""

from .catalogue import (
    mission_names as mission_names,
    published as published,
    published_names as published_names,
    study_names as study_names,
)
from .check import Check as Check

__all__: list[str]
