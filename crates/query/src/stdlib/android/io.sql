-- What apps read and write, as the file system F2FS tells.

-- The counters of F2FS.
CREATE PERFETTO VIEW _android_io_f2fs_counter_stats(
  -- The name behind the device.
  name STRING,
  -- The sum of the values.
  sum DOUBLE,
  -- The largest value.
  max DOUBLE,
  -- The smallest value.
  min DOUBLE,
  -- The time from the first value to the last.
  dur DURATION,
  -- How many values.
  count LONG,
  -- The mean value.
  avg DOUBLE
)
AS
SELECT
  str_split(track.name, '].', 1) AS name,
  sum(counter.value) AS sum,
  max(counter.value) AS max,
  min(counter.value) AS min,
  max(counter.ts) - min(counter.ts) AS dur,
  count(counter.ts) AS count,
  avg(counter.value) AS avg
FROM counter
JOIN counter_track AS track ON track.id = counter.track_id
WHERE track.name GLOB '*f2fs*'
GROUP BY 1
ORDER BY sum DESC;

-- What threads wrote to files.
CREATE PERFETTO VIEW _android_io_f2fs_write_stats(
  -- The thread.
  utid JOINID(thread.id),
  -- Its number.
  tid LONG,
  -- Its name.
  thread_name STRING,
  -- The process.
  upid JOINID(process.id),
  -- Its number.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- The number of the file.
  ino LONG,
  -- The device of the file.
  dev LONG,
  -- How much was written, bytes.
  bytes LONG,
  -- How often.
  write_count LONG
)
AS
SELECT
  utid,
  thread.tid,
  thread.name AS thread_name,
  upid,
  process.pid,
  process.name AS process_name,
  written.ino,
  written.dev,
  sum(written.copied) AS bytes,
  count(written.len) AS write_count
FROM (
  SELECT
    utid,
    extract_arg(arg_set_id, 'ino') AS ino,
    extract_arg(arg_set_id, 'dev') AS dev,
    extract_arg(arg_set_id, 'len') AS len,
    extract_arg(arg_set_id, 'copied') AS copied
  FROM ftrace_event
  WHERE name GLOB 'f2fs_write_end*'
) AS written
JOIN thread USING (utid)
JOIN process USING (upid)
GROUP BY utid, written.ino, written.dev
ORDER BY bytes DESC;

-- The sums of all.
CREATE PERFETTO VIEW _android_io_f2fs_aggregate_write_stats(
  -- How often something was written.
  total_write_count LONG,
  -- How many processes wrote.
  distinct_processes LONG,
  -- How much was written, bytes.
  total_bytes_written LONG,
  -- How many devices.
  distinct_device_count LONG,
  -- How many files.
  distinct_inode_count LONG,
  -- How many threads wrote.
  distinct_thread_count LONG
)
AS
SELECT
  sum(write_count) AS total_write_count,
  count(DISTINCT pid) AS distinct_processes,
  sum(bytes) AS total_bytes_written,
  count(DISTINCT dev) AS distinct_device_count,
  count(DISTINCT ino) AS distinct_inode_count,
  count(DISTINCT tid) AS distinct_thread_count
FROM _android_io_f2fs_write_stats;
