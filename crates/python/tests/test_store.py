"""The store: read by DuckDB and Polars, killed at random moments, damaged."""

import datetime
import json
import os
import random
import shutil
import subprocess
import sys
import time

import duckdb
import polars
import pyarrow.parquet as pq
import pytest

import pytraceloom
from pytraceloom.__main__ import main
from pytraceloom.store import VERSION, Store, StoreError, _layout, _version


@pytest.fixture
def store(tmp_path, app_path, jank_path):
    store = Store.create(tmp_path / "store")
    added = store.add([app_path, jank_path], release="1.4", device="pixel 8/x=y%", date="2026-11-24")
    assert [one.is_new for one in added] == [True, True]
    return store


def views(store):
    connection = duckdb.connect()
    store.duckdb_views(connection)
    return connection


def test_engines_read_it(store, app, jank):
    connection = views(store)
    sql = "SELECT count(*), sum(dur) FILTER (dur > 0), count(DISTINCT name) FROM slice"
    found = connection.execute(sql).fetchone()
    rows = [row for trace in (app, jank) for row in trace.tables["slice"]]
    expected = len(rows), sum(row["dur"] for row in rows if row["dur"] > 0), len({row["name"] for row in rows})
    assert found == expected
    assert connection.execute("SELECT DISTINCT release, device, date FROM thread").fetchall() == [
        ("1.4", "pixel 8/x=y%", "2026-11-24")
    ]
    by_app = "SELECT app, count(*) FROM slice JOIN traces ON id = trace GROUP BY app ORDER BY 2"
    # `id` is also a column of slice.
    by_app = by_app.replace("ON id", "ON traces.id")
    assert {name for name, _ in connection.execute(by_app).fetchall()} == {app.app, jank.app}
    frame = polars.scan_parquet(store.glob("slice"), hive_partitioning=True).collect()
    assert frame.height == len(rows) and frame["device"][0] == "pixel 8/x=y%"


def test_every_table_has_the_rows_of_its_trace(store, app, jank):
    traces = list(store.traces())
    assert len(traces) == 2
    connection = views(store)
    for row in traces:
        trace = app if row["path"].endswith("app.trace") else jank
        for table, count in row["contents"]:
            sql = f"SELECT count(*) FROM {table} WHERE trace = ?"
            assert connection.execute(sql, [row["id"]]).fetchone() == (count,)
            if table != "metrics":
                assert count == len(trace.tables[table]), table
        assert row["duration"] == trace.duration
        assert row["repairs"] == sum(repair["count"] for repair in trace.repairs)


def test_metrics(store, app, jank):
    connection = views(store)
    janky = connection.execute("SELECT sum(value) FROM metrics WHERE metric = 'frame_janky'").fetchone()
    assert janky == (sum(row["janky"] for row in jank.frames().apps),)
    units = dict(connection.execute("SELECT DISTINCT metric, unit FROM metrics").fetchall())
    assert units["frame_p90"] == "ns" and units["frames"] == "1" and units["cpu_time"] == "ns"
    top = connection.execute(
        "SELECT name FROM metrics JOIN traces ON id = trace WHERE path LIKE '%app.trace' AND metric = 'exclusive_cpu'"
        " ORDER BY value DESC"
    ).fetchone()
    assert top == ("org.json.JSONTokener.nextString",)
    (cpu,) = connection.execute("SELECT sum(value) FROM metrics WHERE metric = 'cpu_time'").fetchone()
    sql = "SELECT sum(dur) AS ns FROM sched_slice JOIN thread USING (utid) WHERE dur > 0 AND NOT is_idle"
    assert cpu == jank.query(sql).rows()[0]["ns"]


def test_files_can_be_pruned(store):
    for file in _layout.files(store.root, "slice"):
        opened = pq.ParquetFile(file)
        group = opened.metadata.row_group(0)
        place = opened.schema_arrow.get_field_index("ts")
        statistics = group.column(place).statistics
        assert statistics.min <= statistics.max
        assert group.sorting_columns[0].column_index == place
        times = opened.read(["ts"]).column("ts").to_pylist()
        assert times == sorted(times) and (statistics.min, statistics.max) == (times[0], times[-1])


