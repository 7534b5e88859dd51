"""The validation file: `format: freefloat/validation@1`, JSON, with everything that a page of it draws.

Numbers are exact: what was saved comes back. JSON knows neither infinity nor "not a number": these are the texts
"inf", "-inf" and "nan", as in excitation files.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from pydantic import Field

from freefloat.arrays import Array
from freefloat.errors import FileError, FreefloatError
from freefloat.estimate.estimate_file import CauseSection
from freefloat.exact_json import Extended
from freefloat.files import FilePath, Number, Section, YamlDocument, check_format, load_yaml, validate
from freefloat.validation.checks import FitCheck
from freefloat.validation.extent import Sensitivity, Windows
from freefloat.validation.lines import Line
from freefloat.validation.prediction import PredictedMomentum, PredictedReading
from freefloat.validation.validation import FORMAT, ChannelError, Validation, Verdict

LIMIT_BYTES = 1024 * 2**20  # recordings are long


def load_validation(path: FilePath) -> Validation:
    """The validation of a validation file."""
    return _validation(load_yaml(path, LIMIT_BYTES))


# ---------------------------------------------------------------------- what the file may say


class ChannelErrorSection(Section):
    """How well a component is predicted."""

    flight: str = Field(description="name of the flight")
    channel: str = Field(description="name of the channel")
    component: str = Field(description="name of the component")
    unit: str = Field(description="a unit")
    rms: Extended = Field(description="a number")
    largest: Extended = Field(description="a number")
    noise: Extended = Field(description="a number")
    level: Extended = Field(description="a number")
    signal: Extended = Field(math.nan, description="a number")


class CheckSection(Section):
    """A test."""

    name: str = Field(description="name of the test")
    statistic: Extended = Field(description="a number")
    limit: Extended = Field(description="a number")
    meaning: str = Field(description="what the statistic is")


class LineSection(Section):
    """An oscillation."""

    flight: str = Field(description="name of the flight")
    channel: str = Field(description="name of the channel")
    component: str = Field(description="name of the component")
    frequency_Hz: Number = Field(description="a number")
    amplitude: Number = Field(description="a number")
    unit: str = Field(description="a unit")


class SensitivitySection(Section):
    """What the prediction depends on."""

    name: str = Field(description="name of the cluster")
    formula: str = Field(description="the cluster as a formula")
    value: Extended = Field(description="a number")
    change: Extended = Field(description="a number")
    by_own_sd: Extended = Field(description="a number")
    share: Extended = Field(description="a number")
    unit: str = Field(description="a unit")


class WindowsSection(Section):
    """What growing windows say."""

    names: list[str] = Field(description="names of the clusters")
    ends_s: list[Number] = Field(description="a number for each window")
    shift: list[list[Extended]] = Field(description="a row of numbers for each window")
    sd: list[list[Extended]] = Field(description="a row of numbers for each window")


class ReadingSection(Section):
    """A channel of a flight."""

    flight: str = Field(description="name of the flight")
    channel: str = Field(description="name of the channel")
    components: list[str] = Field(description="names of the components")
    unit: str = Field(description="a unit")
    t: list[Number] = Field(description="times")
    measured: list[list[Extended]] = Field(description="a row of numbers for each time")
    residual: list[list[Extended]] = Field(description="a row of numbers for each time")
    noise: list[Extended] = Field(description="a number for each component")
    signal: list[Extended] | None = Field(None, description="a number for each component")


class PredictedMomentumSection(Section):
    """Residual of a momentum balance."""

    flight: str = Field(description="name of the flight")
    t: list[Number] = Field(description="times")
    residual: list[list[Extended]] = Field(description="three numbers for each time")
    noise: list[Extended] = Field(description="three numbers")


class ValidationSection(Section):
    """A validation file."""

    format: Literal["freefloat/validation@1"] = Field(description=FORMAT)
    verdict: Verdict = Field(description="pass, doubtful or fail")
    reasons: list[str] = Field(description="a list of sentences", min_length=1)
    channels: list[ChannelErrorSection] = Field(description="a list of components")
    checks: list[CheckSection] = Field(description="a list of tests")
    causes: list[CauseSection] = Field(description="a list of mistakes")
    lines: list[LineSection] = Field(description="a list of oscillations")
    sensitivities: list[SensitivitySection] = Field(description="a list of clusters")
    windows: WindowsSection = Field(description="names, ends_s, shift, sd")
    readings: list[ReadingSection] = Field(description="a list of channels")
    momentum: list[PredictedMomentumSection] = Field(description="a list of flights")
    turned_away_rad: Number | None = None
    duration_s: Number = Field(description="a number")
    false_alarm: Number = Field(description="a number")
    notes: list[str] = Field(default_factory=list)
    origin: dict[str, Any] = Field(default_factory=dict)


# ---------------------------------------------------------------------- from the file to the validation


def _validation(document: YamlDocument) -> Validation:
    check_format(document, "validation")
    section = validate(ValidationSection, document)
    try:
        return Validation(
            verdict=section.verdict,
            reasons=tuple(section.reasons),
            channels=tuple(ChannelError(**each.model_dump()) for each in section.channels),
            checks=tuple(FitCheck(**each.model_dump()) for each in section.checks),
            causes=tuple(each.made() for each in section.causes),
            lines=tuple(Line(**each.model_dump()) for each in section.lines),
            sensitivities=tuple(Sensitivity(**each.model_dump()) for each in section.sensitivities),
            windows=_windows(section.windows),
            readings=tuple(_reading(each) for each in section.readings),
            momentum=tuple(_momentum(each) for each in section.momentum),
            turned_away_rad=section.turned_away_rad,
            duration_s=section.duration_s,
            false_alarm=section.false_alarm,
            notes=tuple(section.notes),
            origin=section.origin,
        )
    except FreefloatError as error:
        raise FileError(document.path, str(error)) from error


class _Unfit(FreefloatError):
    """Parts of a validation that do not fit together."""


def _windows(section: WindowsSection) -> Windows:
    count, width = len(section.ends_s), len(section.names)
    shift, sd = (_table(name, getattr(section, name), count, width) for name in ("shift", "sd"))
    return Windows(tuple(section.names), np.array(section.ends_s, float), shift, sd)


def _reading(section: ReadingSection) -> PredictedReading:
    count, width, t = len(section.t), len(section.components), np.array(section.t, float)
    measured, residual = (_table(name, getattr(section, name), count, width) for name in ("measured", "residual"))
    noise = _table("noise", [section.noise], 1, width)[0]
    signal = None if section.signal is None else _table("signal", [section.signal], 1, width)[0]
    names, unit = tuple(section.components), section.unit
    return PredictedReading(section.flight, section.channel, names, unit, t, residual, noise, measured, signal=signal)


def _momentum(section: PredictedMomentumSection) -> PredictedMomentum:
    residual, noise = _table("residual", section.residual, len(section.t), 3), _table("noise", [section.noise], 1, 3)
    return PredictedMomentum(section.flight, np.array(section.t, float), residual, noise[0])


def _table(name: str, rows: Sequence[Sequence[float]], count: int, width: int) -> Array:
    """Rows of numbers as an array of this shape."""
    if len(rows) != count or any(len(row) != width for row in rows):
        raise _Unfit(f"{name} has {len(rows)} rows, not all of {width} numbers; allowed: {count} of {width}")
    return np.array(rows, float).reshape(count, width)
