-- Threads for pictures of the trace.

INCLUDE PERFETTO MODULE linux.threads;
INCLUDE PERFETTO MODULE viz.summary.trace;

-- The threads of Linux kernels: utid.
CREATE PERFETTO TABLE _kernel_threads AS
SELECT utid
FROM linux_kernel_threads
WHERE _is_linux_machine(machine_id);

-- All threads, with is_kernel_thread.
CREATE PERFETTO TABLE _threads_with_kernel_flag AS
SELECT
  id, utid, upid, tid, name, is_main_thread, is_idle, machine_id,
  utid IN (SELECT utid FROM _kernel_threads) AS is_kernel_thread
FROM thread;
