-- Threads of the kernel.

-- Threads that kthreadd (2) began, and kthreadd. The kernel shows each as a process.
CREATE PERFETTO TABLE linux_kernel_threads(
  -- The process.
  upid JOINID(process.id),
  -- The thread.
  utid JOINID(thread.id),
  -- The number of the process.
  pid LONG,
  -- The number of the thread.
  tid LONG,
  -- The name of the process.
  process_name STRING,
  -- The name of the thread.
  thread_name STRING,
  -- The machine.
  machine_id JOINID(machine.id)
)
AS
SELECT
  process.upid,
  thread.utid,
  process.pid,
  thread.tid,
  process.name AS process_name,
  thread.name AS thread_name,
  process.machine_id
FROM process
JOIN thread USING (upid)
LEFT JOIN process AS parent ON parent.upid = process.parent_upid
WHERE process.pid = 2 OR parent.pid = 2
ORDER BY process.upid, thread.utid;
