-- What woke the device, or kept it from going to sleep.

INCLUDE PERFETTO MODULE android.suspend;

-- The messages of the system: what woke the device, what Android made of it, and how suspend backed off. The first two
-- begin with a time that they share.
CREATE PERFETTO VIEW _wakeup_message AS
SELECT
  instant.ts,
  track.name AS kind,
  substr(instant.name, 1, instr(instant.name, ' ') - 1) AS stamp,
  substr(instant.name, instr(instant.name, ' ') + 1) AS text,
  instant.name AS whole
FROM instant
JOIN track ON track.id = instant.track_id
WHERE track.name IN ('wakeup_reason', 'wakeup_attribution', 'suspend_backoff');

-- The wakeups, each with the backoff that was reported right before it.
CREATE PERFETTO VIEW _wakeup AS
WITH
  attribution AS (SELECT stamp, text FROM _wakeup_message WHERE kind = 'wakeup_attribution'),
  message AS (
    SELECT
      ts,
      kind,
      stamp,
      text,
      lag(iif(kind = 'suspend_backoff', whole, NULL)) OVER (ORDER BY ts) AS backoff
    FROM _wakeup_message
    WHERE kind != 'wakeup_attribution'
  ),
  wakeup AS (
    SELECT
      message.ts,
      message.text AS raw_wakeup,
      attribution.text AS on_device_attribution,
      str_split(backoff, ' ', 0) AS suspend_quality,
      str_split(backoff, ' ', 1) AS backoff_state,
      str_split(backoff, ' ', 2) AS backoff_reason,
      cast_int!(str_split(backoff, ' ', 3)) AS backoff_count,
      cast_int!(str_split(backoff, ' ', 4)) AS backoff_millis
    FROM message
    LEFT JOIN attribution USING (stamp)
    WHERE kind = 'wakeup_reason'
  ),
  -- A wakeup is to blame until the next one or the next sleep.
  event AS (
    SELECT ts FROM wakeup
    UNION
    SELECT ts FROM android_suspend_state WHERE power_state = 'suspended'
  ),
  following AS (SELECT ts, lead(ts, 1, ts + 5000000000) OVER (ORDER BY ts) AS next_ts FROM event)
SELECT
  wakeup.*,
  CASE suspend_quality
    WHEN 'good' THEN min(next_ts - ts, 5000000000)
    WHEN 'bad' THEN backoff_millis * 1000000
    ELSE 0
  END AS dur,
  CASE
    WHEN raw_wakeup GLOB 'Abort: Pending Wakeup Sources: *' THEN 'abort_pending'
    WHEN raw_wakeup GLOB 'Abort: Last active Wakeup Source: *' THEN 'abort_last_active'
    WHEN raw_wakeup GLOB 'Abort: *' THEN 'abort_other'
    ELSE 'normal'
  END AS type
FROM wakeup
JOIN following USING (ts);

-- What woke the device, or kept it from going to sleep. A wakeup with several causes has a row for each.
CREATE PERFETTO TABLE android_wakeups(
  -- When the device woke.
  ts TIMESTAMP,
  -- How long the wakeup is to blame for the device being awake: the time by which suspend backed off, or else the time
  -- to the next wakeup or sleep, at most 5 s.
  dur DURATION,
  -- The message of the kernel.
  raw_wakeup STRING,
  -- What Android attributes the wakeup to.
  on_device_attribution STRING,
  -- normal, or why the device did not sleep: abort_pending, abort_last_active, abort_other.
  type STRING,
  -- The cause: mostly the name of a device.
  item STRING,
  -- good; bad if the sleep failed or was short.
  suspend_quality STRING,
  -- new or continue, if suspend backed off.
  backoff_state STRING,
  -- short or failed, if suspend backed off; else none.
  backoff_reason STRING,
  -- How many times suspend backed off.
  backoff_count LONG,
  -- The time until the next attempt, ms.
  backoff_millis LONG
)
AS
WITH RECURSIVE
  causes AS (
    SELECT
      *,
      CASE type
        WHEN 'abort_pending' THEN substr(raw_wakeup, length('Abort: Pending Wakeup Sources: ') + 1)
        WHEN 'abort_last_active' THEN substr(raw_wakeup, length('Abort: Last active Wakeup Source: ') + 1)
        WHEN 'abort_other' THEN substr(raw_wakeup, length('Abort: ') + 1)
        ELSE raw_wakeup
      END AS list,
      -- Other messages name one cause. No message has a line end.
      CASE type WHEN 'normal' THEN ':' WHEN 'abort_pending' THEN ' ' ELSE char(10) END AS delimiter
    FROM _wakeup
  ),
  cause AS (
    SELECT *, 0 AS number, str_split(list, delimiter, 0) AS part
    FROM causes
    UNION ALL
    SELECT
      ts, raw_wakeup, on_device_attribution, suspend_quality, backoff_state, backoff_reason, backoff_count,
      backoff_millis, dur, type, list, delimiter, number + 1, str_split(list, delimiter, number + 1)
    FROM cause
    WHERE str_split(list, delimiter, number + 1) IS NOT NULL
  )
SELECT
  ts,
  dur,
  raw_wakeup,
  on_device_attribution,
  type,
  -- The name of an interrupt follows its number.
  iif(type = 'normal', ifnull(str_split(part, ' ', 1), part), part) AS item,
  suspend_quality,
  backoff_state,
  ifnull(backoff_reason, 'none') AS backoff_reason,
  backoff_count,
  backoff_millis
FROM cause
ORDER BY ts, number;
