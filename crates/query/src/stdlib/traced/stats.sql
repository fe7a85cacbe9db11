-- Figures of Perfetto's recorder.

-- For each buffer that was copied for a clone of a recording, when that was done, and when the clone and its trigger
-- began.
CREATE PERFETTO VIEW _traced_cloned_buffers AS
SELECT
  done.idx AS buffer_id,
  done.value AS done_ts,
  done.machine_id,
  done.trace_id,
  nullif(started.value, 0) AS started_ts,
  nullif(triggered.value, 0) AS triggered_ts
FROM stats AS done
LEFT JOIN stats AS started
  ON started.name = 'traced_clone_started_timestamp_ns'
  AND started.machine_id IS done.machine_id AND started.trace_id IS done.trace_id
LEFT JOIN stats AS triggered
  ON triggered.name = 'traced_clone_trigger_timestamp_ns'
  AND triggered.machine_id IS done.machine_id AND triggered.trace_id IS done.trace_id
WHERE done.name = 'traced_buf_clone_done_timestamp_ns';

-- How long it took to copy each buffer, from the beginning of the clone on.
CREATE PERFETTO TABLE traced_clone_flush_latency(
  -- The buffer.
  buffer_id LONG,
  -- How long it took, ns.
  duration_ns LONG,
  -- The machine.
  machine_id JOINID(machine.id),
  -- The trace.
  trace_id LONG
)
AS
SELECT buffer_id, done_ts - started_ts AS duration_ns, machine_id, trace_id
FROM _traced_cloned_buffers
WHERE started_ts IS NOT NULL
ORDER BY machine_id, trace_id, buffer_id;

-- How long it took to copy each buffer, from the trigger of the clone on.
CREATE PERFETTO TABLE traced_trigger_clone_flush_latency(
  -- The buffer.
  buffer_id LONG,
  -- How long it took, ns.
  duration_ns LONG,
  -- The machine.
  machine_id JOINID(machine.id),
  -- The trace.
  trace_id LONG
)
AS
SELECT buffer_id, done_ts - triggered_ts AS duration_ns, machine_id, trace_id
FROM _traced_cloned_buffers
WHERE triggered_ts IS NOT NULL
ORDER BY machine_id, trace_id, buffer_id;
