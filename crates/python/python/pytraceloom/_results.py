"""The arguments and results of analyses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ._table import Table


class Selection:
    """The options of a profile, as the engine expects them."""

    def __init__(
        self,
        by: str,
        clock: str | None,
        threads: Iterable[str | int],
        processes: Iterable[str | int],
        start: int | None = None,
        end: int | None = None,
        samples: bool = False,
        event: str | None = None,
    ) -> None:
        self.by = by
        self.clock = clock
        self.threads = _texts(threads)
        self.processes = _texts(processes)
        self.start_ns = start
        self.end_ns = end
        self.samples = samples
        self.event = event


@dataclass
class Profile:
    """Where the time went. Times are ns."""

    rows: Table
    """A row for each method, slice name, class, package or thread: rank, name, calls, inclusive and exclusive times."""
    facts: dict[str, Any]
    """``total``, ``outside``, ``clocks``, ``calls``, ``repairs`` …"""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.rows.__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        return self.rows._repr_html_()


@dataclass
class Frames:
    """The frames of a trace. Times are ns."""

    apps: Table
    """A row for each app: frames, janky frames, missed vsyncs, percentiles of durations."""
    frames: Table
    """A row for each frame, worst first, with what delayed it. ``ts`` is on the trace's clock, ``slice`` an id of slice."""
    facts: dict[str, Any]
    """``vsync_ns``, ``vsync_source``, ``deadline_ns``, ``judged``."""

    def _repr_html_(self) -> str:
        return self.apps._repr_html_() + self.frames._repr_html_()


@dataclass
class Diff:
    """What changed from the base to the new runs. Times are ns; samples are shares of their run in percent."""

    rows: Table
    """A row for each method, largest change first. ``exclusive_delta``, ``exclusive_verdict`` …"""
    facts: dict[str, Any]
    """``total``, ``noise_known`` …"""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.rows.__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        return self.rows._repr_html_()


def _texts(values: Iterable[str | int]) -> list[str]:
    if isinstance(values, (str, int)):
        values = [values]
    return [str(value) for value in values]
