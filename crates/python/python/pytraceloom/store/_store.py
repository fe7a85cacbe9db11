"""`Store`: adds, checks and removes traces."""

from __future__ import annotations

import datetime
import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from .. import _native
from .._native import QueryError, TraceError
from .._trace import Trace, open
from . import _check, _version
from ._journal import Staging, publish, recover, remove, steady, sync
from ._layout import DEFAULT_TABLES, OWN_ID, PARTITIONS, StoreError, files, partition, partition_of
from ._layout import tables as stored_tables
from ._metrics import metrics
from ._parquet import METRICS, TRACES, now, write_rows, write_table

# Hexadecimal digits of a trace's id: the first ones of its hash.
ID_DIGITS = 32


@dataclass(frozen=True)
class Added:
    """What became of a file."""

    path: str
    id: str | None = None
    """The id of the trace, unless the file could not be read."""
    is_new: bool = False
    """Whether the trace was not in the store before."""
    error: str | None = None
    """Why the file is not in the store."""


class Store:
    """A folder of Parquet files, opened for adding, checking and removing. Other tools read the files as they are.

    Raises:
      StoreError: The folder is not a store, or one of another version.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root)
        _version.check(self.root)

    @classmethod
    def create(cls, root: str | os.PathLike[str]) -> Store:
        """Opens a store, which is created if the folder is empty or missing."""
        path = Path(root)
        path.mkdir(parents=True, exist_ok=True)
        if not (path / _version.FILE).exists():
            others = [file for file in path.iterdir() if not file.name.startswith(f".{_version.FILE}")]
            # Another command may be creating the store at the same time.
            if others and not (path / _version.FILE).exists():
                raise StoreError(f"{path} is neither a store of traceloom nor empty")
            _version.write(path, _version.VERSION)
        return cls(path)

    def add(
        self,
        paths: Iterable[str | os.PathLike[str]],
        *,
        release: str | None = None,
        device: str | None = None,
        date: str | datetime.date | None = None,
        tables: Sequence[str] | None = None,
        workers: int | None = None,
    ) -> list[Added]:
        """Adds traces. A trace that the store has already is left alone. Files that cannot be read are listed in the
        result, and do not end it.

        Args:
          paths: The files.
          release: The release that was recorded.
          device: The device; the one that the trace names if None.
          date: The day; that of the recording if the trace tells, else that of the file, if None.
          tables: The tables to store, besides ``traces`` and ``metrics``; `DEFAULT_TABLES` if None.
          workers: The number of traces that are read at the same time; one per core if None.

        Raises:
          StoreError: There is no table of a name.
        """
        recover(self.root)
        given = partition_values(release, device, date)
        names = table_names(tables)
        with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
            return list(pool.map(lambda path: self.add_one(os.fspath(path), given, names), paths))

    def add_one(self, path: str, given: dict[str, str | None], tables: Sequence[str]) -> Added:
        """Adds one file, as `add` does."""
        try:
            digest = hash_of(path)
            trace_id = digest[:ID_DIGITS]
            if self.has(trace_id):
                return Added(path, trace_id)
            # The files are read at the same time, so each is read by one thread.
            with open(path, threads=1) as trace:
                is_new = self._write(trace, path, digest, given, tables)
            return Added(path, trace_id, is_new)
        except (TraceError, QueryError, OSError, RuntimeError) as error:
            return Added(path, error=str(error))

    def _write(
        self, trace: Trace, path: str, digest: str, given: dict[str, str | None], tables: Sequence[str]
    ) -> bool:
        trace_id = digest[:ID_DIGITS]
        values = {
            "release": given["release"],
            "device": given["device"] or trace.device,
            "date": given["date"] or date_of(trace, path),
        }
        with Staging(self.root, trace_id) as staged:
            rows = {name: write_table(trace, name, trace_id, staged / f"{name}.parquet") for name in tables}
            figures = [{OWN_ID: trace_id, **metric._asdict()} for metric in metrics(trace)]
            rows["metrics"] = write_rows(figures, METRICS, staged / "metrics.parquet")
            fact = {
                "id": trace_id,
                "path": path,
                "hash": digest,
                "app": trace.app,
                "start": trace.start,
                "duration": trace.duration,
                "repairs": sum(row["count"] for row in trace.repairs),
                "added": now(),
                "contents": list(rows.items()),
            }
            write_rows([fact], TRACES, staged / "traces.parquet")
            for file in staged.iterdir():
                sync(file)
            return publish(self.root, trace_id, staged, partition(values), [*rows, "traces"])

    def has(self, trace_id: str) -> bool:
        """Whether the store has a trace."""
        return next(files(self.root, "traces", trace_id), None) is not None

    def traces(self) -> Iterator[dict[str, Any]]:
        """The rows of the table ``traces``, with the values of their partitions."""
        for file in files(self.root, "traces"):
            values = partition_of(file.relative_to(self.root))
            try:
                rows = pq.ParquetFile(file).read().to_pylist()
            except FileNotFoundError:
                # Another command has just removed it.
                continue
            for row in rows:
                yield row | values

    def remove(self, trace_ids: Iterable[str]) -> list[str]:
        """Removes traces by their ids, or by the first letters of them. Returns the ids that were removed.

        Raises:
          StoreError: There is no such trace, or there are several.
        """
        recover(self.root)
        found = [self.find(trace_id) for trace_id in trace_ids]
        for trace_id in found:
            remove(self.root, trace_id)
        return found

    def find(self, beginning: str) -> str:
        """The id that begins with these letters."""
        if not beginning or not beginning.isalnum():
            raise StoreError(f"{beginning!r} is not the id of a trace")
        found = sorted({file.stem for file in files(self.root, "traces", f"{beginning}*")})
        if len(found) != 1:
            raise StoreError(f"{len(found)} traces have an id that begins with {beginning}")
        return found[0]

    def check(self) -> list[_check.Problem]:
        """Completes what killed commands began, then reads every file. Returns the problems found. Changes nothing."""
        recover(self.root)
        return list(_check.problems(self.root))

    @staticmethod
    def migrate(root: str | os.PathLike[str]) -> list[int]:
        """Brings an older store to this version. Returns the versions it went through."""
        return _version.migrate(Path(root))

    def glob(self, table: str) -> str:
        """The pattern of a table's files, for engines that take one."""
        return str(self.root / table / "/".join(f"{name}=*" for name in PARTITIONS) / "*.parquet")

    def duckdb_views(self, connection: Any) -> list[str]:
        """Creates a view for each table in a connection of DuckDB; none if the store has no trace yet. The views have the
        partitions as columns of texts, and only rows of traces that are in the store, also while traces are added or
        removed. A query that is about to open the file of a trace when the trace is removed fails: run it again."""
        # DuckDB opens files when it makes a view.
        with steady(self.root):
            return self._make_views(connection)

    def _make_views(self, connection: Any) -> list[str]:
        # A trace that a killed command was adding has all other files before that of `traces`.
        if next(files(self.root, "traces"), None) is None:
            return []
        types = ", ".join(f"'{name}': VARCHAR" for name in PARTITIONS)
        names = [name for name in stored_tables(self.root) if next(files(self.root, name), None)]
        for name in ["traces", *(name for name in names if name != "traces")]:
            where = "" if name == "traces" else " WHERE trace IN (SELECT id FROM traces)"
            pattern = self.glob(name).replace("'", "''")
            source = f"read_parquet('{pattern}', hive_partitioning = true, hive_types = {{{types}}})"
            connection.execute(f'CREATE OR REPLACE VIEW "{name}" AS SELECT * FROM {source}{where}')
        return names


