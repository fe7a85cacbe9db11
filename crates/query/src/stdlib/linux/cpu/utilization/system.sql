-- How much the CPUs are used altogether.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;

INCLUDE PERFETTO MODULE time.conversion;

INCLUDE PERFETTO MODULE linux.cpu.utilization.thread_cpu;

-- The utilization in each period.
CREATE PERFETTO FUNCTION cpu_utilization_per_period(
  -- The length of a period.
  interval LONG
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
FROM _cpu_avg_utilization_per_period!($interval, (SELECT ts, ts + dur AS ts_end FROM _sched_of_threads));

-- The utilization in each second.
CREATE PERFETTO TABLE cpu_utilization_per_second(
  -- The start of the period.
  ts TIMESTAMP,
  -- The part of the time of all CPUs, from 0 to 1.
  utilization DOUBLE,
  -- The same in CPUs, from 0 to their number.
  unnormalized_utilization DOUBLE
)
AS
SELECT * FROM cpu_utilization_per_period(time_from_s(1));

-- Cycles of all threads.
CREATE PERFETTO TABLE cpu_cycles(
  -- Cycles, in thousandths; NULL if no frequency is known.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG,
  -- How long they ran.
  runtime DURATION,
  -- The lowest frequency, kHz.
  min_freq LONG,
  -- The highest frequency, kHz.
  max_freq LONG,
  -- The average frequency, kHz.
  avg_freq LONG
)
AS
SELECT _cpu_cycles!(dur, freq), sum(dur) AS runtime, _cpu_frequencies!(dur, freq)
FROM _cpu_freq_per_thread;

-- Cycles of all threads within an interval.
CREATE PERFETTO FUNCTION cpu_cycles_in_interval(
  -- The start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur LONG
)
RETURNS TABLE(
  -- Cycles, in thousandths; NULL if no frequency is known.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG,
  -- How long they ran.
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
SELECT _cpu_cycles!(dur, freq), sum(dur) AS runtime, sum(awake_dur) AS awake_runtime, _cpu_frequencies!(dur, freq)
FROM _cpu_freq_per_thread_in_interval($ts, $dur);

-- The utilization within an interval.
CREATE PERFETTO FUNCTION cpu_utilization_in_interval(
  -- The start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur LONG
)
RETURNS TABLE(
  -- How long threads ran while the machine was awake.
  awake_dur LONG,
  -- The part of the time of all CPUs, from 0 to 100.
  awake_utilization DOUBLE,
  -- The same for one CPU, from 0 to 100 times their number.
  awake_unnormalized_utilization DOUBLE
)
AS
SELECT _cpu_percent!(awake_runtime, $ts, $dur, 2)
FROM cpu_cycles_in_interval($ts, $dur);

-- Cycles of each CPU.
CREATE PERFETTO TABLE cpu_cycles_per_cpu(
  -- The row of the CPU in `cpu`.
  ucpu JOINID(cpu.id),
  -- The number of the CPU.
  cpu LONG,
  -- Cycles, in thousandths; NULL if no frequency is known.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG,
  -- How long threads ran.
  runtime DURATION,
  -- The lowest frequency, kHz.
  min_freq LONG,
  -- The highest frequency, kHz.
  max_freq LONG,
  -- The average frequency, kHz.
  avg_freq LONG
)
AS
SELECT ucpu, cpu.cpu, _cpu_cycles!(dur, freq), sum(dur) AS runtime, _cpu_frequencies!(dur, freq)
FROM _cpu_freq_per_thread AS run JOIN cpu USING (ucpu)
GROUP BY ucpu;

-- Cycles of each CPU within an interval.
CREATE PERFETTO FUNCTION cpu_cycles_per_cpu_in_interval(
  -- The start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur LONG
)
RETURNS TABLE(
  -- The row of the CPU in `cpu`.
  ucpu JOINID(cpu.id),
  -- The number of the CPU.
  cpu LONG,
  -- Cycles, in thousandths; NULL if no frequency is known.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG,
  -- How long threads ran.
  runtime DURATION,
  -- The lowest frequency, kHz.
  min_freq LONG,
  -- The highest frequency, kHz.
  max_freq LONG,
  -- The average frequency, kHz.
  avg_freq LONG
)
AS
SELECT ucpu, cpu, _cpu_cycles!(dur, freq), sum(dur) AS runtime, _cpu_frequencies!(dur, freq)
FROM _cpu_freq_per_thread_in_interval($ts, $dur)
GROUP BY ucpu;
