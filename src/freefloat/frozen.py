"""What all results have in common: they do not change, compare by what they hold, and can be copied and sent.

    class Estimate(Content): ...            # a frozen dataclass, eq=False
    pickle.loads(pickle.dumps(estimate)) == estimate

Their mappings are `FrozenMapping`s.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

Key = TypeVar("Key")
Value = TypeVar("Value")


class FrozenMapping(Mapping[Key, Value]):
    """A mapping that cannot be written and, unlike `types.MappingProxyType`, can be copied and pickled."""

    __slots__ = ("_held",)

    def __init__(self, held: Mapping[Key, Value] | Iterable[tuple[Key, Value]] = ()) -> None:
        self._held: dict[Key, Value] = dict(held)

    def __getitem__(self, key: Key) -> Value:
        return self._held[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, key: object) -> bool:
        return key in self._held

    def __repr__(self) -> str:
        return f"FrozenMapping({self._held!r})"

    def __eq__(self, other: object) -> bool:
        return same(self, other) if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        """For copies and pickles, which would forget that arrays cannot be written."""
        return _mapped, (self._held, _fixed(self._held))


class Content:
    """A frozen dataclass, without an equality of its own, that equals another of its kind if it holds the same.

    Not a number is the same as not a number. Copies have nothing but the fields: what is derived is derived again.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return same(self, other) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        """Of what is quickly seen: equal results have equal hashes, and most others have not."""
        return hash((type(self), *(_mark(value) for value in _held(self).values())))

    def __reduce__(self) -> tuple[Any, ...]:
        """For copies and pickles, which would forget that arrays cannot be written."""
        held = _held(self)
        return _again, (type(self), held, _fixed(held))

    def _protect(self, *names: str) -> None:
        """Let nobody write into these arrays, though whoever gave them may write into theirs."""
        for name in names:
            array = getattr(self, name).view()
            array.setflags(write=False)
            object.__setattr__(self, name, array)


def same(a: Any, b: Any) -> bool:
    """Whether two things hold the same: numbers, texts, arrays, sequences, mappings, dataclasses of these."""
    if a is b:
        return True
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(value, b[name]) for name, value in a.items())
    if type(a) is not type(b):
        return not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray) and bool(a == b)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(same(one, other) for one, other in zip(a, b, strict=True))
    if isinstance(a, Content) or is_dataclass(a):
        others = _held(b)
        return all(same(value, others[name]) for name, value in _held(a).items())
    return _same_values(a, b)


def _same_values(a: Any, b: Any) -> bool:
    """Of two things of one type that are no sequences."""
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b, equal_nan=a.dtype.kind == b.dtype.kind == "f")
    if isinstance(a, float) and math.isnan(a):
        return math.isnan(b)
    tables = getattr(a, "equals", None)  # of data frames, whose == is cell by cell
    return bool(a == b if tables is None else tables(b))


def _held(thing: Any) -> dict[str, Any]:
    """What a dataclass holds; of anything else that derives from one, such as a limit of one's own, all it has."""
    return {each.name: getattr(thing, each.name) for each in fields(thing)} if is_dataclass(thing) else vars(thing)


def _fixed(held: Mapping[Any, Any]) -> tuple[Any, ...]:
    """Names of the arrays that cannot be written."""
    return tuple(name for name, value in held.items() if isinstance(value, np.ndarray) and not value.flags.writeable)


def _mark(value: object) -> object:
    if isinstance(value, str):
        return value
    if isinstance(value, np.ndarray):
        return value.shape
    return len(value) if isinstance(value, list | tuple | Mapping) else 0


def _again(kind: type[Any], held: Mapping[str, Any], fixed: tuple[str, ...]) -> Any:
    """The same result, as it was: its checks have been made."""
    made = object.__new__(kind)
    for name in fixed:
        held[name].setflags(write=False)
    for name, value in held.items():
        object.__setattr__(made, name, value)
    return made


def _mapped(held: dict[Any, Any], fixed: tuple[Any, ...]) -> FrozenMapping[Any, Any]:
    for name in fixed:
        held[name].setflags(write=False)
    return FrozenMapping(held)
