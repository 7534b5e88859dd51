"""Whether to trust an estimate: it predicts a motion it has not seen, and the sensors judge.

`judge.py` is the whole of it: what the estimate predicts (`prediction.py`: `base_motion.py`, `linear_rows.py`), fits
that hold the estimate or let it move within its own uncertainty (`fits.py`), tests (`checks.py`, `columns.py`),
the mistake that explains what they found (`estimate_mistakes.py`, `other_causes.py`), and the verdict (`validation.py`,
`validation_file.py`).
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
