"""Profile, frames, diff, export, report: against what the tables say, and what other tools read."""

import json
import sqlite3

import pyarrow
import pyarrow.ipc
import pytest

import pytraceloom


def test_profile(app):
    profile = app.profile()
    rows = profile.rows.rows()
    assert rows[0]["rank"] == 1 and profile.facts["calls"] == 3851
    parse = next(row for row in rows if row["name"] == "nextString")
    (calls,) = app.query("SELECT count(*) AS n FROM slice WHERE name = 'org.json.JSONTokener.nextString'").rows()
    assert parse["calls"] + parse["recursive_calls"] == calls["n"] == 337
    by_thread = app.profile(by="thread", clock="wall")
    assert len(by_thread.rows) == 6
    main = app.profile(threads=["main"])
    assert 0 < main.facts["calls"] < 3851
    with pytest.raises(ValueError, match="by is"):
        app.profile(by="colour")
    with pytest.raises(ValueError, match="clock"):
        app.profile(clock="moon")


def test_profile_of_samples():
    """A CPU profile of V8: `main` calls `draw`, which has two of the three samples."""
    node = '{"id": %d, "callFrame": {"functionName": "%s", "url": "a.js", "scriptId": 1}%s}'
    nodes = ", ".join([node % (1, "main", ""), node % (2, "draw", ', "parent": 1')])
    event = '{"ph": "P", "id": "0x1", "pid": 1, "tid": 2, "ts": %d, "cat": "disabled-by-default-v8.cpu_profiler", %s}'
    begin = event % (10, '"name": "Profile", "args": {"data": {"startTime": 10}}')
    chunk = event % (
        20,
        '"name": "ProfileChunk", "args": {"data": {"cpuProfile": {"nodes": [%s], "samples": [2, 1, 2]},'
        ' "timeDeltas": [5, 5, 5]}}' % nodes,
    )
    trace = pytraceloom.open(f'{{"traceEvents": [{begin}, {chunk}]}}'.encode())
    profile = trace.profile()
    assert profile.facts["total"] == {"samples": 3} and profile.facts["calls"] is None
    rows = {row["name"]: (row["inclusive_samples"], row["exclusive_samples"]) for row in profile.rows}
    assert rows == {"main": (3, 1), "draw": (2, 2)}


def recording(*samples: tuple[str, str]) -> pytraceloom.Trace:
    """Text of `perf script` with samples: an event, and a function that `run` called."""
    text = ""
    for us, (event, function) in enumerate(samples):
        text += f"app 7 [000] 1.{us:06}: 250 {event}:\n\t10 {function} (/bin/app)\n\t20 run (/bin/app)\n\n"
    return pytraceloom.open(text.encode())


def test_samples_of_one_event(app):
    trace = recording(("cycles:u", "draw"), ("faults", "load"), ("cycles:u", "draw"))
    assert trace.profile().facts["sample_events"] == ["cycles:u", "faults"]
    cycles = trace.profile(event="cyc")
    assert cycles.facts["total"] == {"samples": 2}
    assert {row["name"] for row in cycles.rows} == {"draw", "run"}
    with pytest.raises(ValueError, match="only cycles:u, faults"):
        trace.profile(event="misses")
    with pytest.raises(ValueError, match="not timed"):
        trace.profile(clock="cpu")
    assert len(app.profile(samples=True).rows) == 0


def test_diff_of_samples(app):
    draw, load = ("cycles", "draw"), ("cycles", "load")
    base, new = recording(draw, draw), recording(draw, draw, load, load)
    diff = base.diff(new)
    assert diff.facts["unit"] == "percent_of_samples"
    assert (diff.facts["total"]["base"], diff.facts["total"]["new"]) == (2, 4)
    changes = {row["name"]: row["exclusive_delta"] for row in diff.rows}
    assert changes == {"draw": -50, "load": 50, "run": 0}
    with pytest.raises(ValueError, match="cannot be compared"):
        base.diff(app)
    with pytest.raises(ValueError, match="samples have none"):
        base.diff(new, metric="calls")


def test_folders_with_symbols_exist(tmp_path):
    data = b"app 7 [000] 1.000001: 250 cycles:\n\t10 f (/bin/app)\n\n"
    assert len(pytraceloom.open(data, symbols=[tmp_path]).profile().rows) == 1
    with pytest.raises(NotADirectoryError, match="none is not a folder"):
        pytraceloom.open(data, symbols=[tmp_path / "none"])


def test_frames(jank, app):
    frames = jank.frames()
    apps = frames.apps.rows()
    assert sum(row["janky"] for row in apps) == 13
    assert sum(row["frames"] for row in apps) == len(frames.frames)
    assert frames.facts["vsync_ns"] > 0
    starts = {row["id"]: row["ts"] for row in jank.query("SELECT id, ts FROM slice")}
    for frame in frames.frames:
        assert frame["ts"] == starts[frame["slice"]]
        assert frame["render_slice"] is None or frame["render_slice"] in starts
    some = jank.profile(start=jank.start, end=jank.end)
    assert some.facts["calls"] == jank.profile().facts["calls"] > jank.profile(start=jank.end - 10**9).facts["calls"] > 0
    assert len(app.frames().apps) == 0


def test_diff_with_itself_is_nothing(app, jank):
    same = app.diff(app)
    assert all(row["exclusive_delta"] == 0 for row in same.rows)
    other = pytraceloom.diff([app], [jank], metric="calls")
    assert any(row["presence"] == "new" for row in other.rows)
    with pytest.raises(ValueError):
        pytraceloom.diff([], app)


def test_exports(app, jank, tmp_path):
    app.export(tmp_path / "a.sqlite")
    (slices,) = sqlite3.connect(tmp_path / "a.sqlite").execute("SELECT count(*) FROM slice").fetchone()
    assert slices == 3851
    app.export(tmp_path / "tables", tables=["slice", "thread"])
    with pyarrow.ipc.open_file(tmp_path / "tables" / "slice.arrow") as file:
        assert file.read_all().num_rows == 3851
    left_out = jank.export(tmp_path / "jank.json")
    assert json.loads((tmp_path / "jank.json").read_text())
    assert all(isinstance(kind, str) and count > 0 for kind, count in left_out)
    again = pytraceloom.open(tmp_path / "jank.json")
    assert len(again.tables["slice"]) > 0
    with pytest.raises(ValueError, match="no format"):
        app.export(tmp_path / "a.docx")
    with pytest.raises(KeyError):
        app.export(tmp_path / "b", tables=["no_table"])
    with pytest.raises(FileNotFoundError) as raised:
        app.export(tmp_path / "none" / "a.sqlite")
    assert raised.value.filename == str(tmp_path / "none" / "a.sqlite")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.sqlite", "jank.json", "tables"]


def test_a_report_is_a_trace(jank, tmp_path):
    jank.report(tmp_path / "jank.html", title="<Jank> & more")
    page = (tmp_path / "jank.html").read_text()
    assert "<title>&lt;Jank" in page
    again = pytraceloom.open(tmp_path / "jank.html")
    assert again.tables["slice"].shape == jank.tables["slice"].shape


def test_pictures(jank, app):
    for trace in (jank, app):
        shown = trace._repr_html_()
        assert "<svg" in shown and "<rect" in shown and "repairs" in shown
