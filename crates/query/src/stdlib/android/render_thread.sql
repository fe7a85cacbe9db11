-- The threads that draw for apps.

-- The RenderThread of each process: upid, render_thread_utid.
CREATE PERFETTO TABLE _render_thread_per_process(
  -- The process.
  upid JOINID(process.id),
  -- The thread.
  render_thread_utid JOINID(thread.id)
)
AS
SELECT upid, utid AS render_thread_utid
FROM thread
WHERE name = 'RenderThread';
