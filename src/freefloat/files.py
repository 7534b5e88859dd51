"""Files in and out: bytes up to a limit, writes that are whole or absent, YAML that is plain data.

Whatever is wrong with a file is said in one sentence: the file, the line, the field, what was found
and what is allowed. A file is text, numbers, lists and mappings; nothing in it is executed, and
nothing is expanded (no aliases, no merge keys, no tags). What it says is then checked against a
pydantic model made of `Section`s.
"""

from __future__ import annotations

import math
import os
import re
import secrets
import stat
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from freefloat.errors import FileError, WrongFormat
from freefloat.plain_yaml import (
    DECIMAL,
    FieldPath,
    FilePath,
    YamlDocument,
    did_you_mean,
    dump_yaml,
    parse_yaml,
    shown,
)

__all__ = [
    "LIMIT_BYTES",
    "AnyNumber",
    "FilePath",
    "Number",
    "Positive",
    "Section",
    "Vector3",
    "YamlDocument",
    "check_format",
    "did_you_mean",
    "dump_yaml",
    "entries",
    "load_yaml",
    "read_bytes",
    "shown",
    "validate",
    "write_bytes",
    "write_text",
]

_XML = re.compile(rb"(\xef\xbb\xbf)?\s*<[A-Za-z?!]")
LIMIT_BYTES = 16 * 2**20  # a robot or a mission is a few kilobytes; anything above this is a mistake

# ---------------------------------------------------------------------- bytes in, bytes out


def read_bytes(path: FilePath, limit_bytes: int = LIMIT_BYTES) -> bytes:
    """All bytes of a regular file of at most `limit_bytes`."""
    try:
        status = os.stat(path)
        _refuse_special(path, status)
        with open(path, "rb") as file:
            content = file.read(limit_bytes + 1)
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        raise FileError(path, f"cannot be read: {_reason(error)}") from error
    if len(content) > limit_bytes:
        size = max(status.st_size, len(content))
        raise FileError(path, f"holds {size:,} bytes; allowed: at most {limit_bytes:,} bytes")
    return content


def write_bytes(path: FilePath, content: bytes) -> None:
    """Write a file so that it holds all of `content`, or (on failure) what it held before."""
    try:
        _replace(path, content)
    except (OSError, ValueError) as error:
        raise FileError(path, f"cannot be written: {_reason(error)}") from error


def write_text(path: FilePath, text: str) -> None:
    """Write text as UTF-8, whole or not at all."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FileError(path, f"cannot be written: character {error.start} is not valid Unicode") from error
    write_bytes(path, content)


def _refuse_special(path: FilePath, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise FileError(path, "is a directory; allowed: a file")
    if not stat.S_ISREG(status.st_mode):
        raise FileError(path, "is a pipe, socket or device; allowed: a regular file")


def _replace(path: FilePath, content: bytes) -> None:
    target = Path(os.path.realpath(path))  # through a link, not over it
    mode = _mode_of(path, target)
    part = target.with_name(f".freefloat-{secrets.token_hex(8)}.part")
    try:
        with open(part, "xb") as file:
            file.write(content)
            file.flush()
            if mode is not None:
                os.chmod(part, mode)
            os.fsync(file.fileno())  # on the disk before the old content goes
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def _mode_of(path: FilePath, target: Path) -> int | None:
    """Permissions of the file about to be replaced; None where there is none yet."""
    try:
        status = os.stat(target)
    except FileNotFoundError:
        return None
    _refuse_special(path, status)
    return stat.S_IMODE(status.st_mode)


def _reason(error: OSError | ValueError) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return text[:1].lower() + text[1:]


def load_yaml(path: FilePath, limit_bytes: int = LIMIT_BYTES) -> YamlDocument:
    """Read one YAML (or JSON) document whose top level is a mapping."""
    content = read_bytes(path, limit_bytes)
    if content[:4] == b"PAR1":
        raise WrongFormat(path, "is a Parquet table, as recordings are; allowed: YAML or JSON", "recording")
    if _XML.match(content):
        raise WrongFormat(path, "is XML, as URDFs are; allowed: YAML or JSON", "URDF")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError(path, f"is not UTF-8 text (byte {error.start}); allowed: UTF-8") from error
    return parse_yaml(path, text)


# ---------------------------------------------------------------------- models of what files say


class Section(BaseModel):
    """A mapping in a file. Unknown fields are refused, and so are two ways of saying one thing.

    one_of: groups of optional fields; of each group at most one may be given.

    A validator of a section says what is wrong by a ValueError that continues the field's name, such as
    "is [0, 1]; allowed: a list of 3 numbers"; `validate` puts file, line and field before it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    one_of: ClassVar[tuple[tuple[str, ...], ...]] = ()

    @model_validator(mode="after")
    def _one_way_to_say_it(self) -> Self:
        for group in self.one_of:
            given = [name for name in group if getattr(self, name) is not None]
            if len(given) > 1:
                raise ValueError(f"gives {' and '.join(given)}; allowed: one of {', '.join(group)}")
        return self


def _as_number(value: object) -> float:
    if isinstance(value, str) and DECIMAL.fullmatch(value):
        return float(value)  # YAML 1.1 reads 1e-5, which lacks a point, as text
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"is {shown(value)}; allowed: a number")
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _as_finite_number(value: object) -> float:
    number = _as_number(value)
    if not math.isfinite(number):
        raise ValueError(f"is {shown(value)}; allowed: a finite number")
    return number


