"""`batch`: one query over many traces."""

from __future__ import annotations

import glob
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ._native import QueryError, TraceError
from ._table import Table
from ._trace import Value, open

if TYPE_CHECKING:
    import pandas
    import pyarrow

# Results in memory at the same time, per worker.
AHEAD = 4


@dataclass(frozen=True)
class Failure:
    """A trace that has no answer, and why."""

    path: str
    error: str


@dataclass(frozen=True)
class Answer:
    """The rows of one trace."""

    metadata: dict[str, str | None]
    """``path``, ``app``, ``device``, and the parts of the path that the pattern names."""
    rows: Table


def batch(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    workers: int | None = None,
    pattern: str | None = None,
    timeout: float | None = None,
    memory_limit: int = 4 << 30,
) -> Batch:
    """Many traces, each of which answers queries by itself.

    Args:
      paths: A glob such as ``runs/**/*.perfetto-trace``, or a list of paths. ``**`` matches any folders.
      workers: The number of traces that are read at the same time; one per core if None.
      pattern: Parts of each path as columns, such as ``{release}/{device}/*``. A trace whose path has another form is a
        failure.
      timeout: Stop the query on a trace after this number of seconds.
      memory_limit: The most bytes that the query may need besides a trace.
    """
    if isinstance(paths, (str, os.PathLike)):
        found = sorted(path for path in glob.glob(os.fspath(paths), recursive=True) if os.path.isfile(path))
        if not found:
            raise FileNotFoundError(f"no file matches {os.fspath(paths)}")
    else:
        found = [os.fspath(path) for path in paths]
    return Batch(found, workers or os.cpu_count() or 1, PathPattern(pattern), timeout, memory_limit)


class PathPattern:
    """A pattern for the last folders of a path and its file name. ``{name}`` is a column, ``*`` any text."""

    def __init__(self, pattern: str | None) -> None:
        self.pattern = pattern
        pieces = re.split(r"(\{[^{}]*\}|\*)", (pattern or "").strip("/"))
        self.columns = [piece[1:-1] for piece in pieces if piece.startswith("{")]
        for column in self.columns:
            if not column.isidentifier():
                raise ValueError(f"{{{column}}} in the pattern is not a name; write for example {{device}}")
            if self.columns.count(column) > 1:
                raise ValueError(f"{{{column}}} occurs twice in {pattern}")
        self._expression = re.compile("".join(map(_expression, pieces)))

    def values(self, path: str) -> dict[str, str]:
        """The values of the columns."""
        if self.pattern is None:
            return {}
        names = [name for name in path.split("/") if name]
        depth = self.pattern.strip("/").count("/") + 1
        found = self._expression.fullmatch("/".join(names[-depth:]))
        if found is None:
            raise ValueError(f"{path}: the path does not have the form {self.pattern}")
        return found.groupdict()


def _expression(piece: str) -> str:
    if piece == "*":
        return "[^/]*?"
    if piece.startswith("{"):
        return f"(?P<{piece[1:-1]}>[^/]+?)"
    return re.escape(piece)


@dataclass(frozen=True)
class Batch:
    """Many traces. Each query opens them again, so that memory is bounded by the number of workers."""

    paths: list[str]
    workers: int
    pattern: PathPattern
    timeout: float | None
    memory_limit: int

    def query(self, sql: str, params: Mapping[str, Value] | None = None) -> BatchResult:
        """Runs PerfettoSQL on each trace. The traces are read while the result is used."""
        return BatchResult(self, sql, dict(params or {}))

    def __len__(self) -> int:
        return len(self.paths)

    def _answer(self, path: str, sql: str, params: dict[str, Value]) -> Answer | Failure:
        try:
            from_path = self.pattern.values(path)
            # The files are read at the same time, so each is read by one thread.
            with open(path, threads=1, timeout=self.timeout, memory_limit=self.memory_limit) as trace:
                rows = trace.query(sql, params)
                metadata = {"path": path, "app": trace.app, "device": trace.device}
        except (TraceError, QueryError, OSError, ValueError, RuntimeError) as error:
            return Failure(path, str(error))
        return Answer({**metadata, **from_path}, rows)


@dataclass
class BatchResult:
    """The rows of many traces, in the order of the traces. It can be used once: iterate over it, or call one of its
    methods."""

    batch: Batch
    sql: str
    params: dict[str, Value]
    failures: list[Failure] = field(default_factory=list)
    """The traces without an answer so far; complete when all rows were used."""

    def __iter__(self) -> Iterator[Answer]:
        self.failures.clear()
        ahead: deque[Future[Answer | Failure]] = deque()
        paths = iter(self.batch.paths)
        pool = ThreadPoolExecutor(self.batch.workers, "traceloom-batch")
        try:
            while True:
                while len(ahead) < self.batch.workers * AHEAD and (path := next(paths, None)) is not None:
                    ahead.append(pool.submit(self.batch._answer, path, self.sql, self.params))
                if not ahead:
                    return
                answer = ahead.popleft().result()
                if isinstance(answer, Failure):
                    self.failures.append(answer)
                else:
                    yield answer
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def rows(self) -> list[dict[str, Any]]:
        """All rows as dictionaries, with the metadata of their trace first."""
        return [answer.metadata | row for answer in self for row in answer.rows]

    def to_arrow(self) -> pyarrow.Table:
        """All rows as one table of pyarrow, with the metadata of their trace in columns before those of the query."""
        import pyarrow

        tables = [_with_metadata(answer) for answer in self]
        if not tables:
            return pyarrow.table({})
        return pyarrow.concat_tables(tables, promote_options="permissive")

    def to_pandas(self, **options: Any) -> pandas.DataFrame:
        """All rows as one data frame of pandas; see `to_arrow`."""
        frame: pandas.DataFrame = self.to_arrow().to_pandas(**options)
        return frame


def _with_metadata(answer: Answer) -> pyarrow.Table:
    import pyarrow

    table = pyarrow.table(answer.rows)
    for at, (name, value) in enumerate(answer.metadata.items()):
        column = pyarrow.array([value], pyarrow.string()).take(pyarrow.array([0] * len(table), pyarrow.int8()))
        table = table.add_column(at, name, column)
    return table
