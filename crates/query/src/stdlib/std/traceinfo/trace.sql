-- The traces that were opened together.

-- What is known about each.
CREATE PERFETTO TABLE _metadata_by_trace(
  -- The trace.
  trace_id LONG,
  -- The name that its recorder gave it.
  unique_session_name STRING,
  -- Its id.
  trace_uuid STRING,
  -- Its format.
  trace_type STRING,
  -- Its size, bytes.
  trace_size_bytes LONG,
  -- What made it be recorded.
  trace_trigger STRING,
  -- The machines, with commas.
  machines STRING
)
AS
SELECT
  trace_id,
  extract_metadata_for_trace(trace_id, 'unique_session_name') AS unique_session_name,
  extract_metadata_for_trace(trace_id, 'trace_uuid') AS trace_uuid,
  extract_metadata_for_trace(trace_id, 'trace_type') AS trace_type,
  extract_metadata_for_trace(trace_id, 'trace_size_bytes') AS trace_size_bytes,
  extract_metadata_for_trace(trace_id, 'trace_trigger') AS trace_trigger,
  ifnull(
    group_concat(
      ifnull(extract_metadata_for_machine(machine_id, 'system_name'), 'Machine ' || machine_id), ', '
    ),
    ''
  ) AS machines
FROM (SELECT DISTINCT trace_id FROM metadata WHERE trace_id IS NOT NULL)
LEFT JOIN (SELECT DISTINCT trace_id, machine_id FROM metadata WHERE machine_id IS NOT NULL) USING (trace_id)
GROUP BY trace_id;
