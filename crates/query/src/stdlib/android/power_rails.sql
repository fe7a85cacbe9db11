-- How much energy parts of the device use, on devices that measure it.

INCLUDE PERFETTO MODULE counters.intervals;

-- The energy since the device began, at each measurement. Energy is in microwatt seconds.
CREATE PERFETTO TABLE android_power_rails_counters(
  -- The value of the counter.
  id ID(counter.id),
  -- When it was measured.
  ts TIMESTAMP,
  -- Until the next measurement.
  dur DURATION,
  -- The part of the device.
  power_rail_name STRING,
  -- Its name in the hardware.
  raw_power_rail_name STRING,
  -- The energy.
  energy_since_boot DOUBLE,
  -- The energy at the next measurement.
  energy_since_boot_at_end DOUBLE,
  -- The mean power until then, milliwatts.
  average_power DOUBLE,
  -- The energy since the measurement before.
  energy_delta DOUBLE,
  -- The counter.
  track_id JOINID(track.id),
  -- The same as energy_since_boot.
  value DOUBLE
)
AS
SELECT
  energy.id,
  energy.ts,
  energy.dur,
  track.name AS power_rail_name,
  extract_arg(track.source_arg_set_id, 'raw_name') AS raw_power_rail_name,
  energy.value AS energy_since_boot,
  energy.next_value AS energy_since_boot_at_end,
  -- Microwatt seconds by nanoseconds are kilowatts.
  1e6 * (energy.next_value - energy.value) / energy.dur AS average_power,
  energy.delta_value AS energy_delta,
  energy.track_id,
  energy.value
FROM counter_leading_intervals!((
  SELECT id, ts, track_id, value
  FROM counter
  WHERE track_id IN (SELECT id FROM counter_track WHERE type = 'power_rails')
)) AS energy
JOIN counter_track AS track ON track.id = energy.track_id;

-- The parts of the device.
CREATE PERFETTO TABLE android_power_rails_metadata(
  -- The name of the counter.
  power_rail_name STRING,
  -- The name in the hardware.
  raw_power_rail_name STRING,
  -- The name for people, if there is one.
  friendly_name STRING,
  -- The counter.
  track_id JOINID(track.id),
  -- What the part belongs to.
  subsystem_name STRING,
  -- The machine.
  machine_id JOINID(machine.id)
)
AS
SELECT
  name AS power_rail_name,
  extract_arg(source_arg_set_id, 'raw_name') AS raw_power_rail_name,
  iif(name GLOB 'power.rails.*', substr(name, length('power.rails.') + 1), NULL) AS friendly_name,
  id AS track_id,
  extract_arg(source_arg_set_id, 'subsystem_name') AS subsystem_name,
  machine_id
FROM counter_track
WHERE type = 'power_rails';
