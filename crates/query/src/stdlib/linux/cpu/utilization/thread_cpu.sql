-- Cycles of each thread on each CPU.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;

-- Cycles of each thread on each CPU.
CREATE PERFETTO TABLE cpu_cycles_per_thread_per_cpu(
  -- The thread.
  utid JOINID(thread.id),
  -- The row of the CPU in `cpu`.
  ucpu JOINID(cpu.id),
  -- The number of the CPU.
  cpu LONG,
  -- Cycles, in thousandths; NULL if no frequency is known.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG,
  -- How long it ran.
  runtime DURATION,
  -- The lowest frequency, kHz.
  min_freq LONG,
  -- The highest frequency, kHz.
  max_freq LONG,
  -- The average frequency, kHz.
  avg_freq LONG
)
AS
SELECT utid, ucpu, cpu.cpu, _cpu_cycles!(dur, freq), sum(dur) AS runtime, _cpu_frequencies!(dur, freq)
FROM _cpu_freq_per_thread AS run JOIN cpu USING (ucpu)
GROUP BY utid, ucpu;

-- Cycles of each thread on each CPU within an interval.
CREATE PERFETTO FUNCTION cpu_cycles_per_thread_per_cpu_in_interval(
  -- The start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur LONG
)
RETURNS TABLE(
  -- The thread.
  utid JOINID(thread.id),
  -- The row of the CPU in `cpu`.
  ucpu JOINID(cpu.id),
  -- The number of the CPU.
  cpu LONG,
  -- Cycles, in thousandths; NULL if no frequency is known.
  millicycles LONG,
  -- Cycles, in millions.
  megacycles LONG,
  -- How long it ran.
  runtime DURATION,
  -- The lowest frequency, kHz.
  min_freq LONG,
  -- The highest frequency, kHz.
  max_freq LONG,
  -- The average frequency, kHz.
  avg_freq LONG
)
AS
SELECT utid, ucpu, cpu, _cpu_cycles!(dur, freq), sum(dur) AS runtime, _cpu_frequencies!(dur, freq)
FROM _cpu_freq_per_thread_in_interval($ts, $dur)
GROUP BY utid, ucpu;
