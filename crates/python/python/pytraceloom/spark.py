"""traceloom on Apache Spark: raw traces as data frames, PerfettoSQL on a fleet, and adding to a store.

>>> from pytraceloom.spark import query_each, register
>>> register(spark)
>>> spark.read.format("traceloom").option("table", "slice").load("/fleet/*.perfetto-trace")
>>> query_each(spark, "/fleet/*.perfetto-trace", "SELECT name, dur FROM slice WHERE dur > 16e6").rows

The traces are opened on the executors, which need this package, and the files under the same paths. Files of other
file systems (``s3a://…``, ``hdfs://…``) go through Spark, for `query_each`.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
    IsNotNull,
    LessThan,
    LessThanOrEqual,
)
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StringType, StructField, StructType

from . import _native
from ._schema import declared
from ._trace import Trace, open

if TYPE_CHECKING:
    from .store import Added

# Bytes of files that one task reads, unless an option says otherwise.
BUNDLE_BYTES = 64 << 20

# Columns before those of the table or the query.
OWN = ("path", "app", "device")

# What fails when a file is damaged. Anything else is a mistake, and fails the task.
ERRORS = (ValueError, OSError, RuntimeError)

Paths = "str | os.PathLike[str] | Iterable[str | os.PathLike[str]]"

COMPARISONS = {EqualTo: "=", GreaterThan: ">", GreaterThanOrEqual: ">=", LessThan: "<", LessThanOrEqual: "<="}


def register(spark: SparkSession) -> None:
    """Makes ``spark.read.format("traceloom")`` known, and lets Spark pass filters on to it."""
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    spark.dataSource.register(TraceSource)


class TraceSource(DataSource):
    """A table of raw traces.

    Options:
      table: A table or view of a trace, or ``failures``: the files that cannot be read, and why.
      columns: The columns to read, between commas. Spark does not tell a source which columns a query uses.
      bundle_bytes: Bytes of files that one task reads.
    """

    @classmethod
    def name(cls) -> str:
        return "traceloom"

    @property
    def _table(self) -> str:
        return self.options.get("table", "slice")

    def schema(self) -> StructType:
        own = [StructField(name, StringType()) for name in OWN]
        if self._table == "failures":
            return StructType([own[0], StructField("error", StringType())])
        kinds = declared(self._table)
        chosen = self.options.get("columns")
        if chosen:
            kinds = pa.schema([kinds.field(name.strip()) for name in chosen.split(",") if name.strip() not in OWN])
        taken = {field.name for field in kinds}
        return StructType([field for field in own if field.name not in taken] + list(from_arrow_schema(kinds)))

    def reader(self, schema: StructType) -> TraceReader:
        paths = self.options.get("path") or self.options.get("paths")
        if not paths:
            raise ValueError("no trace is named: load(\"/fleet/*.perfetto-trace\")")
        size = int(self.options.get("bundle_bytes", BUNDLE_BYTES))
        return TraceReader(self._table, schema, paths, size)


@dataclass
class Bundle(InputPartition):
    """The files of one task."""

    paths: list[str]


class TraceReader(DataSourceReader):
    """Reads a table of traces, one bundle of files per task."""

    def __init__(self, table: str, schema: StructType, paths: str, bundle_bytes: int) -> None:
        self.table = table
        self.schema = schema
        self.paths = paths
        self.bundle_bytes = bundle_bytes
        self.conditions: list[tuple[str, str, Any]] = []

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        """Takes comparisons of columns of the table with numbers and texts. Spark keeps all others."""
        for one in filters:
            if (condition := self._condition(one)) is None:
                yield one
            else:
                self.conditions.append(condition)

    def _condition(self, one: Filter) -> tuple[str, str, Any] | None:
        column = one.attribute[0] if len(getattr(one, "attribute", ())) == 1 else None
        if column is None or column in OWN or self.table == "failures":
            return None
        if isinstance(one, IsNotNull):
            return column, "IS NOT NULL", None
        if isinstance(one, In) and all(_is_plain(value) for value in one.value):
            return column, "IN", list(one.value)
        if type(one) in COMPARISONS and _is_plain(one.value):
            return column, COMPARISONS[type(one)], one.value
        return None

    def partitions(self) -> Sequence[Bundle]:
        bundles: list[Bundle] = []
        size = 0
        for path in expand(self.paths):
            bytes_ = os.path.getsize(path) if os.path.exists(path) else 0
            if not bundles or size + bytes_ > self.bundle_bytes:
                bundles.append(Bundle([]))
                size = 0
            bundles[-1].paths.append(path)
            size += bytes_
        return bundles

    def read(self, partition: Bundle) -> Iterator[pa.RecordBatch]:
        schema = to_arrow_schema(self.schema)
        for path in partition.paths:
            if self.table == "failures":
                yield from _failure(path, schema)
            else:
                yield from self._rows(path, schema)

    def _rows(self, path: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        try:
            # Each task has one core.
            trace = open(path, threads=1)
        except ERRORS:
            # The table `failures` lists it.
            return
        with trace:
            own = {"path": path, "app": trace.app, "device": trace.device}
            wanted = [field.name for field in schema]
            rows = self._selected(trace, [name for name in wanted if name not in own or name in declared(self.table).names])
            for batch in pa.RecordBatchReader.from_stream(rows):
                columns = [
                    _cast(batch.column(field.name), field.type)
                    if field.name in batch.schema.names
                    else _repeated(own.get(field.name), batch.num_rows)
                    for field in schema
                ]
                yield pa.RecordBatch.from_arrays(columns, schema=schema)

    def _selected(self, trace: Trace, columns: list[str]) -> Any:
        """The rows that meet the conditions. Without conditions, the columns come straight from the trace."""
        if not columns:
            columns = [declared(self.table).names[0]]
        if not self.conditions:
            return trace.tables.get_columns(self.table, columns)
        clauses, params = [], {}
        for column, operator, value in self.conditions:
            values = value if isinstance(value, list) else [] if value is None else [value]
            names = [f"p{len(params) + at}" for at in range(len(values))]
            params |= dict(zip(names, values))
            marks = ", ".join(f":{name}" for name in names)
            right = f"({marks})" if operator == "IN" else marks
            clauses.append(f"{_quoted(column)} {operator} {right}")
        listed = ", ".join(map(_quoted, columns))
        sql = f"SELECT {listed} FROM {_quoted(self.table)} WHERE {' AND '.join(clauses)}"
        return trace.query(sql, params, name="filter")


@dataclass
class FleetResult:
    """The answers of a fleet. Both data frames come from one run, which Spark keeps until `unpersist`."""

    rows: DataFrame
    """The rows of all traces: ``path``, ``app``, ``device``, then the columns of the query."""
    failures: DataFrame
    """The traces without an answer: ``path`` and ``error``."""
    _all: DataFrame

    def unpersist(self) -> None:
        """Frees what Spark keeps."""
        self._all.unpersist()


def query_each(
    spark: SparkSession,
    paths: Any,
    sql: str,
    params: dict[str, Any] | None = None,
    *,
    schema: StructType | str | None = None,
    tasks: int | None = None,
    timeout: float | None = None,
) -> FleetResult:
    """Runs PerfettoSQL on each trace, where it lies.

    Args:
      spark: The session.
      paths: A glob, a list of paths, or a data frame with ``path`` and ``content``, as the format ``binaryFile`` makes. A
        glob with a scheme (``s3a://…``) is read by Spark.
      sql: The statements. The rows of the last that has a result count.
      params: Values of ``:name``.
      schema: The columns of the result. If None, they are those of the first trace that has an answer with rows.
      tasks: The number of tasks; one per trace, and at most 4 per core, if None.
      timeout: Stop the query on a trace after this number of seconds.
    """
    cores = spark.sparkContext.defaultParallelism
    files = _files(spark, paths, tasks, cores)
    job = Job(sql, dict(params or {}), timeout)
    if schema is None:
        columns = _found_schema(files, job)
    else:
        columns = StructType.fromDDL(schema) if isinstance(schema, str) else schema
    own = [StructField(name, StringType()) for name in (*OWN, "_error")]
    everything = StructType(own + [field for field in columns if field.name not in OWN])
    answers = files.mapInArrow(job.answers(to_arrow_schema(everything)), everything).persist()
    return FleetResult(
        answers.where("_error IS NULL").drop("_error"),
        answers.where("_error IS NOT NULL").selectExpr("path", "_error AS error"),
        answers,
    )


def store_add(
    spark: SparkSession,
    store: str | os.PathLike[str],
    paths: Any,
    *,
    release: str | None = None,
    device: str | None = None,
    date: str | None = None,
    tables: Sequence[str] | None = None,
    tasks: int | None = None,
) -> list[Added]:
    """Adds traces to a store from the executors, as `Store.add` does. The store's folder is one that all of them
    share."""
    from .store import DEFAULT_TABLES, Added, Store
    from .store._journal import recover

    root = Store.create(store).root.resolve()
    recover(root)
    given = {"release": release, "device": device, "date": date}
    names = list(DEFAULT_TABLES if tables is None else tables)

    def add(path: str) -> tuple[Any, ...]:
        added = Store(root).add_one(path, given, names)
        return added.path, added.id, added.is_new, added.error

    files = expand(paths)
    slices = max(1, tasks or min(len(files), 4 * spark.sparkContext.defaultParallelism))
    found = spark.sparkContext.parallelize(files, slices).map(add).collect()
    return [Added(*one) for one in found]


@dataclass
class Job:
    """A query on its way to the executors."""

    sql: str
    params: dict[str, Any]
    timeout: float | None

    def answer(self, path: str, content: bytes | None) -> tuple[dict[str, str | None], pa.Table]:
        """The metadata and the rows of a trace."""
        source: Any = path if content is None else content
        with open(source, threads=1, timeout=self.timeout) as trace:
            rows = trace.query(self.sql, self.params)
            return {"path": path, "app": trace.app, "device": trace.device}, pa.table(rows)

    def answers(self, schema: pa.Schema) -> Any:
        """What runs on the executors: the rows of each trace, or a row with its error."""

        def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for path, content in _inputs(batches):
                try:
                    yield from _fitting(*self.answer(path, content), schema)
                except ERRORS as error:
                    row = {"path": path, "_error": str(error)}
                    yield pa.RecordBatch.from_pylist([row], schema)

        return run

    def schemas(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The types of the first answer with rows."""
        for path, content in _inputs(batches):
            try:
                _, rows = self.answer(path, content)
            except ERRORS:
                continue
            yield pa.RecordBatch.from_pydict({"schema": [rows.schema.serialize().to_pybytes()], "rows": [len(rows)]})
            if len(rows):
                return


def _inputs(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, bytes | None]]:
    for batch in batches:
        for row in batch.to_pylist():
            yield row["path"], row.get("content")


