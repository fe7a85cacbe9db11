-- Starts of apps.

INCLUDE PERFETTO MODULE android.process_metadata;
INCLUDE PERFETTO MODULE android.startup.startup_events;
INCLUDE PERFETTO MODULE android.startup.startups_maxsdk28;
INCLUDE PERFETTO MODULE android.startup.startups_minsdk29;
INCLUDE PERFETTO MODULE android.startup.startups_minsdk33;
INCLUDE PERFETTO MODULE android.version;

-- The first API level of the way in which the trace tells of starts: from the system's version, else from its slices.
CREATE PERFETTO FUNCTION _startup_sdk()
RETURNS LONG
AS
SELECT
  CASE
    WHEN _android_sdk_version() >= 33 THEN 33
    WHEN _android_sdk_version() >= 29 THEN 29
    WHEN _android_sdk_version() IS NOT NULL THEN 28
    WHEN EXISTS (SELECT 1 FROM slice WHERE name GLOB 'launchingActivity#*:*') THEN 33
    WHEN EXISTS (SELECT 1 FROM slice WHERE name GLOB 'MetricsLogger:*') THEN 29
    ELSE 28
  END;

-- Starts as the release tells of them.
CREATE PERFETTO TABLE _startups_told AS
WITH sdk AS MATERIALIZED (SELECT _startup_sdk() AS sdk)
SELECT row_number() OVER (ORDER BY ts) - 1 AS startup_id, ts, ts_end, dur, package, startup_type
FROM _startups_maxsdk28
WHERE (SELECT sdk FROM sdk) = 28
UNION ALL
SELECT row_number() OVER (ORDER BY ts) - 1, ts, ts_end, dur, package, startup_type
FROM _startups_minsdk29
WHERE (SELECT sdk FROM sdk) = 29
UNION ALL
SELECT startup_id, ts, ts_end, dur, package, startup_type
FROM _startups_minsdk33
WHERE (SELECT sdk FROM sdk) = 33;

-- The main threads of the processes that a start can be about. Without a list of packages, the name of the process counts.
CREATE PERFETTO TABLE _startup_candidates AS
SELECT startup.startup_id, startup.startup_type, startup.ts, startup.ts_end, app.upid, app.pid, thread.utid
FROM _startups_told AS startup
JOIN android_process_metadata AS app
  ON startup.package = app.package_name
  OR (app.process_name GLOB startup.package || '*' AND NOT EXISTS (SELECT 1 FROM package_list))
JOIN thread ON thread.upid = app.upid AND thread.is_main_thread;

-- The processes that showed the activity of a start: one, or several if it died meanwhile.
CREATE PERFETTO TABLE android_startup_processes(
  -- The start.
  startup_id JOINID(android_startups.startup_id),
  -- The process.
  upid JOINID(process.id),
  -- Its number.
  pid LONG,
  -- What the system says, else from what the process did: cold (it began), warm (the activity began) or hot.
  startup_type STRING
)
AS
SELECT
  startup_id,
  upid,
  pid,
  coalesce(startup_type, iif(starts > 0, iif(binds > 0, 'cold', 'warm'), 'hot')) AS startup_type
FROM (
  SELECT
    candidate.*,
    sum(slice.name = 'bindApplication') AS binds,
    sum(slice.name = 'activityStart') AS starts,
    sum(slice.name = 'activityResume') AS resumes
  FROM _startup_candidates AS candidate
  JOIN thread_track ON thread_track.utid = candidate.utid
  JOIN slice ON slice.track_id = thread_track.id AND slice.ts >= candidate.ts AND slice.ts < candidate.ts_end
  WHERE slice.name IN ('bindApplication', 'activityStart', 'activityResume')
  GROUP BY candidate.startup_id, candidate.upid
)
WHERE resumes > 0
ORDER BY startup_id, upid;

-- Starts of apps.
CREATE PERFETTO VIEW android_startups(
  -- The start.
  startup_id ID,
  -- When it began.
  ts TIMESTAMP,
  -- When the app was drawn.
  ts_end TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- Without an activity that only led to that of the app.
  dur_without_trampoline DURATION,
  -- The app.
  package STRING,
  -- cold, warm, hot; NULL if the trace does not tell.
  startup_type STRING
)
AS
SELECT
  startup.startup_id,
  startup.ts,
  startup.ts_end,
  startup.dur,
  ifnull(
    (
      SELECT event.dur
      FROM _startup_events AS event
      WHERE
        event.package_name = startup.package
        AND event.ts >= startup.ts
        AND event.ts < startup.ts_end
        AND event.ts > (SELECT min(ts) FROM _startup_events WHERE ts >= startup.ts)
      ORDER BY event.ts DESC
      LIMIT 1
    ),
    startup.dur
  ) AS dur_without_trampoline,
  startup.package,
  ifnull(startup.startup_type, max(app.startup_type)) AS startup_type
FROM _startups_told AS startup
LEFT JOIN android_startup_processes AS app USING (startup_id)
GROUP BY startup.startup_id;

-- The threads of the processes that started.
CREATE PERFETTO VIEW android_startup_threads(
  -- The start.
  startup_id JOINID(android_startups.startup_id),
  -- When it began.
  ts TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- The process.
  upid JOINID(process.id),
  -- Its number.
  pid LONG,
  -- The thread.
  utid JOINID(thread.id),
  -- Its number.
  tid LONG,
  -- Its name.
  thread_name STRING,
  -- Whether it is the main thread.
  is_main_thread BOOL
)
AS
SELECT
  startup_id, startup.ts, startup.dur, app.upid, app.pid, thread.utid, thread.tid, thread.name AS thread_name,
  thread.is_main_thread
