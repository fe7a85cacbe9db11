"""The names of ``perfetto.trace_uri_resolver``."""
