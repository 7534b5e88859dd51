"""Files: whole or absent on writing; on reading, plain data or one sentence."""

from __future__ import annotations

import math
import os
import socket
import stat
import time

import pytest
import yaml
from robot.one_sentence import sentence

from freefloat.files import YamlDocument, dump_yaml, load_yaml, read_bytes, write_bytes, write_text

# ---------------------------------------------------------------------- bytes


def test_reading_gives_every_byte_up_to_the_limit(tmp_path):
    path = tmp_path / "ten"
    path.write_bytes(bytes(range(10)))
    assert read_bytes(path, limit_bytes=10) == bytes(range(10))


def test_a_file_over_the_limit_is_refused_with_its_size_and_the_limit(tmp_path):
    path = tmp_path / "large"
    path.write_bytes(b"x" * 12_345)
    said = sentence(read_bytes, path, 1_000)
    assert "12,345 bytes" in said
    assert "at most 1,000 bytes" in said


def test_a_missing_file_is_named(tmp_path):
    assert "no such file" in sentence(read_bytes, tmp_path / "absent.yaml")


def test_a_directory_is_not_a_file(tmp_path):
    assert "is a directory; allowed: a file" in sentence(read_bytes, tmp_path)


def test_a_file_used_as_a_directory_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    assert "not a directory" in sentence(read_bytes, tmp_path / "file" / "robot.yaml")


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "allowed: a regular file" in sentence(read_bytes, tmp_path / "pipe")


def test_a_socket_and_an_endless_device_are_refused(tmp_path):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        assert "allowed: a regular file" in sentence(read_bytes, tmp_path / "socket")
    assert "allowed: a regular file" in sentence(read_bytes, "/dev/zero")


