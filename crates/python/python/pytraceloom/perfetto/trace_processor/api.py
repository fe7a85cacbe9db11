"""The names of ``perfetto.trace_processor.api``."""

from .._error import TraceProcessorException
from .._processor import SqlPackage, TraceProcessor, TraceProcessorConfig, TraceReference
from .._result import QueryResultIterator

__all__ = [
    "QueryResultIterator",
    "SqlPackage",
    "TraceProcessor",
    "TraceProcessorConfig",
    "TraceProcessorException",
    "TraceReference",
]
