"""A ROS 2 bag: topics of a table robot's computers, a mapping file that says what they are, and what they say.

The bag is made here, from a simulated flight; yours comes from `ros2 bag record`. Needs the extra `bags`.
Writes into examples_out/ros2_bag, or the folder given.
"""

import shutil
import sys
from pathlib import Path

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

import freefloat as ff

MISSION = """
format: freefloat/mission@1
mission: table
robot: table.yaml
known: {load: {relative_sd: 0.002}}
sensors:
  joints: {kind: encoder, noise_rad: 5.0e-5, rate_Hz: 50}
  imu: {kind: gyro, angle_random_walk_deg_per_sqrt_h: 0.05, rate_Hz: 50}
excitation: {duration_s: 30}
"""

MAPPING = """
format: freefloat/bag-mapping@1
topics:
  /joint_states: {kind: joint-state, joints: {shoulder: j1, elbow: j2, wrist: j3}, reversed: [j2]}
  /imu/data: {kind: imu, take: [gyro]}
"""

STORE = get_typestore(Stores.ROS2_HUMBLE)


def write_bag(folder: Path, recording: ff.Recording) -> None:
    """As the robot's computers would: names and the sign of the elbow are those of its driver."""
    types, names, empty = STORE.types, ["shoulder", "elbow", "wrist"], np.zeros(0)
    vector, unknown = types["geometry_msgs/msg/Vector3"], np.concatenate([[-1.0], np.zeros(8)])
    upright = types["geometry_msgs/msg/Quaternion"](x=0.0, y=0.0, z=0.0, w=1.0)
    q, gyro = recording["q"], recording["gyro"]
    with Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        kinds = {"/joint_states": "sensor_msgs/msg/JointState", "/imu/data": "sensor_msgs/msg/Imu"}
        topics = {name: writer.add_connection(name, kind, typestore=STORE) for name, kind in kinds.items()}
        for t, angles, rates in zip(q.t, q.values * [1.0, -1.0, 1.0], gyro.values.tolist(), strict=True):
            stamp = 1_700_000_000_000_000_000 + round(t * 1e9)
            time = types["builtin_interfaces/msg/Time"](sec=stamp // 10**9, nanosec=stamp % 10**9)
            header = types["std_msgs/msg/Header"](stamp=time, frame_id="base")
            joints = types[kinds["/joint_states"]](header, names, angles, empty, empty)
            measured = (upright, unknown, vector(*rates), np.zeros(9), vector(0.0, 0.0, 0.0), unknown)
            imu = types[kinds["/imu/data"]](header, *measured)
            for topic, message in (("/joint_states", joints), ("/imu/data", imu)):
                writer.write(topics[topic], stamp, STORE.serialize_cdr(message, message.__msgtype__))


out = Path(sys.argv[1] if len(sys.argv) > 1 else "examples_out/ros2_bag")
shutil.rmtree(out / "flight", ignore_errors=True)  # a bag of an earlier run
out.mkdir(parents=True, exist_ok=True)
ff.study_robot("planar_known_load").save(out / "table.yaml")
(out / "table_mission.yaml").write_text(MISSION)
(out / "mapping.yaml").write_text(MAPPING)
mission = ff.load_mission(out / "table_mission.yaml")

# What the robot does: moves as it is told, and records.
command = ff.random_motion(mission, seed=5)
robot = ff.draw_robot(mission, seed=3)
write_bag(out / "flight", ff.simulate(mission, command, seed=1, robot=robot))

# What you do: read the bag by its mapping, identify.
recording = ff.load_recording(out / "flight", ff.data.load_bag_mapping(out / "mapping.yaml"))
for channel in recording:
    print(f"{channel.name}: {', '.join(channel.components)}, {len(channel)} samples at {channel.rate_Hz:.0f} Hz")
estimate = ff.identify(mission, recording, motion=command)
print(f"{estimate.outcome}; residual {estimate.residual.ratio:.2f} times the sensors' noise")
truth = estimate.minimal.values(robot.parameters)
for place, name in enumerate(estimate.names):
    value, half = estimate.values[place], 1.96 * estimate.sd[place]
    print(f"{name}: CAD {estimate.cad[place]:.3f}, found {value:.3f} ± {half:.3f}, true {truth[place]:.3f}")
