-- Names of threads, and processes that make many threads.

-- The name of a thread without what differs from one thread to the next: what is before the first of - [ : and a space,
-- without numbers.
CREATE PERFETTO FUNCTION android_standardize_thread_name(
  -- The name, such as RenderThread-1[123].
  thread_name STRING
)
RETURNS STRING
AS
SELECT
  iif(
    $thread_name GLOB 'kworker/*',
    'kworker',
    __intrinsic_strip_hex(
      str_split(str_split(str_split(str_split($thread_name, '-', 0), '[', 0), ':', 0), ' ', 0), 1
    )
  );

-- The threads that live at most for some time, and how many were made in the time from each one on.
CREATE PERFETTO MACRO _android_threads_made(
  -- The longest life; NULL for all threads.
  max_thread_dur Expr,
  -- The time in which threads are counted.
  sliding_window_dur Expr,
  -- What is counted together: columns of thread.
  key Expr
)
RETURNS TableOrSubquery
AS (
  SELECT
    upid,
    process.name AS process_name,
    $key AS key,
    count(thread.start_ts) OVER (
      PARTITION BY upid, $key
      ORDER BY thread.start_ts
      RANGE BETWEEN CURRENT ROW AND cast_int!($sliding_window_dur) FOLLOWING
    ) AS count
  FROM thread
  JOIN process USING (upid)
  WHERE $max_thread_dur IS NULL OR ($max_thread_dur AND thread.end_ts - thread.start_ts <= $max_thread_dur)
);

-- How many threads of a kind processes make at most within some time.
CREATE PERFETTO FUNCTION _android_thread_creation_spam_per_thread(
  -- Only threads that live for at most so long; NULL for all.
  max_thread_dur DOUBLE,
  -- The time in which they are counted.
  sliding_window_dur DOUBLE
)
RETURNS TABLE(
  -- The name of the process.
  process_name STRING,
  -- The process.
  upid JOINID(process.id),
  -- The kind: the beginning of their names.
  thread_name_prefix STRING,
  -- How many.
  max_count_per_sec LONG
)
AS
SELECT process_name, upid, key AS thread_name_prefix, max(count) AS max_count_per_sec
FROM _android_threads_made!(
  $max_thread_dur, $sliding_window_dur, android_standardize_thread_name(thread.name)
)
GROUP BY upid, key
HAVING max_count_per_sec > 0
ORDER BY max_count_per_sec DESC;

-- How many threads processes make at most within some time.
CREATE PERFETTO FUNCTION _android_thread_creation_spam_per_process(
  -- Only threads that live for at most so long; NULL for all.
  max_thread_dur DOUBLE,
  -- The time in which they are counted.
  sliding_window_dur DOUBLE
)
RETURNS TABLE(
  -- The name of the process.
  process_name STRING,
  -- The process.
  upid JOINID(process.id),
  -- How many.
  max_count_per_sec LONG
)
AS
SELECT process_name, upid, max(count) AS max_count_per_sec
FROM _android_threads_made!($max_thread_dur, $sliding_window_dur, NULL)
GROUP BY upid
HAVING max_count_per_sec > 0
ORDER BY max_count_per_sec DESC;
