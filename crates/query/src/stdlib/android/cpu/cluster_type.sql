-- Which CPUs are small and which are big.

INCLUDE PERFETTO MODULE intervals.overlap;

-- The kind of each CPU, by the order of their clusters: NULL unless there are 2 to 4 clusters.
CREATE PERFETTO TABLE android_cpu_cluster_mapping(
  -- The row of the CPU.
  ucpu LONG,
  -- The number of the CPU.
  cpu LONG,
  -- little, medium or big.
  cluster_type STRING
)
AS
WITH clusters AS (SELECT count(DISTINCT cluster_id) AS count FROM cpu)
SELECT
  ucpu,
  cpu,
  CASE
    WHEN clusters.count NOT BETWEEN 2 AND 4 THEN NULL
    WHEN cluster_id = 0 THEN 'little'
    WHEN cluster_id = clusters.count - 1 THEN 'big'
    WHEN cluster_id < clusters.count THEN 'medium'
  END AS cluster_type
FROM cpu, clusters;

-- How many CPUs of a kind ran a thread, over time.
CREATE PERFETTO FUNCTION _active_cpu_count_for_cluster_type(
  -- The kind: little, medium or big.
  cluster_type STRING
)
RETURNS TABLE(
  -- When the number changed.
  ts TIMESTAMP,
  -- How many CPUs run from then on.
  active_cpu_count LONG
)
AS
WITH run AS (
  SELECT sched.ts, sched.dur
  FROM sched
  JOIN thread USING (utid)
  JOIN android_cpu_cluster_mapping AS kind USING (ucpu)
  WHERE kind.cluster_type = $cluster_type AND NOT ifnull(thread.is_idle, 0)
)
SELECT ts, value AS active_cpu_count
FROM intervals_overlap_count!(run, ts, dur)
ORDER BY ts;
