"""A checksum of source texts, by which compiled code notices that what it calls has changed.

A compiled function keeps its callees inside, and numba's cache looks only at the file of the function itself: after a
change in a file that it calls into, it would go on with what it has. But the cache does look at the values that a
function encloses: one that encloses this checksum of its callees' files is compiled anew when they change.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from types import ModuleType


def text_stamp(*modules: ModuleType) -> int:
    """A checksum of the source texts of modules."""
    stamp = 0
    for module in modules:
        assert module.__file__ is not None
        stamp = zlib.crc32(Path(module.__file__).read_bytes(), stamp)
    return stamp
