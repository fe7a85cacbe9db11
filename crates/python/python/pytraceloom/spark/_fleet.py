"""PerfettoSQL on every trace of a fleet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StringType, StructField, StructType

from .._trace import open
from ._common import ERRORS, OWN, cast, expand, repeated


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
                columns.append(repeated(own[field.name], batch.num_rows))
            elif field.name in batch.schema.names:
                try:
                    columns.append(cast(batch.column(field.name), field.type))
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
