"""YAML as plain data: text, numbers, lists and mappings, and the line on which each field begins.

Nothing in a file is executed and nothing is expanded: tags, anchors, aliases and merge keys are refused,
as are keys given twice. Of YAML 1.1's surprises, `010` (eight) and `1:30` (ninety) are refused; `no`,
`on` and dates stay the words they are.

The words in which files.py speaks of what a file holds are here too.
"""

from __future__ import annotations

import difflib
import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from freefloat.errors import FileError

FilePath = str | os.PathLike[str]
FieldPath = tuple[str | int, ...]

LIMIT_NESTING = 64


@dataclass(frozen=True, slots=True, eq=False)
class YamlDocument:
    """What a file says, and where it says it.

    data: text, numbers, lists and mappings.
    lines: the line on which each field begins, counted from one; empty for data that came from elsewhere.
    """

    path: FilePath
    data: Mapping[str, Any]
    lines: Mapping[FieldPath, int] = field(default_factory=dict)

    def line_of(self, where: FieldPath) -> int | None:
        """The line of `("bodies", 2, "name")`, or of the nearest field around it; None if unknown."""
        while where and where not in self.lines:
            where = where[:-1]
        return self.lines.get(where)

    def value_of(self, where: FieldPath, absent: Any = None) -> Any:
        """What the file says in this field; `absent` if nothing."""
        value: Any = self.data
        for step in where:
            try:
                value = value[step]
            except (LookupError, TypeError):
                return absent
        return value

    def fault(self, where: FieldPath, problem: str) -> FileError:
        """The error to raise: file, line and field, then `problem`, which continues the sentence."""
        line = self.line_of(where)
        return FileError(self.path, one_line(f"{f'line {line}: ' if line else ''}{dotted(where)} {problem}"))


def parse_yaml(path: FilePath, text: str) -> YamlDocument:
    """The one YAML (or JSON) document in `text`, whose top level is a mapping; `path` is for messages."""
    try:
        return _YamlReader(path, text).document()
    except yaml.YAMLError as error:
        raise FileError(path, one_line(f"is not well-formed YAML{_yaml_problem(error)}")) from error


def dump_yaml(data: Mapping[str, Any]) -> str:
    """The YAML text of plain data, fields in their order, innermost lists and mappings on one line."""
    return yaml.dump(
        dict(data),
        Dumper=_PlainDumper,
        sort_keys=False,
        default_flow_style=None,
        width=110,
        allow_unicode=True,
    )


