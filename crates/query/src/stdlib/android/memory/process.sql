-- The memory of processes, with the scores by which the system ends them.

INCLUDE PERFETTO MODULE android.oom_adjuster;
INCLUDE PERFETTO MODULE linux.memory.process;

CREATE VIRTUAL TABLE _memory_and_oom_score
USING SPAN_OUTER_JOIN(
  android_oom_adj_intervals PARTITIONED upid,
  _memory_rss_and_swap_per_process_table PARTITIONED upid
);

-- The score and the memory of processes over time. A row ends where one of them changes. The columns are those of
-- android_oom_adj_intervals and of memory_rss_and_swap_per_process.
CREATE PERFETTO TABLE memory_oom_score_with_rss_and_swap_per_process(
  -- When something changed.
  ts TIMESTAMP,
  -- How long nothing changed.
  dur DURATION,
  -- The score, -1000 to 1000.
  score LONG,
  -- What it stands for.
  bucket STRING,
  -- The process.
  upid JOINID(process.id),
  -- Its name, where there is a score.
  process_name STRING,
  -- Its number.
  pid LONG,
  -- The slice of the system that worked out scores last.
  oom_adj_id JOINID(slice.id),
  -- When it began.
  oom_adj_ts TIMESTAMP,
  -- How long it took.
  oom_adj_dur DURATION,
  -- Its track.
  oom_adj_track_id JOINID(track.id),
  -- The name of its thread.
  oom_adj_thread_name STRING,
  -- Why it was done.
  oom_adj_reason STRING,
  -- The slice around it.
  oom_adj_trigger STRING,
  -- Memory that no file is behind, bytes.
  anon_rss LONG,
  -- Memory with the content of files, bytes.
  file_rss LONG,
  -- Shared memory, bytes.
  shmem_rss LONG,
  -- The sum of these three.
  rss LONG,
  -- Memory that was moved to a disk, or compressed, bytes.
  swap LONG,
  -- The sum of anon_rss and swap.
  anon_rss_and_swap LONG,
  -- The sum of rss and swap.
  rss_and_swap LONG
)
AS
SELECT
  ts,
  dur,
  score,
  bucket,
  upid,
  process_name,
  pid,
  oom_adj_id,
  oom_adj_ts,
  oom_adj_dur,
  oom_adj_track_id,
  oom_adj_thread_name,
  oom_adj_reason,
  oom_adj_trigger,
  anon_rss,
  file_rss,
  shmem_rss,
  anon_rss + file_rss + ifnull(shmem_rss, 0) AS rss,
  swap,
  anon_rss + ifnull(swap, 0) AS anon_rss_and_swap,
  anon_rss + file_rss + ifnull(shmem_rss, 0) + ifnull(swap, 0) AS rss_and_swap
FROM _memory_and_oom_score
JOIN process USING (upid);
