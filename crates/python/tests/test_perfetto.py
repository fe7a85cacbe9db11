"""The examples of the documentation of the package `perfetto`, and what that package itself does."""

import glob
import io
import tarfile

import pandas
import pytest
from perfetto.trace_uri_resolver.resolver import TraceUriResolver as TheirResolver

import perfetto.batch_trace_processor.api as their_batch
import perfetto.trace_processor.api as theirs
import pytraceloom.perfetto.batch_trace_processor.api as our_batch
import pytraceloom.perfetto.trace_processor.api as ours
from pytraceloom.perfetto import (
    BatchTraceProcessor,
    BatchTraceProcessorConfig,
    FailureHandling,
    ResolverRegistry,
    SqlPackage,
    TraceProcessor,
    TraceProcessorConfig,
    TraceProcessorException,
    TraceUriResolver,
)


def public(kind):
    return {name for name in vars(kind) if not name.startswith("_")}


def test_the_classes_have_the_same_members():
    for name in ("TraceProcessor", "TraceProcessorConfig", "SqlPackage"):
        assert public(getattr(theirs, name)) <= public(getattr(ours, name)), name
    for name in ("BatchTraceProcessor", "BatchTraceProcessorConfig", "FailureHandling", "Stats"):
        own = getattr(our_batch, name)
        assert public(getattr(their_batch, name)) <= public(own) | set(getattr(own, "__annotations__", {})), name


def test_rows_are_iterated(jank_path):
    tp = TraceProcessor(trace=str(jank_path))
    qr_it = tp.query("SELECT ts, dur, name FROM slice")
    names = [row.name for row in qr_it]
    assert len(names) == len(qr_it) == qr_it.row_count > 1000
    assert list(qr_it) == []
    row = next(tp.query("SELECT 1 AS one, 'x' AS text, NULL AS empty"))
    assert (row.one, row.text, row.empty) == (1, "x", None)
    assert str(row) == "{'one': 1, 'text': 'x', 'empty': None}"
    tp.close()


def test_data_frames(jank_path):
    with TraceProcessor(trace=str(jank_path)) as tp:
        qr_df = tp.query("SELECT ts, name FROM slice").as_pandas_dataframe()
        assert list(qr_df.columns) == ["ts", "name"]
        assert qr_df.ts.dtype == object
        assert "doFrame" in qr_df.to_string()
        polars_df = tp.query("SELECT ts, name FROM slice").as_polars_dataframe()
        assert polars_df["name"].to_list() == qr_df.name.to_list()


def test_results_are_those_of_their_iterator(app_path):
    """Their iterator gets the same cells in their message, and makes the same rows and data frame of them."""
    from perfetto.trace_processor.platform import PlatformDelegate
    from perfetto.trace_processor.protos import ProtoFactory

    sql = "SELECT id, name, thread_dur, dur / 3.0 AS third, NULL AS empty FROM slice LIMIT 50"
    with TraceProcessor(str(app_path)) as tp:
        mine = tp.query(sql)
        batch = ProtoFactory(PlatformDelegate()).QueryResult().batch.add()
        texts = []
        for row in tp.query(sql).table:
            for value in row.values():
                if value is None:
                    batch.cells.append(1)
                elif isinstance(value, int):
                    batch.cells.append(2)
                    batch.varint_cells.append(value)
                elif isinstance(value, float):
                    batch.cells.append(3)
                    batch.float64_cells.append(value)
                else:
                    batch.cells.append(4)
                    texts.append(value)
        batch.string_cells = "".join(text + "\0" for text in texts)
        batch.is_last_batch = True
        other = theirs.QueryResultIterator(mine.column_names, [batch])
        pandas.testing.assert_frame_equal(mine.as_pandas_dataframe(), other.as_pandas_dataframe())
        assert [vars(row) for row in mine] == [vars(row) for row in other]


def test_what_a_trace_can_be(app_path, jank_path):
    sql = "SELECT count(*) AS n FROM slice"
    count = lambda trace, **options: next(TraceProcessor(trace, **options).query(sql)).n  # noqa: E731
    with open(app_path, "rb") as file:
        assert count(file) == 3851
    content = app_path.read_bytes()
    assert count(io.BytesIO(content)) == 3851
    assert count(content[at : at + 100] for at in range(0, len(content), 100)) == 3851
    assert next(TraceProcessor(file_path=str(app_path)).query(sql)).n == 3851
    assert next(TraceProcessor().query(sql)).n == 0
    with pytest.raises(TraceProcessorException, match="other processes"):
        TraceProcessor(addr="localhost:9001")
    with pytest.raises(TraceProcessorException, match="both"):
        TraceProcessor(trace="a", file_path="b")
    with pytest.raises(TraceProcessorException, match="none.trace"):
        TraceProcessor(trace="none.trace")


