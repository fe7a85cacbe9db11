-- How long parts of the device were in each of their states.

-- The readings. Times are nanoseconds.
CREATE PERFETTO TABLE android_entity_state_residency(
  -- The value of the counter.
  id ID(counter.id),
  -- When it was read.
  ts TIMESTAMP,
  -- Until the next reading.
  dur DURATION,
  -- The part of the device.
  entity_name STRING,
  -- The state.
  state_name STRING,
  -- The name of the counter.
  raw_name STRING,
  -- How long it was in the state since the device began.
  state_time_since_boot DURATION,
  -- The same at the next reading.
  state_time_since_boot_at_end DURATION,
  -- For which part of the time until then, up to 1.
  state_time_ratio DOUBLE,
  -- The counter.
  track_id JOINID(track.id)
)
AS
WITH
  track AS (
    SELECT
      id,
      name,
      -- Entity residency: PART is STATE
      name GLOB 'Entity residency: * is *' AS is_known,
      instr(name, ' is ') AS at
    FROM counter_track
    WHERE type = 'entity_state'
  ),
  reading AS (
    SELECT
      counter.id,
      counter.ts,
      lead(counter.ts) OVER track_time - counter.ts AS dur,
      -- The counter is in milliseconds.
      CAST(counter.value * 1e6 AS INT) AS time,
      CAST(lead(counter.value) OVER track_time * 1e6 AS INT) AS next_time,
      counter.track_id
    FROM counter
    WHERE counter.track_id IN (SELECT id FROM track)
    WINDOW track_time AS (PARTITION BY counter.track_id ORDER BY counter.ts)
  )
SELECT
  reading.id,
  reading.ts,
  reading.dur,
  iif(track.is_known, replace(substr(track.name, 1, track.at - 1), 'Entity residency: ', ''), NULL) AS entity_name,
  iif(track.is_known, substr(track.name, track.at + length(' is ')), NULL) AS state_name,
  track.name AS raw_name,
  reading.time AS state_time_since_boot,
  reading.next_time AS state_time_since_boot_at_end,
  (reading.next_time - reading.time) * 1.0 / reading.dur AS state_time_ratio,
  reading.track_id
FROM reading
JOIN track ON track.id = reading.track_id
ORDER BY reading.track_id, reading.ts;