def test_adding_twice_stores_once(store, app_path, tmp_path):
    before = sorted(store.root.rglob("*.parquet"))
    copy = tmp_path / "copy.trace"
    shutil.copy(app_path, copy)
    assert [one.is_new for one in store.add([app_path, copy, copy], release="1.5")] == [False] * 3
    assert sorted(store.root.rglob("*.parquet")) == before
    fresh = Store.create(tmp_path / "fresh")
    assert sum(one.is_new for one in fresh.add([app_path, copy] * 3, workers=4)) == 1
    assert fresh.check() == []


def test_damaged_files_are_listed(store, tmp_path, app_path):
    bad = tmp_path / "bad.trace"
    bad.write_bytes(b"no trace")
    added = store.add([bad, tmp_path / "missing", app_path])
    assert [bool(one.error) for one in added] == [True, True, False]
    assert "bad.trace" in added[0].error
    assert store.check() == [] and not any((store.root / "_staging").iterdir())


def test_check_and_remove(store):
    assert store.check() == []
    files = list(_layout.files(store.root, "slice"))
    data = bytearray(files[0].read_bytes())
    data[len(data) // 2] ^= 0xFF
    files[0].write_bytes(data)
    next(_layout.files(store.root, "thread")).unlink()
    shutil.copy(files[1], files[1].with_name("0123.parquet"))
    found = [str(problem) for problem in store.check()]
    assert len(found) == 3
    assert any("cannot be read" in one for one in found)
    assert any("is missing" in one for one in found)
    assert any("belongs to no trace" in one for one in found)
    with pytest.raises(StoreError):
        store.remove(["zzz"])
    with pytest.raises(StoreError):
        store.remove(["*"])
    ids = [row["id"] for row in store.traces()]
    assert store.remove([ids[0][:10]]) == [ids[0]]
    assert [row["id"] for row in store.traces()] == ids[1:]
    assert not list(store.root.rglob(f"{ids[0]}*"))


def test_versions(store, monkeypatch):
    _version.write(store.root, VERSION + 1)
    with pytest.raises(StoreError, match=f"version {VERSION + 1}"):
        Store(store.root)
    _version.write(store.root, VERSION)
    steps = []
    monkeypatch.setattr(_version, "VERSION", VERSION + 2)
    monkeypatch.setattr(_version, "MIGRATIONS", {VERSION: steps.append, VERSION + 1: steps.append})
    with pytest.raises(StoreError, match="migrate"):
        Store(store.root)
    assert Store.migrate(store.root) == [VERSION + 1, VERSION + 2]
    assert steps == [store.root] * 2
    Store(store.root)


def test_dates_are_checked(store, jank_path):
    with pytest.raises(ValueError):
        store.add([jank_path], date="yesterday")
    fresh = Store.create(store.root.parent / "fresh")
    fresh.add([jank_path], date=datetime.date(2026, 1, 2))
    assert [row["date"] for row in fresh.traces()] == ["2026-01-02"]


def test_other_folders_are_refused(tmp_path):
    with pytest.raises(StoreError, match="not a store"):
        Store(tmp_path)
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(StoreError, match="nor empty"):
        Store.create(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    (other / "traceloom-store.json").write_text(json.dumps({"format": "x", "version": 1}))
    with pytest.raises(StoreError, match="'x'"):
        Store(other)


def test_partitions_are_escaped_as_engines_do():
    for value in ("1.4", "a/b", "x=y", "50 %", "../..", "ä:€", "'\"\\", None):
        folder = _layout.escaped(value)
        assert "/" not in folder and "=" not in folder
        assert _layout.unescaped(folder) == value


def make_trace(path, number):
    lines = [
        f"app-{number + 7} [000] .... 1.{at:06}: tracing_mark_write: {'B|7|draw' if at % 2 else 'E|7'}"
        for at in range(1, 4000)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_killed_command_leaves_nothing_half_done(tmp_path):
    """The last file is a pipe into which nobody writes, so that the command never ends before it is killed."""
    traces = [str(make_trace(tmp_path / f"{number}.ftrace", number)) for number in range(12)]
    root = tmp_path / "store"
    Store.create(root)
    command = [sys.executable, "-m", "pytraceloom", "store", "add", "--workers", "2", str(root), *traces]
    os.mkfifo(tmp_path / "pipe")
    random.seed(20)
    kills = 0
    for _ in range(15):
        # Waits for the first sign of work, so that the kill hits it on slow machines too.
        before = work(root)
        child = subprocess.Popen([*command, str(tmp_path / "pipe")], stdout=subprocess.DEVNULL)
        try:
            while work(root) == before:
                assert child.poll() is None
                time.sleep(0.002)
            time.sleep(random.random() * 0.15)
        finally:
            child.kill()
            kills += child.wait() < 0
        complete(root)
        if len(list(_layout.files(root, "traces"))) == len(traces):
            break
    assert kills > 0
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    store = Store(root)
    assert store.check() == []
    assert len(list(store.traces())) == len(traces)
    assert not list((root / "_staging").iterdir()) and not list((root / "_journal").glob("*.json"))


def test_a_store_is_read_while_it_is_written(tmp_path):
    """Whatever a view shows of a trace is all of it, and the trace is in the store."""
    traces = [str(make_trace(tmp_path / f"{number}.ftrace", number)) for number in range(12)]
    store = Store.create(tmp_path / "store")
    store.add(traces[:1])
    connection = views(store)
    command = [sys.executable, "-m", "pytraceloom", "store", "add", str(store.root), *traces]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    looks = 0
    while child.poll() is None or looks == 0:
        looks += 1
        seen = connection.execute("SELECT trace, count(*) FROM slice GROUP BY ALL").fetchall()
        expected = dict(connection.execute("SELECT id, contents['slice'] FROM traces").fetchall())
        assert [count for _, count in seen] == [expected[trace] for trace, _ in seen]
    assert child.returncode == 0
    assert len(connection.execute("SELECT DISTINCT trace FROM slice").fetchall()) == len(traces)


def work(root):
    """The Parquet files of a store at work. Its folders may vanish meanwhile, which `rglob` reports as an error."""
    return sorted(
        os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names if name.endswith(".parquet")
    )


def complete(root):
    """What DuckDB sees after a kill: every trace whole, and nothing else."""
    store = Store(root)
    if next(_layout.files(root, "traces"), None) is None:
        return
    connection = views(store)
    for trace, contents in connection.execute("SELECT id, contents FROM traces").fetchall():
        for table, count in contents.items():
            sql = f"SELECT count(*) FROM {table} WHERE trace = ?"
            assert connection.execute(sql, [trace]).fetchone() == (count,), (trace, table)


def test_two_commands_add_at_the_same_time(tmp_path):
    """Both create the store, and add the same traces under different releases: each is stored once."""
    traces = [str(make_trace(tmp_path / f"{number}.ftrace", number)) for number in range(8)]
    root = tmp_path / "store"
    command = [sys.executable, "-m", "pytraceloom", "store", "add", str(root), *traces, "--release"]
    both = [subprocess.Popen([*command, release], stdout=subprocess.PIPE, text=True) for release in ("1", "2")]
    reports = [child.communicate()[0].split() for child in both]
    assert [child.returncode for child in both] == [0, 0]
    assert sum(int(report[0]) for report in reports) == len(traces)
    store = Store(root)
    assert store.check() == []
    assert len(list(store.traces())) == len(traces)


@pytest.mark.parametrize("moved", range(4))
def test_what_a_killed_command_began_is_completed(store, tmp_path, moved):
    """As a kill leaves it: an entry, and some of its files at their places. Another release adds the same trace then."""
    trace = make_trace(tmp_path / "one.ftrace", 1)
    other = Store.create(tmp_path / "other")
    other.add([trace], release="2", date="2026-01-01")
    ((row,), (file, *_)) = list(other.traces()), list(_layout.files(other.root, "traces"))
    tables = [name for name, _ in row["contents"]]
    staged = store.root / "_staging" / f"{row['id']}.7"
    staged.mkdir(parents=True)
    partition = str(file.parent.relative_to(other.root / "traces"))
    for at, table in enumerate([*tables, "traces"]):
        (source,) = _layout.files(other.root, table)
        place = store.root / table / partition if at < moved * len(tables) / 3 else staged
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, place / (source.name if place != staged else f"{table}.parquet"))
    entry = {"op": "add", "trace": row["id"], "staged": staged.name, "partition": partition, "tables": [*tables, "traces"]}
    (store.root / "_journal" / f"{row['id']}.json").write_text(json.dumps(entry))
    assert [one.is_new for one in store.add([trace], release="3")] == [False]
    assert store.check() == []
    assert {row["release"] for row in store.traces() if row["path"] == str(trace)} == {"2"}
    assert not staged.exists()


def test_commands(tmp_path, app_path, capsys):
    root = str(tmp_path / "store")
    assert main(["store", "add", root, str(app_path), "--release", "1.4", "--device", "pixel8"]) == 0
    assert "1 added, 0 already there, 0 failed" in capsys.readouterr().out
    assert main(["store", "add", root, str(app_path), "none", "--strict"]) == 1
    assert "1 already there, 1 failed" in capsys.readouterr().out
    assert main(["store", "add", root, "none"]) == 2
    assert main(["store", "check", root]) == 0
    capsys.readouterr()
    assert main(["store", "ls", root]) == 0
    listed = capsys.readouterr().out
    assert "1.4 pixel8" in listed and "app.trace" in listed
    assert main(["store", "rm", root, listed.split()[0]]) == 0
    assert main(["store", "migrate", root]) == 0
    assert main(["store", "check", str(tmp_path / "none")]) == 2


def test_names_are_printed_without_control_characters(tmp_path, app_path, capsys):
    root = str(tmp_path / "fleet")
    trace = tmp_path / "\x1b[2Ja\u202eb.trace"
    trace.write_bytes(app_path.read_bytes())
    assert main(["store", "add", root, str(trace), "--device", "x\x1b]0;y\x07", "--table", "thread"]) == 0
    assert main(["store", "ls", root]) == 0
    assert main(["store", "add", root, "no\x1bne"]) == 2
    shown = capsys.readouterr()
    assert "\\x1b[2Ja\\u202eb.trace" in shown.out and "\\x1b" in shown.err
    assert not set("\x1b\x07\u202e") & set(shown.out + shown.err)


def test_unknown_tables_are_refused(tmp_path, app_path, capsys):
    root = tmp_path / "fleet"
    assert main(["store", "add", str(root), str(app_path), "--table", "slice", "--table", "nope"]) == 2
    assert "nope" in capsys.readouterr().err
    assert list(Store(root).traces()) == []


def test_a_file_of_traces_without_its_row_is_a_problem(tmp_path, app_path):
    store = Store.create(tmp_path / "fleet")
    assert store.add([app_path], tables=["thread"])[0].is_new
    (file,) = (store.root / "traces").rglob("*.parquet")
    pq.write_table(pq.ParquetFile(file).read().slice(0, 0), file)
    assert any(str(file) == problem.file for problem in store.check())


def test_bytes_per_slice(tmp_path, many):
    """Slices of many names and threads need less than 25 bytes each."""
    store = Store.create(tmp_path / "store")
    store.add([many])
    (file,) = _layout.files(store.root, "slice")
    slices = pq.ParquetFile(file).metadata.num_rows
    assert slices == len(pytraceloom.open(many).tables["slice"]) == 140_000
    assert file.stat().st_size < 25 * slices
