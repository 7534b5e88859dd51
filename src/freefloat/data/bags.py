"""ROS 2 bags and MCAP files as recordings, read with the rosbags library.

    recording = load_recording("flight.mcap", load_bag_mapping("flight.map.yaml"))

Samples are stamped by the headers of the messages, not by when they were written, and t = 0 is the first of all
stamps. Messages come in any order; they are sorted, and the notes say if any had to be. Quaternions and twists
are those of the messages: an attitude is in the frame of the header, the twist of an Odometry in its child
frame. The names of those frames are in the notes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from freefloat.arrays import Array
from freefloat.data.bag_mapping import KINDS, BagMapping, TopicSection
from freefloat.data.bag_messages import TopicReader, reader_of
from freefloat.data.origin import Origin
from freefloat.data.recording import Recording
from freefloat.data.repair import RawChannel, check_gaps, check_repairs, mend
from freefloat.errors import FileError, FreefloatError
from freefloat.files import FilePath, did_you_mean, shown
from freefloat.plain_yaml import one_line, shorten
from freefloat.sensors.quantities import column_name

LIMIT_BYTES = 16 * 2**30
SUFFIXES = (".mcap", ".db3")


def read_bag(
    path: FilePath, mapping: BagMapping, repair: Iterable[str] = (), max_gap_s: float | None = None
) -> Recording:
    """Read an MCAP file, or the folder or file of a ROS 2 bag.

    repair: `drop-duplicates` and `drop-nan`, where they are wanted; sorting is always done.
    max_gap_s: the longest time without a sample that a channel may have [s]; None for any.
    """
    repairs = check_repairs(repair) | {"sort"}
    files = _files(path)
    with _one_sentence(path):
        topics = _collect(path, mapping)
    start_ns = min(min(topic.stamps) for topic in topics)
    channels, notes = [], [note for topic in topics for note in topic.notes]
    for topic in topics:
        for raw in topic.channels(path, start_ns):
            channel, mended = mend(raw, repairs)
            channels.append(channel)
            notes += [*mended, *check_gaps(path, channel, max_gap_s)]
    name = Path(path).name
    origin = Origin(file=name, hashes={name: _checksum(path, files)})
    return Recording({each.name: each for each in channels}, origin, start_ns, tuple(notes))


# ---------------------------------------------------------------------- files


def _files(path: FilePath) -> list[Path]:
    """The files of a bag, refused if they are of another kind or too large."""
    here = Path(os.fspath(path))
    if here.is_dir():
        if not (here / "metadata.yaml").is_file():
            raise FileError(path, "is a directory without metadata.yaml; allowed: the folder of a ROS 2 bag")
        files = sorted(each for each in here.iterdir() if each.is_file())
    elif not here.exists():
        raise FileError(path, "cannot be read: no such file or directory")
    elif here.suffix.lower() not in SUFFIXES or not here.is_file():
        raise FileError(path, f"is not a bag; allowed: a folder, or a file in {' or '.join(SUFFIXES)}")
    else:
        files = [here]
    size = sum(each.stat().st_size for each in files)
    if size > LIMIT_BYTES:
        raise FileError(path, f"holds {size:,} bytes; allowed: at most {LIMIT_BYTES:,} bytes")
    return files


def _checksum(path: FilePath, files: list[Path]) -> str:
    """SHA-256 of all files one after the other, in the order of their names."""
    digest = hashlib.sha256()
    try:
        for each in files:
            with open(each, "rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror}") from error
    return digest.hexdigest()


@contextmanager
def _one_sentence(path: FilePath) -> Iterator[None]:
    """The library's many ways to fail on a damaged file, as one."""
    try:
        yield
    except FreefloatError:
        raise
    except ImportError as error:
        raise FileError(path, f"needs the package rosbags to be read (pip install rosbags): {error}") from error
    except Exception as error:  # also MemoryError: a damaged length can be any number
        said = shorten(one_line(str(error)) or type(error).__name__, 120)
        raise FileError(path, f"cannot be read as a bag; it may be cut short or damaged ({said})") from error


# ---------------------------------------------------------------------- messages


