"""Verifies a store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ._layout import files, tables


@dataclass(frozen=True)
class Problem:
    """Something that is wrong."""

    file: str
    what: str

    def __str__(self) -> str:
        return f"{self.file}: {self.what}"


def problems(root: Path) -> Iterator[Problem]:
    """Reads every file and its checksums, and compares the numbers of rows with `traces`."""
    expected: dict[tuple[str, str], int] = {}
    known: set[str] = set()
    for file in files(root, "traces"):
        try:
            (row,) = pq.read_table(file, partitioning=None, page_checksum_verification=True).to_pylist()
        except (OSError, ValueError, pa.ArrowException) as error:
            yield Problem(str(file), f"cannot be read: {error}")
            continue
        if row["id"] in known:
            yield Problem(str(file), "the trace is in two partitions")
        known.add(row["id"])
        expected |= {(table, row["id"]): rows for table, rows in row["contents"]}
    for table in tables(root):
        if table == "traces":
            continue
        for file in files(root, table):
            rows = expected.pop((table, file.stem), None)
            if rows is None:
                yield Problem(str(file), "belongs to no trace in traces")
            else:
                yield from unreadable(file, rows)
    for table, trace in expected:
        yield Problem(f"{root / table}/…/{trace}.parquet", "is missing")


def unreadable(file: Path, rows: int) -> Iterator[Problem]:
    """Reads a file."""
    try:
        table = pq.read_table(file, partitioning=None, page_checksum_verification=True)
    except (OSError, ValueError, pa.ArrowException) as error:
        yield Problem(str(file), f"cannot be read: {error}")
        return
    if len(table) != rows:
        yield Problem(str(file), f"has {len(table)} rows, and traces says {rows}")