def entries(count: int, of: str = "numbers") -> BeforeValidator:
    """Requires a list of exactly `count` entries."""

    def check(value: object) -> object:
        if not isinstance(value, list | tuple) or len(value) != count:
            raise ValueError(f"is {shown(value)}; allowed: a list of {count} {of}")
        return value

    return BeforeValidator(check)


AnyNumber = Annotated[float, BeforeValidator(_as_number)]  # .inf included
Number = Annotated[float, BeforeValidator(_as_finite_number)]
Positive = Annotated[Number, Field(gt=0.0)]
Vector3 = Annotated[tuple[Number, Number, Number], entries(3)]

Model = TypeVar("Model", bound=BaseModel)

_ALLOWED = {  # by pydantic's names of faults
    "literal_error": "{expected}",
    "float_type": "a number",
    "float_parsing": "a number",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "finite_number": "a finite number",
    "greater_than": "a number greater than {gt:g}",
    "greater_than_equal": "a number not less than {ge:g}",
    "less_than": "a number less than {lt:g}",
    "less_than_equal": "a number not greater than {le:g}",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text (in quotes, should it look like a number)",
    "string_too_short": "text of at least {min_length} character(s)",
    "list_type": "a list",
    "tuple_type": "a list",
    "too_short": "at least {min_length} entries",
    "too_long": "at most {max_length} entries",
    "dict_type": "a mapping of names",
    "model_type": "a mapping of fields",
    "model_attributes_type": "a mapping of fields",
    "union_tag_invalid": "{expected_tags}",
    "union_tag_not_found": "a value",
}


def check_format(document: YamlDocument, kind: str) -> None:
    """Require the line `format: freefloat/<kind>@1` that says what a file is."""
    expected, found = f"freefloat/{kind}@1", document.data.get("format")
    if found == expected:
        return
    if found is None:
        raise FileError(document.path, f"does not say what it is; allowed: a first line 'format: {expected}'")
    other = re.fullmatch(r"freefloat/([a-z-]+)@[0-9]+", found) if isinstance(found, str) else None
    if other and other[1] == kind:
        problem = f"is {shown(found)}, a version that this freefloat does not read"
        raise document.fault(("format",), f"{problem}; allowed: {expected}")
    problem = f"is {shown(found)}, which is not {'an' if kind[0] in 'aeiou' else 'a'} {kind} file"
    fault = document.fault(("format",), f"{problem}; allowed: {expected}")
    raise WrongFormat(fault.path, fault.problem, other[1] if other else "unknown")


def validate(model_class: type[Model], document: YamlDocument) -> Model:
    """The document as a model; if it does not fit, one sentence on the first fault in the file."""
    try:
        return model_class.model_validate(document.data)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        first = min(faults, key=lambda fault: _urgency(document, fault))
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        where = _place(document, first)
        raise document.fault(where, _problem(model_class, document, first, where) + more) from error


def _urgency(document: YamlDocument, fault: ErrorDetails) -> tuple[bool, int, int]:
    """What is written wrongly comes before what is missing: a misspelt field is both. Then the first in the file.

    Of alternatives that all fail, the one that fails deepest is the one that was meant.
    """
    return fault["type"] == "missing", document.line_of(fault["loc"]) or 0, -len(_place(document, fault))


def _place(document: YamlDocument, fault: ErrorDetails) -> FieldPath:
    """Where in the file the fault is: pydantic's path without the names of alternatives in between."""
    where: FieldPath = ()
    for step in fault["loc"]:
        if document.value_of((*where, step), absent=document) is not document:
            where = (*where, step)
    if fault["type"] == "missing":
        return (*where, fault["loc"][-1])
    if fault["type"].startswith("union_tag"):
        return (*where, fault["ctx"]["discriminator"].strip("'"))
    return where


def _problem(model_class: type[BaseModel], document: YamlDocument, fault: ErrorDetails, where: FieldPath) -> str:
    kind, context = fault["type"], fault.get("ctx", {})
    if kind == "value_error":
        return str(context["error"])
    if kind in ("missing", "extra_forbidden"):
        fields = _section_at(model_class, fault["loc"][:-1]).model_fields
        if kind == "missing":
            return f"is missing; allowed: {fields[str(where[-1])].description or 'a value'}"
        return f"is not a field{did_you_mean(str(where[-1]), fields)}; allowed: {', '.join(fields)}"
    allowed = _ALLOWED[kind].format(**context).replace("'", "") if kind in _ALLOWED else fault["msg"]
    return f"is {shown(document.value_of(where))}; allowed: {allowed}"


def _section_at(model_class: type[BaseModel], steps: FieldPath) -> type[BaseModel]:
    """The model at pydantic's path; list positions and names in mappings do not change it."""
    sections = [model_class]
    for step in steps:
        chosen = [section for section in sections if _goes_by(section, step)]
        if len(sections) > 1 and chosen:
            sections = chosen
            continue
        info = sections[0].model_fields.get(str(step))
        sections = (_models_in(info.annotation) if info else []) or sections
    return sections[0]


def _goes_by(section: type[BaseModel], name: str | int) -> bool:
    """Whether pydantic calls this model, one of several, so: by its class or by a literal in it."""
    return name == section.__name__ or any(name in get_args(info.annotation) for info in section.model_fields.values())


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_in(part)]