@dataclass(eq=False)
class _Topic:
    """What was collected from one topic."""

    name: str
    section: TopicSection
    reader: TopicReader
    stamps: list[int] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)

    @property
    def notes(self) -> list[str]:
        """What is to be remembered of it."""
        note = [self.section.note] if self.section.note else []
        empty = [f"{quantity} is never a number and was left out" for quantity in sorted(self.silent)]
        return [f"{self.name}: {sentence}" for sentence in (*note, *self.reader.notes(), *empty)]

    def values(self, quantity: str) -> tuple[list[int], Array]:
        """The messages that hold a quantity, and its numbers in them, shape (messages, k)."""
        chosen = [index for index, row in enumerate(self.rows) if quantity in row]
        return chosen, np.array([self.rows[index][quantity] for index in chosen], float)

    @cached_property
    def held(self) -> tuple[str, ...]:
        """The quantities that its messages hold."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row))

    @cached_property
    def silent(self) -> frozenset[str]:
        """Those that are NaN throughout, by which drivers say that they do not measure them."""
        return frozenset(name for name in self.held if np.isnan(self.values(name)[1]).all())

    def channels(self, path: FilePath, start_ns: int) -> Iterator[RawChannel]:
        """A channel for every quantity that the messages hold."""
        t = np.array([stamp - start_ns for stamp in self.stamps]) * 1e-9
        for quantity in (name for name in self.held if name not in self.silent):
            components, units = self.reader.columns(quantity)
            chosen, values = self.values(quantity)
            channel = f"{quantity}.{self.section.label}" if self.section.label else quantity
            yield RawChannel(
                path=path,
                name=channel,
                columns=tuple(map(column_name, [channel] * len(components), components, units)),
                components=components,
                units=units,
                t=t[chosen],
                values=values,
                rows=np.array(chosen) + 1,
                empty=np.zeros(values.shape, bool),
                row_word=f"message of {self.name}",
            )


def _collect(path: FilePath, mapping: BagMapping) -> list[_Topic]:
    """All messages of the mapped topics, in the order of the bag."""
    from rosbags.highlevel import AnyReader
    from rosbags.typesys import Stores, get_typestore

    common = get_typestore(Stores.ROS2_HUMBLE)  # for old bags, which do not say what their messages are
    with AnyReader([Path(os.fspath(path))], default_typestore=common) as reader:
        topics = {name: _open(path, name, section, reader) for name, section in mapping.topics.items()}
        _refuse_same_channels(path, mapping)
        connections = [each for each in reader.connections if each.topic in topics]
        for connection, logged, data in reader.messages(connections=connections):
            message = reader.deserialize(data, connection.msgtype)
            _add(topics[connection.topic], message, logged)
    return [_checked(path, topic) for topic in topics.values()]


def _open(path: FilePath, name: str, section: TopicSection, reader: Any) -> _Topic:
    types = {each.msgtype for each in reader.connections if each.topic == name}
    if not types:
        known = sorted({each.topic for each in reader.connections})
        near, listed = did_you_mean(name, known), ", ".join(map(shown, known))
        raise FileError(path, f"has no topic {shown(name)}{near}; it has: {listed or 'none'}")
    expected = KINDS[section.kind].message
    if types != {expected}:
        raise FileError(
            path,
            f"topic {shown(name)} is of type {', '.join(sorted(types))}; the kind {section.kind} is {expected}",
        )
    return _Topic(name, section, reader_of(section))


def _refuse_same_channels(path: FilePath, mapping: BagMapping) -> None:
    givers: dict[tuple[str, str], str] = {}
    for name, section in mapping.topics.items():
        for quantity in section.wanted:
            other = givers.setdefault((quantity, section.label), name)
            if other != name:
                raise FileError(
                    path,
                    f"the mapping takes {quantity} from {shown(other)} and from {shown(name)}; "
                    "allowed: a label for one of them, or `take` without it",
                )


def _add(topic: _Topic, message: Any, logged: int) -> None:
    row = topic.reader.read(message)
    if row is not None:
        stamp = message.header.stamp
        topic.stamps.append(logged if topic.section.stamps == "log" else stamp.sec * 10**9 + stamp.nanosec)
        topic.rows.append(row)


def _checked(path: FilePath, topic: _Topic) -> _Topic:
    where = f"topic {shown(topic.name)}"
    if set(topic.held) <= topic.silent:
        why = "".join(f"; {note}" for note in topic.notes)
        raise FileError(path, f"{where} holds nothing of what the mapping takes from it{why}")
    if len(topic.stamps) > 1 and not any(topic.stamps):
        raise FileError(path, f"{where} has headers without time stamps; allowed: those, or `stamps: log`")
    return topic
