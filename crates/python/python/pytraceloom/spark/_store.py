"""Fills a store from the executors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from pyspark.sql import SparkSession

from ..store import Added, Store
from ..store._journal import recover
from ..store._store import partition_values, table_names
from ._common import expand


def store_add(
    spark: SparkSession,
    store: str | os.PathLike[str],
    paths: Any,
    *,
    release: str | None = None,
    device: str | None = None,
    date: str | None = None,
    tables: Sequence[str] | None = None,
    tasks: int | None = None,
) -> list[Added]:
    """Adds traces to a store from the executors, as `Store.add` does. The store's folder is one that all of them
    share."""
    root = Store.create(store).root.resolve()
    recover(root)
    given = partition_values(release, device, date)
    names = table_names(tables)

    def add(path: str) -> tuple[Any, ...]:
        added = Store(root).add_one(path, given, names)
        return added.path, added.id, added.is_new, added.error

    files = expand(paths)
    slices = max(1, tasks or min(len(files), 4 * spark.sparkContext.defaultParallelism))
    found = spark.sparkContext.parallelize(files, slices).map(add).collect()
    return [Added(*one) for one in found]