def _fitting(own: dict[str, str | None], rows: pa.Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The rows with the columns of the fleet. A value that does not fit its column is an error: nothing is lost."""
    for batch in rows.to_batches():
        columns = []
        for field in schema:
            if field.name in own:
                columns.append(_repeated(own[field.name], batch.num_rows))
            elif field.name in batch.schema.names:
                try:
                    columns.append(_cast(batch.column(field.name), field.type))
                except pa.ArrowInvalid as error:
                    raise ValueError(f"{own['path']}: column {field.name} is not {field.type} here: {error}") from error
            else:
                columns.append(pa.nulls(batch.num_rows, field.type))
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _found_schema(files: DataFrame, job: Job) -> StructType:
    """The columns of the query: from the first trace that has rows, else from any that has an answer."""
    best: tuple[int, pa.Schema] | None = None
    found = files.mapInArrow(job.schemas, "schema binary, rows long").toLocalIterator()
    for row in found:
        schema = pa.ipc.read_schema(pa.BufferReader(bytes(row.schema)))
        if best is None or row.rows > 0:
            best = (row.rows, schema)
        if row.rows > 0:
            break
    if best is None:
        return StructType([])
    fields = [pa.field(field.name, pa.string() if pa.types.is_null(field.type) else field.type) for field in best[1]]
    return from_arrow_schema(pa.schema(fields))


def _files(spark: SparkSession, paths: Any, tasks: int | None, cores: int) -> DataFrame:
    if isinstance(paths, DataFrame):
        return paths.select("path", "content")
    if isinstance(paths, str) and "://" in paths:
        return spark.read.format("binaryFile").load(paths).select("path", "content")
    files = expand(paths)
    slices = max(1, tasks or min(len(files), 4 * cores))
    schema = StructType([StructField("path", StringType())])
    return spark.createDataFrame(spark.sparkContext.parallelize([(path,) for path in files], slices), schema)


def expand(paths: Any) -> list[str]:
    """The files of a glob, a folder or a list."""
    if isinstance(paths, (str, os.PathLike)):
        text = os.fspath(paths)
        pattern = os.path.join(text, "**") if os.path.isdir(text) else text
        found = sorted(path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path))
        if not found:
            raise FileNotFoundError(f"no file matches {text}")
        return [os.path.abspath(path) for path in found]
    return [os.path.abspath(os.fspath(path)) for path in paths]


def _failure(path: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    try:
        _native.open([path], 1, None, None, 1 << 30)
    except ERRORS as error:
        row = {"path": path, "error": str(error)}
        yield pa.RecordBatch.from_pylist([{name: row.get(name) for name in schema.names}], schema)


def _repeated(value: str | None, rows: int) -> pa.Array:
    return pa.nulls(rows, pa.string()) if value is None else pa.repeat(pa.scalar(value, pa.string()), rows)


def _cast(column: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(column.type) and not pa.types.is_dictionary(kind):
        column = column.dictionary_decode()
    return column.cast(kind)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _is_plain(value: Any) -> bool:
    return isinstance(value, (int, float, str)) and not isinstance(value, bool)
