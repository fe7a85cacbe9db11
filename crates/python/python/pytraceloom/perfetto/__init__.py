"""The classes of the package `perfetto`, with traceloom's engine: change one import, and scripts run.

    from pytraceloom.perfetto import BatchTraceProcessor, TraceProcessor

The modules have the same names too: ``perfetto.trace_processor.api`` is ``pytraceloom.perfetto.trace_processor.api``.
No program is started or downloaded. `docs/python.md` lists the differences.
"""

from ._batch import (
    BatchTraceProcessor,
    BatchTraceProcessorConfig,
    FailureHandling,
    Stats,
    TraceListReference,
)
from ._error import PerfettoException, TraceProcessorException
from ._processor import SqlPackage, TraceProcessor, TraceProcessorConfig, TraceReference
from ._resolver import ResolverRegistry, TraceUriResolver
from ._result import QueryResultIterator

__all__ = [
    "BatchTraceProcessor",
    "BatchTraceProcessorConfig",
    "FailureHandling",
    "PerfettoException",
    "QueryResultIterator",
    "ResolverRegistry",
    "SqlPackage",
    "Stats",
    "TraceListReference",
    "TraceProcessor",
    "TraceProcessorConfig",
    "TraceProcessorException",
    "TraceReference",
    "TraceUriResolver",
]
