"""The names of ``perfetto.trace_uri_resolver.resolver``."""

from .._resolver import ConstraintClass, TraceContent, TraceUri, TraceUriResolver

__all__ = ["ConstraintClass", "TraceContent", "TraceUri", "TraceUriResolver"]
