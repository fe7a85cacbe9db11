"""The notebook view of a trace: its key facts and a small picture of its time line."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._trace import Trace

# Threads in the picture: the busiest.
LANES = 8
# Parts of the time line.
PARTS = 200
LANE_HEIGHT = 14
LABEL_WIDTH = 180
WIDTH = 760

# How much of each part of the time line the outermost slices of the busiest threads cover.
BUSY = """
WITH lane AS (
  SELECT tt.id AS track_id, coalesce(t.name, 'thread ' || t.tid) AS label, sum(s.dur) AS total
  FROM slice s JOIN thread_track tt ON tt.id = s.track_id JOIN thread t USING (utid)
  WHERE s.depth = 0 AND s.dur > 0
  GROUP BY tt.id ORDER BY total DESC LIMIT :lanes
)
SELECT label, track_id, ts, dur FROM slice JOIN lane USING (track_id) WHERE depth = 0 AND dur > 0
ORDER BY total DESC, track_id, ts
"""


def picture(trace: Trace) -> str:
    """Facts and the picture, as HTML with SVG. Everything from the trace is escaped."""
    facts = [
        ("files", ", ".join(trace.sources)),
        ("duration", f"{trace.duration / 1e9:.3f} s"),
        ("slices", f"{len(trace.tables['slice']):,}"),
        ("threads", f"{len(trace.tables['thread']):,}"),
        ("repairs", f"{sum(row['count'] for row in trace.repairs):,}"),
    ]
    cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in facts)
    return f"<table>{cells}</table>{time_line(trace)}"


def time_line(trace: Trace) -> str:
    """The picture: a lane for each of the busiest threads."""
    lanes: dict[int, tuple[str, list[float]]] = {}
    start, length = trace.start, max(trace.duration, 1)
    for row in trace.query(BUSY, {"lanes": LANES}):
        _, parts = lanes.setdefault(row["track_id"], (row["label"], [0.0] * PARTS))
        cover(parts, (row["ts"] - start) * PARTS / length, (row["ts"] + row["dur"] - start) * PARTS / length)
    if not lanes:
        return ""
    height = LANE_HEIGHT * len(lanes)
    drawn = [lane(number, label, parts) for number, (label, parts) in enumerate(lanes.values())]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" role="img"'
        f' viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="11">'
        f"<title>Time line of the busiest threads</title>{''.join(drawn)}</svg>"
    )


def cover(parts: list[float], begin: float, end: float) -> None:
    """Adds a slice to the parts that it covers."""
    first, last = max(int(begin), 0), min(int(end), PARTS - 1)
    for part in range(first, last + 1):
        parts[part] = min(1.0, parts[part] + min(end, part + 1) - max(begin, part))


def lane(number: int, label: str, parts: list[float]) -> str:
    """The name of a thread, and its bars."""
    top = number * LANE_HEIGHT
    name = label if len(label) <= 26 else label[:25] + "…"
    width = (WIDTH - LABEL_WIDTH) / PARTS
    bars = "".join(
        f'<rect x="{LABEL_WIDTH + part * width:.1f}" y="{top + 1}" width="{width:.1f}" height="{LANE_HEIGHT - 2}"'
        f' fill="#1a73e8" fill-opacity="{covered:.2f}"/>'
        for part, covered in enumerate(parts)
        if covered > 0.005
    )
    return f'<text x="0" y="{top + LANE_HEIGHT - 4}" fill="currentColor">{escape(name)}</text>{bars}'
