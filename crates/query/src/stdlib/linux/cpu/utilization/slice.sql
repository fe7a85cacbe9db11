-- Cycles of slices.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;
INCLUDE PERFETTO MODULE slices.with_context;

-- Slices of threads that have ended, besides those of idle threads.
CREATE PERFETTO VIEW _cpu_cycles_slice AS
SELECT id, ts, dur, utid FROM thread_slice WHERE dur > 0 AND utid > 0;

-- Cycles of slices during which their threads ran: id, millicycles, megacycles.
CREATE PERFETTO MACRO _cpu_cycles_of_slices(
  -- The slices: id, ts, dur, utid.
  slices TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT
    -- With a type, so that slices find it by an index.
    CAST(part.id_0 AS INT) AS id,
    iif(count(run.freq) = count(*), CAST(sum(part.dur * run.freq / 1000) AS INTEGER), NULL) AS millicycles,
    iif(count(run.freq) = count(*), CAST(sum(part.dur * run.freq / 1000) / 1e9 AS INTEGER), NULL) AS megacycles
  FROM _interval_intersect!(($slices, _cpu_freq_per_thread), (utid)) AS part
  JOIN _cpu_freq_per_thread AS run ON run.id = part.id_1
  GROUP BY part.id_0
);

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
WITH cycles AS MATERIALIZED (SELECT * FROM _cpu_cycles_of_slices!(_cpu_cycles_slice))
SELECT
  slice.id, slice.name, slice.utid, slice.thread_name, slice.upid, slice.process_name, cycles.millicycles,
  cycles.megacycles
FROM thread_slice AS slice
LEFT JOIN cycles ON cycles.id = slice.id
ORDER BY slice.id;

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
  ),
  cycles AS MATERIALIZED (SELECT * FROM _cpu_cycles_of_slices!(_cut))
SELECT
  slice.id, slice.name, slice.utid, slice.thread_name, slice.upid, slice.process_name, cycles.millicycles,
  cycles.megacycles
FROM _cut
JOIN thread_slice AS slice ON slice.id = _cut.id
LEFT JOIN cycles ON cycles.id = _cut.id
ORDER BY slice.id;
