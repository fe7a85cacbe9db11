"""`open`, and the trace it returns."""

from __future__ import annotations

import json
import numbers
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Union

from . import _native
from ._files import NewFile
from ._picture import picture
from ._results import Diff, Frames, Profile, Selection
from ._table import Table

Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]
Value = Union[int, float, str, bytes, bool, None]


def open(
    source: Source | Sequence[Source],
    *,
    threads: int | None = None,
    max_decompressed: int | None = None,
    timeout: float | None = None,
    memory_limit: int = 4 << 30,
    symbols: Sequence[str | os.PathLike[str]] = (),
) -> Trace:
    """Opens a trace of any format that traceloom reads.

    Args:
      source: A path, or the bytes of a file, or a list of these. Several are one trace on the time line of the first.
        ``a.key`` and ``a.data`` are one trace, so is a folder that perf wrote, and ``a`` opens ``a.trace`` if there is
        no file ``a``.
      threads: The number of threads to read with; one per core if None. The result does not depend on it.
      max_decompressed: Refuse compressed input that expands beyond this number of bytes; 8 GiB if None.
      timeout: Stop each query after this number of seconds.
      memory_limit: The most bytes that a query may need besides the trace.
      symbols: Folders with symbols of native code, such as libraries that are not stripped. They name functions of which
        the trace has only addresses. Symbols that this machine has installed are found without this.

    Raises:
      OSError: A file cannot be read.
      TraceError: A file is not a trace. Lesser damage is repaired and counted; see ``Trace.repairs``.
    """
    given = [source] if isinstance(source, (str, os.PathLike, bytes, bytearray, memoryview)) else list(source)
    if not given:
        raise ValueError("no trace is named")
    inputs = [bytes(one) if isinstance(one, (bytearray, memoryview)) else one for one in given]
    for folder in symbols:
        if not Path(folder).is_dir():
            raise NotADirectoryError(f"symbols: {folder} is not a folder")
    return Trace(_native.open(inputs, threads, max_decompressed, timeout, memory_limit, list(symbols)))