def test_a_file_that_may_not_be_read_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "secret.yaml"
    path.write_text("a: 1")

    def denied(*arguments, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", denied)  # permission bits do not stop an administrator
    assert "cannot be read: permission denied" in sentence(read_bytes, path)


def test_a_null_character_in_a_path_is_refused():
    assert "null" in sentence(read_bytes, "robot\0.yaml")
    assert "null" in sentence(write_bytes, "robot\0.yaml", b"")


def test_what_is_written_is_read_back(tmp_path):
    write_text(tmp_path / "text", "déjà\r\nvu\n")
    assert read_bytes(tmp_path / "text") == "déjà\r\nvu\n".encode()
    write_bytes(tmp_path / "text", b"\0\xff")
    assert read_bytes(tmp_path / "text") == b"\0\xff"
    assert os.listdir(tmp_path) == ["text"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step):
    path = tmp_path / "robot.yaml"
    path.write_text("old")

    def fails(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fails)
    assert "cannot be written: no space left on device" in sentence(write_text, path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["robot.yaml"]


def test_an_interrupted_write_leaves_nothing_behind(tmp_path, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_text(tmp_path / "robot.yaml", "new")
    assert os.listdir(tmp_path) == []


def test_the_new_content_is_on_the_disk_before_it_takes_the_name(tmp_path, monkeypatch):
    steps = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda *a: (steps.append("fsync"), fsync(*a)))
    monkeypatch.setattr(os, "replace", lambda *a: (steps.append("replace"), replace(*a)))
    write_text(tmp_path / "robot.yaml", "new")
    assert steps == ["fsync", "replace"]


def test_writing_where_nothing_can_be_written_is_refused(tmp_path):
    assert "no such file or directory" in sentence(write_text, tmp_path / "absent" / "a", "x")
    assert "is a directory" in sentence(write_text, tmp_path, "x")
    assert "is a directory" in sentence(write_text, "/", "x")
    os.mkfifo(tmp_path / "pipe")
    assert "allowed: a regular file" in sentence(write_text, tmp_path / "pipe", "x")
    assert stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)


def test_text_that_is_not_unicode_is_refused(tmp_path):
    assert "not valid Unicode" in sentence(write_text, tmp_path / "a", "ab\udc00")
    assert os.listdir(tmp_path) == []


def test_permissions_and_links_outlive_a_write(tmp_path):
    path, link = tmp_path / "robot.yaml", tmp_path / "link.yaml"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_text(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_gets_the_permissions_that_any_new_file_gets(tmp_path):
    (tmp_path / "plain").write_text("x")
    write_text(tmp_path / "ours", "x")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


# ---------------------------------------------------------------------- YAML


@pytest.fixture(params=["compiled parser", "Python parser"])
def load(request, tmp_path, monkeypatch):
    """Text to YamlDocument, with and without PyYAML's compiled parser."""
    if request.param == "Python parser":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)

    def load_text(text: str | bytes) -> YamlDocument:
        path = tmp_path / "file.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load_yaml(path)

    return load_text


def test_plain_yaml_is_plain_data_with_lines(load):
    document = load("# a comment\na: 1\nb:\n  - {c: 2.5, d: text}\n  - e: null\n    f: true\n")
    assert document.data == {"a": 1, "b": [{"c": 2.5, "d": "text"}, {"e": None, "f": True}]}
    lines = {("a",): 2, ("b",): 3, ("b", 0): 4, ("b", 0, "d"): 4, ("b", 1, "f"): 6}
    assert {where: document.line_of(where) for where in lines} == lines


def test_the_line_of_a_field_that_is_not_there_is_that_of_what_it_is_missing_from(load):
    document = load("\na: 1\nb:\n  - c: 2\n")
    assert document.line_of(("b", 0, "mass", 3)) == 4
    assert document.line_of(("nothing",)) == 2
    assert YamlDocument("x", {}).line_of(("a",)) is None


def test_json_is_yaml(load):
    document = load('{\n "a": [1, -2.5e-3],\n "b": {"c": "d\\u00e9", "e": null, "f": false}\n}\n')
    assert document.data == {"a": [1, -0.0025], "b": {"c": "dé", "e": None, "f": False}}


def test_a_byte_order_mark_is_not_content(load):
    assert load("\ufeffa: 1\n".encode()).data == {"a": 1}


def test_words_stay_words(load):
    document = load("a: no\nb: on\nc: 2024-01-01\nd: '7'\n1: e\ny: =\n")
    assert document.data == {"a": "no", "b": "on", "c": "2024-01-01", "d": "7", "1": "e", "y": "="}


def test_numbers_that_yaml_would_read_otherwise_than_people_are_refused(load):
    for number in ("010", "1:30", "0x1F", "0b11", "1_000", "1:30.5"):
        said = sentence(load, f"a:\n  b: {number}\n")
        assert f"line 2, column 6: {number.lower()!r} is not a plain decimal number" in said


def test_numbers_that_are_not_finite_are_recognised(load):
    data = load("a: .inf\nb: -.INF\nc: .nan\n").data
    assert (data["a"], data["b"]) == (math.inf, -math.inf)
    assert math.isnan(data["c"])


def test_a_number_of_many_digits_neither_hangs_nor_breaks(load):
    assert load("a: " + "9" * 5000).data == {"a": math.inf}


MALFORMED = {
    "a: [1, 2\n": 2,
    "a: 1\nb: c: d\n": 2,
    "a: 1\n\tb: 2\n": 2,
    "a: 'open\n": 2,
    "a: 1\n b: 2\n": 2,
    "a: {b: 1]\n": 1,
    "%YAML 7.0\n---\na: 1\n": 1,
}


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_yaml_is_one_sentence_with_line_and_column(load, text):
    assert f"is not well-formed YAML at line {MALFORMED[text]}, column " in sentence(load, text)


REFUSED = {
    "a: 1\na: 2\n": "line 2, column 1: a is given twice, first on line 1",
    "a:\n  - {b: 1, 'b': 2}\n": "line 2, column 12: a[0].b is given twice",
    "a: &x 1\n": "line 1, column 4: anchors (&) and aliases (*) are not read",
    "a: 1\nb: *x\n": "line 2, column 4: anchors (&) and aliases (*) are not read",
    "? &k a\n: 1\n": "line 1, column 3: this key is not plain text",
    "? [1, 2]\n: 1\n": "line 1, column 3: this key is not plain text",
    "<<: {a: 1}\n": "the tag !!merge is not read",
    "a: !!python/object/apply:os.system ['true']\n": "the tag !!python/object/apply:os.system is not read",
    "a: !!python/name:os.system x\n": "the tag !!python/name:os.system is not read",
    "a: !mine {b: 1}\n": "line 1, column 4: the tag !mine is not read; allowed: lists and mappings",
    "a: !mine b\n": "the tag !mine is not read; allowed: text and numbers",
    "a: !!binary aGk=\n": "the tag !!binary is not read",
    "!!set {a, b}\n": "the tag !!set is not read",
    "a: 1\n---\nb: 2\n": "line 2, column 1: a second document begins; allowed: one per file",
    "- 1\n- 2\n": "line 1, column 1: the top level is [1, 2]; allowed: a mapping of fields",
    "just text\n": "the top level is 'just text'; allowed: a mapping of fields",
    "---\n": "the top level is empty; allowed: a mapping of fields",
    "": "is empty; allowed: a mapping of fields",
    "# only a comment\n": "is empty; allowed: a mapping of fields",
    "a: " + "[" * 3000 + "]" * 3000: "nested too deeply; allowed: 64 levels",
    "a: " + "{b: " * 3000 + "1" + "}" * 3000: "nested too deeply; allowed: 64 levels",
    "a: \x01\n": "is not well-formed YAML",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: repr(text[:30]))
def test_what_is_more_than_plain_data_is_refused(load, text):
    assert REFUSED[text] in sentence(load, text)


def test_text_that_is_not_utf8_is_refused(load):
    assert "is not UTF-8 text (byte 3); allowed: UTF-8" in sentence(load, b"a: \xff\xfe\n")
    assert "is not UTF-8" in sentence(load, "a: 1\n".encode("utf-16"))


def test_an_alias_bomb_is_refused_at_once(load):
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    start = time.perf_counter()
    assert "anchors (&) and aliases (*) are not read" in sentence(load, "\n".join(levels))
    assert time.perf_counter() - start < 1.0


def test_an_object_tag_runs_nothing(load, tmp_path):
    proof = tmp_path / "proof"
    sentence(load, f"a: !!python/object/apply:pathlib.Path.touch [!!python/object/apply:pathlib.Path [{proof}]]")
    assert not proof.exists()


def test_the_limit_holds_for_yaml_too(tmp_path):
    (tmp_path / "large.yaml").write_text("a: " + "x" * 100)
    assert "holds 103 bytes; allowed: at most 50 bytes" in sentence(load_yaml, tmp_path / "large.yaml", 50)


def test_what_is_dumped_is_loaded_back(load):
    shared = [1.0, 0.1 + 0.2, 1e-300, 1.7976931348623157e308, 5e-324, -0.0]
    words = ["no", "1e5", "010", "1:30", "null", "é", "a\nb", "", "&x", "2024-01-01", "<<", "="]
    data = {"a": shared, "b": shared, "c": {word: word for word in words}, "d": [None, True, [], {}]}
    assert load(dump_yaml(data)).data == data
    assert list(load(dump_yaml({"z": 1, "a": 2})).data) == ["z", "a"]
