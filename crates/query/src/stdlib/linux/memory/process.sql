-- The memory of processes over time.

INCLUDE PERFETTO MODULE linux.memory.general;

-- Memory that no file is behind.
CREATE PERFETTO VIEW _anon_rss AS
SELECT ts, dur, upid, value AS anon_rss_val
FROM _all_counters_per_process
WHERE name = 'mem.rss.anon';

-- Memory with the content of files.
CREATE PERFETTO VIEW _file_rss AS
SELECT ts, dur, upid, value AS file_rss_val
FROM _all_counters_per_process
WHERE name = 'mem.rss.file';

-- Shared memory.
CREATE PERFETTO VIEW _shmem_rss AS
SELECT ts, dur, upid, value AS shmem_rss_val
FROM _all_counters_per_process
WHERE name = 'mem.rss.shmem';

-- Memory that was moved to a disk, or compressed.
CREATE PERFETTO VIEW _swap AS
SELECT ts, dur, upid, value AS swap_val
FROM _all_counters_per_process
WHERE name = 'mem.swap';

CREATE VIRTUAL TABLE _memory_anon_swap
USING SPAN_OUTER_JOIN(_anon_rss PARTITIONED upid, _swap PARTITIONED upid);

CREATE VIRTUAL TABLE _memory_anon_swap_file
USING SPAN_OUTER_JOIN(_memory_anon_swap PARTITIONED upid, _file_rss PARTITIONED upid);

CREATE VIRTUAL TABLE _memory_all_kinds
USING SPAN_OUTER_JOIN(_memory_anon_swap_file PARTITIONED upid, _shmem_rss PARTITIONED upid);

-- All kinds at once.
CREATE PERFETTO TABLE _memory_rss_and_swap_per_process_table AS
SELECT
  ts,
  dur,
  upid,
  cast_int!(anon_rss_val) AS anon_rss,
  cast_int!(file_rss_val) AS file_rss,
  cast_int!(shmem_rss_val) AS shmem_rss,
  cast_int!(swap_val) AS swap
FROM _memory_all_kinds;

-- The memory of processes, bytes. Sums are NULL if a part is, but for shmem_rss and swap: without values, there are none.
CREATE PERFETTO VIEW memory_rss_and_swap_per_process(
  -- When a value changed.
  ts TIMESTAMP,
  -- How long nothing changed.
  dur DURATION,
  -- The process.
  upid JOINID(process.id),
  -- Its number.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- Memory that no file is behind.
  anon_rss LONG,
  -- Memory with the content of files.
  file_rss LONG,
  -- Shared memory.
  shmem_rss LONG,
  -- The sum of these three.
  rss LONG,
  -- Memory that was moved to a disk, or compressed.
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
  upid,
  pid,
  name AS process_name,
  anon_rss,
  file_rss,
  shmem_rss,
  anon_rss + file_rss + ifnull(shmem_rss, 0) AS rss,
  swap,
  anon_rss + ifnull(swap, 0) AS anon_rss_and_swap,
  anon_rss + file_rss + ifnull(shmem_rss, 0) + ifnull(swap, 0) AS rss_and_swap
FROM _memory_rss_and_swap_per_process_table
JOIN process USING (upid);
