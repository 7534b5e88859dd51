"""What can be identified and why: what the sensors show of this robot, what the flight showed, what is held."""

from __future__ import annotations

from typing import Any

import numpy as np

from freefloat.estimate.estimated_clusters import cad_spread, undeclared
from freefloat.mission.run_directory import Run
from freefloat.report.sections.cluster_grid import Cell, ClusterGrid, about, grid_of

_HELD = 6  # directions that are listed
_TINT = 45  # of the colour, where a cluster is known as well as can be


def identifiable(run: Run) -> dict[str, Any]:
    """Counts, sentences, how far each cluster was narrowed, held directions."""
    estimate, advice = run.estimate, run.advice
    return {
        "summary": advice.summary if advice else f"{len(estimate.values)} clusters of {estimate.model}",
        "sentences": advice.sentences if advice else (),
        "counts": _counts(run),
        "grid": _narrowed(run),
        "held": estimate.held[:_HELD],
        "more_held": max(len(estimate.held) - _HELD, 0),
        "never": _never(run),
        "known": [(name, f"±{100.0 * sd:.2g} %") for name, sd in estimate.known.items()],
    }


def _narrowed(run: Run) -> ClusterGrid | None:
    """Standard deviation of each cluster over that of the CAD model."""
    estimate = run.estimate
    if not estimate.is_standard:
        return None
    shares = np.where(np.isfinite(estimate.sd), estimate.sd, np.inf) / cad_spread(estimate)
    cells = {
        cluster: Cell(percent_of(float(share)), _tint(float(share)), about(estimate, cluster))
        for cluster, share in enumerate(shares)
    }
    return grid_of(estimate, cells)


def _never(run: Run) -> list[str]:
    """Parameters that are neither declared nor part of any cluster."""
    estimate = run.estimate
    if not estimate.is_standard:
        return []
    shown = np.abs(estimate.minimal.combine).sum(axis=0) > 0.0
    return [estimate.robot.parameter_names[column] for column in undeclared(estimate) if not shown[column]]


def percent_of(share: float) -> str:
    """A part in per cent, two digits; anything from one on is all."""
    if not np.isfinite(share):
        return "open"
    return f"{100.0 * share:.2g} %" if share < 0.995 else "100 %"


def _tint(share: float) -> int:
    """The stronger, the more was learnt: all of it three decades down."""
    if not np.isfinite(share) or share >= 1.0:
        return 0
    return round(_TINT * min(-float(np.log10(max(share, 1e-3))) / 3.0, 1.0))


def _counts(run: Run) -> list[tuple[str, str]]:
    estimate = run.estimate
    counts = [
        (f"clusters of {estimate.model}", str(len(estimate.values))),
        ("significant", str(int(estimate.significant.sum()))),
    ]
    if run.advice:
        answer = run.advice.answer
        counts += [(status, str(len(answer.with_status(status)))) for status in ("weak", "up to scale", "open")]
    counts.append(("directions held at CAD", str(len(estimate.held))))
    return [(name, count) for name, count in counts if count != "0"]
