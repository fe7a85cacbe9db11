"""Android and Linux traces as Arrow tables.

>>> import pytraceloom
>>> trace = pytraceloom.open("examples/app.trace")
>>> trace.query("SELECT count(*) AS n FROM slice").rows()
[{'n': 3851}]

Times are nanoseconds on the trace's clock, durations are nanoseconds, and ``id`` columns are numbers of rows. The
tables and columns are those of PerfettoSQL; ``docs/sql.md`` lists them.
"""

from ._batch import Batch, Failure, batch
from ._native import QueryError, TraceError, __version__
from ._results import Diff, Frames, Profile
from ._table import Table
from ._trace import Tables, Trace, diff, open

__all__ = [
    "Batch",
    "Diff",
    "Failure",
    "Frames",
    "Profile",
    "QueryError",
    "Table",
    "Tables",
    "Trace",
    "TraceError",
    "__version__",
    "batch",
    "diff",
    "open",
]
