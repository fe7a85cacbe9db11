"""What the parts of this package share."""

from __future__ import annotations

import glob
import os
from typing import Any

import pyarrow as pa

# Columns before those of the table or the query.
OWN = ("path", "app", "device")

# The errors of a damaged file. Any other error fails the task.
ERRORS = (ValueError, OSError, RuntimeError)


def expand(paths: Any) -> list[str]:
    """The files of a glob, a folder or a list."""
    if isinstance(paths, (str, os.PathLike)):
        text = os.fspath(paths)
        pattern = os.path.join(text, "**") if os.path.isdir(text) else text
        found = sorted(path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path))
        if not found:
            raise FileNotFoundError(f"no file matches {text}")
        return [os.path.abspath(path) for path in found]
    return [os.path.abspath(os.fspath(path)) for path in paths]


def repeated(value: str | None, rows: int) -> pa.Array:
    """A column with the same text in each row."""
    return pa.nulls(rows, pa.string()) if value is None else pa.repeat(pa.scalar(value, pa.string()), rows)


def cast(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """A column as another type. A value that does not fit is an error."""
    if pa.types.is_dictionary(column.type) and not pa.types.is_dictionary(kind):
        column = column.dictionary_decode()
    return column.cast(kind)
