"""Campaigns: what is in the table, that nothing but seed and run decides it, and what is refused."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from campaign.tiny_mission import METHODS, TINY, tiny_mission

import freefloat as ff
from freefloat.campaign import runs, settings
from freefloat.campaign.campaign import load_campaign
from freefloat.campaign.manifest import InvalidCampaign
from freefloat.campaign.parts import finished, missing
from freefloat.campaign.running import CampaignStanding, run_campaign
from freefloat.campaign.settings import CampaignSetting, prepared
from freefloat.errors import FileError, FreefloatError
from freefloat.estimate.flight import InvalidProblem
from freefloat.estimate.methods import UnknownMethod
from freefloat.estimate.prior import UnphysicalSpread, drawn_robot
from freefloat.mission.sweeping import InvalidSweep
from freefloat.sensors.draws import draw_normal

RUNS, CHUNK = 12, 3


@pytest.fixture(scope="module")
def whole(mission, tmp_path_factory):
    """All runs at once in one process."""
    directory = tmp_path_factory.mktemp("whole") / "campaign"
    return run_campaign(mission, RUNS, METHODS, directory=directory, chunk=CHUNK, workers=1)


def campaign(mission, directory, count=RUNS, **settings):
    return run_campaign(mission, count, METHODS, directory=directory, **{"chunk": CHUNK, "workers": 1, **settings})


def same(first, second):
    """Tables that are the same to the last bit."""
    assert first.table.equals(second.table)
    for column in ("value", "sd", "compared", "compared_sd"):
        bits = [np.array(each.table[column].explode(), float).view(np.uint64) for each in (first, second)]
        np.testing.assert_array_equal(*bits)
    return True


# ---------------------------------------------------------------------- what is in the table


def test_a_row_is_a_run_by_one_method(whole):
    table = whole.table
    assert table.select("setting", "run", "method").rows() == [
        (0, k, method) for k in range(RUNS) for method in METHODS
    ]
    assert set(table["outcome"]) <= {"good", "doubtful", "failed"}
    assert table["message"].null_count() == len(table)
    for method, answer in whole.manifest.settings[0].methods.items():
        lengths = table.filter(method=method)["value"].list.len().unique().to_list()
        assert lengths == [len(answer.names)]
        assert len(answer.truth) == len(answer.unit) == len(answer.bound) == len(answer.names)


def test_a_run_is_simulate_and_identify(mission, tmp_path):
    made, covered = campaign(mission, tmp_path / "exact", 3, cad="exact", seed=5), {method: [] for method in METHODS}
    for row in made.table.rows(named=True):
        method = row["method"]
        estimate = ff.identify(mission, ff.simulate(mission, seed=5, run=row["run"]), method)
        assert row["value"] == estimate.values.tolist()
        assert row["sd"] == estimate.sd.tolist()
        truth = np.array(made.manifest.settings[0].methods[method].truth)
        np.testing.assert_allclose(truth, estimate.cad, rtol=1e-12)
        low, high = estimate.interval(0.95).T
        covered[method].append((low <= truth) & (truth <= high))
    for each in made.summary().settings[0].methods:
        expected = np.mean(covered[each.method], axis=0)
        assert [cluster.coverage.value for cluster in each.clusters] == pytest.approx(expected.tolist())


def test_the_mission_says_which_method_unless_the_caller_does(mission, tmp_path):
    made = run_campaign(mission, 1, directory=tmp_path / "usual", workers=1)
    assert made.manifest.methods == ["maximum-likelihood"]
    assert made.manifest.settings[0].compared is None
    assert made.table["compared"].null_count() == 1


def test_every_parquet_file_of_the_directory_is_part_of_the_table(whole):
    scanned = pl.scan_parquet(whole.directory / "*.parquet").collect().sort("run", "method")
    assert scanned.equals(whole.table.sort("run", "method"))


def test_the_manifest_holds_mission_robot_and_motion_themselves(whole, mission):
    said = json.loads((whole.directory / "campaign.json").read_text())
    assert said["format"] == "freefloat/campaign@1"
    assert said["robot"]["base"]["mass_kg"] == 20
    assert said["trajectory"] == mission.trajectory.document()
    assert said["mission"]["sensors"]["gyro"]["rate_Hz"] == 4
    assert (said["seed"], said["chunk"], said["cad"], said["methods"]) == (0, CHUNK, "drawn", list(METHODS))
    assert {"numpy", "scipy", "numba", "python"} <= said["versions"].keys()


def test_it_comes_back_from_its_directory(whole):
    assert same(load_campaign(whole.directory), whole)
    assert whole.runs == RUNS


# ---------------------------------------------------------------------- the same whatever happens


@pytest.mark.parametrize(("workers", "chunk"), [(2, CHUNK), (1, 5), (2, 1)])
def test_neither_workers_nor_chunks_change_the_table(mission, whole, tmp_path, workers, chunk):
    assert same(campaign(mission, tmp_path / "other", workers=workers, chunk=chunk), whole)


def test_lost_parts_alone_are_made_again_in_whatever_order(mission, whole, tmp_path):
    there = tmp_path / "campaign"
    campaign(mission, there)
    parts = sorted(there.glob("part-*.parquet"))
    for lost in (parts[0], parts[2]):
        lost.unlink()
    (there / ".freefloat-0123.part").write_bytes(b"half of a part")
    kept = {path: path.stat().st_mtime_ns for path in (parts[1], parts[3])}
    told = []
    assert same(campaign(mission, there, watch=told.append), whole)
    assert told == [CampaignStanding(6, 12), CampaignStanding(9, 12), CampaignStanding(12, 12)]
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert not list(there.glob(".freefloat*"))


def test_more_runs_make_it_longer_and_repeat_none(mission, whole, tmp_path):
    there = tmp_path / "campaign"
    assert campaign(mission, there, 5).runs == 5
    kept = {path: path.stat().st_mtime_ns for path in there.glob("*") if path.name != ".lock"}
    assert same(campaign(mission, there), whole)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert [(job.first, job.stop) for job in finished(there)] == [(0, 3), (3, 5), (5, 6), (6, 9), (9, 12)]
    assert campaign(mission, there, 4).runs == RUNS  # what is there stays


def test_what_is_missing_keeps_to_the_borders_of_chunks(tmp_path):
    for first, last in ((0, 9), (25, 27)):
        (tmp_path / f"part-0000-{first:08d}-{last:08d}.parquet").touch()
    left = [(job.setting, job.first, job.stop) for job in missing(tmp_path, 2, 45, 20)]
    assert left == [(0, 10, 20), (0, 20, 25), (0, 28, 40), (0, 40, 45), (1, 0, 20), (1, 20, 40), (1, 40, 45)]


def test_another_seed_is_another_campaign(mission, whole, tmp_path):
    other = campaign(mission, tmp_path / "other", 3, seed=1)
    assert not np.isin(np.array(other.table["value"].explode()), np.array(whole.table["value"].explode())).any()


def test_an_interrupt_keeps_what_is_finished(mission, whole, tmp_path):
    def stop(standing):
        if standing.finished >= 6:
            raise KeyboardInterrupt

    for workers in (1, 2):
        there = tmp_path / f"{workers}"
        ended = campaign(mission, there, watch=stop, workers=workers)
        assert ended.interrupted
        assert ended.runs == 6
        again = campaign(mission, there, workers=workers)
        assert not again.interrupted
        assert same(again, whole)


# ---------------------------------------------------------------------- runs that fail


def test_a_run_that_fails_is_a_row_and_the_others_go_on(mission, whole, tmp_path, monkeypatch):
    true = runs.identify

    def sometimes(assumed, recording, method, trajectory):
        if recording.origin.run == 4 and method == "least-squares":
            raise InvalidProblem("nothing\nto see")
        return true(assumed, recording, method, trajectory)

    monkeypatch.setattr(runs, "identify", sometimes)
    made = campaign(mission, tmp_path / "failing")
    failed = (pl.col("run") == 4) & (pl.col("method") == "least-squares")
    (row,) = made.table.filter(failed).rows(named=True)
    assert (row["outcome"], row["message"]) == ("error", "nothing to see")
    assert row["value"] is row["sd"] is row["compared"] is None
    assert made.table.filter(~failed).equals(whole.table.filter(~failed))
    summary = made.summary().settings[0].methods[0]
    assert summary.outcomes["error"] == 1
    assert len(summary.errors) == RUNS - 1
    assert summary.share("error").value == 1 / RUNS


def test_a_run_without_a_recording_is_a_row_for_every_method(mission, whole, tmp_path, monkeypatch):
    true = CampaignSetting.recorded

    def sometimes(setting, run):
        if run == 2:
            raise InvalidProblem("it did not fly")
        return true(setting, run)

    monkeypatch.setattr(CampaignSetting, "recorded", sometimes)
    made = campaign(mission, tmp_path / "failing", 4)
    failed = made.table.filter(run=2)
    assert failed["method"].to_list() == list(METHODS)
    assert failed["message"].to_list() == ["it did not fly"] * 2
    assert made.table.filter(run=3).equals(whole.table.filter(run=3))


def test_robots_are_drawn_again_until_they_have_mass(tmp_path):
    mission = tiny_mission(tmp_path, prior={"mass": 0.8}, known={"link1.m": {"relative_sd": 0.8}})
    made = campaign(mission, tmp_path / "c", 6)
    assert not made.table["message"].drop_nulls().str.contains("mass").any()
    setting, _ = prepared(mission, 0, {}, mission.trajectory, ("maximum-likelihood",), 0, "drawn", 1)
    masses = np.array([setting.mission_of(run).robot.parameters[::10] for run in range(400)])
    assert (masses >= 0.0).all()
    first = np.array([draw_normal(0, [run], "cad/0", (1,))[0, 0] for run in range(400)])
    assert 30 < (first < -1.25).sum() < 60  # a tenth of the first draws had a base without mass
    with pytest.raises(UnphysicalSpread, match="of 100 robots drawn"):
        drawn_robot(mission.robot, -np.abs(setting.cad_root), lambda size: np.full(size, 10.0))


def test_a_method_that_always_fails_is_said_before_the_first_run(mission, tmp_path):
    blind = replace(mission, sensors={"joints": mission.sensors["joints"]})
    with pytest.raises(FreefloatError):
        campaign(blind, tmp_path / "blind")
    assert not (tmp_path / "blind").exists()


# ---------------------------------------------------------------------- what is refused


def renamed(mission, **changes):
    return replace(mission, settings=mission.settings.model_copy(update=changes))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 1}, "seed 0, not 1"),
        ({"chunk": 4}, "chunk 3, not 4"),
        ({"cad": "exact"}, "cad 'drawn', not 'exact'"),
        ({"methods": ("least-squares",)}, "methods"),
        ({"sweep": {"link1.mass_kg": [1.0, 2.0]}}, "sweep.link1.mass_kg"),
    ],
)
def test_a_directory_of_another_campaign_is_refused_by_what_differs(mission, whole, change, words):
    settings = {"methods": METHODS, "chunk": CHUNK, "workers": 1, **change}
    with pytest.raises(FileError, match="allowed: the same, or another directory") as refused:
        run_campaign(mission, RUNS, directory=whole.directory, **settings)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_directory_of_another_mission_or_robot_is_refused_by_what_differs(mission, whole):
    phi = np.array(mission.robot.parameters)
    phi[0] = 21.0
    heavier = replace(mission, robot=mission.robot.with_parameters(phi))
    with pytest.raises(FileError, match=r"robot\.base\.mass_kg 20(\.0)?, not 21"):
        campaign(heavier, whole.directory)
    with pytest.raises(FileError, match=r"mission\.prior 'cad', not 'none'"):
        campaign(renamed(mission, prior="none"), whole.directory)
    slower = replace(mission.trajectory, duration_s=12.0)
    with pytest.raises(FileError, match=r"trajectory\.duration_s 10\.0, not 12\.0"):
        campaign(mission, whole.directory, motion=slower)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda said: said["trajectory"].update(duration_s=11.0), "settings[0].trajectory.duration_s 11.0, not 10.0"),
        (
            lambda said: said["methods"]["maximum-likelihood"]["truth"].__setitem__(0, 1.0),
            "settings[0].methods.maximum-likelihood.truth of",
        ),
        (lambda said: said["methods"]["least-squares"]["names"].__setitem__(0, "x"), "least-squares.names[0] 'x'"),
        (lambda said: said["compared"]["bound"].__setitem__(0, 1.0), "settings[0].compared.bound of"),
    ],
)
def test_a_manifest_from_which_something_else_follows_is_refused(mission, tmp_path, change, words):
    there = tmp_path / "c"
    campaign(mission, there, 1)
    said = json.loads((there / "campaign.json").read_text())
    for setting in said["settings"]:  # rounding does not matter
        setting["compared"]["truth"] = [value * (1.0 + 1e-12) for value in setting["compared"]["truth"]]
    (there / "campaign.json").write_text(json.dumps(said))
    assert campaign(mission, there, 2).runs == 2
    change(said["settings"][0])
    (there / "campaign.json").write_text(json.dumps(said))
    with pytest.raises(FileError, match="allowed: the same, or another directory") as refused:
        campaign(mission, there, 3)
    assert words in str(refused.value)
    assert len(list(there.glob("part-*"))) == 2


def test_designs_are_flown_as_they_were_found(mission, tmp_path, monkeypatch):
    there, found = tmp_path / "c", []

    def design(changed, starts, seed, workers):
        found.append(replace(mission.trajectory, duration_s=10.0 + len(found)))  # never the same again
        return found[-1]

    monkeypatch.setattr(settings, "designed_motion", design)
    free = replace(mission, trajectory=None)
    campaign(free, there, 1, sweep={"harmonics": [2.0]})
    made = campaign(free, there, 2, sweep={"harmonics": [2.0]})
    assert len(found) == 1
    whole = campaign(replace(mission, trajectory=found[0]), tmp_path / "given", 2)
    assert made.table["value"].to_list() == whole.table["value"].to_list()


def test_a_campaign_whose_design_is_interrupted_has_not_begun(mission, tmp_path, monkeypatch):
    monkeypatch.setattr(settings, "designed_motion", lambda *arguments: None)
    with pytest.raises(KeyboardInterrupt, match="interrupted while a motion was designed"):
        campaign(replace(mission, trajectory=None), tmp_path / "c", 1, sweep={"harmonics": [2.0]})
    assert not (tmp_path / "c" / "campaign.json").exists()


def test_a_directory_of_something_else_is_left_alone(mission, tmp_path):
    (tmp_path / "thesis.tex").write_text("three years")
    (tmp_path / ".freefloat-0123.part").write_text("of another command")
    with pytest.raises(FileError, match=r"holds thesis\.tex, but no campaign"):
        campaign(mission, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"thesis.tex", ".freefloat-0123.part"}
    with pytest.raises(FileError, match="cannot be written to"):
        campaign(mission, tmp_path / "no" / "such" / "folder")
    with pytest.raises(FileError, match="cannot be written to"):
        campaign(mission, tmp_path / "thesis.tex")


@pytest.mark.parametrize(
    "content", ["{", "[]", "{}", '{"format": "freefloat/robot@1"}', '{"format": "freefloat/campaign@1"}']
)
def test_a_damaged_manifest_is_one_sentence(tmp_path, content):
    (tmp_path / "campaign.json").write_text(content)
    with pytest.raises(FileError, match=r"campaign\.json: ") as refused:
        load_campaign(tmp_path)
    assert "\n" not in str(refused.value)


def test_a_damaged_part_is_one_sentence(mission, tmp_path):
    campaign(mission, tmp_path / "c", 1)
    (part,) = (tmp_path / "c").glob("part-*.parquet")
    part.write_bytes(part.read_bytes()[:-40])
    with pytest.raises(FileError, match="is not a whole Parquet file; delete it and run the campaign again"):
        load_campaign(tmp_path / "c")
    pl.DataFrame({"run": [1]}).write_parquet(part)
    with pytest.raises(FileError, match="has the columns run; allowed: setting, run"):
        load_campaign(tmp_path / "c")
    with pytest.raises(FileError, match="holds no campaign"):
        load_campaign(tmp_path)
    told = []
    with pytest.raises(FileError, match="delete it and run the campaign again"):
        campaign(mission, tmp_path / "c", 2, watch=told.append)
    assert not told  # before the work
    part.unlink()
    assert campaign(mission, tmp_path / "c", 2).runs == 2


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"runs": 0}, InvalidCampaign, "the number of runs is 0"),
        ({"seed": -1}, InvalidCampaign, "the seed is -1"),
        ({"chunk": 0}, InvalidCampaign, "chunk is 0"),
        ({"workers": 0}, InvalidCampaign, "the number of workers is 0"),
        ({"cad": "none"}, InvalidCampaign, "cad is 'none'; allowed: drawn, exact"),
        ({"methods": ("least-squares", "least-squares")}, InvalidCampaign, "named twice"),
        ({"methods": ("guesswork",)}, UnknownMethod, "guesswork"),
        ({"sweep": {"colour": [1.0]}}, InvalidSweep, "'colour' is not varied"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_written(mission, tmp_path, change, error, words):
    with pytest.raises(error, match=words):
        run_campaign(mission, **{"runs": 2, "directory": tmp_path / "c", **change})
    assert not (tmp_path / "c").exists()


def test_a_mission_without_sensors_is_refused(mission, tmp_path):
    with pytest.raises(InvalidCampaign, match="no sensors"):
        campaign(replace(mission, sensors={}), tmp_path / "c")


# ---------------------------------------------------------------------- settings


def test_all_combinations_of_what_is_varied_are_settings(mission, whole, tmp_path):
    over = {"link1.mass_kg": [2.0, 4.0], "duration_s": [10.0, 20.0]}
    made = campaign(mission, tmp_path / "c", 2, sweep=over, workers=2)
    assert made.runs == 8
    assert [setting.values for setting in made.manifest.settings] == [
        {"link1.mass_kg": mass, "duration_s": duration} for mass in (2.0, 4.0) for duration in (10.0, 20.0)
    ]
    assert [setting.trajectory["duration_s"] for setting in made.manifest.settings] == [10.0, 20.0] * 2
    truths = [setting.compared.truth for setting in made.manifest.settings]
    np.testing.assert_allclose(truths[0], truths[1], rtol=1e-12)
    assert np.abs(np.array(truths[2]) / np.where(truths[0], truths[0], 1.0) - 1.0).max() > 0.1
    assert len(made.summary().settings) == 4
    # The first setting is the mission as it is.
    first = made.table.filter(setting=0)
    assert first["value"].to_list() == whole.table.filter(pl.col("run") < 2)["value"].to_list()


def test_recordings_without_a_body_do_not_matter_to_simulated_flights(tmp_path):
    mission = tiny_mission(tmp_path, identify={"without": {"first.parquet": ["link1"]}})
    assert campaign(mission, tmp_path / "c", 1).runs == 1


def test_a_mission_without_a_motion_flies_the_random_one_of_its_seed(tmp_path):
    changes = {key: value for key, value in TINY.items() if key != "trajectory"}
    mission = tiny_mission(tmp_path, **{**changes, "trajectory": None})
    made = campaign(mission, tmp_path / "c", 1, seed=3)
    assert made.manifest.settings[0].trajectory == ff.random_motion(mission, 3).document()
