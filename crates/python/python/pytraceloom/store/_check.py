"""Verifies a store."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ._journal import complete_all, locked
from ._layout import files, tables


@dataclass(frozen=True)
class Problem:
    """Something that is wrong."""

    file: str
    what: str

    def __str__(self) -> str:
        return f"{self.file}: {self.what}"


def problems(root: Path) -> Iterator[Problem]:
    """Reads every file and its checksums, and compares the numbers of rows with `traces`. Other commands may add and
    remove traces meanwhile."""
    with locked(root):
        listed = listing(root)
    suspects = sorted({Path(problem.file).stem for problem in problems_of(root, listed)})
    if not suspects:
        return
    # Their traces may have changed while the files were read. Nothing changes during this second check.
    with locked(root):
        complete_all(root)
        for trace in suspects:
            yield from problems_of(root, listing(root, glob.escape(trace)))


def listing(root: Path, trace: str | None = None) -> dict[str, list[Path]]:
    """The files of each table, or those of a trace in them."""
    return {table: list(files(root, table, trace)) for table in [*tables(root), "traces"]}


def problems_of(root: Path, listed: dict[str, list[Path]]) -> Iterator[Problem]:
    """Reads the files of a listing."""
    expected: dict[tuple[str, str], int] = {}
    known: set[str] = set()
    for file in listed.pop("traces"):
        read = contents(file)
        if isinstance(read, Problem):
            yield read
            continue
        if read is None:
            continue
        if len(read) != 1:
            yield Problem(str(file), f"has {len(read)} rows instead of one")
            continue
        (row,) = read.to_pylist()
        if row["id"] in known:
            yield Problem(str(file), "the trace is in two partitions")
        known.add(row["id"])
        expected |= {(table, row["id"]): rows for table, rows in row["contents"]}
    for table, its_files in listed.items():
        for file in its_files:
            rows = expected.pop((table, file.stem), None)
            if rows is None and file.exists():
                yield Problem(str(file), "belongs to no trace in traces")
            elif rows is not None:
                yield from unreadable(file, rows)
    for table, trace in expected:
        yield Problem(f"{root / table}/…/{trace}.parquet", "is missing")


def contents(file: Path) -> pa.Table | Problem | None:
    """The rows of a file; None if it was removed meanwhile."""
    try:
        return pq.read_table(file, partitioning=None, page_checksum_verification=True)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, pa.ArrowException) as error:
        return Problem(str(file), f"cannot be read: {error}")


def unreadable(file: Path, rows: int) -> Iterator[Problem]:
    """Reads a file."""
    read = contents(file)
    if isinstance(read, Problem):
        yield read
    elif read is not None and len(read) != rows:
        yield Problem(str(file), f"has {len(read)} rows, and traces says {rows}")