class _PlainDumper(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True  # the reader refuses aliases, so the same list twice is written twice


_TAG = "tag:yaml.org,2002:"
_TEXT_TAGS = {f"{_TAG}str", f"{_TAG}timestamp", f"{_TAG}value"}  # a date stays the text it is
DECIMAL = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = {".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf, ".nan": math.nan}


class _YamlReader:
    """Builds plain data from the parser's events, refusing all that is more than plain data."""

    def __init__(self, path: FilePath, text: str) -> None:
        self.path = path
        self.parser = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        self.lines: dict[FieldPath, int] = {}

    def document(self) -> YamlDocument:
        self.parser.get_event()  # the stream starts
        if self.parser.check_event(yaml.StreamEndEvent):
            raise FileError(self.path, "is empty; allowed: a mapping of fields")
        self.parser.get_event()  # the document starts
        start = self.parser.peek_event()
        data = self.value(())
        self.parser.get_event()  # the document ends
        if not self.parser.check_event(yaml.StreamEndEvent):
            raise self.refusal(self.parser.peek_event(), "a second document begins; allowed: one per file")
        if not isinstance(data, dict):
            raise self.refusal(start, f"the top level is {shown(data)}; allowed: a mapping of fields")
        return YamlDocument(self.path, data, self.lines)

    def value(self, where: FieldPath) -> Any:
        event = self.parser.get_event()
        self.lines.setdefault(where, _line(event))
        if event.anchor is not None:
            raise self.refusal(event, "anchors (&) and aliases (*) are not read; allowed: the value itself")
        if len(where) > LIMIT_NESTING:
            raise self.refusal(event, f"nested too deeply; allowed: {LIMIT_NESTING} levels")
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(event, where)
        return self.mapping(event, where)

    def sequence(self, event: yaml.SequenceStartEvent, where: FieldPath) -> list[Any]:
        self.refuse_tag(event, "seq")
        entries: list[Any] = []
        while not self.parser.check_event(yaml.SequenceEndEvent):
            entries.append(self.value((*where, len(entries))))
        self.parser.get_event()
        return entries

    def mapping(self, event: yaml.MappingStartEvent, where: FieldPath) -> dict[str, Any]:
        self.refuse_tag(event, "map")
        fields: dict[str, Any] = {}
        while not self.parser.check_event(yaml.MappingEndEvent):
            key = self.key(where)
            fields[key] = self.value((*where, key))
        self.parser.get_event()
        return fields

    def key(self, where: FieldPath) -> str:
        event = self.parser.get_event()
        if not isinstance(event, yaml.ScalarEvent) or event.anchor is not None:
            raise self.refusal(event, "this key is not plain text; allowed: text")
        self.scalar(event)  # refuses tags, and the merge key among them
        name = str(event.value)
        if (*where, name) in self.lines:
            first = self.lines[(*where, name)]
            raise self.refusal(event, f"{dotted((*where, name))} is given twice, first on line {first}; allowed: once")
        self.lines[(*where, name)] = _line(event)
        return name

    def scalar(self, event: yaml.ScalarEvent) -> Any:
        text, tag = event.value, event.tag
        if tag in (None, "!"):
            tag = self.parser.resolve(yaml.ScalarNode, text, event.implicit)
        if tag in _TEXT_TAGS:
            return text
        if tag == f"{_TAG}null":
            return None
        if tag == f"{_TAG}bool":  # `no` and `on` are words, whatever YAML 1.1 makes of them
            return {"true": True, "false": False}.get(text.lower(), text)
        if tag in (f"{_TAG}int", f"{_TAG}float"):
            return self.number(event, text.lower())
        raise self.refusal(event, f"the tag {_short_tag(tag)} is not read; allowed: text and numbers")

    def number(self, event: yaml.ScalarEvent, text: str) -> float | int:
        if text in _NOT_FINITE:
            return _NOT_FINITE[text]
        if not DECIMAL.fullmatch(text):  # 010 is eight and 1:30 is ninety in YAML 1.1: nobody means that
            raise self.refusal(event, f"{shown(text)} is not a plain decimal number; allowed: such as 10 or 1e-5")
        whole = text.lstrip("+-").isdigit() and len(text) < 300  # longer ones overflow, and are refused later
        return int(text) if whole else float(text)

    def refuse_tag(self, event: yaml.SequenceStartEvent | yaml.MappingStartEvent, expected: str) -> None:
        if event.tag not in (None, "!", f"{_TAG}{expected}"):
            raise self.refusal(event, f"the tag {_short_tag(event.tag)} is not read; allowed: lists and mappings")

    def refusal(self, event: Any, problem: str) -> FileError:
        column = event.start_mark.column + 1
        return FileError(self.path, one_line(f"line {_line(event)}, column {column}: {problem}"))


def _line(event: Any) -> int:
    return event.start_mark.line + 1  # the parser counts from zero


def _short_tag(tag: str) -> str:
    return shorten(tag.replace(_TAG, "!!"))


def _yaml_problem(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f" at line {mark.line + 1}, column {mark.column + 1}: {error.problem or error.context}"
    return f": {getattr(error, 'reason', error)}"  # a character that YAML forbids has no line


# ---------------------------------------------------------------------- words for people


def shorten(text: str, length: int = 60) -> str:
    """The text, cut to at most `length` characters."""
    return text if len(text) <= length else text[: length - 3] + "..."


def one_line(text: str) -> str:
    """The text with every run of white space, line ends included, made one space."""
    return " ".join(text.split())


def shown(value: object) -> str:
    """What was found, much as the file writes it, in at most 60 characters."""
    if value is None:
        return "empty"
    if isinstance(value, str):
        return shorten(repr(value))
    return shorten(json.dumps(value, default=str, ensure_ascii=False))


def dotted(where: FieldPath) -> str:
    """A field as people write it: `bodies[2].joint.kind`."""
    name = ""
    for step in where:
        simple = isinstance(step, str) and re.fullmatch(r"[\w-]+", step)
        name += f".{shorten(str(step))}" if simple else f"[{shown(step)}]"
    return name.removeprefix(".") or "the file"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` (did you mean x?)` for the nearest known word; empty if none is near."""
    near = difflib.get_close_matches(shorten(word), list(known), n=1)
    return f" (did you mean {near[0]}?)" if near else ""
