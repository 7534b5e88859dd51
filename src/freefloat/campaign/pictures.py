"""The summary of a campaign as what its page draws: a row of plots for every setting and set of clusters."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from freefloat.campaign.summary import CampaignSummary, MethodSummary
from freefloat.report.campaign_page import CampaignPicture, MethodPicture


def pictures(summary: CampaignSummary) -> list[CampaignPicture]:
    """Methods with the same clusters side by side; those with different ones below each other, then compared."""
    rows = list[CampaignPicture]()
    for setting in summary.settings:
        where = setting_words(setting.values)
        groups = dict[tuple[str, ...], list[MethodSummary]]()
        for method in setting.methods:
            if method.clusters:  # else every run ended without an estimate
                groups.setdefault(tuple(cluster.name for cluster in method.clusters), []).append(method)
        compared = [method for method in setting.compared if method.clusters]
        if len(groups) > 1 and compared:
            rows.append(_row(f"{where}compared by {compared[0].model}", compared))
        rows += [_row(f"{where}{methods[0].model}", methods) for methods in groups.values()]
    return rows


def setting_words(values: Mapping[str, float]) -> str:
    """A setting before what is said of it; nothing if nothing is varied."""
    return "".join(f"{key} = {value:.5g}, " for key, value in values.items())


def _row(heading: str, methods: list[MethodSummary]) -> CampaignPicture:
    return CampaignPicture(heading, tuple(_picture(method) for method in methods))


def _picture(method: MethodSummary) -> MethodPicture:
    shares = [(each.coverage.value, each.coverage.low, each.coverage.high) for each in method.clusters]
    return MethodPicture(
        name=method.method,
        clusters=tuple(cluster.name for cluster in method.clusters),
        errors=method.errors,
        coverage=np.array(shares),
        telling=np.array([abs(each.truth) >= each.unit for each in method.clusters]),
        counts=method.counts,
        mean_error=method.mean_error,
        spread_error=method.spread_error,
        worst=method.worst,
    )