def partition_values(
    release: str | None, device: str | None, date: str | datetime.date | None
) -> dict[str, str | None]:
    """The values of partitions that a user gives.

    Raises:
      ValueError: The date is none.
    """
    day = None if date is None else datetime.date.fromisoformat(str(date)).isoformat()
    return {"release": release, "device": device, "date": day}


def table_names(tables: Sequence[str] | None) -> list[str]:
    """The tables to store.

    Raises:
      StoreError: There is no table of a name.
    """
    names = list(DEFAULT_TABLES if tables is None else tables)
    known = _native.tables()
    if unknown := [name for name in names if name not in known]:
        raise StoreError(f"there is no table {unknown[0]}")
    return names


def hash_of(path: str) -> str:
    """The SHA-256 of a file."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else _digest(file)


def _digest(file: Any) -> str:
    digest = hashlib.sha256()
    while part := file.read(1 << 20):
        digest.update(part)
    return digest.hexdigest()


def date_of(trace: Trace, path: str) -> str:
    """The day of the recording, in UTC, if the trace has the wall clock; else the day when the file was changed."""
    sql = "SELECT clock_value AS ns FROM clock_snapshot WHERE clock_name = 'REALTIME' LIMIT 1"
    clock = trace.query(sql).rows()
    seconds = clock[0]["ns"] / 1e9 if clock and clock[0]["ns"] else os.path.getmtime(path)
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).date().isoformat()