class Trace:
    """An open trace. Close it, or use it in a ``with`` statement, to free its memory at once. Tables and results that
    are still in use stay valid."""

    def __init__(self, native: _native.Trace) -> None:
        self._open: _native.Trace | None = native

    @property
    def _native(self) -> _native.Trace:
        if self._open is None:
            raise ValueError("the trace is closed")
        return self._open

    def query(
        self, sql: str, params: Mapping[str, Value] | None = None, *, name: str = "SQL"
    ) -> Table:
        """Runs PerfettoSQL and returns the result of the last statement that has one.

        Tables, views, functions and macros that a query creates stay for later ones. Ctrl-C stops a query.

        Args:
          sql: The statements.
          params: Values of ``:name``, ``@name`` and ``$name``.
          name: The name of the SQL in messages.

        Raises:
          QueryError: The SQL is wrong, fails or breaks a limit.
          TypeError, OverflowError: A parameter is no value of SQL.
        """
        values = [(key, _param(key, value)) for key, value in (params or {}).items()]
        return Table(self._native.query(sql, values, name))

    @property
    def tables(self) -> Tables:
        """All tables and views by name: ``trace.tables["slice"]``."""
        return Tables(self)

    def add_module(self, name: str, sql: str) -> None:
        """Adds a module of SQL, which ``INCLUDE PERFETTO MODULE name`` runs."""
        self._native.add_module(name, name, sql)

    def profile(
        self,
        *,
        by: str = "method",
        clock: str | None = None,
        threads: Iterable[str | int] = (),
        processes: Iterable[str | int] = (),
        start: int | None = None,
        end: int | None = None,
        samples: bool = False,
        event: str | None = None,
    ) -> Profile:
        """Inclusive and exclusive times, a row for each method or slice name.

        A trace without methods and slices has a row for each function in the samples of a profiler, and numbers of
        samples instead of times (``inclusive_samples``, ``exclusive_samples``). ``facts["sample_events"]`` lists the
        events at which they were taken.

        Args:
          by: What a row is: ``method``, ``class``, ``package`` or ``thread``.
          clock: The clock that ranks the rows: ``cpu`` or ``wall``; the usual one of the trace if None.
          threads: Only threads with these names or tids.
          processes: Only processes with these names or pids.
          start: Cut slices that begin before this time, ns on the trace's clock.
          end: Cut slices that end after this time, ns on the trace's clock.
          samples: Count the samples of a profiler, even if the trace has methods or slices.
          event: Count only the samples of this event, such as ``cycles:u``: its name, or a part that no other has.
        """
        chosen = Selection(by, clock, threads, processes, start, end, samples, event)
        rows, facts = self._native.profile(chosen)
        return Profile(Table(rows), json.loads(facts))

    def frames(self, limit: int | None = None) -> Frames:
        """The frames of each app: how many were late, how long they took, and what delayed them.

        Args:
          limit: The number of frames to explain, worst first; all if None.
        """
        apps, worst, facts = self._native.frames(2**31 if limit is None else limit)
        return Frames(Table(apps), Table(worst), json.loads(facts))

    def diff(self, new: Trace | Sequence[Trace], **options: Any) -> Diff:
        """Compares this trace, the base, with one or more new ones. The options are those of `diff`."""
        return diff(self, new, **options)

    def export(
        self, path: str | os.PathLike[str], format: str | None = None, *, tables: Sequence[str] | None = None
    ) -> list[tuple[str, int]]:
        """Writes the trace in another format. The file appears when it is complete.

        Args:
          path: The file to write, or a folder for Arrow files.
          format: ``sqlite``, ``arrow`` (a file for each table, in a folder), ``html``, or what ``traceloom convert --to``
            takes. If None, the ending of `path` decides.
          tables: The tables to write as Arrow files; all if None.

        Returns:
          The rows that the format cannot store: a count for each kind of row.
        """
        target = Path(path)
        chosen = format or target.suffix.lstrip(".").lower() or "arrow"
        if chosen == "arrow":
            return self._export_arrow(target, tables)
        with NewFile(target) as part:
            if chosen in ("sqlite", "sqlite3", "db"):
                part.touch()
                self._native.write_sqlite(part)
            elif chosen in ("html", "htm"):
                self._native.report(part, self._title())
            else:
                return self._native.convert(part, chosen)
        return []

    def _export_arrow(self, target: Path, tables: Sequence[str] | None) -> list[tuple[str, int]]:
        if unknown := [table for table in tables or () if table not in _native.tables()]:
            raise KeyError(f"there is no table {unknown[0]}")
        tables = tables or self._native.exported_tables()
        if target.suffix == ".arrow":
            if len(tables) != 1:
                raise ValueError("an Arrow file has one table; name it, or write all into a folder")
            with NewFile(target) as part:
                self._native.write_arrow(tables[0], part)
            return []
        target.mkdir(exist_ok=True)
        for table in tables:
            with NewFile(target / f"{table}.arrow") as part:
                self._native.write_arrow(table, part)
        return []

    def report(self, path: str | os.PathLike[str], *, title: str | None = None) -> None:
        """Writes one HTML file that shows the trace in any browser, offline. It contains the trace: every command of
        traceloom, and `open`, read it again."""
        with NewFile(Path(path)) as part:
            self._native.report(part, title or self._title())

    def _title(self) -> str:
        return " + ".join(Path(name).name for name in self.sources)

    @property
    def sources(self) -> list[str]:
        """The names of the inputs."""
        return self._native.names

    @property
    def start(self) -> int:
        """The time of the first event, ns on the trace's clock."""
        return self._native.bounds[0]

    @property
    def end(self) -> int:
        """The time of the last event, ns on the trace's clock."""
        return self._native.bounds[1]

    @property
    def duration(self) -> int:
        """The time from the first event to the last, ns."""
        first, last = self._native.bounds
        return last - first

    @property
    def app(self) -> str | None:
        """The app that the trace is of: the process with the most slices, and a package's name if there is one."""
        return self._native.identity[0]

    @property
    def device(self) -> str | None:
        """The device on which the trace was recorded, if the trace names it."""
        return self._native.identity[1]

    @property
    def metadata(self) -> dict[str, Any]:
        """Facts about the trace and the device. Of several values of a name, the first counts."""
        facts = self.query("SELECT name, coalesce(str_value, int_value) AS value FROM metadata ORDER BY id DESC")
        return {row["name"]: row["value"] for row in facts}

    @property
    def repairs(self) -> Table:
        """What was repaired or lost while reading: a row for each kind, with its count and the first place."""
        return self.tables["repair"]

    def close(self) -> None:
        """Frees the memory of the trace, as soon as no table needs it."""
        self._open = None

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._open is None:
            return "<closed trace>"
        return f"<trace {self._title()}: {self.duration / 1e9:.3f} s>"

    def _repr_html_(self) -> str:
        return picture(self)


