-- When the device slept.

INCLUDE PERFETTO MODULE intervals.fill_gaps;

-- The sleeps of each machine, from the track of sleeps alone, or else from that of all steps of going to sleep. One that
-- reaches into the next lost its end.
CREATE PERFETTO TABLE _suspend_slice AS
WITH
  step AS (
    SELECT
      slice.ts,
      slice.dur,
      ifnull(track.machine_id, 0) AS machine_id,
      track.name = 'Suspend/Resume Minimal' AS is_minimal
    FROM slice
    JOIN track ON track.id = slice.track_id
    WHERE
      track.name = 'Suspend/Resume Minimal'
      OR (
        track.name = 'Suspend/Resume Latency'
        AND slice.name IN ('syscore_resume(0)', 'timekeeping_freeze(0)')
        AND slice.dur != -1
      )
  ),
  chosen AS (
    SELECT
      *,
      lead(ts, 1, trace_end()) OVER (PARTITION BY machine_id, is_minimal ORDER BY ts) AS next_ts,
      max(is_minimal) OVER (PARTITION BY machine_id) AS has_minimal
    FROM step
  )
SELECT ts, dur, machine_id, 'suspended' AS power_state
FROM chosen
WHERE is_minimal = has_minimal AND ts + dur <= next_ts
UNION ALL
-- The machine that recorded is awake if it never sleeps.
SELECT NULL, NULL, 0, NULL;

-- When machines were awake and when they slept.
CREATE PERFETTO TABLE android_suspend_state(
  -- When the state began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- The machine.
  machine_id JOINID(machine.id),
  -- awake or suspended.
  power_state STRING
)
AS
SELECT
  ts,
  dur,
  ifnull(machine_id, 0) AS machine_id,
  ifnull(power_state, 'awake') AS power_state
FROM _intervals_fill_gaps!((machine_id), (power_state), _suspend_slice)
ORDER BY ts;

-- How long something lasted while the machine was awake.
CREATE PERFETTO FUNCTION _extract_duration_without_suspend(
  -- When it began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION
)
RETURNS LONG
AS
SELECT to_monotonic($ts + $dur) - to_monotonic($ts);
