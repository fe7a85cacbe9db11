"""The names of ``perfetto.batch_trace_processor.api``."""

from .._batch import (
    BatchTraceProcessor,
    BatchTraceProcessorConfig,
    FailureHandling,
    Stats,
    TraceListReference,
)

__all__ = [
    "BatchTraceProcessor",
    "BatchTraceProcessorConfig",
    "FailureHandling",
    "Stats",
    "TraceListReference",
]
