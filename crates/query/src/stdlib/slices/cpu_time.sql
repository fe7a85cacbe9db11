-- CPU time and cycles of slices, from scheduling.

INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE linux.cpu.utilization.slice;
INCLUDE PERFETTO MODULE slices.with_context;

-- How long the thread of each slice ran during the slice. Slices that never ended, or during which the thread never ran, are
-- left out.
CREATE PERFETTO TABLE thread_slice_cpu_time(
  -- The slice.
  id JOINID(slice.id),
  name STRING,
  -- Its thread.
  utid JOINID(thread.id),
  thread_name STRING,
  upid JOINID(process.id),
  process_name STRING,
  -- Nanoseconds.
  cpu_time LONG
)
AS
SELECT
  part.id_0 AS id, slice.name, slice.utid, slice.thread_name, slice.upid, slice.process_name, sum(part.dur) AS cpu_time
FROM _interval_intersect!(
  (
    (SELECT id, ts, dur, utid FROM thread_slice WHERE utid > 0 AND dur > 0),
    (SELECT id, ts, dur, utid FROM sched WHERE dur > 0)
  ),
  (utid)
) AS part
JOIN thread_slice AS slice ON slice.id = part.id_0
GROUP BY part.id_0;

-- How many cycles the CPUs did for each slice; see cpu_cycles_per_thread_slice.
CREATE PERFETTO VIEW thread_slice_cpu_cycles(
  -- The slice.
  id JOINID(slice.id),
  name STRING,
  -- Its thread.
  utid JOINID(thread.id),
  thread_name STRING,
  upid JOINID(process.id),
  process_name STRING,
  -- Thousandths of cycles; NULL if the frequency is not known.
  millicycles LONG,
  -- Millions of cycles.
  megacycles LONG
)
AS
SELECT id, name, utid, thread_name, upid, process_name, millicycles, megacycles
FROM cpu_cycles_per_thread_slice;
