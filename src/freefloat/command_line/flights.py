"""Recordings in, simulated flights out, with a bar that says how far they are."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from freefloat.errors import FileError
from freefloat.experiment.bags import read_bag
from freefloat.experiment.bags_mapping import load_bag_mapping
from freefloat.experiment.recording import Recording
from freefloat.experiment.tables import read_recording, write_recording
from freefloat.mission import fly, load_mission, simulate
from freefloat.motion.trajectory_file import load_trajectory


def read_any(path: Path, mapping: Path | None, repair: list[str]) -> Recording:
    """A recording from a table or, with a mapping, from a bag."""
    if not (path.is_dir() or path.suffix in (".mcap", ".db3")):
        return read_recording(path, repair=repair)
    if mapping is None:
        raise FileError(path, "a bag needs a mapping file that says which topic is what; give it as --mapping")
    return read_bag(path, load_bag_mapping(mapping), repair=repair)


def simulate_runs(
    mission_path: Path, trajectory_path: Path | None, seed: int, runs: int, output: Path | None, quiet: bool
) -> list[Path]:
    """Fly once, let the sensors look `runs` times, write each recording; the paths written."""
    mission = load_mission(mission_path)
    trajectory = None if trajectory_path is None else load_trajectory(trajectory_path)
    paths = _paths(output or Path(f"{mission.name}.parquet" if runs == 1 else f"{mission.name}.flights"), runs)
    with Progress(console=Console(stderr=True), disable=quiet, transient=True) as progress:
        task = progress.add_task(f"flying {mission.name}", total=runs + 1)
        truth = fly(mission, trajectory, seed)
        progress.advance(task)
        for run, path in enumerate(paths):
            write_recording(path, simulate(mission, seed=seed, run=run, truth=truth))
            progress.advance(task)
    return paths


def _paths(output: Path, runs: int) -> list[Path]:
    if runs == 1:
        return [output]
    if output.suffix in (".parquet", ".csv"):
        raise FileError(output, f"is one file, and there are {runs} runs; allowed: the name of a folder")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(output, f"the folder cannot be made: {error.strerror}") from error
    return [output / f"run_{run:0{len(str(runs - 1))}d}.parquet" for run in range(runs)]
