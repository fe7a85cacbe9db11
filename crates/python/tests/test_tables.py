"""Tables and results in the libraries that take Arrow data."""

import duckdb
import pandas
import polars
import pyarrow
import pytest

import pytraceloom

# Tables of every kind: stored, computed, of records, and a view.
NAMES = ["slice", "thread_state", "sched_slice", "counter", "thread", "process", "args", "thread_track", "metadata"]


@pytest.mark.parametrize("name", NAMES)
def test_tables_are_what_sql_shows(jank, app, name):
    for trace in (jank, app):
        table = trace.tables[name]
        shown = trace.query(f"SELECT * FROM {name}")
        assert table.column_names == shown.column_names
        assert table.rows() == shown.rows()
        assert pyarrow.table(table).to_pylist() == shown.rows()


def test_every_table_opens(jank):
    assert len(jank.tables) > 30
    for name in jank.tables:
        assert jank.tables[name].to_arrow().num_rows == len(jank.tables[name])
    assert "slice" in jank.tables and "no_table" not in jank.tables
    with pytest.raises(KeyError):
        jank.tables["no_table"]


def test_libraries_agree(jank):
    table = jank.tables["slice"]
    expected = sum(row["dur"] for row in table if row["dur"] > 0)
    frame = table.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.shape == table.shape
    assert int(frame.dur[frame.dur > 0].sum()) == expected
    lazy = polars.DataFrame(table)
    assert lazy.filter(polars.col("dur") > 0)["dur"].sum() == expected
    slices = table.to_arrow()
    ((found,),) = duckdb.sql("SELECT sum(dur) FROM slices WHERE dur > 0").fetchall()
    assert found == expected
    by_name = duckdb.sql("SELECT name, count(*) AS n FROM slices GROUP BY name ORDER BY n DESC, name").fetchall()
    sql = "SELECT name, count(*) AS n FROM slice GROUP BY name ORDER BY n DESC, name"
    assert by_name == [(row["name"], row["n"]) for row in jank.query(sql)]


def test_numbers_are_not_copied(app_path):
    trace = pytraceloom.open(app_path)
    table = trace.tables["slice"]
    addresses = [
        [pyarrow.table(table).column(name).chunk(0).buffers()[1].address for name in ("ts", "dur", "track_id")]
        for _ in range(2)
    ]
    assert addresses[0] == addresses[1]
    other = pyarrow.table(table)
    del trace, table
    assert other.column("ts").to_pylist()[0] > 0


def test_large_tables_are_converted_in_parts(many):
    """Several chunks, by one thread and by more; rows come in the same order however they are fetched."""
    traces = [pytraceloom.open(many, threads=threads) for threads in (1, 3)]
    shown = traces[0].query("SELECT * FROM slice")
    expected = pyarrow.table(shown).to_pylist()
    for trace in traces:
        table = trace.tables["slice"]
        assert pyarrow.table(table).column("ts").num_chunks == 3
        assert pyarrow.table(table).to_pylist() == expected
        assert list(table) == expected
        assert table.rows(limit=65_537)[-1] == expected[65_536]
    assert list(shown) == expected


def test_columns_have_units(jank):
    units = {column["name"]: column["unit"] for column in jank.tables["slice"].columns}
    assert units["dur"] == "ns" and units["track_id"] == "id of track"
    chosen = jank.tables.get_columns("slice", ["dur", "name"])
    assert chosen.column_names == ["dur", "name"]
    with pytest.raises(ValueError):
        jank.tables.get_columns("slice", ["none"])


def test_types_of_results(app):
    result = app.query("SELECT 1 AS i, 1.5 AS r, 'x' AS t, x'00ff' AS b, NULL AS n")
    types = [str(field.type) for field in pyarrow.table(result).schema]
    assert types == ["int64", "double", "string", "binary", "null"]
    assert result.rows() == [{"i": 1, "r": 1.5, "t": "x", "b": b"\x00\xff", "n": None}]
    empty = app.query("SELECT name FROM slice WHERE dur < -5")
    assert empty.shape == (0, 1) and empty.rows() == []
    assert pyarrow.table(empty).num_rows == 0
    assert polars.DataFrame(empty).height == 0


def test_tables_are_shown_escaped():
    line = b"app-7 [000] .... 1.00000%d: tracing_mark_write: %s\n"
    text = line % (1, b"B|7|<script>alert(1)</script>&") + line % (2, b"E|7")
    trace = pytraceloom.open(text)
    for shown in (trace.tables["slice"]._repr_html_(), trace._repr_html_(), trace.profile()._repr_html_()):
        assert "<script" not in shown
    assert "&lt;script&gt;" in trace.tables["slice"]._repr_html_()
    named = pytraceloom.open(b"<b>x-7 [000] .... 1.000001: tracing_mark_write: B|7|a\n" + line % (2, b"E|7"))
    assert "<b>x" not in named._repr_html_()
