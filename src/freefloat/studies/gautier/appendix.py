"""The examples of the appendix: what a condition number means, and what it does not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from freefloat.studies.catalogue import published
from freefloat.studies.check import Check
from freefloat.studies.gautier.experiment import STUDY


def appendix() -> Iterator[Check]:
    """Condition numbers, and errors beside the bound of eq. 12."""
    for number, example in enumerate(published(STUDY)["appendix"], start=1):
        A, Y, norm = np.array(example["A"], float), np.array(example["Y"], float), example["norm"]
        X, name = np.linalg.solve(A, Y), f"gautier.appendix.example{number}"
        cond = float(np.linalg.cond(A, norm))
        yield Check(
            f"{name}.condition_number",
            f"condition number of example {number}, {norm}-norm",
            example["condition_number"],
            cond,
            tolerance=1e-4,
            note="tolerance: printed digits",
        )
        cases = example["perturbed"]
        changes = [np.array(case["dY"], float) for case in cases]
        size = np.linalg.norm(X, norm)
        right = [float(np.linalg.norm(dY, norm) / np.linalg.norm(Y, norm)) for dY in changes]
        error = [float(np.linalg.norm(np.linalg.solve(A, Y + dY) - X, norm) / size) for dY in changes]
        for what, words, ours in (("right", "|dY| / |Y|", right), ("error", "|dX| / |X|", error)):
            printed = tuple(case[what] for case in cases)
            yield Check(
                f"{name}.{what}",
                f"{words} of example {number}",
                printed,
                tuple(ours),
                tolerance=1e-4,
                note="tolerance: printed digits",
            )
        yield Check(
            f"{name}.bound_over_error",
            f"bound (12) over the error, example {number}",
            tuple(example["condition_number"] * case["right"] / case["error"] for case in cases),
            tuple(cond * each / off for each, off in zip(right, error, strict=True)),
            tolerance=1e-3,
            note="of the printed figures; one: the bound is met",
        )
