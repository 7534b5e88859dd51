"""Write one small file of every kind that freefloat writes, for `test_kept_files.py`, which reads them for good.

    python tests/kept_files/write_files.py

Files of a released version are never written again: a later version that writes them otherwise gets a folder of its
own beside them, and reads both.
"""

import shutil
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from campaign.tiny_mission import write_tiny_mission

import freefloat as ff

FOLDER = Path(__file__).parent / "0.2.0"
MAPPING = """\
format: freefloat/bag-mapping@1
topics:
  /joint_states: {kind: joint-state, joints: {arm_1: j1}}
  /imu: {kind: imu, take: [gyro]}
"""


def write_files(folder: Path) -> None:
    """All kinds, of the satellite with one joint; `run` and `campaign` are directories."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    mission = ff.load_mission(write_tiny_mission(folder, "mission.yaml"))
    mission.robot.save(folder / "robot.json")
    mission.robot.save(folder / "robot.urdf")
    (folder / "mapping.yaml").write_text(MAPPING)
    mission.trajectory.save(folder / "trajectory.json")
    designed = ff.design(mission, starts=1, seed=1, workers=1, shakes=0)
    replace(designed, how=replace(designed.how, seconds=1.0)).save(folder / "excitation.json")
    flight, other = (ff.simulate(mission, seed=seed) for seed in (1, 2))
    flight.save(folder / "recording.csv")
    flight.save(folder / "recording.parquet")
    estimate = ff.identify(mission, flight)
    estimate.save(folder / "estimate.json")
    ff.validate(mission, estimate, other).save(folder / "validation.json")
    ff.run(mission, folder / "run", seed=1, fly="cad")
    (folder / "run" / "report.html").unlink()  # a page for people: large, and not read back
    ff.run_campaign(mission, runs=2, methods=("least-squares",), directory=folder / "campaign", workers=1)
    (folder / "campaign" / ".lock").unlink()


if __name__ == "__main__":
    write_files(FOLDER)
