"""An estimate as it comes about, and random motions, by the verbs."""

import json

import numpy as np
import pytest
from cli.calling import ended
from excitation.small_mission import MISSION, write_small_mission

import freefloat as ff

SENSORS = {**MISSION["sensors"], "wheels": {"kind": "tachometer", "noise_rad_s": 0.01, "rate_Hz": 10}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    there = tmp_path_factory.mktemp("history")
    mission = ff.load_mission(write_small_mission(there, sensors=SENSORS, excitation={"duration_s": 20}))
    ff.simulate(mission, seed=4).save(there / "flight.parquet")
    ff.identify(mission, there / "flight.parquet").save(there / "found.json")
    return there


def test_a_longer_part_says_more_and_the_last_is_the_whole(folder):
    mission = ff.load_mission(folder / "small.yaml")
    history = ff.identify_history(mission, folder / "flight.parquet", 4)
    whole = ff.load_estimate(folder / "found.json")
    np.testing.assert_allclose(history.spans_s[:, 1], [5.0, 10.0, 15.0, 20.0])
    assert (history.spans_s[:, 0] == 0.0).all()
    assert history.names == whole.names
    np.testing.assert_allclose(history.values[-1], whole.values, rtol=1e-6, atol=1e-9)
    assert history.relative[-1] < history.relative[0]
    assert history.away[-1] == 0.0
    assert history.away[:-1].max() < 6.0  # nothing changes in this flight


def test_a_window_moves(folder):
    mission = ff.load_mission(folder / "small.yaml")
    history = ff.identify_history(mission, folder / "flight.parquet", 3, span_s=10.0, method="weighted")
    np.testing.assert_allclose(history.spans_s, [[0.0, 10.0], [5.0, 15.0], [10.0, 20.0]])
    assert np.isfinite(history.values).all()


def test_a_part_that_is_too_short_has_no_estimate_but_a_reason(folder):
    short = {"sensors": SENSORS, "identify": {"window": [0, 1.2]}, "excitation": {"duration_s": 20}}
    mission = ff.load_mission(write_small_mission(folder, "short.yaml", **short))
    history = ff.identify_history(mission, folder / "flight.parquet", 2, method="weighted")
    assert np.isnan(history.values[0]).all()
    assert history.outcomes[0] not in ("good", "doubtful", "failed")
    assert json.dumps(history.document(), allow_nan=False)


def test_the_verbs_show_it(folder):
    code, said, err = ended(
        ["identify", "small.yaml", "flight.parquet", "--method", "weighted", "--history", 2, "--plot", "h.html"], folder
    )
    assert code == 0, err
    assert "farthest from last, in sd" in said
    assert "wrote h.html" in said
    assert "end of the part" in (folder / "h.html").read_text()
    call = ["validate", "small.yaml", "found.json", "--random", 20, "--robot", "robot.yaml"]
    code, said, err = ended(call, folder)
    assert code == 0, err
    assert "20 random motions of 60 s" in said
    assert "% of all rates are within their 95 %" in said
    document = json.loads(ended([*call, "--json"], folder)[1])["random_motions"]
    assert document["motions"] == 20
    assert document["axes"]["z"]["mean_of_largest_error_rad_s"] >= 0.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("identify", "small.yaml", "flight.parquet", "--span-s", "5"), "with --history"),
        (("identify", "small.yaml", "flight.parquet", "--history", "2", "--span-s", "50"), "is to move over 20 s"),
        (("validate", "small.yaml", "found.json"), "nothing to predict"),
        (("validate", "small.yaml", "found.json", "--random", "2", "--plot", "x.html"), "are of recordings"),
    ],
)
def test_what_cannot_be_shown_gets_one_sentence(folder, arguments, words):
    code, said, err = ended(arguments, folder)
    assert (code, said, err.count("\n")) == (2, "", 1)
    assert words in err


def test_without_noise_a_linear_method_comes_to_the_truth_and_says_how_soon(folder):
    code, said, err = ended(["simulate", "small.yaml", "--noise-free", "--seed", 4, "-o", "exact.parquet"], folder)
    assert code == 0, err
    mission = ff.load_mission(folder / "small.yaml")
    noisy, exact = (ff.load_recording(folder / name) for name in ("flight.parquet", "exact.parquet"))
    again = ff.simulate(mission, seed=5, motion=ff.random_motion(mission, 4), noise=False)
    for name, channel in exact.channels.items():
        np.testing.assert_array_equal(channel.values, again.channels[name].values)
        assert (channel.values != noisy.channels[name].values).any()
    settled, drawn = (
        ff.identify_history(mission, folder / name, 4, method="least-squares", truth=mission.robot)
        for name in ("exact.parquet", "flight.parquet")
    )
    assert settled.errors[-1].max() < 0.1 * drawn.errors[-1].max()
    robot = str(mission.settings.robot)
    shown = ["identify", "small.yaml", "exact.parquet", "--method", "weighted", "--history", 2, "--truth", robot]
    code, said, err = ended(shown, folder)
    assert code == 0, err
    assert "median error / true value" in said


def test_runs_without_noise_and_a_truth_without_a_history_are_refused(folder):
    for asked in (
        ["simulate", "small.yaml", "--noise-free", "--runs", 2],
        ["identify", "small.yaml", "flight.parquet", "--truth", "small.yaml"],
    ):
        code, _, err = ended(asked, folder)
        assert code == 2
        assert "allowed: " in err
