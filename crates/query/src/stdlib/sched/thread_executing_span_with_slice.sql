-- Critical paths with the states, slices and CPUs of the threads on them, as stacks to draw.

INCLUDE PERFETTO MODULE intervals.intersect;

INCLUDE PERFETTO MODULE sched.thread_executing_span;

INCLUDE PERFETTO MODULE slices.flat_slices;

-- The states of threads without what other tables have, too.
CREATE PERFETTO VIEW _executing_state AS
SELECT id AS thread_state_id, ts, dur, utid, state, blocked_function, io_wait, cpu FROM thread_state;

-- The innermost slice of each thread at each time.
CREATE PERFETTO VIEW _executing_slice AS
SELECT slice_id, depth AS slice_depth, ts, dur, utid FROM _slice_flattened;

CREATE VIRTUAL TABLE _executing_state_and_slice USING SPAN_LEFT_JOIN(
  _executing_state PARTITIONED utid, _executing_slice PARTITIONED utid
);

-- The states of all threads, cut where the innermost slice changes.
CREATE PERFETTO TABLE _state_with_slice AS
SELECT
  row_number() OVER (ORDER BY ts) AS id,
  ts, dur, utid, thread_state_id, state, blocked_function, io_wait, cpu, slice_id, slice_depth
FROM _executing_state_and_slice
WHERE dur > 0;

-- The critical path of a thread, cut where a state or a slice changes, of the thread itself or of the one it waits for.
CREATE PERFETTO FUNCTION _critical_path_parts(
  root_utid JOINID(thread.id),
  ts TIMESTAMP,
  dur DURATION
)
RETURNS TABLE(ts TIMESTAMP, dur DURATION, utid LONG, own_id LONG, path_id LONG)
AS
WITH
  _cpp_path AS MATERIALIZED (
    SELECT row_number() OVER () AS id, ts, dur, utid
    FROM _thread_executing_span_critical_path($root_utid, $ts, $dur)
  ),
  _cpp_state AS MATERIALIZED (
    SELECT row_number() OVER () AS id, part.ts, part.dur, path.utid, part.id_1 AS path_id
    FROM _interval_intersect!((_cpp_path, _state_with_slice), (utid)) AS part
    JOIN _cpp_path AS path ON path.id = part.id_0
  )
SELECT part.ts, part.dur, state.utid, part.id_0 AS own_id, state.path_id
FROM _interval_intersect!(
  ((SELECT id, ts, dur FROM _state_with_slice WHERE utid = $root_utid), _cpp_state), ()
) AS part
JOIN _cpp_state AS state ON state.id = part.id_1
WHERE part.dur > 0;

-- The rows of a stack above the slices: those of the thread itself, and those of the one it waits for.
CREATE PERFETTO TABLE _critical_path_line AS
WITH _line(is_blocking, place, what, label) AS (
  VALUES
    (0, 0, 'state', 'thread_state: '),
    (0, 1, 'function', 'kernel function: '),
    (0, 2, 'io_wait', 'io_wait: '),
    (0, 3, 'process', 'process_name: '),
    (0, 4, 'thread', 'thread_name: '),
    (1, 0, 'state', 'blocking thread_state: '),
    (1, 1, 'process', 'blocking process_name: '),
    (1, 2, 'thread', 'blocking thread_name: '),
    (1, 3, 'function', 'blocking kernel_function: '),
    (1, 4, 'io_wait', 'blocking io_wait: ')
)
SELECT * FROM _line;

