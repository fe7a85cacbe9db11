-- Totals of idle states.

INCLUDE PERFETTO MODULE linux.cpu.idle;

-- How often and how long each CPU was in each idle state.
CREATE PERFETTO TABLE cpu_idle_stats(
  -- The CPU.
  cpu LONG,
  -- The idle state; 1 is the first one.
  state LONG,
  -- How often the CPU entered it.
  count LONG,
  -- How long the CPU was in it altogether.
  dur DURATION,
  -- How long it was in it on average.
  avg_dur DURATION,
  -- The part of the time for which the state of the CPU is known, in percent.
  idle_percent DOUBLE
)
AS
SELECT
  cpu,
  idle + 1 AS state,
  count(*) AS count,
  sum(dur) AS dur,
  sum(dur) / count(*) AS avg_dur,
  sum(dur) * 100.0 / (SELECT sum(dur) FROM cpu_idle_counters AS every WHERE every.cpu = it.cpu) AS idle_percent
FROM cpu_idle_counters AS it
WHERE idle >= 0
GROUP BY cpu, idle;
