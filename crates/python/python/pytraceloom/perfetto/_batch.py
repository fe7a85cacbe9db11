"""`BatchTraceProcessor`: queries many traces, which all stay open."""

from __future__ import annotations

import abc
import dataclasses
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, Optional, Union

from ._error import PerfettoException
from ._processor import TraceProcessor, TraceProcessorConfig, TraceReference
from ._resolver import ResolverRegistry, TraceUriResolver

if TYPE_CHECKING:
    import pandas
    import polars

TraceListReference = Union[TraceReference, Sequence[TraceReference]]
Metadata = dict[str, str]


class FailureHandling(Enum):
    """What happens if a trace cannot be opened or queried."""

    RAISE_EXCEPTION = 0
    """The call raises."""
    INCREMENT_STAT = 1
    """The trace is left out, and counted in `Stats`."""


@dataclasses.dataclass
class BatchTraceProcessorConfig:
    """Options."""

    tp_config: TraceProcessorConfig = dataclasses.field(default_factory=TraceProcessorConfig)
    load_failure_handling: FailureHandling = FailureHandling.RAISE_EXCEPTION
    execute_failure_handling: FailureHandling = FailureHandling.RAISE_EXCEPTION


@dataclasses.dataclass
class Stats:
    """How many traces were left out."""

    load_failures: int = 0
    execute_failures: int = 0


class BatchTraceProcessor:
    """Queries many traces. All of them stay in memory; `pytraceloom.batch` needs memory for a few at a time."""

    class Observer(abc.ABC):
        """Is told how long each trace took."""

        @abc.abstractmethod
        def trace_processed(self, metadata: Metadata, execution_time_seconds: float) -> None:
            """A query on a trace has ended."""

    def __init__(
        self,
        traces: TraceListReference,
        config: Optional[BatchTraceProcessorConfig] = None,
        observer: Optional[Observer] = None,
    ) -> None:
        self.tps_and_metadata: list[tuple[TraceProcessor, Metadata]] = []
        self.closed = False
        self.config = config or BatchTraceProcessorConfig()
        self.observer = observer
        self.resolver_registry = self.config.tp_config.resolver_registry or ResolverRegistry()
        self._stats = Stats()
        self._counting = threading.Lock()
        self.query_executor = ThreadPoolExecutor(os.cpu_count() or 1, "traceloom-batch")
        found = self.resolver_registry.resolve(traces)
        opened = self.query_executor.map(self._opened, found)
        self.tps_and_metadata = [one for one in opened if one is not None]
        self._stats.load_failures = len(found) - len(self.tps_and_metadata)

    def _opened(self, found: ResolverRegistry.Result) -> Optional[tuple[TraceProcessor, Metadata]]:
        class Found(TraceUriResolver):
            def resolve(self) -> list[TraceUriResolver.Result]:
                return [TraceUriResolver.Result(found.generator, found.metadata)]

        try:
            return TraceProcessor(Found(), config=self.config.tp_config), found.metadata
        except PerfettoException:
            if self.config.load_failure_handling == FailureHandling.RAISE_EXCEPTION:
                raise
            return None

    def query(self, sql: str) -> list[pandas.DataFrame]:
        """Runs SQL on each trace: a data frame of pandas for each."""
        return self.execute(lambda tp: tp.query(sql).as_pandas_dataframe())

    def query_and_flatten(self, sql: str) -> pandas.DataFrame:
        """Runs SQL on each trace: one data frame of pandas, with the metadata of the traces as columns."""
        return self.execute_and_flatten(lambda tp: tp.query(sql).as_pandas_dataframe())

    def query_polars(self, sql: str) -> list[polars.DataFrame]:
        """Runs SQL on each trace: a data frame of Polars for each."""
        return self.execute(lambda tp: tp.query(sql).as_polars_dataframe())

    def query_and_flatten_polars(self, sql: str) -> polars.DataFrame:
        """Runs SQL on each trace: one data frame of Polars, with the metadata of the traces as columns."""
        return self.execute_and_flatten_polars(lambda tp: tp.query(sql).as_polars_dataframe())

    def query_single_result(self, sql: str) -> list[Any]:
        """Runs SQL that returns one value on each trace."""

        def value(tp: TraceProcessor) -> Any:
            result = tp.query(sql)
            if len(result) != 1:
                raise PerfettoException("Query should only return a single row")
            if result.column_count != 1:
                raise PerfettoException("Query should only return a single column")
            return getattr(next(result), result.column_names[0])

        return self.execute(value)

    def metric(self, metrics: list[str]) -> list[Any]:
        """Not supported; see `TraceProcessor.metric`."""
        return self.execute(lambda tp: tp.metric(metrics))

    def execute(self, fn: Callable[[TraceProcessor], Any]) -> list[Any]:
        """Runs a function on each trace, several at a time."""
        return [result for result, _ in self._execute(fn)]

    def execute_and_flatten(self, fn: Callable[[TraceProcessor], pandas.DataFrame]) -> pandas.DataFrame:
        """Runs a function on each trace, and joins the data frames of pandas that it returns."""
        import pandas

        frames = []
        for frame, metadata in self._execute(fn):
            for name, value in metadata.items():
                frame[name] = value
            frames.append(frame)
        joined: pandas.DataFrame = pandas.concat(frames).reset_index(drop=True)
        return joined

    def execute_and_flatten_polars(self, fn: Callable[[TraceProcessor], polars.DataFrame]) -> polars.DataFrame:
        """Runs a function on each trace, and joins the data frames of Polars that it returns."""
        import polars

        frames = []
        for frame, metadata in self._execute(fn):
            if frame.shape[1] == 0:
                continue
            columns = [polars.lit(value).alias(name) for name, value in metadata.items()]
            frames.append(polars.DataFrame(frame).with_columns(columns))
        # A column without any value in a trace has no type there.
        return polars.concat(frames, how="vertical_relaxed")

    def _execute(self, fn: Callable[[TraceProcessor], Any]) -> list[tuple[Any, Metadata]]:
        def timed(pair: tuple[TraceProcessor, Metadata]) -> tuple[Any, Metadata]:
            tp, metadata = pair
            begun = time.monotonic()
            result = self._result(fn, tp, metadata)
            if self.observer:
                self.observer.trace_processed(metadata, time.monotonic() - begun)
            return result, metadata

        return list(self.query_executor.map(timed, self.tps_and_metadata))

    def _result(self, fn: Callable[[TraceProcessor], Any], tp: TraceProcessor, metadata: Metadata) -> Any:
        try:
            return fn(tp)
        except PerfettoException as error:
            if self.config.execute_failure_handling == FailureHandling.RAISE_EXCEPTION:
                raise PerfettoException(f"{metadata} {error}") from None
            with self._counting:
                self._stats.execute_failures += 1
            import pandas

            return pandas.DataFrame()

    def stats(self) -> Stats:
        """How many traces were left out."""
        return self._stats

    def close(self) -> None:
        """Frees the memory of all traces."""
        if not self.closed:
            self.closed = True
            self.query_executor.shutdown()
            for tp, _ in self.tps_and_metadata:
                tp.close()

    def __enter__(self) -> BatchTraceProcessor:
        return self

    def __exit__(self, *_: object) -> Literal[False]:
        self.close()
        return False
