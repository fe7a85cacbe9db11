-- What Android's battery statistics record: states of the device, and which apps cause them.

-- How the values of each counter are named.
CREATE PERFETTO TABLE _battery_stats_kind AS
WITH kind(name, kind) AS (
  VALUES
    ('wifi_scan', 'activity'), ('wifi_radio', 'activity'), ('mobile_radio', 'activity'), ('audio', 'activity'),
    ('video', 'activity'), ('camera', 'activity'), ('power_save', 'activity'), ('phone_in_call', 'activity'),
    ('wifi', 'switch'), ('phone_state', 'phone'), ('phone_signal_strength', 'signal'),
    ('wifi_signal_strength', 'signal'), ('wifi_suppl', 'supplicant'), ('data_conn', 'connection')
)
SELECT 'battery_stats.' || name AS track, kind FROM kind;

-- The names of values, in order from 0.
CREATE PERFETTO TABLE _battery_stats_names AS
WITH names(kind, texts) AS (
  VALUES
    ('activity', 'inactive|active'),
    ('switch', 'off|on'),
    ('phone', 'in|out|emergency|off'),
    ('signal', '0/4|1/4|2/4|3/4|4/4'),
    (
      'supplicant',
      'invalid|disconnected|disabled|inactive|scanning|authenticating|associating|associated|4-way-handshake|'
        || 'group-handshake|completed|dormant|uninitialized'
    ),
    (
      'connection',
      'Out of service|2.5G (GPRS)|2.7G (EDGE)|3G (UMTS)|3G (CDMA)|3G (EVDO Rel 0)|3G (EVDO Rev A)|3G (LXRTT)|'
        || '3.5G (HSDPA)|3.5G (HSUPA)|3.5G (HSPA)|2G (IDEN)|3G (EVDO Rev B)|4G (LTE)|3.5G (eHRPD)|3.7G (HSPA+)|'
        || '2G (GSM)|3G (TD SCDMA)|Wifi calling (IWLAN)|4.5G (LTE CA)|5G (NR)|Emergency calls only|Other'
    )
)
SELECT track, texts FROM _battery_stats_kind JOIN names USING (kind);

-- The name of a counter's value; the number itself if the counter's values have no names.
CREATE PERFETTO FUNCTION android_battery_stats_counter_to_string(
  -- The name of the counter, such as battery_stats.audio.
  track STRING,
  -- The value.
  value DOUBLE
)
RETURNS STRING
AS
SELECT
  CASE
    WHEN NOT EXISTS (SELECT 1 FROM _battery_stats_names WHERE track = $track) THEN cast_string!($value)
    WHEN $value != CAST($value AS INT) OR $value < 0 THEN 'unknown'
    ELSE ifnull(
      (SELECT str_split(texts, '|', CAST($value AS INT)) FROM _battery_stats_names WHERE track = $track),
      'unknown'
    )
  END;

-- How long each counter had each value.
CREATE PERFETTO VIEW android_battery_stats_state(
  -- When the state began.
  ts TIMESTAMP,
  -- How long it lasted; -1 if until the end of the trace.
  dur DURATION,
  -- The same, but the real time until the end of the trace.
  safe_dur DURATION,
  -- The counter.
  track_name STRING,
  -- The value.
  value LONG,
  -- The name of the value.
  value_name STRING
)
AS
SELECT
  ts,
  ifnull(next_ts - ts, -1) AS dur,
  ifnull(next_ts, trace_end()) - ts AS safe_dur,
  track_name,
  cast_int!(value) AS value,
  android_battery_stats_counter_to_string(track_name, value) AS value_name
FROM (
  SELECT ts, value, name AS track_name, lead(ts) OVER (PARTITION BY name ORDER BY ts) AS next_ts
  FROM counter
  JOIN counter_track AS track ON track.id = counter.track_id
  WHERE name GLOB 'battery_stats.*'
);

-- What instants that begin with + and - begin and end. `+job=12:"mail"` begins a job, `-job=12:"mail"` ends it. One
-- that only ends began before the trace.
CREATE PERFETTO VIEW android_battery_stats_event_slices(
  -- When it began.
  ts TIMESTAMP,
  -- How long it lasted; -1 if until the end of the trace.
  dur DURATION,
  -- The same, but the real time until the end of the trace.
  safe_dur DURATION,
  -- The track of the instants.
  track_name STRING,
  -- The text between quotes, such as an app.
  str_value STRING,
  -- The number before it, such as a user.
  int_value LONG
)
AS
WITH
  mark AS (
    SELECT
      slice.ts,
      track.name AS track_name,
      slice.name GLOB '+*' AS begins,
      str_split(slice.name, '=', 1) AS what
    FROM slice
    JOIN track ON track.id = slice.track_id
    WHERE track.name GLOB 'battery_stats.*' AND slice.name GLOB '[+-]*'
  ),
  pair AS (
    SELECT
      *,
      lead(ts) OVER same AS next_ts,
      row_number() OVER same AS place
    FROM mark
    WINDOW same AS (PARTITION BY track_name, what ORDER BY ts)
  ),
  span AS (
    SELECT
      track_name,
      what,
      iif(begins, ts, trace_start()) AS ts,
      iif(begins, next_ts, ts) AS end_ts
    FROM pair
    WHERE begins OR place = 1
  )
SELECT
  ts,
  ifnull(end_ts - ts, -1) AS dur,
  ifnull(end_ts, trace_end()) - ts AS safe_dur,
  track_name,
  str_split(what, '"', 1) AS str_value,
  cast_int!(str_split(what, ':', 0)) AS int_value
FROM span;
