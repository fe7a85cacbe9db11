"""`Table`: rows with typed columns."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

from ._native import Rows

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

# Rows that a notebook shows.
SHOWN_ROWS = 20
# Rows that an iterator fetches at once.
FETCHED_ROWS = 4096


class Table:
    """Rows with typed columns: a table of a trace, or the result of a query.

    Any library that knows Arrow's PyCapsule interface takes a table directly: ``pyarrow.table(t)``,
    ``polars.DataFrame(t)``, ``pandas.DataFrame.from_arrow(t)``, ``duckdb.sql("FROM t")``. Numbers are not copied on
    the way if the trace stores them in this form. A table keeps its trace in memory.

    The columns of a table of the trace are ``int32`` (ids), ``int64`` (times and durations in ns, other numbers),
    ``float64``, or ``dictionary<int32, large_string>``. The columns of a query's result are ``int64``, ``double``,
    ``string``, ``binary`` or ``null``, whichever fits all values.
    """

    __slots__ = ("_rows", "__weakref__")

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return self._rows.names

    @property
    def num_rows(self) -> int:
        """The number of rows."""
        return len(self._rows)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows, and of columns."""
        return len(self._rows), len(self._rows.names)

    @property
    def columns(self) -> list[dict[str, str]]:
        """The name, type, unit and description of each column. Results of queries have no units."""
        keys = ("name", "type", "unit", "description")
        return [dict(zip(keys, field)) for field in self._rows.fields]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows as dictionaries."""
        names = self._rows.names
        for start in range(0, len(self), FETCHED_ROWS):
            for row in self._rows.tuples(start, start + FETCHED_ROWS):
                yield dict(zip(names, row))

    def rows(self, limit: int | None = None) -> list[dict[str, Any]]:
        """The first `limit` rows, or all, as dictionaries."""
        names = self._rows.names
        stop = len(self) if limit is None else min(limit, len(self))
        return [dict(zip(names, row)) for row in self._rows.tuples(0, stop)]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Arrow's C stream, as a capsule. Each call makes a new stream with all rows."""
        return self._rows.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """The types of the columns, as a capsule."""
        return self._rows.__arrow_c_schema__()

    def to_arrow(self) -> pyarrow.Table:
        """A table of pyarrow."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self, **options: Any) -> pandas.DataFrame:
        """A data frame of pandas, of this table's shape. Repeated texts of tables are categories. The options are those of
        ``pyarrow.Table.to_pandas``."""
        frame: pandas.DataFrame = self.to_arrow().to_pandas(**options)
        return frame

    def to_polars(self) -> polars.DataFrame:
        """A data frame of Polars, of this table's shape."""
        import polars

        return polars.DataFrame(self)

    def __repr__(self) -> str:
        return f"<{len(self):,} rows × {len(self._rows.names)} columns: {', '.join(self._rows.names)}>"

    def _repr_html_(self) -> str:
        return html_table(self)


def html_table(table: Table) -> str:
    """The first rows as an HTML table. Everything from the trace is escaped."""
    cells = "".join(f"<th>{escape(name)}</th>" for name in table.column_names)
    lines = [f"<table><thead><tr>{cells}</tr></thead><tbody>"]
    for row in table._rows.tuples(0, SHOWN_ROWS):
        lines.append("<tr>" + "".join(cell(value) for value in row) + "</tr>")
    lines.append("</tbody></table>")
    more = len(table) - SHOWN_ROWS
    lines.append(f"<p>{len(table):,} rows" + (f", {more:,} not shown" if more > 0 else "") + "</p>")
    return "".join(lines)


def cell(value: Any) -> str:
    """A value as a cell of an HTML table."""
    if value is None:
        return "<td></td>"
    if isinstance(value, bytes):
        return f"<td>{len(value):,} bytes</td>"
    if isinstance(value, str):
        return f'<td style="text-align:left">{escape(value)}</td>'
    return f"<td>{escape(str(value))}</td>"
