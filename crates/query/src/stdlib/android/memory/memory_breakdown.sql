-- The memory of processes by kind, and by how soon the system would end them.

INCLUDE PERFETTO MODULE android.oom_adjuster;
INCLUDE PERFETTO MODULE counters.intervals;

-- The counters of memory. The size of Java's heap is the only one in kilobytes.
CREATE PERFETTO TABLE _memory_kind AS
SELECT
  id AS track_id,
  upid,
  iif(name = 'Heap size (KB)', 'mem.heap', name) AS name,
  iif(name = 'Heap size (KB)', 1024, 1) AS unit
FROM process_counter_track
WHERE
  name IN (
    'mem.rss.anon', 'mem.rss.file', 'mem.rss.shmem', 'mem.swap', 'mem.locked', 'mem.dmabuf_rss', 'Heap size (KB)',
    'GPU Memory'
  );

-- Their values, bytes.
CREATE PERFETTO TABLE _memory_value AS
SELECT counter.id, counter.ts, track_id, cast_int!(counter.value) * kind.unit AS value
FROM counter
JOIN _memory_kind AS kind USING (track_id);

-- The mean memory of zygotes. An app begins as a copy of one and shares its memory.
CREATE PERFETTO TABLE _memory_zygote AS
SELECT kind.upid, kind.name, CAST(avg(value) AS INT) AS value
FROM _memory_value
JOIN _memory_kind AS kind USING (track_id)
JOIN process USING (upid)
WHERE
  process.name IN ('zygote', 'zygote64')
  AND kind.name IN ('mem.rss.anon', 'mem.rss.file', 'mem.swap', 'mem.heap')
GROUP BY kind.upid, kind.name;

-- The memory of processes while they live.
CREATE PERFETTO TABLE android_process_memory_intervals(
  -- The value of the counter.
  id JOINID(counter.id),
  -- When it changed, but not before the process began.
  ts TIMESTAMP,
  -- How long the process had it.
  dur DURATION,
  -- The name of the process.
  process_name STRING,
  -- The process.
  upid JOINID(process.upid),
  -- Its number.
  pid JOINID(process.pid),
  -- The kind of memory: the name of the counter, or mem.heap for Java's heap.
  memory_track_name STRING,
  -- The counter.
  track_id JOINID(track.id),
  -- The memory, bytes.
  value LONG,
  -- Without what the zygote has that the process is a copy of, bytes. Without values of the zygote, the same as value.
  zygote_adjusted_value LONG,
  -- Whether the counter ever changed by more than 100 MiB at once.
  track_has_spike_gt_100mib BOOL
)
AS
WITH
  interval AS MATERIALIZED (SELECT id, ts, dur, track_id, value, delta_value FROM counter_leading_intervals!(_memory_value)),
  living AS (
    SELECT
      interval.id,
      max(interval.ts, ifnull(process.start_ts, interval.ts)) AS ts,
      min(interval.ts + interval.dur, ifnull(process.end_ts, interval.ts + interval.dur)) AS ts_end,
      process.name AS process_name,
      upid,
      process.pid,
      process.parent_upid,
      kind.name,
      track_id,
      cast_int!(interval.value) AS value
    FROM interval
    JOIN _memory_kind AS kind USING (track_id)
    JOIN process USING (upid)
  )
SELECT
  living.id,
  ts,
  ts_end - ts AS dur,
  process_name,
  living.upid,
  pid,
  living.name AS memory_track_name,
  track_id,
  living.value,
  iif(
    process_name IN ('zygote', 'zygote64'),
    living.value,
    max(0, living.value - ifnull(zygote.value, 0))
  ) AS zygote_adjusted_value,
  track_id IN (SELECT track_id FROM interval WHERE abs(delta_value) > 100 << 20) AS track_has_spike_gt_100mib
FROM living
LEFT JOIN _memory_zygote AS zygote ON zygote.upid = living.parent_upid AND zygote.name = living.name
WHERE ts_end > ts;

-- The scores, once for each counter of the process.
CREATE PERFETTO TABLE _memory_oom_bucket AS
SELECT track_id, score.ts, score.dur, score.bucket
FROM android_oom_adj_intervals AS score
JOIN (SELECT DISTINCT track_id, upid FROM android_process_memory_intervals) USING (upid)
WHERE score.dur > 0;

CREATE VIRTUAL TABLE _memory_and_oom_bucket
USING SPAN_LEFT_JOIN(android_process_memory_intervals PARTITIONED track_id, _memory_oom_bucket PARTITIONED track_id);

-- The same, with what the score of the process stands for. A row ends where one of them changes.
CREATE PERFETTO TABLE android_process_memory_intervals_by_oom_bucket(
  -- The row.
  id LONG,
  -- When something changed.
  ts TIMESTAMP,
  -- How long nothing changed.
  dur DURATION,
  -- The name of the process.
  process_name STRING,
  -- The process.
  upid JOINID(process.upid),
  -- Its number.
  pid JOINID(process.pid),
  -- As in android_oom_adj_intervals, or unknown.
  bucket STRING,
  -- The kind of memory.
  memory_track_name STRING,
  -- The counter.
  track_id JOINID(track.id),
  -- The value of the counter.
  counter_id JOINID(counter.id),
  -- The memory, bytes.
  value LONG,
  -- Without what the zygote has, bytes.
  zygote_adjusted_value LONG,
  -- Whether the counter ever changed by more than 100 MiB at once.
  track_has_spike_gt_100mib BOOL
)
AS
SELECT
  row_number() OVER () AS id,
  ts,
  dur,
  process_name,
  upid,
  pid,
  ifnull(bucket, 'unknown') AS bucket,
  memory_track_name,
  track_id,
  id AS counter_id,
  value,
  zygote_adjusted_value,
  track_has_spike_gt_100mib
FROM _memory_and_oom_bucket
WHERE dur > 0;
