-- Windows of apps on large screens.

INCLUDE PERFETTO MODULE android.statsd;

-- What the system's statistics note about windows.
CREATE PERFETTO TABLE _desktop_window_note AS
SELECT
  ts,
  extract_arg(arg_set_id, 'desktop_mode_session_task_update.task_event') AS event,
  extract_arg(arg_set_id, 'desktop_mode_session_task_update.instance_id') AS instance_id,
  extract_arg(arg_set_id, 'desktop_mode_session_task_update.uid') AS uid,
  extract_arg(arg_set_id, 'desktop_mode_session_task_update.session_id') AS session_id
FROM android_statsd_atoms
WHERE name = 'desktop_mode_session_task_update';

-- Windows that were opened or closed. One that was not closed is so when the statistics begin again.
CREATE PERFETTO TABLE _desktop_window_known AS
SELECT
  raw_add_ts,
  raw_remove_ts,
  ifnull(raw_add_ts, trace_start()) AS ts,
  coalesce(
    raw_remove_ts,
    (
      SELECT min(ts)
      FROM _desktop_window_note
      WHERE event = 'TASK_INIT_STATSD' AND ts > ifnull(raw_add_ts, trace_start())
    ),
    trace_end()
  ) AS ts_end,
  instance_id,
  uid
FROM (
  SELECT
    opened.ts AS raw_add_ts, closed.ts AS raw_remove_ts, instance_id, ifnull(opened.uid, closed.uid) AS uid
  FROM (SELECT * FROM _desktop_window_note WHERE event = 'TASK_ADDED') AS opened
  FULL JOIN (SELECT * FROM _desktop_window_note WHERE event = 'TASK_REMOVED') AS closed
    USING (instance_id, session_id)
);

-- Windows and how long they were open.
CREATE PERFETTO TABLE android_desktop_mode_windows(
  -- When it was opened; NULL if the trace does not tell.
  raw_add_ts TIMESTAMP,
  -- When it was closed; NULL if the trace does not tell.
  raw_remove_ts TIMESTAMP,
  -- When it was opened, or the start of the trace.
  ts TIMESTAMP,
  -- How long it was open, or until the end of the trace.
  dur DURATION,
  -- The window.
  instance_id LONG,
  -- The user of the app.
  uid LONG
)
AS
SELECT raw_add_ts, raw_remove_ts, ts, ts_end - ts AS dur, instance_id, uid
FROM _desktop_window_known
UNION
-- A window that only changed was open all the time.
SELECT NULL, NULL, trace_start(), trace_end() - trace_start(), instance_id, min(uid)
FROM _desktop_window_note
WHERE
  event = 'TASK_INFO_CHANGED' AND instance_id NOT IN (SELECT instance_id FROM _desktop_window_known)
GROUP BY instance_id, session_id;
