"""traceloom on Apache Spark: raw traces as data frames, PerfettoSQL on a fleet, and adding to a store.

>>> from pytraceloom.spark import query_each, register
>>> register(spark)
>>> spark.read.format("traceloom").option("table", "slice").load("/fleet/*.perfetto-trace")
>>> query_each(spark, "/fleet/*.perfetto-trace", "SELECT name, dur FROM slice WHERE dur > 16e6").rows

The traces are opened on the executors, which need this package, and the files under the same paths. Files of other
file systems (``s3a://…``, ``hdfs://…``) go through Spark, for `query_each`.
"""

from ._fleet import FleetResult, query_each
from ._source import register
from ._store import store_add

__all__ = ["FleetResult", "query_each", "register", "store_add"]
