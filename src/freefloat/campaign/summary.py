"""What the runs of a campaign say: how far estimates are from the truth, and whether their intervals admit it.

Errors of a cluster are relative: over the size of its true value, or over the CAD model's standard deviation of it
where that is larger, since per cent of next to nothing say nothing. Intervals of shares are those of C. J. Clopper,
E. S. Pearson (Biometrika 26, 1934). The efficiency is the root mean square of errors over the standard deviation by
Cramér and Rao: one is as good as can be; less than one is luck, a bias, or a CAD model that was exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, norm

from freefloat.arrays import Array
from freefloat.campaign.manifest import CadChoice, ClustersSection, Manifest, SettingSection
from freefloat.frozen import Content

if TYPE_CHECKING:
    import polars as pl

CONFIDENCE = 0.95
_POINTS = 60  # of a curve of convergence


@dataclass(frozen=True, slots=True)
class Share:
    """A part of the runs. low, high: ends of its 95 % interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, count: int, total: int) -> Share:
        """So many of all."""
        half = (1.0 - CONFIDENCE) / 2.0
        low = float(beta.ppf(half, count, total - count + 1)) if count else 0.0
        high = float(beta.isf(half, count + 1, total - count)) if count < total else 1.0
        return cls(count / total if total else np.nan, low, high)


@dataclass(frozen=True, slots=True)
class ClusterSummary:
    """One cluster over all runs [SI, errors and spreads as well].

    bias: mean less truth. spread: standard deviation over the runs. rms: root mean square of errors.
    relative: rms over the unit of errors. coverage: runs whose 95 % interval holds the truth, of those that have one.
    open: runs whose interval holds everything, because the data say nothing; they count as covered.
    bound: standard deviation by Cramér and Rao. efficiency: rms over it; not a number without.
    """

    name: str
    truth: float
    unit: float
    mean: float
    bias: float
    spread: float
    rms: float
    relative: float
    coverage: Share
    open: int
    bound: float
    efficiency: float


@dataclass(frozen=True, slots=True, eq=False)
class MethodSummary:
    """A method at a setting, over the n runs that gave numbers.

    model: whose clusters these are. outcomes: runs by outcome; error: without an estimate.
    errors: relative, shape (n, c). best_run: the one with the smallest mean size of errors, `best_error`.
    largest: the largest relative error of each run, shape (n,). worst: in how many runs each cluster has it.
    counts, mean_error, spread_error: after so many runs, (k,), the mean and the standard deviation of errors so far,
    (k, c). residual_ratio: mean.
    """

    method: str
    model: str
    outcomes: Mapping[str, int]
    clusters: tuple[ClusterSummary, ...]
    errors: Array
    best_run: int | None
    best_error: float
    largest: Array
    worst: Mapping[str, int]
    counts: NDArray[np.int64]
    mean_error: Array
    spread_error: Array
    residual_ratio: float

    @property
    def runs(self) -> int:
        """All of them."""
        return sum(self.outcomes.values())

    @property
    def coverage(self) -> float:
        """Mean over the clusters."""
        return _mean([cluster.coverage.value for cluster in self.clusters])

    @property
    def median_relative(self) -> float:
        """Median over the clusters of the relative root mean square."""
        values = [cluster.relative for cluster in self.clusters]
        return float(np.median(values)) if values else np.nan

    @property
    def efficiency(self) -> float:
        """Root mean square over the clusters that have a bound."""
        return float(np.sqrt(_mean([cluster.efficiency**2 for cluster in self.clusters])))

    def share(self, outcome: str) -> Share:
        """The runs with this outcome."""
        return Share.of(self.outcomes.get(outcome, 0), self.runs)


