-- Processes that were killed because memory was low.

INCLUDE PERFETTO MODULE android.oom_adjuster;

-- The text for a reason that the killer gives as a number.
CREATE PERFETTO FUNCTION _android_lmk_kill_reason_string(
  -- The number.
  kill_reason LONG
)
RETURNS STRING
AS
SELECT
  CASE
    WHEN $kill_reason BETWEEN 1000 AND 1999 THEN 'VENDOR_REASON'
    WHEN $kill_reason BETWEEN 0 AND 9 THEN str_split(
      'PRESSURE_AFTER_KILL|NOT_RESPONDING|LOW_SWAP_AND_THRASHING|LOW_MEM_AND_SWAP|LOW_MEM_AND_THRASHING|'
        || 'DIRECT_RECL_AND_THRASHING|LOW_MEM_AND_SWAP_UTIL|LOW_FILECACHE_AFTER_THRASHING|LOW_MEM|'
        || 'DIRECT_RECL_STUCK',
      '|', $kill_reason
    )
    ELSE 'UNKNOWN'
  END;

-- The kills in each form that the killer had over time, the newest first: instants, slices, a counter.
CREATE PERFETTO TABLE _android_lmk_event AS
WITH
  named AS (
    SELECT slice.ts, slice.name, iif(slice.dur > 0, 2, 1) AS form
    FROM slice
    LEFT JOIN process_track AS track ON track.id = slice.track_id
    WHERE slice.name GLOB 'lmk,*' AND (slice.dur > 0 OR (slice.dur = 0 AND track.name = 'lowmemorykiller'))
  ),
  counted AS (
    SELECT counter.ts, cast_int!(counter.value) AS pid
    FROM counter
    JOIN counter_track AS track ON track.id = counter.track_id
    WHERE track.name = 'kill_one_process' AND counter.value > 0
  ),
  score AS (
    SELECT
      process.pid,
      counter.ts,
      counter.value,
      lead(counter.ts, 1, trace_end()) OVER (PARTITION BY counter.track_id ORDER BY counter.ts) AS end_ts
    FROM counter
    JOIN process_counter_track AS track ON track.id = counter.track_id
    JOIN process USING (upid)
    WHERE track.name = 'oom_score_adj'
  ),
  killed AS (
    SELECT
      ts,
      cast_int!(str_split(name, ',', 1)) AS pid,
      cast_int!(str_split(name, ',', 2)) AS kill_reason_raw,
      cast_int!(str_split(name, ',', 3)) AS oom_score_adj,
      form
    FROM named
    UNION ALL
    SELECT counted.ts, counted.pid, NULL, cast_int!(score.value), 3
    FROM counted
    LEFT JOIN score ON score.pid = counted.pid AND counted.ts >= score.ts AND counted.ts < score.end_ts
  )
SELECT ts, pid, kill_reason_raw, oom_score_adj
FROM killed
WHERE form = (SELECT min(form) FROM killed);

-- The processes that were killed because memory was low.
CREATE PERFETTO TABLE android_lmk_events(
  -- When the killer asked for it.
  ts TIMESTAMP,
  -- The process.
  upid JOINID(process.upid),
  -- Its number.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- How dispensable it was.
  oom_score_adj LONG,
  -- Why it was killed.
  kill_reason STRING,
  -- The same as the killer's number.
  kill_reason_raw LONG
)
AS
SELECT
  event.ts,
  process.upid,
  event.pid,
  process.name AS process_name,
  event.oom_score_adj,
  _android_lmk_kill_reason_string(event.kill_reason_raw) AS kill_reason,
  event.kill_reason_raw
FROM _android_lmk_event AS event
LEFT JOIN process
  ON process.pid = event.pid
  AND event.ts BETWEEN ifnull(process.start_ts, trace_start()) AND ifnull(process.end_ts, trace_end());
