"""The bag mapping: which topics of a bag are which measurements.

    format: freefloat/bag-mapping@1
    topics:
      /joint_states: {kind: joint-state, joints: {shoulder: j1, elbow: j2}, reversed: [j2], wheels: {rw_x: wx}}
      /imu/data:     {kind: imu, take: [gyro], note: "imu_link is the base frame turned by 180 deg about x"}
      /mocap/pose:   {kind: pose}
      /odom:         {kind: odometry, label: odometry}
      /twist:        {kind: twist, axes: body}

`joints` and `wheels` name those of the robot by their names in the messages; without them every joint of the
messages is taken by its own name. What a kind gives is listed in `KINDS`; `take` chooses from it. Notes are
kept with the recording.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Self

from pydantic import Field, model_validator

from freefloat.files import FilePath, Section, check_format, load_yaml, shown, validate
from freefloat.sensors.sensor import Label

Kind = Literal["joint-state", "imu", "odometry", "pose", "twist"]


@dataclass(frozen=True, slots=True)
class MessageKind:
    """A message type, and the quantities that it can give."""

    message: str
    quantities: tuple[str, ...]


KINDS: Mapping[str, MessageKind] = {
    "joint-state": MessageKind("sensor_msgs/msg/JointState", ("q", "dq", "tau", "wheel")),
    "imu": MessageKind("sensor_msgs/msg/Imu", ("gyro", "accelerometer", "attitude")),
    "odometry": MessageKind("nav_msgs/msg/Odometry", ("position", "attitude", "body_velocity", "gyro")),
    "pose": MessageKind("geometry_msgs/msg/PoseStamped", ("position", "attitude")),
    "twist": MessageKind("geometry_msgs/msg/TwistStamped", ("body_velocity", "gyro", "velocity")),
}


class TopicSection(Section):
    """What one topic holds."""

    kind: Kind = Field(description=", ".join(KINDS))
    label: Label = Field("", description="tells its channels from those of another topic")
    take: list[str] | None = Field(None, description="quantities to take; all of them unless given")
    joints: dict[str, str] | None = Field(None, description="name in the messages: name in the robot")
    wheels: dict[str, str] = Field(default_factory=dict, description="name in the messages: name in the robot")
    reversed: list[str] = Field(default_factory=list, description="joints or wheels that count the other way")
    slides: list[str] = Field(default_factory=list, description="joints that slide, in metres")
    axes: Literal["body", "inertial"] = Field("body", description="of a twist: the body's, or inertial ones")
    stamps: Literal["header", "log"] = Field("header", description="time of the header, or of the recording")
    note: str | None = Field(None, description="anything to remember about frames and signs")

    @model_validator(mode="after")
    def _fits_the_kind(self) -> Self:
        known = KINDS[self.kind].quantities
        for name in self.take or ():
            if name not in known:
                raise ValueError(f"takes {shown(name)}; the kind {self.kind} gives: {', '.join(known)}")
        if self.kind != "joint-state" and (self.joints or self.wheels or self.reversed or self.slides):
            raise ValueError(f"speaks of joints or wheels, which the kind {self.kind} does not hold")
        named = {*(self.joints or {}).values(), *self.wheels.values()}
        for name in (*self.reversed, *self.slides) if named else ():
            if name not in named:
                raise ValueError(f"turns or slides {shown(name)}, which is none of: {', '.join(sorted(named))}")
        return self

    @property
    def wanted(self) -> tuple[str, ...]:
        """The quantities to take where messages hold them."""
        known = KINDS[self.kind].quantities
        if self.kind == "twist":
            known = ("velocity",) if self.axes == "inertial" else ("body_velocity", "gyro")
        return tuple(name for name in known if self.take is None or name in self.take)


class BagMapping(Section):
    """Which topics of a bag are which measurements."""

    format: Literal["freefloat/bag-mapping@1"] = Field(description="freefloat/bag-mapping@1")
    topics: dict[str, TopicSection] = Field(min_length=1, description="by name")


def load_bag_mapping(path: FilePath) -> BagMapping:
    """Read a bag mapping file."""
    document = load_yaml(path)
    check_format(document, "bag-mapping")
    return validate(BagMapping, document)
