"""Opening, and its errors."""

import random

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
