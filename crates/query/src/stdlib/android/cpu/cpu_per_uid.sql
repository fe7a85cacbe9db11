-- The CPU time of the users of a device, which are mostly apps.

INCLUDE PERFETTO MODULE counters.intervals;

-- The counters of CPU time: one for each user and cluster of CPUs.
CREATE PERFETTO TABLE android_cpu_per_uid_track(
  -- The track of the counter.
  id LONG,
  -- The user.
  uid LONG,
  -- The cluster, from 0. Stronger CPUs usually have higher numbers.
  cluster LONG,
  -- The CPU time, ms.
  total_cpu_millis LONG,
  -- The first package of the user, if it is an app.
  package_name STRING
)
AS
SELECT
  track_id AS id,
  uid,
  cluster,
  total_cpu_millis,
  iif(
    uid % 100000 >= 10000,
    (SELECT package_name FROM package_list WHERE package_list.uid = track.uid % 100000 ORDER BY package_list.id LIMIT 1),
    NULL
  ) AS package_name
FROM __intrinsic_android_cpu_per_uid_track AS track;

-- How much CPU time was used between two readings.
CREATE PERFETTO VIEW android_cpu_per_uid_counter(
  -- The reading.
  id LONG,
  -- When it was taken.
  ts LONG,
  -- The time to the next reading.
  dur LONG,
  -- The track of the counter.
  track_id LONG,
  -- The CPU time in this time, ms.
  diff_ms LONG,
  -- The CPU time per time: 1 is one CPU that is always busy.
  cpu_ratio DOUBLE
)
AS
SELECT id, ts, dur, track_id, next_value - value AS diff_ms, (next_value - value) * 1e6 / dur AS cpu_ratio
FROM counter_leading_intervals!((
  SELECT counter.id, counter.ts, counter.track_id, counter.value
  FROM counter
  WHERE counter.track_id IN (SELECT id FROM android_cpu_per_uid_track)
))
WHERE next_value IS NOT NULL;