class Tables(Mapping[str, Table]):
    """All tables and views of a trace by name."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def __getitem__(self, name: str) -> Table:
        return self.get_columns(name)

    def get_columns(self, name: str, columns: Sequence[str] | None = None) -> Table:
        """A table with these columns only; with all that ``SELECT *`` shows if None. Other columns are not read.

        Raises:
          KeyError: There is no table of this name.
        """
        rows = self._trace._native.table(name, None if columns is None else list(columns))
        if rows is not None:
            return Table(rows)
        if name not in _native.tables():
            raise KeyError(name)
        shown = "*" if columns is None else ", ".join(_quoted(column) for column in columns)
        return self._trace.query(f"SELECT {shown} FROM {_quoted(name)}", name=name)

    def __contains__(self, name: object) -> bool:
        return name in _native.tables()

    def __iter__(self) -> Iterator[str]:
        return iter(_native.tables())

    def __len__(self) -> int:
        return len(_native.tables())


def diff(
    base: Trace | Sequence[Trace],
    new: Trace | Sequence[Trace],
    *,
    by: str = "method",
    clock: str | None = None,
    metric: str = "exclusive",
    threads: Iterable[str | int] = (),
    processes: Iterable[str | int] = (),
    samples: bool = False,
    event: str | None = None,
) -> Diff:
    """Compares two versions. Several runs of each tell a change from noise.

    For samples of a profiler, shares are compared (percent of all samples of a run), because recordings differ in
    length. ``facts["unit"]`` is then ``percent_of_samples``, otherwise ``ns``.

    Args:
      base: One or more runs of the old version.
      new: One or more runs of the new version.
      by: What a row is: ``method``, ``class``, ``package`` or ``thread``.
      clock: ``cpu`` or ``wall``; the usual one of the first trace if None.
      metric: What orders the rows: ``exclusive``, ``inclusive`` or ``calls``.
      threads: Only threads with these names or tids.
      processes: Only processes with these names or pids.
      samples: Compare the samples of a profiler, even if the traces have methods or slices.
      event: Compare only the samples of this event: its name, or a part that no other has.
    """
    chosen = Selection(by, clock, threads, processes, samples=samples, event=event)
    rows, facts = _native.diff(_natives(base), _natives(new), chosen, metric)
    return Diff(Table(rows), json.loads(facts))


def _natives(traces: Trace | Sequence[Trace]) -> list[_native.Trace]:
    given = [traces] if isinstance(traces, Trace) else list(traces)
    if not given:
        raise ValueError("a side of the comparison has no trace")
    return [trace._native for trace in given]


def _param(name: str, value: Value) -> int | float | str | bytes | None:
    """A value as the engine takes it. Numbers of numpy are numbers too."""
    if value is None or isinstance(value, (str, bytes, float)):
        return value
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, numbers.Integral):
        if not -(2**63) <= int(value) < 2**63:
            raise OverflowError(f"the parameter {name} does not fit into 64 bits: {value}")
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    raise TypeError(f"the parameter {name} is a {type(value).__name__}, not a number, text, bytes or None")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
