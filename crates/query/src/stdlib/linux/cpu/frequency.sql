-- Frequencies of CPUs.

INCLUDE PERFETTO MODULE counters.intervals;

-- How long each CPU ran at which frequency.
CREATE PERFETTO TABLE cpu_frequency_counters(
  -- The row of counter with which it begins.
  id LONG,
  track_id JOINID(track.id),
  ts TIMESTAMP,
  -- Until the frequency changes, or the trace ends.
  dur DURATION,
  -- kHz.
  freq LONG,
  -- The row of the CPU in `cpu`.
  ucpu LONG,
  -- The number of the CPU.
  cpu LONG
)
AS
SELECT part.id, track_id, ts, dur, CAST(value AS INTEGER) AS freq, cpu.ucpu, cpu.cpu
FROM counter_leading_intervals!((
  SELECT counter.* FROM counter JOIN cpu_counter_track AS track ON track.id = track_id WHERE track.name = 'cpufreq'
)) AS part
JOIN cpu_counter_track AS track ON track.id = part.track_id
JOIN cpu ON cpu.cpu = track.cpu;
