"""Recordings as commands read them."""

from dataclasses import replace

from data.recordings_made import multi_rate

from freefloat.cli import recordings
from freefloat.data.origin import Origin
from freefloat.mission.run_manifest import sha256


def test_a_recording_from_a_bag_knows_its_mapping(tmp_path, monkeypatch):
    (tmp_path / "map.yaml").write_text("topics")
    monkeypatch.setattr(recordings, "load_bag_mapping", lambda path: None)
    bag = replace(multi_rate(), origin=Origin(file="x.mcap", hashes={"x.mcap": "0"}))
    monkeypatch.setattr(recordings, "load_recording", lambda path, mapping, repair: bag)
    read = recordings.read_any(tmp_path / "x.mcap", tmp_path / "map.yaml", [])
    assert dict(read.origin.hashes) == {"x.mcap": "0", "map.yaml": sha256(tmp_path / "map.yaml")}
