-- Why threads did not run: the chain of threads that each waited for the next one.
--
-- An executing span begins when another thread wakes a thread, and lasts until the thread sleeps again. It has the id of its
-- first row in thread_state:
--
-- ```
-- S......|R..Running......|S......|R..Running....|S...
--        |---- span 1 ----|       |--- span 2 ---|
-- ```

INCLUDE PERFETTO MODULE intervals.intersect;

INCLUDE PERFETTO MODULE intervals.overlap;

-- The states in which a thread waited for a CPU after another one woke it.
CREATE PERFETTO VIEW _runnable_state AS
SELECT
  id, ts, dur, state, utid, waker_id, waker_utid,
  -- Interrupts wake threads on behalf of no other thread.
  iif(ifnull(irq_context, 0) = 0, ifnull(io_wait, 0), 1) AS is_irq
FROM thread_state
WHERE dur != -1 AND waker_id IS NOT NULL;

-- States with the sleep that ended when they began. begins_span says whether a span begins; a thread's first span may have no
-- sleep before it.
CREATE PERFETTO TABLE _executing_span_state AS
SELECT
  id, utid, ts, dur, waker_id, is_irq,
  iif(was_sleep, before_ts, NULL) AS idle_ts,
  iif(was_sleep, before_state, NULL) AS idle_state,
  iif(was_sleep, before_function, NULL) AS idle_reason,
  ifnull(dur >= 0 AND ((was_sleep AND waker_id IS NOT NULL) OR (before_ts IS NULL AND state = 'R')), 0) AS begins_span
FROM (
  SELECT *, ifnull(before_state IN ('S', 'D', 'I') AND before_ts + before_dur = ts, 0) AS was_sleep
  FROM (
    SELECT
      id, utid, ts, dur, state, waker_id,
      -- Interrupts wake threads on behalf of no other thread.
      iif(ifnull(irq_context, 0) = 0, ifnull(io_wait, 0), 1) AS is_irq,
      lag(ts) OVER _of_thread AS before_ts,
      lag(dur) OVER _of_thread AS before_dur,
      lag(state) OVER _of_thread AS before_state,
      lag(blocked_function) OVER _of_thread AS before_function
    FROM thread_state
    WINDOW _of_thread AS (PARTITION BY utid ORDER BY ts, id)
  )
);

-- The span during which each state happened.
CREATE PERFETTO TABLE _executing_span_of_state AS
SELECT id, max(iif(begins_span, id, NULL)) OVER (PARTITION BY utid ORDER BY ts, id) AS span_id
FROM _executing_span_state;

CREATE PERFETTO INDEX _executing_span_of_state_id ON _executing_span_of_state(id);

-- The spans: who woke each, and which was the one before on the same thread.
CREATE PERFETTO TABLE _wakeup_graph(
  -- The thread.
  utid JOINID(thread.id),
  -- The first row of thread_state.
  id JOINID(thread_state.id),
  -- The span of the thread that woke it; NULL if an interrupt did.
  waker_id JOINID(thread_state.id),
  ts TIMESTAMP,
  -- The state in which it slept before, or IRQ.
  idle_state STRING,
  -- The function of the kernel that it slept in.
  idle_reason STRING,
  -- How long it slept before.
  idle_dur DURATION,
  -- The span before.
  prev_id JOINID(thread_state.id),
  -- Until the sleep before the next span, or the last known state of the thread.
  dur DURATION
)
AS
SELECT
  it.utid,
  it.id,
  iif(it.is_irq, NULL, waker.span_id) AS waker_id,
  it.ts,
  iif(it.is_irq, 'IRQ', it.idle_state) AS idle_state,
  it.idle_reason,
  it.ts - it.idle_ts AS idle_dur,
  lag(it.id) OVER _of_thread AS prev_id,
  ifnull(lead(it.idle_ts) OVER _of_thread, last.ts_end) - it.ts AS dur
FROM _executing_span_state AS it
JOIN (
  SELECT utid, max(ts + dur) AS ts_end FROM thread_state WHERE dur >= 0 GROUP BY utid
) AS last ON last.utid = it.utid
LEFT JOIN _executing_span_of_state AS waker ON waker.id = it.waker_id
WHERE it.begins_span
WINDOW _of_thread AS (PARTITION BY it.utid ORDER BY it.ts, it.id)
ORDER BY it.id;

-- The spans to start from, so that their critical paths cover some intervals: root_node_id, and capacity, the distance to the
-- id of the span before.
CREATE PERFETTO MACRO _intervals_to_roots(
  -- The intervals: ts, dur, utid.
  _source_table TableOrSubquery,
  -- The spans, as in _wakeup_graph.
  _node_table TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT DISTINCT span.id AS root_node_id, span.id - ifnull(span.prev_id, span.id) AS capacity
  FROM $_source_table AS wanted
  JOIN $_node_table AS span
    ON span.utid = wanted.utid
    AND span.ts - ifnull(span.idle_dur, 0) < wanted.ts + wanted.dur
    AND span.ts + span.dur > wanted.ts
);

