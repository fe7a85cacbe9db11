-- How much of the time CPUs were idle, from the counters that Linux keeps of it (/sys/devices/system/cpu/cpu*/cpuidle).

INCLUDE PERFETTO MODULE time.conversion;

-- What was added to each counter since its last value, microseconds, and the time since then.
CREATE PERFETTO TABLE _cpu_idle_residency AS
SELECT
  counter.ts,
  track.machine_id,
  extract_arg(track.dimension_arg_set_id, 'state') AS state,
  extract_arg(track.dimension_arg_set_id, 'cpu') AS cpu,
  value - lag(value) OVER _before AS total_residency,
  time_to_us(counter.ts - lag(counter.ts) OVER _before) AS time_slice
FROM counter JOIN track ON track.id = counter.track_id
WHERE track.type = 'cpu_idle_state'
WINDOW _before AS (PARTITION BY counter.track_id ORDER BY counter.ts);

-- The time that each CPU spent in each idle state since the last values. C0 is the time in none of them.
CREATE PERFETTO TABLE linux_per_cpu_idle_time_in_state_counters(
  -- When the values were read.
  ts TIMESTAMP,
  -- The machine.
  machine_id JOINID(machine.id),
  -- The idle state, such as `C1`.
  state STRING,
  -- The CPU.
  cpu LONG,
  -- The part of the time, in percent.
  idle_percentage DOUBLE,
  -- The time in this state, microseconds.
  total_residency DOUBLE,
  -- The time since the last values, microseconds.
  time_slice LONG
)
AS
SELECT
  ts, machine_id, state, cpu,
  min(100, total_residency / time_slice * 100) AS idle_percentage,
  total_residency, time_slice
FROM _cpu_idle_residency
WHERE time_slice IS NOT NULL
UNION ALL
SELECT
  ts, machine_id, 'C0', cpu,
  max(0, (time_slice - sum(total_residency)) / time_slice * 100),
  max(0, time_slice - sum(total_residency)),
  time_slice
FROM _cpu_idle_residency
WHERE time_slice IS NOT NULL
GROUP BY ts, cpu, machine_id;

-- The time that all CPUs together spent in each idle state since the last values.
CREATE PERFETTO TABLE linux_cpu_idle_time_in_state_counters(
  -- When the values were read.
  ts TIMESTAMP,
  -- The machine.
  machine_id JOINID(machine.id),
  -- The idle state; `C0` is none.
  state STRING,
  -- The part of the time, in percent.
  idle_percentage DOUBLE,
  -- The time in this state, microseconds.
  total_residency DOUBLE,
  -- The time of all CPUs since the last values, microseconds.
  time_slice LONG
)
AS
SELECT
  ts, machine_id, state,
  min(100, sum(total_residency) / sum(time_slice) * 100) AS idle_percentage,
  sum(total_residency) AS total_residency,
  sum(time_slice) AS time_slice
FROM linux_per_cpu_idle_time_in_state_counters
GROUP BY ts, state, machine_id;
