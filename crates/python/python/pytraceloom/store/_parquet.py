"""Writes tables of a trace as Parquet files."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .._schema import declared
from .._trace import Trace
from ._layout import DEFAULT_TABLES, OWN_ID

# Rows for which a reader finds the smallest and the largest values.
GROUP_ROWS = 1 << 20

METRICS = pa.schema(
    [
        pa.field(OWN_ID, pa.string(), nullable=False),
        pa.field("metric", pa.string(), nullable=False),
        pa.field("name", pa.string()),
        pa.field("value", pa.float64(), nullable=False),
        pa.field("unit", pa.string(), nullable=False),
    ]
)

TRACES = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("path", pa.string(), nullable=False),
        pa.field("hash", pa.string(), nullable=False),
        pa.field("app", pa.string()),
        pa.field("start", pa.int64(), nullable=False),
        pa.field("duration", pa.int64(), nullable=False),
        pa.field("repairs", pa.int64(), nullable=False),
        pa.field("added", pa.timestamp("us", tz="UTC"), nullable=False),
        pa.field("contents", pa.map_(pa.string(), pa.int64()), nullable=False),
    ]
)


# Texts in memory. The file has plain texts, which engines without dictionaries read too.
TEXTS = pa.dictionary(pa.int32(), pa.string())


def write_table(trace: Trace, name: str, trace_id: str, file: Path) -> int:
    """Writes a table with the id of the trace as its first column. Returns the number of rows."""
    columns = DEFAULT_TABLES.get(name)
    kinds = declared(name)
    wanted = kinds.names if columns is None else list(columns)
    reader = pa.RecordBatchReader.from_stream(trace.tables.get_columns(name, wanted))
    fields = [_in_memory(field, kinds.field(field.name)) for field in reader.schema]
    schema = pa.schema([pa.field(OWN_ID, TEXTS, nullable=False), *fields])
    order = [pq.SortingColumn(schema.get_field_index("ts"))] if columns and "ts" in columns else None
    rows = 0
    with pq.ParquetWriter(file, schema, sorting_columns=order, **_encodings(schema)) as writer:
        for batches in _groups(reader):
            group = _with_id(pa.Table.from_batches(batches), trace_id).cast(schema)
            writer.write_table(group, row_group_size=GROUP_ROWS)
            rows += len(group)
    return rows


def _in_memory(field: pa.Field, kind: pa.Field) -> pa.Field:
    """The type that is written. Texts of tables stay dictionaries, which are written faster."""
    return pa.field(field.name, TEXTS) if pa.types.is_dictionary(field.type) else kind


def _groups(reader: Iterable[pa.RecordBatch]) -> Iterable[list[pa.RecordBatch]]:
    """The batches of each group of rows."""
    group: list[pa.RecordBatch] = []
    rows = 0
    for batch in reader:
        group.append(batch)
        rows += batch.num_rows
        if rows >= GROUP_ROWS:
            yield group
            group, rows = [], 0
    if group:
        yield group


def _with_id(table: pa.Table, trace_id: str) -> pa.Table:
    ids = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), len(table)), [trace_id])
    return table.add_column(0, OWN_ID, ids)


def _encodings(schema: pa.Schema) -> dict[str, Any]:
    """Numbers byte by byte, dictionaries for texts: together with zstd, small files that are written quickly."""
    numbers = [field.name for field in schema if pa.types.is_integer(field.type) or pa.types.is_floating(field.type)]
    texts = [field.name for field in schema if field.name not in numbers]
    return {
        "compression": "zstd",
        "compression_level": 1,
        "use_dictionary": texts,
        "use_byte_stream_split": numbers,
        "write_page_checksum": True,
        "write_statistics": True,
        # If it were stored, readers would see the types in memory, not those of the file.
        "store_schema": False,
    }


def write_rows(rows: list[dict[str, Any]], schema: pa.Schema, file: Path) -> int:
    """Writes rows that are dictionaries."""
    pq.write_table(pa.Table.from_pylist(rows, schema), file, compression="zstd", write_page_checksum=True)
    return len(rows)


def now() -> datetime.datetime:
    """The time, for `added`."""
    return datetime.datetime.now(datetime.timezone.utc)
