"""The figures of a trace that are compared across a fleet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .._trace import Trace

# Methods and slices whose times are stored: those with the most exclusive time.
TOP = 50

CPU_TIME = """
SELECT coalesce(process.name, process.pid, thread.name, 'unknown') AS name, sum(dur) AS ns
FROM sched_slice JOIN thread USING (utid) LEFT JOIN process USING (upid)
WHERE dur > 0 AND NOT thread.is_idle
GROUP BY 1
"""


class Metric(NamedTuple):
    """A figure."""

    metric: str
    """What it is, such as ``frame_p90``."""
    name: str | None
    """What it is about: an app, a method, a process."""
    value: float
    unit: str
    """``ns``, or ``1`` for counts."""


def metrics(trace: Trace) -> Iterator[Metric]:
    """All figures of a trace."""
    yield Metric("duration", None, trace.duration, "ns")
    yield from frame_metrics(trace)
    yield from profile_metrics(trace)
    for row in trace.query(CPU_TIME):
        yield Metric("cpu_time", str(row["name"]), row["ns"], "ns")
    for row in trace.repairs:
        yield Metric("repairs", row["kind"], row["count"], "1")


def frame_metrics(trace: Trace) -> Iterator[Metric]:
    """How well each app drew."""
    for app in trace.frames(limit=0).apps:
        for key in ("frames", "janky", "missed", "unfinished"):
            yield Metric(f"frame_{key}" if key != "frames" else key, app["label"], app[key], "1")
        for key in ("p50", "p90", "p99", "worst"):
            yield Metric(f"frame_{key}", app["label"], app[f"{key}_ns"], "ns")


def profile_metrics(trace: Trace) -> Iterator[Metric]:
    """The methods and slices that took the most time."""
    profile = trace.profile()
    names = profile.rows.column_names
    clock = "cpu" if "exclusive_cpu_ns" in names else "wall"
    rows = sorted(profile.rows, key=lambda row: -(row.get(f"exclusive_{clock}_ns") or 0))
    for row in rows[:TOP]:
        name = ".".join(filter(None, (row.get("class"), row["name"])))
        yield Metric("calls", name, row["calls"] + row["recursive_calls"], "1")
        for what in ("inclusive", "exclusive"):
            for kind in ("cpu", "wall"):
                if (value := row.get(f"{what}_{kind}_ns")) is not None:
                    yield Metric(f"{what}_{kind}", name, value, "ns")
