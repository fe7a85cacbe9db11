"""The result of a query."""

from __future__ import annotations

from collections.abc import Sized
from typing import TYPE_CHECKING, Any

from .._table import FETCHED_ROWS, Table
from ._error import PerfettoException

if TYPE_CHECKING:
    import pandas
    import polars


class ResultRow:
    """A row. Each column is an attribute."""

    def __str__(self) -> str:
        return str(self.__dict__)

    def __repr__(self) -> str:
        return repr(self.__dict__)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


class QueryResultIterator(Sized):
    """Goes through the rows of a result once. `table` has the same rows as Arrow data."""

    Row = ResultRow

    def __init__(self, table: Table) -> None:
        self.table = table
        self.column_names = table.column_names
        self.column_count = len(self.column_names)
        self.row_count = len(table)
        self.cell_count = self.row_count * self.column_count
        self._next = 0
        self._fetched: list[tuple[Any, ...]] = []

    def as_pandas_dataframe(self) -> pandas.DataFrame:
        """All rows as a data frame of pandas, whose numbers have the type ``object``. ``table.to_pandas()`` is faster, and
        its columns have types."""
        try:
            import numpy
            import pandas
        except ImportError:
            raise PerfettoException("pandas is missing: pip install pandas") from None
        cells = numpy.empty((self.row_count, self.column_count), dtype=object)
        for at, row in enumerate(self.table._rows.tuples(0, self.row_count)):
            cells[at] = row
        return pandas.DataFrame(cells, columns=self.column_names)

    def as_polars_dataframe(self) -> polars.DataFrame:
        """All rows as a data frame of Polars."""
        try:
            import polars
        except ImportError:
            raise PerfettoException("polars is missing: pip install polars") from None
        return polars.DataFrame(self.table)

    def __len__(self) -> int:
        return self.row_count

    def __iter__(self) -> QueryResultIterator:
        return self

    def __next__(self) -> ResultRow:
        if self._next == self.row_count:
            raise StopIteration
        at = self._next % FETCHED_ROWS
        if at == 0:
            self._fetched = self.table._rows.tuples(self._next, self._next + FETCHED_ROWS)
        self._next += 1
        row = ResultRow()
        row.__dict__.update(zip(self.column_names, self._fetched[at]))
        return row