@pytest.mark.parametrize("base", [TraceUriResolver, TheirResolver])
def test_resolvers(base, app_path, jank_path):
    class CustomResolver(base):
        PREFIX = "custom"

        def __init__(self, device: list[str] = None, day: str = None):
            self.device = device if isinstance(device, list) else [device]
            self.day = day

        def resolve(self):
            files = {"pixel": str(app_path), "lab": str(jank_path)}
            return [base.Result(trace=files[one], metadata={"device": one, "day": self.day}) for one in self.device]

    config = TraceProcessorConfig(resolver_registry=ResolverRegistry(resolvers=[CustomResolver]))
    with TraceProcessor("custom:device=pixel;day=monday", config=config) as tp:
        assert tp.metadata["device"] == "pixel" and tp.metadata["_path"] == str(app_path)
    with pytest.raises(TraceProcessorException, match="2 traces"):
        TraceProcessor("custom:device=pixel,lab;day=monday", config=config)
    with BatchTraceProcessor(
        "custom:device=pixel,lab;day=monday", BatchTraceProcessorConfig(tp_config=config)
    ) as btp:
        frame = btp.query_and_flatten("SELECT count(1) AS cnt FROM slice")
        assert frame.device.to_list() == ["pixel", "lab"]
        assert frame.day.to_list() == ["monday", "monday"]
        assert frame.cnt[0] == 3851


def test_batches(app_path):
    files = sorted(glob.glob(str(app_path.parent / "*.trace"))) + [str(app_path.parent / "linux.ftrace")]
    with BatchTraceProcessor(files) as btp:
        frames = btp.query("SELECT name FROM slice")
        assert len(frames) == 2 and len(frames[0]) == 3851
        counts = btp.query_single_result("SELECT count(*) FROM slice")
        assert counts == [len(frame) for frame in frames]
        flat = btp.query_and_flatten("SELECT name FROM slice")
        assert len(flat) == sum(counts) and set(flat._path) == {file for file, n in zip(files, counts) if n}
        polar = btp.query_and_flatten_polars("SELECT name FROM slice")
        assert polar.height == len(flat)
        assert btp.execute(lambda tp: next(tp.query("SELECT 1 AS x")).x) == [1, 1]
        with pytest.raises(TraceProcessorException, match="single row"):
            btp.query_single_result("SELECT name FROM slice")
        assert btp.stats().load_failures == 0


def test_failures_are_counted(app_path, tmp_path):
    bad = tmp_path / "bad.pftrace"
    bad.write_bytes(b"nothing")
    with pytest.raises(TraceProcessorException, match="bad.pftrace"):
        BatchTraceProcessor([str(app_path), str(bad)])
    config = BatchTraceProcessorConfig(
        load_failure_handling=FailureHandling.INCREMENT_STAT,
        execute_failure_handling=FailureHandling.INCREMENT_STAT,
    )
    with BatchTraceProcessor([str(app_path), str(bad)], config) as btp:
        assert btp.stats().load_failures == 1
        btp.query("SELECT no_column FROM slice")
        assert btp.stats().execute_failures == 1


def test_packages_and_exports(app_path, tmp_path):
    (tmp_path / "team" / "start").mkdir(parents=True)
    (tmp_path / "team" / "start" / "up.sql").write_text("CREATE PERFETTO VIEW ups AS SELECT 5 AS n;")
    for package in (str(tmp_path / "team"), SqlPackage(str(tmp_path / "team"), package="team")):
        config = TraceProcessorConfig(add_sql_packages=[package])
        with TraceProcessor(str(app_path), config=config) as tp:
            rows = tp.query("INCLUDE PERFETTO MODULE team.start.up; SELECT n FROM ups")
            assert [row.n for row in rows] == [5]
    with TraceProcessor(str(app_path)) as tp:
        tp.export(str(tmp_path / "all.tar"), "arrow_tar")
        assert "slice.arrow" in tarfile.open(tmp_path / "all.tar").getnames()
        with pytest.raises(TraceProcessorException):
            tp.query("SELECT no_column")
        with pytest.raises(TraceProcessorException):
            tp.metric(["android_startup"])
