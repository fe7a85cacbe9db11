"""The types of tables and views, which do not depend on a trace."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc

from . import _native
from ._trace import Trace


@cache
def declared(name: str) -> pa.Schema:
    """The columns of a table or view. Texts are plain strings.

    Raises:
      KeyError: There is no such table.
    """
    with Trace(_native.open([], 1, None, None, 1 << 30)) as empty:
        rows = empty._native.table(name)
        if rows is not None:
            return pa.schema(map(_plain, pa.RecordBatchReader.from_stream(rows).schema))
        if name not in _native.tables():
            raise KeyError(f"there is no table {name}")
        # The result of a query has types only if it has rows, but an export always has the declared ones.
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "view.arrow"
            empty.export(file, "arrow", tables=[name])
            with pa.ipc.open_file(file) as opened:
                return pa.schema(map(_plain, opened.schema))


def _plain(field: pa.Field) -> pa.Field:
    if pa.types.is_dictionary(field.type) or pa.types.is_null(field.type):
        return pa.field(field.name, pa.string(), metadata=field.metadata)
    return field
