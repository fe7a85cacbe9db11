-- What the modules of utilization have in common. Runs that the end of the trace cuts off are left out.

INCLUDE PERFETTO MODULE intervals.intersect;

INCLUDE PERFETTO MODULE linux.cpu.frequency;

-- The periods of the trace. The first begins at a multiple of its length, at or before the start.
CREATE PERFETTO FUNCTION _cpu_periods(
  -- The length of a period.
  size LONG
)
RETURNS TABLE(id LONG, ts TIMESTAMP, dur DURATION)
AS
WITH RECURSIVE _period(ts) AS (
  SELECT trace_start() / $size * $size WHERE $size > 0
  UNION ALL
  SELECT ts + $size FROM _period WHERE ts + $size < trace_end()
)
SELECT ts AS id, ts, $size AS dur FROM _period;

-- The part of the CPUs' time that is used in each period: ts, utilization (1 if all CPUs are used) and
-- unnormalized_utilization (1 for each CPU). Periods in which nothing runs are left out.
CREATE PERFETTO MACRO _cpu_avg_utilization_per_period(
  -- The length of a period.
  interval Expr,
  -- Runs: ts, ts_end.
  sched_table TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT
    id_0 AS ts,
    sum(dur) / (CAST($interval AS REAL) * (SELECT max(cpu) + 1 FROM sched)) AS utilization,
    sum(dur) / CAST($interval AS REAL) AS unnormalized_utilization
  FROM _interval_intersect!(
    (
      (SELECT * FROM _cpu_periods($interval)),
      (SELECT row_number() OVER () AS id, ts, ts_end - ts AS dur FROM $sched_table WHERE ts_end > ts)
    ),
    ()
  )
  GROUP BY id_0
);

-- Frequencies of CPUs that are known.
CREATE PERFETTO VIEW _cpu_freq_known AS
SELECT id AS counter_id, ts, dur, cpu, ucpu, freq FROM cpu_frequency_counters WHERE freq IS NOT NULL;

-- Runs of threads, besides the idle ones.
CREATE PERFETTO VIEW _sched_of_threads AS
SELECT sched.ts, sched.dur, sched.utid, sched.ucpu
FROM sched JOIN thread USING (utid)
WHERE NOT thread.is_idle AND sched.dur >= 0;

CREATE VIRTUAL TABLE _cpu_freq_of_runs USING SPAN_LEFT_JOIN(
  _sched_of_threads PARTITIONED ucpu, _cpu_freq_known PARTITIONED ucpu
);

-- Which thread ran at which frequency. freq, cpu and counter_id are NULL if the frequency is not known.
CREATE PERFETTO TABLE _cpu_freq_per_thread AS
SELECT row_number() OVER (ORDER BY ts) - 1 AS id, ts, dur, ucpu, cpu, utid, freq, counter_id
FROM _cpu_freq_of_runs;

-- How much of a time the machine was awake. Without readings of the monotonic clock, it is all of it.
CREATE PERFETTO FUNCTION _cpu_awake_dur(
  -- The start.
  ts TIMESTAMP,
  -- The time.
  dur DURATION
)
RETURNS DURATION
AS
SELECT ifnull(to_monotonic($ts + $dur) - to_monotonic($ts), $dur);

-- The parts of _cpu_freq_per_thread within an interval.
CREATE PERFETTO FUNCTION _cpu_freq_per_thread_in_interval(
  -- The start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION
)
RETURNS TABLE(ts TIMESTAMP, dur DURATION, awake_dur DURATION, utid LONG, ucpu LONG, cpu LONG, freq LONG)
AS
SELECT part.ts, part.dur, _cpu_awake_dur(part.ts, part.dur) AS awake_dur, run.utid, run.ucpu, cpu.cpu, run.freq
FROM _interval_intersect_single!($ts, $dur, _cpu_freq_per_thread) AS part
JOIN _cpu_freq_per_thread AS run USING (id)
JOIN cpu ON cpu.ucpu = run.ucpu;

-- Cycles. A frequency of 1 kHz is a millicycle in a microsecond.
CREATE PERFETTO MACRO _cpu_cycles(dur Expr, freq Expr)
RETURNS _ProjectionFragment
AS
  CAST(sum($dur * $freq / 1000) AS INTEGER) AS millicycles,
  CAST(sum($dur * $freq / 1000) / 1e9 AS INTEGER) AS megacycles;

-- The lowest, the highest and the average frequency. Time with an unknown frequency does not count.
CREATE PERFETTO MACRO _cpu_frequencies(dur Expr, freq Expr)
RETURNS _ProjectionFragment
AS
  min($freq) AS min_freq,
  max($freq) AS max_freq,
  CAST(sum($dur * $freq / 1000) / (sum(iif($freq IS NULL, NULL, $dur)) / 1000) AS INTEGER) AS avg_freq;

-- The part of an interval that a time is, in percent: of one CPU, and of all.
CREATE PERFETTO MACRO _cpu_percent(awake_dur Expr, ts Expr, dur Expr, digits Expr)
RETURNS _ProjectionFragment
AS
  $awake_dur AS awake_dur,
  round($awake_dur * 100.0 / _cpu_awake_dur($ts, $dur) / (SELECT max(cpu) + 1 FROM cpu), $digits) AS awake_utilization,
  round($awake_dur * 100.0 / _cpu_awake_dur($ts, $dur), $digits) AS awake_unnormalized_utilization;