FROM android_startups AS startup
JOIN android_startup_processes AS app USING (startup_id)
JOIN thread ON thread.upid = app.upid;

-- What these threads did during the starts.
CREATE PERFETTO VIEW android_thread_slices_for_all_startups(
  -- When the start began.
  startup_ts TIMESTAMP,
  -- When it ended.
  startup_ts_end TIMESTAMP,
  -- The start.
  startup_id JOINID(android_startups.startup_id),
  -- The thread.
  utid JOINID(thread.id),
  -- Its number.
  tid LONG,
  -- Its name.
  thread_name STRING,
  -- Whether it is the main thread.
  is_main_thread BOOL,
  -- The arguments of the slice.
  arg_set_id ARGSETID,
  -- The slice. It begins during the start.
  slice_id JOINID(slice.id),
  -- Its name.
  slice_name STRING,
  -- When it began.
  slice_ts TIMESTAMP,
  -- How long it took.
  slice_dur DURATION
)
AS
SELECT
  startup.ts AS startup_ts,
  startup.ts + startup.dur AS startup_ts_end,
  startup.startup_id,
  startup.utid,
  startup.tid,
  startup.thread_name,
  startup.is_main_thread,
  slice.arg_set_id,
  slice.id AS slice_id,
  slice.name AS slice_name,
  slice.ts AS slice_ts,
  slice.dur AS slice_dur
FROM android_startup_threads AS startup
JOIN thread_track ON thread_track.utid = startup.utid
JOIN slice ON slice.track_id = thread_track.id AND slice.ts BETWEEN startup.ts AND startup.ts + startup.dur;

-- Slices of a start by name.
CREATE PERFETTO FUNCTION android_slices_for_startup_and_slice_name(
  -- The start.
  startup_id JOINID(android_startups.startup_id),
  -- A pattern for GLOB.
  slice_name STRING
)
RETURNS TABLE(
  -- The slice.
  slice_id JOINID(slice.id),
  -- Its name.
  slice_name STRING,
  -- When it began.
  slice_ts TIMESTAMP,
  -- How long it took.
  slice_dur DURATION,
  -- The name of the thread.
  thread_name STRING,
  -- Its number.
  tid LONG,
  -- The arguments of the slice.
  arg_set_id ARGSETID
)
AS
SELECT slice_id, slice_name, slice_ts, slice_dur, thread_name, tid, arg_set_id
FROM android_thread_slices_for_all_startups
WHERE startup_id = $startup_id AND slice_name GLOB $slice_name;

-- Classes that were loaded during starts.
CREATE PERFETTO VIEW android_class_loading_for_startup(
  -- The slice.
  slice_id JOINID(slice.id),
  -- The start.
  startup_id JOINID(android_startups.startup_id),
  -- The class, as in Lcom/example/Main;
  slice_name STRING,
  -- When it began.
  slice_ts TIMESTAMP,
  -- How long it took.
  slice_dur DURATION,
  -- The name of the thread.
  thread_name STRING,
  -- Its number.
  tid LONG,
  -- The arguments of the slice.
  arg_set_id ARGSETID
)
AS
SELECT slice_id, startup_id, slice_name, slice_ts, slice_dur, thread_name, tid, arg_set_id
FROM android_thread_slices_for_all_startups
WHERE slice_name GLOB 'L*;';

-- Long calls of other processes during a start.
CREATE PERFETTO FUNCTION android_binder_transaction_slices_for_startup(
  -- The start.
  startup_id JOINID(android_startups.startup_id),
  -- Only calls that took longer, nanoseconds.
  threshold DOUBLE
)
RETURNS TABLE(
  -- The slice.
  id LONG,
  -- How long it took.
  slice_dur DURATION,
  -- The name of the thread.
  thread_name STRING,
  -- The process that was called.
  process STRING,
  -- The arguments of the slice.
  arg_set_id ARGSETID,
  -- Whether it is the main thread.
  is_main_thread BOOL
)
AS
SELECT
  call.slice_id AS id, call.slice_dur, call.thread_name, called.name AS process, call.arg_set_id, call.is_main_thread
FROM android_thread_slices_for_all_startups AS call
JOIN process AS called ON called.pid = extract_arg(call.arg_set_id, 'destination process')
WHERE call.startup_id = $startup_id AND call.slice_name = 'binder transaction' AND call.slice_dur > $threshold;

-- How long slices took during a start, in sum.
CREATE PERFETTO FUNCTION android_sum_dur_for_startup_and_slice(
  -- The start.
  startup_id JOINID(android_startups.startup_id),
  -- A pattern for GLOB.
  slice_name STRING
)
RETURNS LONG
AS
SELECT sum(slice_dur)
FROM android_thread_slices_for_all_startups
WHERE startup_id = $startup_id AND slice_name GLOB $slice_name;

-- How long slices of main threads took during a start, in sum.
CREATE PERFETTO FUNCTION android_sum_dur_on_main_thread_for_startup_and_slice(
  -- The start.
  startup_id JOINID(android_startups.startup_id),
  -- A pattern for GLOB.
  slice_name STRING
)
RETURNS LONG
AS
SELECT sum(slice_dur)
FROM android_thread_slices_for_all_startups
WHERE startup_id = $startup_id AND slice_name GLOB $slice_name AND is_main_thread;