@dataclass(frozen=True, slots=True, eq=False)
class SettingSummary:
    """All methods at a setting; `compared`: by clusters that all of them have, if their own differ."""

    values: Mapping[str, float]
    methods: tuple[MethodSummary, ...]
    compared: tuple[MethodSummary, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CampaignSummary(Content):
    """A campaign in numbers. cad: the robot that the estimators were given, drawn for every run or exact."""

    name: str
    cad: CadChoice
    seed: int
    settings: tuple[SettingSummary, ...]


def summarise(manifest: Manifest, table: pl.DataFrame) -> CampaignSummary:
    """The summary of all finished runs. table: a row for every setting, run and method (`parts.py`)."""
    settings = tuple(
        _setting(section, manifest.methods, table.filter(setting=number))
        for number, section in enumerate(manifest.settings)
    )
    return CampaignSummary(manifest.name, manifest.cad, manifest.seed, settings)


def _setting(section: SettingSection, methods: list[str], table: pl.DataFrame) -> SettingSummary:
    own, compared = list[MethodSummary](), list[MethodSummary]()
    for method in methods:
        rows = table.filter(method=method)
        own.append(_method(method, section.methods[method], rows, "value", "sd"))
        if section.compared is not None:
            compared.append(_method(method, section.compared, rows, "compared", "compared_sd"))
    return SettingSummary(section.values, tuple(own), tuple(compared))


def _method(method: str, answer: ClustersSection, rows: pl.DataFrame, value: str, sd: str) -> MethodSummary:
    outcomes = Counter(rows["outcome"].to_list())
    given = rows.drop_nulls(value)
    c = len(answer.names)
    values = np.array(given[value].to_list(), float).reshape(-1, c)
    finite = np.isfinite(values).all(axis=1)
    values, runs = values[finite], given["run"].to_numpy()[finite]
    sds = np.array(given[sd].to_list(), float).reshape(-1, c)[finite]
    truth, unit = np.array(answer.truth), np.array(answer.unit)
    covered = np.abs(values - truth) <= norm.isf((1.0 - CONFIDENCE) / 2.0) * sds
    errors = (values - truth) / unit
    counts, mean_error, spread_error = _convergence(errors)
    sizes = np.abs(errors).mean(axis=1)
    worst = Counter(np.abs(errors).argmax(axis=1).tolist())
    return MethodSummary(
        method=method,
        model=answer.model,
        outcomes=dict(outcomes),
        clusters=_clusters(answer, values, covered, sds),
        errors=errors,
        best_run=int(runs[sizes.argmin()]) if len(runs) else None,
        best_error=float(sizes.min(initial=np.inf)) if len(runs) else np.nan,
        largest=np.abs(errors).max(axis=1, initial=0.0),
        worst={answer.names[place]: count for place, count in worst.most_common()},
        counts=counts,
        mean_error=mean_error,
        spread_error=spread_error,
        residual_ratio=_mean(given["residual_ratio"].to_list()),
    )


def _clusters(
    answer: ClustersSection, values: Array, covered: NDArray[np.bool_], sds: Array
) -> tuple[ClusterSummary, ...]:
    """covered: whether the interval holds the truth. sds: not a number where there is none. Shape (n, c) each."""
    if not len(values):
        return ()
    has_interval = ~np.isnan(sds)
    truth, unit, bound = np.array(answer.truth), np.array(answer.unit), answer.bounds
    mean, rms = values.mean(axis=0), np.sqrt(((values - truth) ** 2).mean(axis=0))
    spread = values.std(axis=0, ddof=1) if len(values) > 1 else np.full(truth.size, np.nan)
    return tuple(
        ClusterSummary(
            name=name,
            truth=float(truth[k]),
            unit=float(unit[k]),
            mean=float(mean[k]),
            bias=float(mean[k] - truth[k]),
            spread=float(spread[k]),
            rms=float(rms[k]),
            relative=float(rms[k] / unit[k]),
            coverage=Share.of(int(covered[has_interval[:, k], k].sum()), int(has_interval[:, k].sum())),
            open=int(np.isinf(sds[:, k]).sum()),
            bound=float(bound[k]),
            efficiency=float(rms[k] / bound[k]),
        )
        for k, name in enumerate(answer.names)
    )


def _convergence(errors: Array) -> tuple[NDArray[np.int64], Array, Array]:
    """Counts of runs, from two to all in equal factors; mean and standard deviation of the first so many errors."""
    n = len(errors)
    if n < 2:
        return np.zeros(0, np.int64), np.zeros((0, errors.shape[1])), np.zeros((0, errors.shape[1]))
    counts = np.unique(np.geomspace(2, n, _POINTS).round().astype(np.int64))
    centre = errors.mean(axis=0)  # sums of squares of what is far from zero would lose digits
    first, second = (np.cumsum((errors - centre) ** power, axis=0)[counts - 1] for power in (1, 2))
    k = counts[:, None]
    variance = np.maximum(second - first**2 / k, 0.0) / (k - 1)
    return counts, centre + first / k, np.sqrt(variance)


def _mean(values: list[float]) -> float:
    """Of those that are numbers."""
    numbers = np.array([value for value in values if value is not None and np.isfinite(value)])
    return float(numbers.mean()) if numbers.size else np.nan
