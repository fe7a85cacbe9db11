-- Idle states of CPUs.

INCLUDE PERFETTO MODULE counters.intervals;

-- How long each CPU was in which idle state.
CREATE PERFETTO TABLE cpu_idle_counters(
  -- The row of counter with which it begins.
  id LONG,
  track_id JOINID(track.id),
  ts TIMESTAMP,
  -- Until the state changes, or the trace ends.
  dur DURATION,
  -- The idle state; -1 while the CPU is not idle, which the kernel writes as 4294967295.
  idle LONG,
  cpu LONG
)
AS
SELECT part.id, track_id, ts, dur, CAST(iif(value = 4294967295, -1, value) AS INTEGER) AS idle, cpu
FROM counter_leading_intervals!((
  SELECT counter.* FROM counter JOIN cpu_counter_track AS track ON track.id = track_id WHERE track.name = 'cpuidle'
)) AS part
JOIN cpu_counter_track AS track ON track.id = part.track_id;
