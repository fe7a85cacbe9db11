"""A store of many traces: Parquet files in Hive partitions, which DuckDB, Polars, Spark and others read as they are.

>>> from pytraceloom.store import Store
>>> store = Store.create("fleet")
>>> store.add(["app.trace"], release="1.4", device="pixel8")

`docs/store.md` describes the tables. Needs pyarrow: ``pip install pytraceloom[store]``.
"""

from ._check import Problem
from ._layout import DEFAULT_TABLES, StoreError
from ._store import Added, Store
from ._version import VERSION

__all__ = ["DEFAULT_TABLES", "VERSION", "Added", "Problem", "Store", "StoreError"]