-- The critical paths of some spans, from the start of the sleep before each: root_id, depth, ts, dur, id, parent_id. At any
-- time, the thread of the span id ran or was about to, and the root waited for it. depth says over how many others.
CREATE PERFETTO MACRO _critical_path_with_depth_by_roots(
  -- The spans: root_node_id.
  _roots_table TableOrSubquery,
  -- All spans, as in _wakeup_graph.
  _node_table TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT c0 AS root_id, c1 AS depth, c2 AS ts, c3 AS dur, c4 AS id, c5 AS parent_id
  FROM __intrinsic_table_ptr(__intrinsic_critical_path_walk(
    (SELECT __intrinsic_wakeup_graph_agg(id, utid, ts, dur, idle_dur, waker_id, prev_id) FROM $_node_table),
    (SELECT __intrinsic_array_agg(root_node_id) FROM $_roots_table)
  ))
  WHERE __intrinsic_table_ptr_bind(c0, 'root_id')
    AND __intrinsic_table_ptr_bind(c1, 'depth')
    AND __intrinsic_table_ptr_bind(c2, 'ts')
    AND __intrinsic_table_ptr_bind(c3, 'dur')
    AND __intrinsic_table_ptr_bind(c4, 'blocker_id')
    AND __intrinsic_table_ptr_bind(c5, 'parent_id')
);

-- The same without gaps: root_id, id, ts, dur. While nobody is known to have kept it, the root itself is to blame.
CREATE PERFETTO MACRO _critical_path_by_roots(
  -- The spans: root_node_id.
  _roots_table TableOrSubquery,
  -- All spans, as in _wakeup_graph.
  _node_table TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT root_id, id, ts, dur
  FROM _intervals_flatten!((
    SELECT
      root_id,
      min(ts) OVER _cp_root AS root_ts,
      max(ts + dur) OVER _cp_root - min(ts) OVER _cp_root AS root_dur,
      id, parent_id, ts, dur
    FROM _critical_path_with_depth_by_roots!($_roots_table, $_node_table)
    WINDOW _cp_root AS (PARTITION BY root_id)
  ))
);

-- The critical paths of threads during some intervals: root_utid, utid (who is to blame), root_id, id, ts, dur, interval_ts,
-- interval_dur.
CREATE PERFETTO MACRO _critical_path_by_intervals(
  -- The intervals: ts, dur, utid.
  _intervals_table TableOrSubquery,
  -- All spans, as in _wakeup_graph.
  _node_table TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  WITH
    _cpi_wanted AS MATERIALIZED (
      SELECT row_number() OVER () AS id, ts, dur, utid AS root_utid FROM $_intervals_table
    ),
    _cpi_node AS MATERIALIZED (SELECT * FROM $_node_table),
    _cpi_path AS MATERIALIZED (
      SELECT row_number() OVER () AS id, path.ts, path.dur, path.root_id, path.id AS span_id, root.utid AS root_utid, span.utid
      FROM _critical_path_by_roots!(_intervals_to_roots!($_intervals_table, _cpi_node), _cpi_node) AS path
      JOIN _cpi_node AS root ON root.id = path.root_id
      JOIN _cpi_node AS span ON span.id = path.id
    )
  SELECT DISTINCT
    path.root_utid, path.utid, path.root_id, path.span_id AS id, part.ts, part.dur,
    wanted.ts AS interval_ts, wanted.dur AS interval_dur
  FROM _interval_intersect!((_cpi_path, _cpi_wanted), (root_utid)) AS part
  JOIN _cpi_path AS path ON path.id = part.id_0
  JOIN _cpi_wanted AS wanted ON wanted.id = part.id_1
  WHERE part.dur > 0
);

-- The critical path of a thread during an interval.
CREATE PERFETTO FUNCTION _thread_executing_span_critical_path(
  -- The thread.
  root_utid JOINID(thread.id),
  -- The start of the interval.
  ts TIMESTAMP,
  -- Its length.
  dur DURATION
)
RETURNS TABLE(
  -- The thread.
  root_utid JOINID(thread.id),
  -- Its span, or the span after its sleep.
  root_id JOINID(thread_state.id),
  -- The span of the thread that it waited for.
  id JOINID(thread_state.id),
  ts TIMESTAMP,
  dur DURATION,
  -- The thread that it waited for.
  utid JOINID(thread.id)
)
AS
SELECT root_utid, root_id, id, ts, dur, utid
FROM _critical_path_by_intervals!((SELECT $root_utid AS utid, $ts AS ts, $dur AS dur), _wakeup_graph);
