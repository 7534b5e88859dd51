"""Random draws that are the same everywhere: keyed by seed, run and name, counted rather than streamed.

A draw is named after what it is for ("gyro/white"). What comes out depends on the seed, the number of the run,
a checksum of the name and the place in the array, and on nothing else: not on the runs drawn with it, on what
was drawn before, on the process, the machine, or the version of a library. A longer array of the same name
begins with the shorter one.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.arrays import Array
from freefloat.errors import FreefloatError, ShapeError

LAST_SEED = 2**64 - 1
LAST_RUN = 2**32 - 1
LONGEST = 2**33  # numbers per run and name; the block counter has 32 bits and a block gives two


def draw_normal(seed: int, runs: ArrayLike, name: str, shape: tuple[int, ...]) -> Array:
    """Normal numbers of mean 0 and standard deviation 1, shape (runs, *shape).

    runs: run numbers, shape (runs,): `range(2500)`, or `[7]` for one. Entry i is that of run `runs[i]`,
    whichever others are drawn with it.
    """
    return Stream(seed, runs, name).normal("", shape)


@dataclass(frozen=True, eq=False)
class Stream:
    """All that is drawn for one sensor in some runs.

    seed: None where nothing is drawn: normal numbers are all zero then, and uniform ones all 1.
    runs: run numbers, shape (runs,), each from 0 to 2^32 - 1.
    name: the sensor's; each draw adds what it is for.
    """

    seed: int | None
    runs: ArrayLike
    name: str

    def __post_init__(self) -> None:
        seed = 0 if self.seed is None else self.seed
        if isinstance(seed, bool) or not 0 <= seed <= LAST_SEED or int(seed) != seed:
            raise FreefloatError(f"the seed is {seed}; allowed: a whole number from 0 to 2^64 - 1")
        object.__setattr__(self, "runs", _run_numbers(self.runs))

    def __len__(self) -> int:
        return int(np.size(np.asarray(self.runs)))

    def normal(self, what: str, shape: tuple[int, ...]) -> Array:
        """Normal numbers of mean 0 and standard deviation 1, shape (runs, *shape)."""
        return self.noisy(what, np.zeros(shape)[None], np.ones(shape))

    def noisy(self, what: str, mean: Array, sd: Array) -> Array:
        """`mean + sd * normal numbers` in one sweep through memory, shape (runs, *shape).

        mean: shape (1, *shape) for all runs, or (runs, *shape). sd: shape, or what broadcasts to it.
        """
        from freefloat.sensors.draws_kernel import fill_normal

        if mean.shape[0] not in (1, len(self)):
            raise ShapeError(f"mean is given for {mean.shape[0]} runs; allowed: 1 or {len(self)}")
        spread = np.broadcast_to(np.asarray(sd, float), mean.shape[1:]).ravel()
        rows = np.ascontiguousarray(mean, dtype=float).reshape(mean.shape[0], spread.size)
        out = self._empty(mean.shape[1:])
        if self.seed is None:
            out[:] = rows
            return out.reshape(len(self), *mean.shape[1:])
        fill_normal(np.uint64(self.seed), self.runs, self._key("normal", what), rows, spread, out)
        return out.reshape(len(self), *mean.shape[1:])

    def uniform(self, what: str, shape: tuple[int, ...]) -> Array:
        """Numbers uniform between 0 and 1, neither included, shape (runs, *shape)."""
        from freefloat.sensors.draws_kernel import fill_uniform

        out = self._empty(shape)
        if self.seed is None:
            out[:] = 1.0
            return out.reshape(len(self), *shape)
        fill_uniform(np.uint64(self.seed), self.runs, self._key("uniform", what), out)
        return out.reshape(len(self), *shape)

    def _empty(self, shape: tuple[int, ...]) -> Array:
        size = math.prod(shape)
        if size > LONGEST:
            raise ShapeError(f"{size:,} numbers of one name per run are asked for; allowed: {LONGEST:,}")
        return np.empty((len(self), size))

    def _key(self, kind: str, what: str) -> np.uint64:
        """Checksum of the name. The kind is part of it: normal and uniform numbers must not be related."""
        text = f"{kind}\0{self.name}\0{what}".encode()
        return np.uint64(int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little"))


def _run_numbers(runs: ArrayLike) -> NDArray[np.uint64]:
    numbers = np.asarray(runs)
    whole = numbers.size == 0 or np.issubdtype(numbers.dtype, np.integer)
    if numbers.ndim != 1 or not whole or (numbers.size and not 0 <= numbers.min() <= numbers.max() <= LAST_RUN):
        raise FreefloatError("run numbers are whole numbers from 0 to 2^32 - 1 in a list, such as range(100)")
    return np.ascontiguousarray(numbers, dtype=np.uint64)
