-- Cycles of slices.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;

-- Slices of threads that have ended, besides those of idle threads.
CREATE PERFETTO VIEW _cpu_cycles_slice AS
SELECT id, ts, dur, utid FROM thread_slice WHERE dur > 0 AND utid > 0;

-- Cycles of each slice of a thread.
CREATE PERFETTO TABLE cpu_cycles_per_thread_slice(
  -- The slice.
  id JOINID(slice.id),
  name STRING,
  -- Its thread.
  utid JOINID(thread.id),
  thread_name STRING,
  -- Its process.
  upid JOINID(process.id),
  process_name STRING,
  -- Cycles, in thousandths; NULL if the frequency is not known at any time at which the thread ran.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG
)
AS
SELECT
  slice.id, slice.name, slice.utid, slice.thread_name, slice.upid, slice.process_name,
  iif(count(run.freq) = count(run.id), CAST(sum(part.dur * run.freq / 1000) AS INTEGER), NULL) AS millicycles,
  iif(count(run.freq) = count(run.id), CAST(sum(part.dur * run.freq / 1000) / 1e9 AS INTEGER), NULL) AS megacycles
FROM thread_slice AS slice
LEFT JOIN _interval_intersect!((_cpu_cycles_slice, _cpu_freq_per_thread), (utid)) AS part
  ON part.id_0 = slice.id
LEFT JOIN _cpu_freq_per_thread AS run ON run.id = part.id_1
GROUP BY slice.id;

-- Cycles of each slice of a thread within an interval. Slices outside of it are left out.
CREATE PERFETTO FUNCTION cpu_cycles_per_thread_slice_in_interval(
  -- The start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION
)
RETURNS TABLE(
  -- The slice.
  id JOINID(slice.id),
  name STRING,
  -- Its thread.
  utid JOINID(thread.id),
  thread_name STRING,
  -- Its process.
  upid JOINID(process.id),
  process_name STRING,
  -- Cycles, in thousandths; NULL if the frequency is not known at any time at which the thread ran.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG
)
AS
WITH
  _cut AS MATERIALIZED (
    SELECT part.id, part.ts, part.dur, slice.utid
    FROM _interval_intersect_single!($ts, $dur, _cpu_cycles_slice) AS part
    JOIN _cpu_cycles_slice AS slice USING (id)
  )
SELECT
  slice.id, slice.name, slice.utid, slice.thread_name, slice.upid, slice.process_name,
  iif(count(run.freq) = count(run.id), CAST(sum(part.dur * run.freq / 1000) AS INTEGER), NULL) AS millicycles,
  iif(count(run.freq) = count(run.id), CAST(sum(part.dur * run.freq / 1000) / 1e9 AS INTEGER), NULL) AS megacycles
FROM _cut JOIN thread_slice AS slice ON slice.id = _cut.id
LEFT JOIN _interval_intersect!((_cut, _cpu_freq_per_thread), (utid)) AS part
  ON part.id_0 = slice.id
LEFT JOIN _cpu_freq_per_thread AS run ON run.id = part.id_1
GROUP BY slice.id;
