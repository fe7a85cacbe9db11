"""The names of ``perfetto.batch_trace_processor``."""

from .api import BatchTraceProcessor, BatchTraceProcessorConfig, TraceListReference

__all__ = ["BatchTraceProcessor", "BatchTraceProcessorConfig", "TraceListReference"]
