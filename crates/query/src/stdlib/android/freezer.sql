-- Processes that the system stops while nobody uses them.

-- The number of a process in the name of a slice: … NAME:PID …
CREATE PERFETTO FUNCTION _extract_freezer_pid(
  -- The name of the slice.
  name STRING
)
RETURNS LONG
AS
SELECT CAST(reverse(str_split(reverse(str_split($name, ' ', 1)), ':', 0)) AS INT);

-- The process that had a number at a time. Of several without a known end, it is the last.
CREATE PERFETTO FUNCTION _pid_to_upid(
  -- The number.
  pid LONG,
  -- The time.
  event_ts TIMESTAMP
)
RETURNS LONG
AS
SELECT max(upid)
FROM process
WHERE pid = $pid AND $event_ts BETWEEN ifnull(start_ts, trace_start()) AND ifnull(end_ts, trace_end());

-- Why a process goes on, by the numbers in Android's statistics (atoms.proto). 14 has no name.
CREATE PERFETTO FUNCTION _translate_unfreeze_reason(
  -- The number.
  reason LONG
)
RETURNS STRING
AS
SELECT
  iif(
    $reason BETWEEN 0 AND 29,
    nullif(
      str_split(
        'none|activity|finish_receiver|start_receiver|bind_service|unbind_service|start_service|get_provider|'
          || 'remove_provider|ui_visibility|allowlist|process_begin|process_end|trim_memory||ping|file_locks|'
          || 'file_lock_check_failure|binder_txns|feature_flags|short_fgs_timeout|system_init|backup|shell|'
          || 'remove_task|uid_idle|stop_service|executing_service|restriction_change|component_disabled',
        '|', $reason
      ),
      ''
    ),
    NULL
  );

-- Processes that were stopped.
CREATE PERFETTO TABLE android_freezer_events(
  -- The process.
  upid JOINID(process.id),
  -- Its number.
  pid LONG,
  -- When it was stopped.
  ts TIMESTAMP,
  -- How long; until the end of the trace if it did not go on.
  dur DURATION,
  -- Why it went on, as a number.
  unfreeze_reason_int LONG,
  -- Why it went on.
  unfreeze_reason_str STRING
)
AS
WITH
  change AS (
    SELECT
      ts,
      _extract_freezer_pid(name) AS pid,
      name GLOB 'Freeze *' AS is_stop,
      iif(name GLOB 'Freeze *', NULL, CAST(str_split(name, ' ', 2) AS INT)) AS reason
    FROM slice
    WHERE name GLOB 'Freeze *:*' OR name GLOB 'Unfreeze *:*'
  ),
  process_change AS (SELECT *, _pid_to_upid(pid, ts) AS upid FROM change)
SELECT
  upid,
  pid,
  ts,
  dur,
  reason AS unfreeze_reason_int,
  _translate_unfreeze_reason(reason) AS unfreeze_reason_str
FROM (
  SELECT
    upid,
    pid,
    ts,
    is_stop,
    lead(ts, 1, trace_end()) OVER process_time - ts AS dur,
    lead(reason) OVER process_time AS reason
  FROM process_change
  WINDOW process_time AS (PARTITION BY upid ORDER BY ts)
)
WHERE is_stop AND upid IS NOT NULL;
