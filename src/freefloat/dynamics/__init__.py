"""The law of motion: compiled sweeps over the tree; momentum, torque, energy; how the base reacts."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
