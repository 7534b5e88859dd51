"""One thread for linear algebra: matrices here are too small to share, and sharing them costs ten times as much."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from importlib import import_module

from threadpoolctl import ThreadpoolController


def one_blas_thread() -> AbstractContextManager[object]:
    """Within it, the libraries behind numpy and scipy use one thread."""
    limit: AbstractContextManager[object] = _controller().limit(limits=1, user_api="blas")
    return limit


@cache
def _controller() -> ThreadpoolController:
    import_module("scipy.linalg")  # or its library, loaded later, would keep all its threads
    return ThreadpoolController()
