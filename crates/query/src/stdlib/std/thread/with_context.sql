-- Threads with their processes.

-- Threads, also those without a known process.
CREATE PERFETTO TABLE _thread_with_process AS
SELECT
  thread.utid, thread.tid, thread.name AS thread_name, thread.is_main_thread, process.upid, process.pid,
  process.name AS process_name
FROM thread
LEFT JOIN process USING (upid);
