"""The servicer of the demo: an arm of seven joints with a load; its wheels, standing still, are parts of the base."""

from __future__ import annotations

import numpy as np
from strangers.robots import Body, Mass


def weighed(mass_kg: float, com: tuple[float, float, float], moments: object, products: object) -> Mass:
    """A body by its moments xx, yy, zz about its centre and products xy, xz, yz [kg m^2]."""
    mean = np.mean(moments)
    ratios, over = tuple((np.array(moments) / mean).tolist()), tuple((np.array(products) / mean).tolist())
    return Mass(mass_kg, com, float(np.sqrt(1.5 * mean / mass_kg)), ratios, over)


def turned_on(name: str, parent: str, alpha_deg: float, along: float, weighs: Mass) -> Body:
    """A body whose joint is turned about the parent's x axis, and then so far along its own axis."""
    a = np.deg2rad(alpha_deg)
    return Body(name, parent, (0.0, -along * np.sin(a), along * np.cos(a)), (alpha_deg, 0.0, 0.0), weighs)


ARM = (
    Body(
        "link1",
        "base",
        (0.15, 0.1, 0.7),
        (0.0, 0.0, 0.0),
        weighed(2.7, (0.001, -0.002, -0.06), (0.0232, 0.0237, 0.005), (0.0001, -0.0002, 0.0003)),
    ),
    turned_on(
        "link2",
        "link1",
        90.0,
        0.0,
        weighed(2.7, (-0.001, 0.042, 0.003), (0.0262, 0.0053, 0.0263), (0.0003, 0.0001, -0.0002)),
    ),
    turned_on(
        "link3",
        "link2",
        -90.0,
        0.4,
        weighed(2.5, (0.002, 0.001, -0.04), (0.0142, 0.0142, 0.0049), (-0.0001, 0.0002, 0.0001)),
    ),
    turned_on(
        "link4",
        "link3",
        -90.0,
        0.0,
        weighed(2.5, (0.001, -0.044, -0.002), (0.026, 0.0049, 0.0237), (0.0002, -0.0001, 0.0002)),
    ),
    turned_on(
        "link5",
        "link4",
        90.0,
        0.39,
        weighed(1.3, (-0.001, 0.002, -0.07), (0.0061, 0.0059, 0.0021), (0.0001, 0.0001, -0.0001)),
    ),
    turned_on(
        "link6",
        "link5",
        90.0,
        0.0,
        weighed(1.6, (0.001, 0.02, -0.001), (0.0034, 0.003, 0.003), (0.0001, 0.0001, -0.0001)),
    ),
    turned_on(
        "load",
        "link6",
        -90.0,
        0.36,
        weighed(25.0, (0.003, -0.002, -0.1), (0.284, 0.284, 0.4), (0.002, -0.003, 0.001)),
    ),
)
BASE = weighed(200.0, (0.004, -0.006, 0.01), (27.33, 16.67, 22.67), (0.31, -0.22, 0.18))
