-- The work that apps let the system schedule.

-- Jobs, as the category "ss" of atrace has them: slices of the system with the name *job*<UID>PACKAGE/SERVICE#ID.
CREATE PERFETTO TABLE android_job_scheduler_events(
  -- The number that the app gave the job.
  job_id LONG,
  -- The user of the app.
  uid LONG,
  -- The package.
  package_name STRING,
  -- The service that does the job.
  job_service_name STRING,
  -- The track.
  track_id JOINID(track.id),
  -- The slice.
  id LONG,
  -- When it began.
  ts TIMESTAMP,
  -- How long it took; until the end of the trace if it did not end.
  dur DURATION
)
AS
SELECT
  CAST(str_split(slice.name, '#', 1) AS INT) AS job_id,
  CAST(str_split(str_split(slice.name, '<', 1), '>', 0) AS INT) AS uid,
  str_split(str_split(slice.name, '>', 1), '/', 0) AS package_name,
  str_split(str_split(slice.name, '/', 1), '#', 0) AS job_service_name,
  slice.track_id,
  slice.id,
  slice.ts,
  iif(slice.dur = -1, trace_end() - slice.ts, slice.dur) AS dur
FROM slice
JOIN process_track AS track ON track.id = slice.track_id
JOIN process USING (upid)
WHERE process.name = 'system_server' AND track.name = 'JobScheduler' AND slice.name GLOB '*job*';
