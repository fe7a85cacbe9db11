"""Opening, and its errors."""

import random
import struct
from pathlib import Path

import pytest

import pytraceloom


def count(trace: pytraceloom.Trace, table: str) -> int:
    return trace.query(f"SELECT count(*) AS n FROM {table}").rows()[0]["n"]


def test_paths_and_bytes_are_the_same_trace(jank_path):
    by_path = pytraceloom.open(str(jank_path))
    by_bytes = pytraceloom.open(jank_path.read_bytes())
    by_view = pytraceloom.open(memoryview(jank_path.read_bytes()))
    assert count(by_path, "slice") == count(by_bytes, "slice") == count(by_view, "slice") > 1000
    assert by_path.sources == [str(jank_path)]
    assert by_path.duration > 0


def test_several_are_one_trace(app_path, jank_path):
    both = pytraceloom.open([app_path, jank_path])
    alone = [count(pytraceloom.open(path), "slice") for path in (app_path, jank_path)]
    assert count(both, "slice") == sum(alone)


def test_a_pair_of_old_tools_is_one_trace(app_path, tmp_path):
    content = app_path.read_bytes()
    binary = content.index(b"SLOW")
    (tmp_path / "p.key").write_bytes(content[:binary])
    (tmp_path / "p.data").write_bytes(content[binary:])
    key, data, base = (tmp_path / name for name in ("p.key", "p.data", "p"))
    for names in (key, data, base, [key, data], [data, base, key]):
        assert count(pytraceloom.open(names), "slice") == 3851, names
    # A single file may be given twice.
    assert count(pytraceloom.open([app_path, app_path]), "slice") == 2 * 3851


def test_a_name_without_its_ending(app_path, tmp_path):
    (tmp_path / "t.trace").write_bytes(app_path.read_bytes())
    trace = pytraceloom.open(tmp_path / "t")
    assert count(trace, "slice") == 3851
    assert trace.sources == [str(tmp_path / "t")]


def perf_data(further: bytes, *, is_folder: bool) -> bytes:
    """A file of perf with the name of a thread, and further records: in it, or in other files of a folder."""
    pid_and_time = 2 | 4
    attribute = struct.pack("<IIQQQQQIIQ", 1, 64, 0, 1, pid_and_time, 0, 0, 0, 0, 0) + bytes(16)
    name = struct.pack("<IHHII8s", 3, 0, 24, 7, 7, b"busy")
    records = name if is_folder else name + further
    begin = 104 + len(attribute)
    dir_format = 1 << 24 if is_folder else 0
    sections = [104, len(attribute), begin, len(records), 0, 0]
    head = b"PERFILE2" + struct.pack("<QQ6Q4Q", 104, len(attribute), *sections, dir_format, 0, 0, 0)
    end = begin + len(records)
    feature = struct.pack("<QQQ", end + 16, 8, 1) if is_folder else b""
    return head + attribute + records + feature


def test_a_folder_of_perf_is_one_trace(tmp_path: Path):
    samples = [struct.pack("<IHHIIQ", 9, 2, 24, 7, 7, 1000 * number) for number in range(1, 4)]
    whole = pytraceloom.open(perf_data(b"".join(samples), is_folder=False))
    folder = tmp_path / "perf"
    folder.mkdir()
    (folder / "data").write_bytes(perf_data(b"", is_folder=True))
    for number, sample in enumerate(samples):
        (folder / f"data.{number}").write_bytes(sample)
    trace = pytraceloom.open(folder)
    assert count(trace, "perf_sample") == count(whole, "perf_sample") == 3
    assert trace.query("SELECT name FROM thread WHERE tid = 7").rows() == [{"name": "busy"}]
    with pytest.raises(IsADirectoryError):
        pytraceloom.open(tmp_path)


def test_facts(app, jank):
    # A method trace does not name its app.
    assert (app.app, jank.app) == (None, "org.loom.reader")
    assert "app.trace" in repr(app)
    assert sum(row["count"] for row in app.repairs) == 16
    assert app.metadata


def test_files_that_are_not_traces(tmp_path):
    other = tmp_path / "other.bin"
    other.write_bytes(b"\x00\x01 nothing that anyone records")
    with pytest.raises(pytraceloom.TraceError) as raised:
        pytraceloom.open(other)
    assert raised.value.path == str(other)
    assert raised.value.place == "byte 0"
    assert str(other) in str(raised.value)
    with pytest.raises(pytraceloom.TraceError):
        pytraceloom.open(b"")
    with pytest.raises(FileNotFoundError) as missing:
        pytraceloom.open(tmp_path / "none.trace")
    assert missing.value.filename == str(tmp_path / "none.trace")
    with pytest.raises(TypeError):
        pytraceloom.open([7])
    with pytest.raises(ValueError):
        pytraceloom.open([])


def test_errors_name_the_place(jank_path, tmp_path):
    cut = tmp_path / "cut.gz"
    data = bytearray(jank_path.read_bytes())
    data[40:200] = b"\xff" * 160
    cut.write_bytes(data)
    try:
        trace = pytraceloom.open(cut)
    except pytraceloom.TraceError as error:
        assert error.place
    else:
        assert len(trace.repairs) > 0


def test_a_closed_trace_is_refused_and_its_tables_stay(app_path):
    with pytraceloom.open(app_path) as trace:
        table = trace.tables["slice"]
    with pytest.raises(ValueError, match="closed"):
        trace.query("SELECT 1")
    assert len(table.rows()) == len(table) == 3851
    assert repr(trace) == "<closed trace>"


def test_damaged_bytes_are_repaired_or_refused(app_path, jank_path):
    """Whatever the bytes are, the result is a trace or an exception of the documented kinds."""
    rng = random.Random(3)
    outcomes = set()
    for path in (app_path, jank_path):
        content = path.read_bytes()
        for _ in range(30):
            damaged = bytearray(content[: rng.randrange(len(content))])
            for _ in range(rng.randrange(20)):
                if damaged:
                    damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            try:
                trace = pytraceloom.open(bytes(damaged))
            except pytraceloom.TraceError as error:
                outcomes.add("refused")
                assert error.path == "bytes"
            else:
                outcomes.add("opened")
                assert len(trace.tables["slice"].rows()) == count(trace, "slice")
    assert outcomes == {"refused", "opened"}
