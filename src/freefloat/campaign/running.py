"""The verb: a campaign begun, gone on with, or made longer."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from freefloat import __version__
from freefloat.campaign.campaign import Campaign, load_campaign
from freefloat.campaign.manifest import (
    NAME,
    CadChoice,
    InvalidCampaign,
    Manifest,
    SettingSection,
    load_manifest,
    refuse_changed,
    refuse_other,
    save_manifest,
)
from freefloat.campaign.on_dask import connected, run_on_cluster
from freefloat.campaign.parts import Job, clear_unfinished, held, missing, read_parts, write_part
from freefloat.campaign.settings import CampaignSetting, prepared
from freefloat.campaign.workers import Done, run_jobs
from freefloat.errors import FileError, is_interrupt
from freefloat.estimate.methods import make_estimator
from freefloat.estimate.one_thread import one_blas_thread
from freefloat.excitation.excitation import Excitation, trajectory_of
from freefloat.excitation.solver.search import usual_workers
from freefloat.files import FilePath
from freefloat.mission.identifying import method_of
from freefloat.mission.mission_file import Mission
from freefloat.mission.sweeping import refuse_sweep, settings_of
from freefloat.motion.trajectory import Trajectory
from freefloat.motion.trajectory_file import trajectory_from_document
from freefloat.robot.yaml_write import robot_document
from freefloat.sensors.draws import LAST_RUN, LAST_SEED

_LIBRARIES = ("numpy", "scipy", "numba", "polars")


@dataclass(frozen=True, slots=True)
class CampaignStanding:
    """How far a campaign is: runs at all settings, finished and altogether."""

    finished: int
    total: int


def run_campaign(
    mission: Mission,
    runs: int,
    methods: Sequence[str] = (),
    *,
    directory: FilePath,
    sweep: Mapping[str, Sequence[float]] | None = None,
    motion: Trajectory | Excitation | None = None,
    seed: int = 0,
    workers: int | None = None,
    cluster: str | None = None,
    chunk: int = 25,
    cad: CadChoice = "drawn",
    watch: Callable[[CampaignStanding], None] | None = None,
) -> Campaign:
    """Fly the mission, identify it and hold the estimates against the truth, so many times at every setting.

    What a directory already holds is not done again: a campaign that was ended, at whatever instant, goes on, and one
    that had fewer runs becomes longer. The table does not depend on workers, cluster, interruptions or order.

    methods: the mission's own, or the usual one, unless given. sweep: values by name as in `sweep`, of which all
    combinations are settings. motion: the mission's own unless given, else a random one of the seed.
    workers: processes, as many as there are processors unless given. cluster: address of a Dask scheduler, whose
    workers are then used instead. chunk: runs of a part. cad: the robot that estimators are given, `drawn` anew for
    every run as the mission's prior says, or `exact`. watch: called with how far it is, before the first run and then
    after every part. An interrupt (Ctrl-C) ends it with what is finished.
    """
    named = tuple(methods) or (method_of(mission),)
    _refuse(mission, runs, named, seed, workers, chunk, cad)
    if sweep:
        refuse_sweep(mission, sweep, motion)
    given = trajectory_of(motion) if motion else mission.trajectory
    plan = _Plan(mission, named, sweep or {}, given, seed, workers or usual_workers(), chunk, cad)
    folder = Path(directory)
    plan.begun(folder)  # what is refused is not touched
    with nullcontext() if cluster is None else connected(cluster) as client, held(folder):
        interrupted = plan.done(folder, runs, client, watch or (lambda standing: None))
    return replace(load_campaign(folder), interrupted=interrupted)


def _refuse(
    mission: Mission, runs: int, methods: Sequence[str], seed: int, workers: int | None, chunk: int, cad: str
) -> None:
    """Say before the work what cannot be done."""
    for name, value, least, most in (
        ("the number of runs", runs, 1, LAST_RUN),
        ("the seed", seed, 0, LAST_SEED),
        ("chunk", chunk, 1, LAST_RUN),
        ("the number of workers", 1 if workers is None else workers, 1, 10_000),
    ):
        if isinstance(value, bool) or int(value) != value or not least <= value <= most:
            raise InvalidCampaign(f"{name} is {value}; allowed: a whole number from {least} to {most:,}")
    if cad not in get_args(CadChoice):
        raise InvalidCampaign(f"cad is {cad!r}; allowed: {', '.join(get_args(CadChoice))}")
    for method in methods:
        make_estimator(method, mission.robot.base)
        if list(methods).count(method) > 1:
            raise InvalidCampaign(f"{method} is named twice; allowed: every method once")
    if not mission.sensors:
        raise InvalidCampaign(f"{mission.path}: the mission has no sensors; a campaign needs at least one")


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """A campaign that is asked for."""

    mission: Mission
    methods: tuple[str, ...]
    sweep: Mapping[str, Sequence[float]]
    trajectory: Trajectory | None
    seed: int
    workers: int
    chunk: int
    cad: CadChoice

    def done(self, folder: Path, runs: int, client: Any, watch: Callable[[CampaignStanding], None]) -> bool:
        """Do what is missing; whether it was interrupted. client: of a cluster, if it is to be done there."""
        values, begun = settings_of(self.sweep), self.begun(folder)
        if begun is not None:
            clear_unfinished(folder)
            read_parts(folder, begun.methods)  # one that is damaged is found now, not after the work
        left = missing(folder, len(values), runs, self.chunk)
        if not left:
            return False
        total = runs * len(values)
        count = total - sum(job.runs for job in left)
        try:
            needed = sorted({job.setting for job in left})
            ready = {number: self._prepared(folder, number, values[number], begun) for number in needed}
            if begun is None:
                save_manifest(folder, self._manifest([section for _, section in ready.values()]))
            settings = {number: setting for number, (setting, _) in ready.items()}
            watch(CampaignStanding(count, total))
            with closing(self._results(settings, left, client)) as results:  # ends the workers
                for job, rows in results:
                    write_part(folder, job, rows)
                    count += job.runs
                    watch(CampaignStanding(count, total))
        except (KeyboardInterrupt, SystemError) as error:
            if not is_interrupt(error) or not (folder / NAME).exists():
                raise
            return True
        return False

    def begun(self, folder: Path) -> Manifest | None:
        """The manifest, if the directory holds this campaign already; one that holds anything else is refused."""
        if (folder / NAME).exists():
            found = load_manifest(folder)
            refuse_other(folder, found, self._same())
            if [setting.values for setting in found.settings] != settings_of(self.sweep):
                raise FileError(folder / NAME, "has other settings than its sweep; allowed: all combinations, in order")
            return found
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if not path.name.startswith("."):
                raise FileError(folder, f"holds {path.name}, but no campaign; allowed: an empty or a new directory")
        return None

    def _prepared(
        self, folder: Path, number: int, values: Mapping[str, float], begun: Manifest | None
    ) -> tuple[CampaignSetting, SettingSection]:
        """A setting; of a campaign that has begun, with the motion that was flown, and only if nothing else changed."""
        before = None if begun is None else begun.settings[number]
        motion = None if before is None else trajectory_from_document(before.trajectory, folder / NAME)
        with one_blas_thread():  # what a cluster's workers are sent must not depend on how many there are here
            setting, section = prepared(
                self.mission, number, values, self.trajectory, self.methods, self.seed, self.cad, self.workers, motion
            )
        if before is not None:
            refuse_changed(folder, number, before, section)
        return setting, section

    def _results(self, settings: Mapping[int, CampaignSetting], left: Sequence[Job], client: Any) -> Generator[Done]:
        if client is not None:
            return run_on_cluster(client, settings, left)
        return run_jobs(settings, left, self.workers)

    def _same(self) -> dict[str, Any]:
        """What makes a campaign the same, as plain data."""
        return {
            "freefloat": __version__,
            "seed": int(self.seed),
            "chunk": int(self.chunk),
            "cad": self.cad,
            "methods": list(self.methods),
            "mission": self.mission.settings.model_dump(mode="json", exclude={"robot", "trajectory"}),
            "robot": robot_document(self.mission.robot),
            "trajectory": None if self.trajectory is None else self.trajectory.document(),
            "sweep": {key: [float(value) for value in values] for key, values in self.sweep.items()},
        }

    def _manifest(self, settings: list[SettingSection]) -> Manifest:
        versions = {library: importlib.metadata.version(library) for library in _LIBRARIES}
        versions["python"] = platform.python_version()
        return Manifest(name=self.mission.name, versions=versions, settings=settings, **self._same())
