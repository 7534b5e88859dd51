"""Sensors, one file each: data-sheet fields, what it reads of a motion, its noise."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
