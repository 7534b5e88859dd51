"""The identified robot for other tools: URDF, robot file, C, CasADi, matrices with their uncertainty."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
