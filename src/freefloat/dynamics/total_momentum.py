"""What is known of a flight's total momentum: that it is zero, its value, or nothing but that it stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from freefloat.arrays import Array, frozen_array
from freefloat.errors import ShapeError
from freefloat.frozen import Content

Kind = Literal["zero", "known", "unknown"]


@dataclass(frozen=True, slots=True, eq=False)
class TotalMomentum(Content):
    """Total angular momentum about the centre of mass, in base axes at the first instant.

    kind: `known` if a value was given, be it zero. vector: what is known of it, shape (3,) [N m s]; zero where it is
    unknown.
    """

    kind: Kind
    vector: Array

    @classmethod
    def zero(cls) -> TotalMomentum:
        """None, and no need to know the attitude."""
        return cls("zero", frozen_array(np.zeros(3), (3,)))

    @classmethod
    def unknown(cls) -> TotalMomentum:
        """To be estimated."""
        return cls("unknown", frozen_array(np.zeros(3), (3,)))

    @classmethod
    def known(cls, vector: ArrayLike) -> TotalMomentum:
        """The value itself, shape (3,) [N m s]."""
        values = np.asarray(vector, float)
        if values.shape != (3,):
            raise ShapeError(f"momentum must have shape (3,), found {values.shape}")
        return cls("known", frozen_array(values, (3,)))

    @classmethod
    def of(cls, said: SaidMomentum) -> TotalMomentum:
        """As a caller says it: `zero`, `unknown` or the vector itself."""
        if isinstance(said, TotalMomentum):
            return said
        if isinstance(said, str):
            if said not in ("zero", "unknown"):
                raise ShapeError(f"momentum is {said!r}; allowed: zero, unknown, or a vector of shape (3,)")
            return cls.zero() if said == "zero" else cls.unknown()
        return cls.known(said)

    @property
    def said(self) -> str | list[float]:
        """The way back of `of`, for files."""
        return self.vector.tolist() if self.kind == "known" else self.kind

    @property
    def is_zero(self) -> bool:
        """Whether it is zero by declaration."""
        return self.kind == "zero"

    @property
    def is_unknown(self) -> bool:
        """Whether it is to be estimated."""
        return self.kind == "unknown"


SaidMomentum = TotalMomentum | Literal["zero", "unknown"] | ArrayLike
