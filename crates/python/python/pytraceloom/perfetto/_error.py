"""The exception of all these classes."""


class PerfettoException(Exception):
    """A trace cannot be opened, a query fails, or something is not supported."""


TraceProcessorException = PerfettoException
