-- How much processes use the CPUs.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;

INCLUDE PERFETTO MODULE time.conversion;

INCLUDE PERFETTO MODULE linux.cpu.utilization.thread_cpu;

-- The utilization by a process in each period.
CREATE PERFETTO FUNCTION cpu_process_utilization_per_period(
  -- The length of a period.
  interval LONG,
  -- The process.
  upid JOINID(process.id)
)
RETURNS TABLE(
  -- The start of the period.
  ts TIMESTAMP,
  -- The part of the time of all CPUs, from 0 to 1.
  utilization DOUBLE,
  -- The same in CPUs, from 0 to their number.
  unnormalized_utilization DOUBLE
)
AS
SELECT *
FROM _cpu_avg_utilization_per_period!($interval, (
  SELECT ts, ts_end FROM sched JOIN thread USING (utid) WHERE upid = $upid AND NOT is_idle AND dur >= 0
));

-- The utilization by a process in each second.
CREATE PERFETTO FUNCTION cpu_process_utilization_per_second(
  -- The process.
  upid JOINID(process.id)
)
RETURNS TABLE(
  -- The start of the period.
  ts TIMESTAMP,
  -- The part of the time of all CPUs, from 0 to 1.
  utilization DOUBLE,
  -- The same in CPUs, from 0 to their number.
  unnormalized_utilization DOUBLE
)
AS
SELECT * FROM cpu_process_utilization_per_period(time_from_s(1), $upid);

-- Cycles of each process.
CREATE PERFETTO TABLE cpu_cycles_per_process(
  -- The process.
  upid JOINID(process.id),
  -- Cycles, in thousandths; NULL if no frequency is known.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG,
  -- How long its threads ran.
  runtime DURATION,
  -- The lowest frequency, kHz.
  min_freq LONG,
  -- The highest frequency, kHz.
  max_freq LONG,
  -- The average frequency, kHz.
  avg_freq LONG
)
AS
SELECT upid, _cpu_cycles!(dur, freq), sum(dur) AS runtime, _cpu_frequencies!(dur, freq)
FROM _cpu_freq_per_thread JOIN thread USING (utid)
WHERE upid IS NOT NULL
GROUP BY upid;

-- Cycles of each process within an interval.
CREATE PERFETTO FUNCTION cpu_cycles_per_process_in_interval(
  -- The start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur LONG
)
RETURNS TABLE(
  -- The process.
  upid JOINID(process.id),
  -- Cycles, in thousandths; NULL if no frequency is known.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG,
  -- How long its threads ran.
  runtime DURATION,
  -- The same without the time that the machine was suspended.
  awake_runtime DURATION,
  -- The lowest frequency, kHz.
  min_freq LONG,
  -- The highest frequency, kHz.
  max_freq LONG,
  -- The average frequency, kHz.
  avg_freq LONG
)
AS
SELECT upid, _cpu_cycles!(dur, freq), sum(dur) AS runtime, sum(awake_dur) AS awake_runtime, _cpu_frequencies!(dur, freq)
FROM _cpu_freq_per_thread_in_interval($ts, $dur) JOIN thread USING (utid)
GROUP BY upid;

-- The utilization by each process within an interval.
CREATE PERFETTO FUNCTION cpu_process_utilization_in_interval(
  -- The start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur LONG
)
RETURNS TABLE(
  -- The process.
  upid JOINID(process.id),
  -- Its name.
  process_name STRING,
  -- How long its threads ran while the machine was awake.
  awake_dur LONG,
  -- The part of the time of all CPUs, from 0 to 100.
  awake_utilization DOUBLE,
  -- The same for one CPU, from 0 to 100 times their number.
  awake_unnormalized_utilization DOUBLE
)
AS
SELECT upid, process.name AS process_name, _cpu_percent!(awake_runtime, $ts, $dur, 6)
FROM cpu_cycles_per_process_in_interval($ts, $dur) JOIN process USING (upid);
