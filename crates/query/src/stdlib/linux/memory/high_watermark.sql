-- The most memory that processes have had.

INCLUDE PERFETTO MODULE counters.intervals;
INCLUDE PERFETTO MODULE linux.memory.process;

-- The maximum up to each change, as a counter of each process.
CREATE PERFETTO TABLE _memory_rss_high_watermark_per_process_table AS
SELECT ts, dur, track_id AS upid, cast_int!(value) AS rss_high_watermark
FROM counter_leading_intervals!((
  SELECT
    0 AS id,
    ts,
    upid AS track_id,
    max(ifnull(anon_rss, 0) + ifnull(file_rss, 0) + ifnull(shmem_rss, 0)) OVER (
      PARTITION BY upid ORDER BY ts
    ) AS value
  FROM _memory_rss_and_swap_per_process_table
));

-- The most memory that processes have had until then.
CREATE PERFETTO VIEW memory_rss_high_watermark_per_process(
  -- When it grew.
  ts TIMESTAMP,
  -- Until it grew again, or the trace ends.
  dur DURATION,
  -- The process.
  upid JOINID(process.id),
  -- Its number.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- The most memory, bytes.
  rss_high_watermark LONG
)
AS
SELECT ts, dur, upid, pid, name AS process_name, rss_high_watermark
FROM _memory_rss_high_watermark_per_process_table
JOIN process USING (upid);
