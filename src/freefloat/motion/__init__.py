"""How joints and wheels are commanded to move: trajectories, one file per shape."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
