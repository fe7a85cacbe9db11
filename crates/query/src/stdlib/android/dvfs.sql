-- The frequencies of memory, buses and caches on Pixel devices.

-- Whether a counter is such a frequency.
CREATE PERFETTO FUNCTION _is_dvfs_counter(name STRING)
RETURNS BOOL
AS
SELECT
  $name GLOB 'domain@[0-2] Frequency'
  OR $name GLOB 'cpu[0-8]dsu Frequency'
  OR $name GLOB 'gs_memlat_devfreq:devfreq_mif_cpu[0-8]_memlat@17000010 Frequency'
  OR $name IN (
    '17000010.devfreq_mif Frequency', '17000020.devfreq_int Frequency', '17000090.devfreq_dsu Frequency',
    '170000a0.devfreq_bci Frequency', 'dsu_throughput Frequency', 'bus_throughput Frequency'
  );

-- How long each frequency lasted.
CREATE PERFETTO VIEW android_dvfs_counters(
  -- The counter.
  name STRING,
  -- When the frequency began.
  ts TIMESTAMP,
  -- The frequency.
  value DOUBLE,
  -- How long it lasted.
  dur DURATION
)
AS
SELECT
  track.name,
  ts,
  value,
  lead(ts, 1, trace_end()) OVER (PARTITION BY track_id ORDER BY ts) - ts AS dur
FROM counter
JOIN counter_track AS track ON track.id = counter.track_id
WHERE _is_dvfs_counter(track.name)
ORDER BY ts;

-- The frequencies of each counter in short.
CREATE PERFETTO TABLE android_dvfs_counter_stats(
  -- The counter.
  name STRING,
  -- The highest frequency.
  max DOUBLE,
  -- The lowest frequency.
  min DOUBLE,
  -- The time between the first and the last frequency.
  dur DURATION,
  -- The frequency on average over time.
  wgt_avg DOUBLE
)
AS
SELECT
  name,
  max(value) AS max,
  min(value) AS min,
  max(ts) - min(ts) AS dur,
  sum(dur * value) / sum(dur) AS wgt_avg
FROM android_dvfs_counters
WHERE dur > 0
GROUP BY name;

-- How long each counter had each frequency.
CREATE PERFETTO VIEW android_dvfs_counter_residency(
  -- The counter.
  name STRING,
  -- The frequency.
  value DOUBLE,
  -- How long the counter had it.
  dur DURATION,
  -- The same in percent.
  pct DOUBLE
)
AS
SELECT name, value, dur, dur * 100.0 / sum(dur) OVER (PARTITION BY name) AS pct
FROM (
  SELECT name, value, sum(dur) AS dur
  FROM android_dvfs_counters
  WHERE dur > 0
  GROUP BY name, value
);
