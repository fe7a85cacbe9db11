"""Measures the package for ``cargo xtask bench python``. Prints rows of tables, cells between tabs.

    measure.py arrow TRACE REPEATS
    measure.py store TRACE REPEATS
    measure.py batch FOLDER REPEATS
    measure.py spark FOLDER EXECUTORS
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import pytraceloom

SQL = "SELECT name, count(*) AS n, sum(dur) AS ns FROM slice GROUP BY name"


def took(work: Callable[[], object]) -> float:
    """Seconds of wall time."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def by_turns(repeats: int, *works: Callable[[], object]) -> list[list[float]]:
    """The seconds of each run of each work, which take turns so that other load hits all of them."""
    for work in works:
        work()
    runs = [[took(work) for work in works] for _ in range(repeats)]
    return [list(times) for times in zip(*runs)]


def ratio(slow: list[float], fast: list[float]) -> str:
    """How many times as fast: the median of the turns, and the middle half of them."""
    ratios = sorted(a / b for a, b in zip(slow, fast))
    low, high = ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]
    return f"{statistics.median(ratios):.2f} ({low:.2f} to {high:.2f})"


def row(*cells: object) -> None:
    print(*cells, sep="\t", flush=True)


def arrow(path: str, repeats: int) -> None:
    """Arrow data of all slices, beyond reading."""
    begun = time.perf_counter()
    trace = pytraceloom.open(path)
    read = time.perf_counter() - begun
    slices = len(trace.tables["slice"])
    row("`open`", f"{slices / 1e6:.1f} M", f"{1000 * read:.0f}")
    few = ["id", "ts", "dur", "track_id", "name", "depth"]
    ways = {
        "`pyarrow.table(trace.tables[\"slice\"])`, all columns": lambda: pa.table(trace.tables["slice"]),
        f"the columns {', '.join(few)}": lambda: pa.table(trace.tables.get_columns("slice", few)),
    }
    for (name, _), times in zip(ways.items(), by_turns(repeats, *ways.values())):
        row(name, f"{slices / 1e6:.1f} M", f"{1000 * statistics.median(times):.0f}")


def store(path: str, repeats: int) -> None:
    """The store's file of slices, and what pyarrow makes of the same columns in memory."""
    from pytraceloom.store import DEFAULT_TABLES
    from pytraceloom.store._parquet import write_table

    trace = pytraceloom.open(path)
    slices = len(trace.tables["slice"])
    columns = list(DEFAULT_TABLES["slice"] or ())
    table = pa.table(trace.tables.get_columns("slice", columns))
    plain = pa.table([_plain(column) for column in table.columns], table.column_names)
    with tempfile.TemporaryDirectory(dir=Path(path).parent) as folder:
        files = [Path(folder) / name for name in ("ours.parquet", "dictionaries.parquet", "texts.parquet")]
        own, dictionaries, texts = by_turns(
            repeats,
            lambda: write_table(trace, "slice", "0" * 32, files[0]),
            lambda: pq.write_table(table, files[1]),
            lambda: pq.write_table(plain, files[2]),
        )
        size = [f"{file.stat().st_size / slices:.1f}" for file in files]
    row("the store, from the trace", f"{statistics.median(own):.2f}", "1", size[0])
    row("pyarrow, from its own table", f"{statistics.median(dictionaries):.2f}", ratio(dictionaries, own), size[1])
    row("pyarrow, texts as strings", f"{statistics.median(texts):.2f}", ratio(texts, own), size[2])


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column


def batch(folder: str, repeats: int) -> None:
    """One query on many traces, with one worker and with two, and each trace by itself."""
    paths = sorted(str(path) for path in Path(folder).iterdir())

    def alone() -> None:
        for path in paths:
            with pytraceloom.open(path, threads=1) as trace:
                trace.query(SQL).to_arrow()

    def half(first: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, __file__, "alone", *paths[first::2]])

    def two_halves() -> None:
        for first in (0, 1):
            half(first).wait()

    def workers(number: int) -> Callable[[], object]:
        return lambda: pytraceloom.batch(paths, workers=number).query(SQL).to_arrow()

    def at_once() -> None:
        programs = [half(0), half(1)]
        for program in programs:
            program.wait()

    works = (alone, workers(1), workers(2), two_halves, at_once)
    single, one, two, after, together = by_turns(repeats, *works)
    row("each trace by itself, in a loop", f"{statistics.median(single):.2f}", "")
    row("`batch`, one worker", f"{statistics.median(one):.2f}", f"{ratio(one, single)} of the loop's time")
    row("`batch`, two workers", f"{statistics.median(two):.2f}", f"{ratio(one, two)} times one worker")
    row("limit: two programs of half each", f"{statistics.median(together):.2f}", f"{ratio(after, together)} times one after the other")


def spark(folder: str, executors: str) -> None:
    """One query on a fleet with some executors: its first run in a session, and its third.

    Before them, the query runs on a few traces, which starts the executors and their Python. During the first run,
    Java still compiles its own code, which takes time from the traces.
    """
    from pyspark.sql import SparkSession

    from pytraceloom.spark import query_each

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master(f"local-cluster[{executors},1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.scheduler.minRegisteredResourcesRatio", "1.0")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.log.level", "ERROR")
        .getOrCreate()
    )
    paths = sorted(str(path) for path in Path(folder).iterdir())
    schema = "name string, n long, ns long"

    def ask(some: list[str]) -> None:
        result = query_each(session, some, SQL, schema=schema)
        rows = result.rows.selectExpr("count(*) AS rows", "count(DISTINCT path) AS traces").collect()[0]
        assert rows.traces == len(some) and result.failures.count() == 0
        result.unpersist()

    ask(paths[:8])
    first, _, third = (took(lambda: ask(paths)) for _ in range(3))
    row(f"{first:.3f}", f"{third:.3f}")
    session.stop()


def main() -> None:
    what, *args = sys.argv[1:]
    if what == "alone":
        for path in args:
            with pytraceloom.open(path, threads=1) as trace:
                trace.query(SQL).to_arrow()
    elif what == "spark":
        spark(*args)
    else:
        {"arrow": arrow, "store": store, "batch": batch}[what](args[0], int(args[1]))


if __name__ == "__main__":
    main()
