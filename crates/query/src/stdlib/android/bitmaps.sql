-- How much memory apps use for pictures. The category "view" of atrace has the counters.

INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE intervals.intersect;

-- The values of counters of processes with a name.
CREATE PERFETTO MACRO _android_bitmap_counter(
  -- The name.
  name Expr
)
RETURNS TableOrSubquery
AS (
  SELECT held.id, track.upid, held.ts, held.dur, held.track_id, held.value
  FROM counter_leading_intervals!((
    SELECT id, ts, track_id, value
    FROM counter
    WHERE track_id IN (SELECT id FROM process_counter_track WHERE name = $name)
  )) AS held
  JOIN process_counter_track AS track ON track.id = held.track_id
  ORDER BY held.id
);

-- The memory of pictures.
CREATE PERFETTO TABLE android_bitmap_memory(
  -- The value of the counter.
  id ID(counter.id),
  -- The process.
  upid JOINID(process.upid),
  -- When it changed.
  ts TIMESTAMP,
  -- How long it stayed.
  dur DURATION,
  -- The counter.
  track_id JOINID(counter.track_id),
  -- The memory, bytes.
  value LONG
)
AS
SELECT * FROM _android_bitmap_counter!('Bitmap Memory');

-- The number of pictures.
CREATE PERFETTO TABLE android_bitmap_count(
  -- The value of the counter.
  id ID(counter.id),
  -- The process.
  upid JOINID(process.upid),
  -- When it changed.
  ts TIMESTAMP,
  -- How long it stayed.
  dur DURATION,
  -- The counter.
  track_id JOINID(counter.track_id),
  -- How many.
  value LONG
)
AS
SELECT * FROM _android_bitmap_counter!('Bitmap Count');

-- Both. The counters change one after the other, so there are short times with a new value of only one of them.
CREATE PERFETTO TABLE android_bitmap_counters_per_process(
  -- The process.
  upid JOINID(process.upid),
  -- Its name.
  process_name STRING,
  -- When a value changed.
  ts TIMESTAMP,
  -- How long both stayed.
  dur DURATION,
  -- The memory, bytes.
  bitmap_memory LONG,
  -- How many pictures.
  bitmap_count LONG,
  -- The value of the counter of memory.
  bitmap_memory_id JOINID(counter.id),
  -- The value of the other counter.
  bitmap_count_id JOINID(counter.id)
)
AS
SELECT
  part.upid,
  process.name AS process_name,
  part.ts,
  part.dur,
  memory.value AS bitmap_memory,
  number.value AS bitmap_count,
  memory.id AS bitmap_memory_id,
  number.id AS bitmap_count_id
FROM _interval_intersect!((android_bitmap_memory, android_bitmap_count), (upid)) AS part
JOIN android_bitmap_memory AS memory ON memory.id = part.id_0
JOIN android_bitmap_count AS number ON number.id = part.id_1
JOIN process ON process.upid = part.upid;
