"""The published robots and what is printed about them, as data files, and the experiments run again.

A study is a robot file here, `format: freefloat/robot@1`. What its publication prints, for comparison, is in
`<study>_published.yaml`, `format: freefloat/published@1`. Experiments that can be flown again are missions,
`<name>_mission.yaml`, `format: freefloat/mission@1`. Each file says where its numbers come from, which
of them were corrected and why, and which are ours.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
