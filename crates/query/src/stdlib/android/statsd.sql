-- What the system's statistics (statsd) note. The tables are those of slices.

-- The notes.
CREATE PERFETTO VIEW android_statsd_atoms(
  -- The slice.
  id LONG,
  -- When it was noted.
  ts TIMESTAMP,
  -- 0.
  dur DURATION,
  -- What was noted.
  arg_set_id ARGSETID,
  -- See slice.
  thread_instruction_count LONG,
  -- See slice.
  thread_instruction_delta LONG,
  -- The track.
  track_id JOINID(track.id),
  -- See slice.
  category STRING,
  -- The kind of note.
  name STRING,
  -- See slice.
  depth LONG,
  -- See slice.
  parent_id LONG,
  -- See slice.
  thread_ts TIMESTAMP,
  -- See slice.
  thread_dur LONG
)
AS
SELECT
  id, ts, dur, arg_set_id, thread_instruction_count, thread_instruction_delta, track_id, category, name, depth, parent_id,
  thread_ts, thread_dur
FROM slice
WHERE track_id IN (SELECT id FROM track WHERE name = 'Statsd Atoms');

-- What made Perfetto record.
CREATE PERFETTO TABLE _android_statsd_perfetto_triggers(
  -- When.
  ts TIMESTAMP,
  -- The name of the trigger.
  trigger_name STRING
)
AS
SELECT ts, extract_arg(arg_set_id, 'perfetto_trigger.trigger_name') AS trigger_name
FROM android_statsd_atoms
WHERE name = 'perfetto_trigger';
