"""``spark.read.format("traceloom")``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession
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

from .. import _native
from .._schema import declared
from .._trace import Trace, open
from ._common import ERRORS, OWN, cast, expand, repeated

# Bytes of files that one task reads, unless an option says otherwise.
BUNDLE_BYTES = 64 << 20

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
        return str(self.options.get("table", "slice"))

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
                    cast(batch.column(field.name), field.type)
                    if field.name in batch.schema.names
                    else repeated(own.get(field.name), batch.num_rows)
                    for field in schema
                ]
                yield pa.RecordBatch.from_arrays(columns, schema=schema)

    def _selected(self, trace: Trace, columns: list[str]) -> Any:
        """The rows that meet the conditions. Without conditions, the columns come straight from the trace."""
        if not columns:
            columns = [declared(self.table).names[0]]
        if not self.conditions:
            return trace.tables.get_columns(self.table, columns)
        clauses: list[str] = []
        params: dict[str, Any] = {}
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


def _failure(path: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    try:
        _native.open([path], 1, None, None, 1 << 30)
    except ERRORS as error:
        row = {"path": path, "error": str(error)}
        yield pa.RecordBatch.from_pylist([{name: row.get(name) for name in schema.names}], schema)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _is_plain(value: Any) -> bool:
    # SQL has no NaN, which Spark compares like a number.
    return isinstance(value, (int, float, str)) and not isinstance(value, bool) and value == value
