"""Recordings: channels with their own instants, tables, bags, and processing for the methods on one time base."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
