-- Scores of processes by which the system ends them when memory is short: the higher, the sooner.

INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE slices.with_context;

-- What a score stands for, in few words.
CREATE PERFETTO FUNCTION android_oom_adj_score_to_bucket_name(
  -- The score, -1000 to 1000.
  oom_score LONG
)
RETURNS STRING
AS
SELECT
  CASE
    WHEN $oom_score < 0 THEN 'system'
    WHEN $oom_score <= 99 THEN 'foreground'
    -- 100 counts as bfgs: foreground in the background.
    WHEN $oom_score <= 199 THEN 'bfgs'
    WHEN $oom_score = 200 THEN 'foreground_service'
    WHEN $oom_score <= 249 THEN 'job'
    WHEN $oom_score <= 899 THEN 'background'
    WHEN $oom_score >= 900 THEN 'cached'
  END;

-- What a score stands for, as Android's own sources name it.
CREATE PERFETTO FUNCTION android_oom_adj_score_to_detailed_bucket_name(
  -- The score, -1000 to 1000.
  value LONG,
  -- The app that the process belongs to. It counts for scores without a name.
  android_appid LONG
)
RETURNS STRING
AS
SELECT
  CASE
    WHEN $value >= 950 THEN 'cached_app_lmk_first'
    WHEN $value >= 900 THEN 'cached_app'
    WHEN $value >= 800 THEN 'service_b'
    WHEN $value >= 700 THEN 'previous_app'
    WHEN $value >= 600 THEN 'home_app'
    WHEN $value >= 500 THEN 'service'
    WHEN $value >= 400 THEN 'heavy_weight_app'
    WHEN $value >= 300 THEN 'backup'
    WHEN $value >= 250 THEN 'perceptible_low_app'
    WHEN $value >= 225 THEN 'perceptible_medium_app'
    WHEN $value >= 200 THEN 'perceptible_app'
    WHEN $value >= 100 THEN 'visible_app'
    WHEN $value = 50 THEN 'perceptible_foreground_app'
    WHEN $value = 0 THEN 'foreground_app'
    WHEN $value = -600 THEN 'logcat'
    WHEN $value = -700 THEN 'persistent_service'
    WHEN $value = -800 THEN 'persistent_proc'
    WHEN $value = -900 THEN 'system'
    WHEN $value = -1000 THEN 'native'
    WHEN $android_appid IS NULL THEN 'unknown'
    WHEN $android_appid < 10000 THEN 'unknown_native'
    ELSE 'unknown_app'
  END;

-- When the system works out scores, until it does so again.
CREATE PERFETTO TABLE _oom_adjuster_update AS
SELECT
  work.id,
  work.ts,
  work.dur,
  work.track_id,
  work.utid,
  work.thread_name,
  str_split(work.name, '_', 1) AS reason,
  around.name AS trigger_name,
  lead(work.ts, 1, trace_end()) OVER (ORDER BY work.ts) AS next_ts
FROM thread_slice AS work
LEFT JOIN slice AS around ON around.id = work.parent_id AND around.dur != -1
WHERE work.name GLOB 'updateOomAdj_*' AND work.process_name = 'system_server';

-- The scores, with the work of the system before them.
CREATE PERFETTO TABLE _oom_adjuster_intervals AS
SELECT
  score.ts,
  score.dur,
  cast_int!(score.value) AS score,
  upid,
  process.name AS process_name,
  work.id AS oom_adj_id,
  work.ts AS oom_adj_ts,
  work.dur AS oom_adj_dur,
  work.track_id AS oom_adj_track_id,
  work.thread_name AS oom_adj_thread_name,
  work.utid AS oom_adj_utid,
  work.reason AS oom_adj_reason,
  work.trigger_name AS oom_adj_trigger,
  android_appid
FROM counter_leading_intervals!((
  SELECT id, ts, track_id, value
  FROM counter
  WHERE track_id IN (SELECT id FROM process_counter_track WHERE name = 'oom_score_adj')
)) AS score
JOIN process_counter_track AS track ON track.id = score.track_id
JOIN process USING (upid)
LEFT JOIN _oom_adjuster_update AS work ON score.ts > work.ts AND score.ts <= work.next_ts;

-- How long processes had which score, and why.
CREATE PERFETTO VIEW android_oom_adj_intervals(
  -- When the score changed.
  ts TIMESTAMP,
  -- How long the process had it.
  dur DURATION,
  -- The score, -1000 to 1000.
  score LONG,
  -- What it stands for.
  bucket STRING,
  -- The process.
  upid JOINID(process.id),
  -- Its name.
  process_name STRING,
  -- The slice of the system that worked out scores last.
  oom_adj_id LONG,
  -- When it began.
  oom_adj_ts TIMESTAMP,
  -- How long it took.
  oom_adj_dur DURATION,
  -- Its track.
  oom_adj_track_id JOINID(track.id),
  -- The name of its thread.
  oom_adj_thread_name STRING,
  -- Why it was done, as its name tells.
  oom_adj_reason STRING,
  -- The slice around it.
  oom_adj_trigger STRING
)
AS
SELECT
  ts, dur, score, android_oom_adj_score_to_bucket_name(score) AS bucket, upid, process_name, oom_adj_id, oom_adj_ts,
  oom_adj_dur, oom_adj_track_id, oom_adj_thread_name, oom_adj_reason, oom_adj_trigger
FROM _oom_adjuster_intervals;
