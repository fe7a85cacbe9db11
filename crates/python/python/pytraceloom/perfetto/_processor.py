"""`TraceProcessor`: queries one trace."""

from __future__ import annotations

import dataclasses
import os
import tarfile
import tempfile
from pathlib import Path
from typing import Any, Literal, Optional, Union

from .. import _native
from .._trace import Trace, open
from . import _result
from ._error import PerfettoException
from ._resolver import PathContent, ResolverRegistry, TraceContent, TraceUri, TraceUriResolver

TraceReference = Union[TraceUriResolver, TraceUri, "os.PathLike[str]", TraceContent]

# Bytes that a query may need besides the trace.
MEMORY = 4 << 30


@dataclasses.dataclass
class SqlPackage:
    """A folder of SQL modules: ``a/b.sql`` is the module ``NAME.a.b``. The name is the folder's if `package` is None."""

    path: str
    package: Optional[str] = None


@dataclasses.dataclass
class TraceProcessorConfig:
    """Options. Those about Perfetto's program have no effect, because there is none: `bin_path`,
    `fetch_latest_trace_processor`, `unique_port`, `verbose`, `load_timeout` and `extra_flags`. All events are always in
    ``ftrace_event`` if they are in no other table, so `ingest_ftrace_in_raw` has no effect either."""

    bin_path: Optional[str] = None
    unique_port: bool = True
    verbose: bool = False
    ingest_ftrace_in_raw: bool = False
    enable_dev_features: bool = False
    resolver_registry: Optional[ResolverRegistry] = None
    load_timeout: int = 30
    extra_flags: Optional[list[str]] = None
    add_sql_packages: Optional[list[Union[str, SqlPackage]]] = None
    fetch_latest_trace_processor: bool = False
    enable_sql_file_access: bool = False


class TraceProcessor:
    """Queries one trace.

    Args:
      trace: A path, an open file, bytes or a generator of bytes, an address, or a resolver.
      config: Options.
      file_path: The same as `trace`.
      addr, remote: Not supported: the engine is in this process.
    """

    QueryResultIterator = _result.QueryResultIterator
    Row = _result.ResultRow

    def __init__(
        self,
        trace: Optional[TraceReference] = None,
        addr: Optional[str] = None,
        config: Optional[TraceProcessorConfig] = None,
        file_path: Optional[str] = None,
        metadata: Optional[dict[str, str]] = None,
        remote: Optional[str] = None,
    ) -> None:
        self._trace: Optional[Trace] = None
        if trace and file_path:
            raise PerfettoException("trace and file_path cannot both be given")
        if addr or remote:
            raise PerfettoException("pytraceloom does not connect to other processes; give it the trace")
        self.config = config or TraceProcessorConfig()
        if self.config.enable_sql_file_access:
            raise PerfettoException("SQL cannot reach files; enable_sql_file_access is not supported")
        self.resolver_registry = self.config.resolver_registry or ResolverRegistry()
        self._metadata = dict(metadata or {})
        self._trace = self._opened(trace or file_path)
        for package in self.config.add_sql_packages or []:
            self._add_package(package)

    def _opened(self, reference: Any) -> Trace:
        if reference is None:
            return Trace(_native.open([], None, None, None, MEMORY))
        found = self.resolver_registry.resolve(reference)
        if len(found) != 1:
            raise PerfettoException(
                f"the reference is {len(found)} traces, not one; BatchTraceProcessor takes several"
            )
        self._metadata |= found[0].metadata
        content = found[0].generator
        try:
            if isinstance(content, PathContent):
                return open(content.path)
            return open(b"".join(content))
        except (ValueError, OSError) as error:
            raise PerfettoException(f"the trace cannot be read: {error}") from error

    def _add_package(self, package: Union[str, SqlPackage]) -> None:
        given = SqlPackage(package) if isinstance(package, (str, os.PathLike)) else package
        folder = Path(given.path)
        if not folder.is_dir():
            raise PerfettoException(f"{folder} is not a folder with SQL modules")
        for file in sorted(folder.rglob("*.sql")):
            parts = file.relative_to(folder).with_suffix("").parts
            name = ".".join((given.package or folder.resolve().name, *parts))
            self._open_trace().add_module(name, file.read_text())

    def _open_trace(self) -> Trace:
        if self._trace is None:
            raise PerfettoException("the trace processor is closed")
        return self._trace

    def query(self, sql: str) -> _result.QueryResultIterator:
        """Runs PerfettoSQL."""
        trace = self._open_trace()
        try:
            return _result.QueryResultIterator(trace.query(sql))
        except ValueError as error:
            raise PerfettoException(str(error)) from error

    def metric(self, metrics: list[str]) -> Any:
        """Not supported: Perfetto's metrics are deprecated."""
        raise PerfettoException("pytraceloom does not compute Perfetto's metrics; use a query and the standard library")

    def trace_summary(self, specs: Any, metric_ids: Any = None, metadata_query_id: Any = None) -> Any:
        """Not supported."""
        raise PerfettoException("pytraceloom does not compute trace summaries; use a query and the standard library")

    def enable_metatrace(self) -> None:
        """Not supported."""
        raise PerfettoException("pytraceloom has no metatrace")

    def disable_and_read_metatrace(self) -> bytes:
        """Not supported."""
        raise PerfettoException("pytraceloom has no metatrace")

    def export(self, output_path: str, export_format: str) -> None:
        """Writes all tables: ``sqlite`` as an SQLite file, ``arrow_tar`` as a tar of Arrow files."""
        trace = self._open_trace()
        if export_format == "sqlite":
            trace.export(output_path, "sqlite")
        elif export_format == "arrow_tar":
            with tempfile.TemporaryDirectory() as folder, tarfile.open(output_path, "w") as tar:
                trace.export(folder, "arrow")
                for file in sorted(Path(folder).iterdir()):
                    tar.add(file, file.name)
        else:
            raise PerfettoException(f"{export_format} cannot be written; expected sqlite or arrow_tar")

    @property
    def metadata(self) -> dict[str, str]:
        """What the resolver knows about the trace."""
        return self._metadata

    @property
    def subprocess(self) -> None:
        """None: the engine is in this process."""
        return None

    @property
    def trace(self) -> Trace:
        """The same trace with pytraceloom's own methods."""
        return self._open_trace()

    def close(self) -> None:
        """Frees the memory of the trace."""
        if self._trace is not None:
            self._trace.close()
            self._trace = None

    def __enter__(self) -> TraceProcessor:
        return self

    def __exit__(self, *_: object) -> Literal[False]:
        self.close()
        return False
