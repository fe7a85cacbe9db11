"""The names of ``perfetto.trace_processor``."""

from .api import TraceProcessor, TraceProcessorConfig, TraceProcessorException, TraceReference

__all__ = ["TraceProcessor", "TraceProcessorConfig", "TraceProcessorException", "TraceReference"]
