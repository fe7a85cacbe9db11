"""Where things are in a store.

    traceloom-store.json                                     the version
    slice/release=1.4/device=pixel8/date=2026-11-24/ID.parquet
    traces/release=1.4/device=pixel8/date=2026-11-24/ID.parquet
    _journal/ID.json                                         what a command is doing; empty when none runs
    _staging/ID.RANDOM/slice.parquet                         files that are being written

Names that begin with ``_`` are ignored by Hive, Spark, Trino and others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

# The first column of every table but `traces`: the id of the trace. Tables of Perfetto have a `trace_id` with a
# different meaning.
OWN_ID = "trace"

PARTITIONS = ("release", "device", "date")
JOURNAL = "_journal"
STAGING = "_staging"

# The name that Hive and Spark give the partition of rows without a value.
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"

# The tables that are stored unless others are named, with their columns; None for all. Columns that repeat others are
# left out.
DEFAULT_TABLES: dict[str, tuple[str, ...] | None] = {
    "slice": (
        "id",
        "ts",
        "dur",
        "track_id",
        "category",
        "name",
        "depth",
        "parent_id",
        "arg_set_id",
        "thread_ts",
        "thread_dur",
    ),
    "thread": None,
    "process": None,
    "track": None,
    "thread_track": None,
    "process_track": None,
    "counter_track": None,
    "counter": ("id", "ts", "track_id", "value"),
    "thread_state": ("id", "ts", "dur", "cpu", "utid", "state", "io_wait", "blocked_function", "waker_utid"),
    "sched_slice": ("id", "ts", "dur", "cpu", "utid", "end_state", "priority"),
    "args": None,
    "metadata": None,
    "repair": None,
}

# Tables that the store makes itself.
OWN_TABLES = ("metrics", "traces")


class StoreError(ValueError):
    """The store is missing, damaged, or of another version."""


def escaped(value: str | None) -> str:
    """A partition's value as a folder's name. Special characters are written as Hive and Spark do: ``%2F``."""
    if value is None or value == "":
        return NO_VALUE
    return re.sub(r"[^\w.\-]", lambda found: _percent(found.group()), value)


def _percent(character: str) -> str:
    # Other alphabets stay as they are: Spark decodes each %XX as a character.
    return f"%{ord(character):02X}" if ord(character) < 128 else character


def unescaped(value: str) -> str | None:
    """The value of a folder's name."""
    return None if value == NO_VALUE else unquote(value)


def partition(values: dict[str, str | None]) -> str:
    """The folders of a partition."""
    return "/".join(f"{name}={escaped(values.get(name))}" for name in PARTITIONS)


def partition_of(file: Path) -> dict[str, str | None]:
    """The values of the partition that a file is in."""
    parts = dict(folder.split("=", 1) for folder in file.parts if "=" in folder)
    return {name: unescaped(parts[name]) for name in PARTITIONS if name in parts}


def files(root: Path, table: str, trace: str | None = None) -> Iterator[Path]:
    """The files of a table, or those of a trace in it."""
    return iter(sorted(root.glob(f"{table}/*=*/*=*/*=*/{trace or '*'}.parquet")))


def tables(root: Path) -> list[str]:
    """The tables that the store has files of."""
    return sorted(
        folder.name for folder in root.iterdir() if folder.is_dir() and not folder.name.startswith(("_", "."))
    )