-- What a thread does, or waits for, at each time of an interval: a stack of rows with the same ts. From the top, these are
-- the rows of _critical_path_line and the slices of the thread, then those of the thread it waits for, and the CPU. Rows without
-- a name keep the place of what is missing.
CREATE PERFETTO FUNCTION _critical_path_stack(
  -- The thread.
  root_utid JOINID(thread.id),
  -- The start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Whether to name the process.
  enable_process_name LONG,
  -- Whether to name the thread.
  enable_thread_name LONG,
  -- Whether to name the slices of the thread.
  enable_self_slice LONG,
  -- Whether to name the slices of the thread it waits for.
  enable_critical_path_slice LONG
)
RETURNS TABLE(
  -- The row of table_name.
  id LONG,
  ts TIMESTAMP,
  dur DURATION,
  utid JOINID(thread.id),
  stack_depth LONG,
  name STRING,
  -- `thread_state` or `slice`.
  table_name STRING,
  root_utid JOINID(thread.id)
)
AS
WITH
  _cps_part AS MATERIALIZED (SELECT * FROM _critical_path_parts($root_utid, $ts, $dur)),
  -- The thread itself, and the one it waits for if that is another. Each is above `base` other rows.
  _cps_side AS MATERIALIZED (
    SELECT
      part.ts, part.dur, $root_utid AS utid, part.own_id AS state_id, 0 AS base,
      $enable_process_name AS has_process, $enable_thread_name AS has_thread, $enable_self_slice AS has_slices
    FROM _cps_part AS part
    UNION ALL
    SELECT
      part.ts, part.dur, part.utid, part.path_id, ifnull(own.slice_depth + 1, 0) + 5,
      1, 1, $enable_critical_path_slice
    FROM _cps_part AS part
    JOIN _state_with_slice AS own ON own.id = part.own_id
    WHERE part.utid <> $root_utid
  ),
  _cps_row AS (
    SELECT
      state.thread_state_id AS id, side.ts, side.dur, side.utid, side.base + line.place AS stack_depth,
      line.label || CASE line.what
        WHEN 'state' THEN state.state
        WHEN 'function' THEN iif(state.state GLOB 'R*', NULL, state.blocked_function)
        WHEN 'io_wait' THEN iif(state.state GLOB 'R*', NULL, state.io_wait)
        WHEN 'process' THEN iif(side.has_process, process.name, NULL)
        ELSE iif(side.has_thread, thread.name, NULL)
      END AS name,
      'thread_state' AS table_name
    FROM _cps_side AS side
    JOIN _critical_path_line AS line ON line.is_blocking = (side.base > 0)
    JOIN _state_with_slice AS state ON state.id = side.state_id
    JOIN thread ON thread.utid = side.utid
    LEFT JOIN process ON process.upid = thread.upid
    UNION ALL
    -- Then the slices, the outermost first.
    SELECT
      slice.id, side.ts, side.dur, side.utid, side.base + 5 + slice.depth, iif(side.has_slices, slice.name, NULL), 'slice'
    FROM _cps_side AS side
    JOIN _state_with_slice AS state ON state.id = side.state_id
    JOIN (
      SELECT slice_id, slice_id AS id FROM (SELECT DISTINCT slice_id FROM _state_with_slice WHERE slice_id IS NOT NULL)
      UNION ALL
      SELECT slice_id, ancestor.id
      FROM (SELECT DISTINCT slice_id FROM _state_with_slice WHERE slice_id IS NOT NULL), ancestor_slice(slice_id) AS ancestor
    ) AS around ON around.slice_id = state.slice_id
    JOIN slice ON slice.id = around.id
    UNION ALL
    -- The CPU is below all others.
    SELECT
      state.thread_state_id, side.ts, side.dur, side.utid,
      side.base + 5 + ifnull(state.slice_depth + 1, 0), 'cpu: ' || state.cpu, 'thread_state'
    FROM _cps_part AS part
    JOIN _cps_side AS side ON side.ts = part.ts AND side.utid = part.utid
    JOIN _state_with_slice AS state ON state.id = part.path_id
    WHERE state.state = 'Running'
  )
SELECT id, ts, dur, utid, stack_depth, name, table_name, $root_utid AS root_utid FROM _cps_row;

-- The stacks of a thread with all names.
CREATE PERFETTO FUNCTION _thread_executing_span_critical_path_stack(
  -- The thread.
  root_utid JOINID(thread.id),
  -- The start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION
)
RETURNS TABLE(
  -- The row of table_name.
  id LONG,
  ts TIMESTAMP,
  dur DURATION,
  utid JOINID(thread.id),
  stack_depth LONG,
  name STRING,
  -- `thread_state` or `slice`.
  table_name STRING,
  root_utid JOINID(thread.id)
)
AS
SELECT * FROM _critical_path_stack($root_utid, $ts, $dur, 1, 1, 1, 1);

-- The stacks as a profile in the format of pprof: the time spent in each.
CREATE PERFETTO FUNCTION _critical_path_graph(
  -- The name of the root.
  graph_title STRING,
  -- The thread.
  root_utid JOINID(thread.id),
  -- The start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION,
  -- Whether to name the process.
  enable_process_name LONG,
  -- Whether to name the thread.
  enable_thread_name LONG,
  -- Whether to name the slices of the thread.
  enable_self_slice LONG,
  -- Whether to name the slices of the thread it waits for.
  enable_critical_path_slice LONG
)
RETURNS TABLE(
  -- The file.
  pprof BYTES
)
AS
WITH RECURSIVE
  _cpg_frame AS MATERIALIZED (
    SELECT
      ts, dur, name,
      row_number() OVER (PARTITION BY ts ORDER BY stack_depth) AS place,
      count(*) OVER (PARTITION BY ts) AS places
    FROM _critical_path_stack(
      $root_utid, $ts, $dur,
      $enable_process_name, $enable_thread_name, $enable_self_slice, $enable_critical_path_slice
    )
    WHERE name IS NOT NULL
  ),
  _cpg_stack AS (
    SELECT ts, dur, place, places, cat_stacks($graph_title, name) AS stack FROM _cpg_frame WHERE place = 1
    UNION ALL
    SELECT frame.ts, frame.dur, frame.place, frame.places, cat_stacks(stack, frame.name)
    FROM _cpg_stack AS above
    JOIN _cpg_frame AS frame ON frame.ts = above.ts AND frame.place = above.place + 1
  )
SELECT experimental_profile(stack, 'duration', 'ns', dur) AS pprof FROM _cpg_stack WHERE place = places;

-- The same with all names.
CREATE PERFETTO FUNCTION _thread_executing_span_critical_path_graph(
  -- The name of the root.
  graph_title STRING,
  -- The thread.
  root_utid JOINID(thread.id),
  -- The start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION
)
RETURNS TABLE(
  -- The file.
  pprof BYTES
)
AS
SELECT * FROM _critical_path_graph($graph_title, $root_utid, $ts, $dur, 1, 1, 1, 1);
