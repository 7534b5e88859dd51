"""What the robot is: bodies, joints, wheels, and the files they come from."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
