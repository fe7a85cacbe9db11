"""The names of ``perfetto.trace_uri_resolver.registry``."""

from .._batch import TraceListReference
from .._processor import TraceReference
from .._resolver import ResolverRegistry

__all__ = ["ResolverRegistry", "TraceListReference", "TraceReference"]
