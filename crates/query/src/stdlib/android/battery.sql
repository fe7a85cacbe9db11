-- The battery.

-- The figures of the battery at each time that has one.
CREATE PERFETTO VIEW android_battery_charge(
  -- The time.
  ts TIMESTAMP,
  -- The current on average, µA.
  current_avg_ua DOUBLE,
  -- The charge in percent of a full battery.
  capacity_percent DOUBLE,
  -- The charge, µAh.
  charge_uah DOUBLE,
  -- The current at this time, µA.
  current_ua DOUBLE,
  -- The voltage, µV.
  voltage_uv DOUBLE,
  -- The energy that is left, µWh.
  energy_counter_uwh DOUBLE,
  -- The power, mW.
  power_mw DOUBLE
)
AS
SELECT
  ts,
  max(value) FILTER (WHERE name = 'batt.current.avg_ua') AS current_avg_ua,
  max(value) FILTER (WHERE name = 'batt.capacity_pct') AS capacity_percent,
  max(value) FILTER (WHERE name = 'batt.charge_uah') AS charge_uah,
  max(value) FILTER (WHERE name = 'batt.current_ua') AS current_ua,
  max(value) FILTER (WHERE name = 'batt.voltage_uv') AS voltage_uv,
  max(value) FILTER (WHERE name = 'batt.energy_counter_uwh') AS energy_counter_uwh,
  max(value) FILTER (WHERE name = 'batt.power_mw') AS power_mw
FROM counter
JOIN counter_track AS track ON track.id = counter.track_id
WHERE name GLOB 'batt.*'
GROUP BY ts
ORDER BY ts;
