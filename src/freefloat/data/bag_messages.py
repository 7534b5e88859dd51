"""What single messages say: the numbers of one message of each kind, by quantity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from freefloat.data.bag_mapping import TopicSection
from freefloat.files import shown

Row = dict[str, Sequence[float]]

_UNITS = {
    "gyro": "rad_s",
    "accelerometer": "m_s2",
    "attitude": "",
    "position": "m",
    "velocity": "m_s",
    "body_velocity": "m_s",
}


class TopicReader(ABC):
    """Reads the messages of one topic, and remembers what they say of themselves."""

    def __init__(self, section: TopicSection) -> None:
        self.section = section
        self.frames: dict[str, None] = {}

    @abstractmethod
    def read(self, message: Any) -> Row | None:
        """The wanted quantities that a message holds; None if it is about something else."""

    @abstractmethod
    def columns(self, quantity: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Components and units of a quantity."""

    def notes(self) -> list[str]:
        """Sentences about what was read."""
        named = [name for name in self.frames if name]
        return [f"frame {', '.join(map(shown, named))}"] if named else []


def _xyz(vector: Any) -> tuple[float, ...]:
    return vector.x, vector.y, vector.z


def _xyzw(quaternion: Any) -> tuple[float, ...]:
    return quaternion.x, quaternion.y, quaternion.z, quaternion.w


def _given(covariance: Sequence[float], values: tuple[float, ...]) -> tuple[float, ...] | None:
    return None if covariance[0] == -1.0 else values  # ROS's way to say that an IMU does not measure it


_PARTS: Mapping[str, Mapping[str, Callable[[Any], Sequence[float] | None]]] = {
    "imu": {
        "gyro": lambda m: _given(m.angular_velocity_covariance, _xyz(m.angular_velocity)),
        "accelerometer": lambda m: _given(m.linear_acceleration_covariance, _xyz(m.linear_acceleration)),
        "attitude": lambda m: _given(m.orientation_covariance, _xyzw(m.orientation)),
    },
    "odometry": {
        "position": lambda m: _xyz(m.pose.pose.position),
        "attitude": lambda m: _xyzw(m.pose.pose.orientation),
        "body_velocity": lambda m: _xyz(m.twist.twist.linear),
        "gyro": lambda m: _xyz(m.twist.twist.angular),
    },
    "pose": {
        "position": lambda m: _xyz(m.pose.position),
        "attitude": lambda m: _xyzw(m.pose.orientation),
    },
    "twist": {
        "body_velocity": lambda m: _xyz(m.twist.linear),
        "velocity": lambda m: _xyz(m.twist.linear),
        "gyro": lambda m: _xyz(m.twist.angular),
    },
}


class _Body(TopicReader):
    """Messages about one body: each wanted quantity is taken where the message has it."""

    def read(self, message: Any) -> Row:
        self.frames.setdefault(message.header.frame_id)
        if hasattr(message, "child_frame_id"):
            self.frames.setdefault(message.child_frame_id)
        parts = _PARTS[self.section.kind]
        found = {name: parts[name](message) for name in self.section.wanted}
        return {name: values for name, values in found.items() if values is not None}

    def columns(self, quantity: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        components = tuple("xyzw") if quantity == "attitude" else tuple("xyz")
        return components, (_UNITS[quantity],) * len(components)


class _JointState(TopicReader):
    """Joints and wheels by name. Position, rate and effort are each there for all names, or not at all.

    Several publishers may share a topic: messages that lack one of the names are about something else. Without
    a mapping, the first message says which joints there are.
    """

    def __init__(self, section: TopicSection) -> None:
        super().__init__(section)
        self.joints = section.joints
        self.passed_over = 0

    def read(self, message: Any) -> Row | None:
        place = {name: index for index, name in enumerate(message.name)}
        if self.joints is None:
            self.joints = {name: name for name in place if name not in self.section.wheels}
        if not {*self.joints, *self.section.wheels} <= place.keys():
            self.passed_over += 1
            return None
        row: Row = {}
        for quantity, values in self._arrays(message).items():
            names = self._names(quantity)
            if quantity in self.section.wanted and names and len(values) == len(message.name):
                row[quantity] = [self._sign(ours) * values[place[theirs]] for theirs, ours in names.items()]
        return row

    @staticmethod
    def _arrays(message: Any) -> dict[str, Sequence[float]]:
        return {"q": message.position, "dq": message.velocity, "tau": message.effort, "wheel": message.velocity}

    def _names(self, quantity: str) -> Mapping[str, str]:
        return self.section.wheels if quantity == "wheel" else self.joints or {}

    def _sign(self, name: str) -> float:
        return -1.0 if name in self.section.reversed else 1.0

    def columns(self, quantity: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        names = tuple(self._names(quantity).values())
        turning, sliding = {"q": ("rad", "m"), "dq": ("rad_s", "m_s"), "tau": ("Nm", "N")}.get(
            quantity, ("rad_s", "rad_s")
        )
        return names, tuple(sliding if name in self.section.slides else turning for name in names)

    def notes(self) -> list[str]:
        """How many messages were about something else."""
        if not self.passed_over:
            return []
        wanted = ", ".join([*(self.joints or {}), *self.section.wheels])
        return [f"{self.passed_over:,} messages do not name all of {wanted} and were passed over"]


def reader_of(section: TopicSection) -> TopicReader:
    """What reads the messages of a topic."""
    return _JointState(section) if section.kind == "joint-state" else _Body(section)
