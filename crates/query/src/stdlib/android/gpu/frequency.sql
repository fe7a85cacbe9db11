-- The frequencies of GPUs.

INCLUDE PERFETTO MODULE counters.intervals;

-- How long each frequency lasted, kHz.
CREATE PERFETTO TABLE android_gpu_frequency(
  ts TIMESTAMP,
  dur DURATION,
  -- The GPU, as in gpu_counter_track.
  gpu_id LONG,
  gpu_freq LONG,
  prev_gpu_freq LONG,
  next_gpu_freq LONG
)
AS
WITH tracks AS (
  SELECT id, gpu_id FROM gpu_counter_track WHERE name = 'gpufreq' AND gpu_id IS NOT NULL
)
SELECT
  ts,
  dur,
  gpu_id,
  CAST(value AS INT) AS gpu_freq,
  CAST(value - delta_value AS INT) AS prev_gpu_freq,
  CAST(next_value AS INT) AS next_gpu_freq
FROM counter_leading_intervals!((
  SELECT counter.* FROM counter JOIN gpu_counter_track AS track ON track.id = track_id WHERE track.name = 'gpufreq'
))
JOIN tracks ON tracks.id = track_id
ORDER BY gpu_id, ts;
