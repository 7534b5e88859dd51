"""Small bags to read, written with rosbags itself."""

from __future__ import annotations

import numpy as np
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

STORE = get_typestore(Stores.ROS2_HUMBLE)
START_NS = 1_700_000_000_123_456_789


def _type(name):
    return STORE.types[name]


def header(stamp_ns, frame="base"):
    time = _type("builtin_interfaces/msg/Time")(sec=stamp_ns // 10**9, nanosec=stamp_ns % 10**9)
    return _type("std_msgs/msg/Header")(stamp=time, frame_id=frame)


def vector(values):
    x, y, z = map(float, values)
    return _type("geometry_msgs/msg/Vector3")(x=x, y=y, z=z)


def quaternion(values=(0.0, 0.0, 0.0, 1.0)):
    x, y, z, w = map(float, values)
    return _type("geometry_msgs/msg/Quaternion")(x=x, y=y, z=z, w=w)


def point(values):
    x, y, z = map(float, values)
    return _type("geometry_msgs/msg/Point")(x=x, y=y, z=z)


def joint_state(stamp_ns, names, position=(), velocity=(), effort=()):
    return _type("sensor_msgs/msg/JointState")(
        header(stamp_ns), list(names), *(np.array(values, float) for values in (position, velocity, effort))
    )


def imu(stamp_ns, gyro, acceleration=(0.0, 0.0, 0.0), attitude=None):
    known, unknown = np.zeros(9), np.concatenate([[-1.0], np.zeros(8)])
    return _type("sensor_msgs/msg/Imu")(
        header(stamp_ns, "imu_link"),
        quaternion() if attitude is None else quaternion(attitude),
        unknown if attitude is None else known,
        vector(gyro),
        known,
        vector(acceleration),
        known,
    )


def pose(stamp_ns, position, attitude=(0.0, 0.0, 0.0, 1.0)):
    body = _type("geometry_msgs/msg/Pose")(point(position), quaternion(attitude))
    return _type("geometry_msgs/msg/PoseStamped")(header(stamp_ns, "world"), body)


def twist(stamp_ns, linear, angular):
    both = _type("geometry_msgs/msg/Twist")(vector(linear), vector(angular))
    return _type("geometry_msgs/msg/TwistStamped")(header(stamp_ns), both)


def odometry(stamp_ns, position, attitude, linear, angular):
    body = _type("geometry_msgs/msg/Pose")(point(position), quaternion(attitude))
    both = _type("geometry_msgs/msg/Twist")(vector(linear), vector(angular))
    return _type("nav_msgs/msg/Odometry")(
        header(stamp_ns, "world"),
        "base",
        _type("geometry_msgs/msg/PoseWithCovariance")(body, np.zeros(36)),
        _type("geometry_msgs/msg/TwistWithCovariance")(both, np.zeros(36)),
    )


def write_bag(folder, messages, storage="mcap", compression=None):
    """Write (topic, time of logging in ns, message) triples; returns the folder of the bag.

    compression: None, or "storage" (zstd chunks in MCAP), "message" or "file".
    """
    writer = Writer(folder, version=9, storage_plugin=StoragePlugin[storage.upper()])
    if compression:
        writer.set_compression(CompressionMode[compression.upper()], CompressionFormat.ZSTD)
    with writer:
        connections = {}
        for topic, logged, message in messages:
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, message.__msgtype__, typestore=STORE)
            data = STORE.serialize_cdr(message, message.__msgtype__)
            writer.write(connections[topic], logged, data)
    return folder


def mcap_in(folder):
    (file,) = folder.glob("*.mcap")
    return file
