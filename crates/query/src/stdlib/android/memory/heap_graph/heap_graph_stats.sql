-- Heap graphs and the memory of their processes at that time.

INCLUDE PERFETTO MODULE android.memory.heap_graph.oome;
INCLUDE PERFETTO MODULE android.memory.dmabuf_spans;
INCLUDE PERFETTO MODULE android.oom_adjuster;
INCLUDE PERFETTO MODULE linux.memory.process;

-- The values of a counter of processes with the time for which they hold.
CREATE PERFETTO MACRO _hgs_values(
  -- The name of the counter.
  counter Expr
)
RETURNS TableOrSubquery
AS (
  SELECT
    track.upid,
    counter.ts,
    lead(counter.ts, 1, trace_end()) OVER (PARTITION BY counter.track_id ORDER BY counter.ts) AS ts_end,
    CAST(counter.value AS INT) AS value
  FROM process_counter_track AS track
  JOIN counter ON counter.track_id = track.id
  WHERE track.name = $counter
);

-- The value that held at a time, or else the first one of the half second after it.
CREATE PERFETTO MACRO _hgs_value_at(
  -- The values: upid, ts, ts_end, value.
  counter_values TableOrSubquery,
  -- The process.
  of_process Expr,
  -- The time.
  at Expr
)
RETURNS Expr
AS (
  SELECT value
  FROM $counter_values
  WHERE upid = $of_process AND ($at BETWEEN ts AND ts_end OR ts BETWEEN $at AND $at + 500000000)
  ORDER BY abs(ts - $at)
  LIMIT 1
);

-- The readiness with which the kernel kills processes.
CREATE PERFETTO TABLE _hgs_oom_scores AS
SELECT * FROM _hgs_values!('oom_score_adj');

-- The memory of processes that no file backs.
CREATE PERFETTO TABLE _hgs_anonymous AS
SELECT * FROM _hgs_values!('mem.rss.anon');

-- The memory of processes that was swapped out.
CREATE PERFETTO TABLE _hgs_swapped AS
SELECT * FROM _hgs_values!('mem.swap');

-- The memory of processes that is shared with devices.
CREATE PERFETTO TABLE _hgs_shared AS
SELECT * FROM _hgs_values!('mem.dmabuf_rss');

-- The sums over the objects of each graph.
CREATE PERFETTO TABLE _hgs_sums AS
SELECT
  upid,
  graph_sample_ts,
  sum(max(self_size, 0)) AS total_heap_size,
  sum(native_size) AS total_native_alloc_registry_size,
  count() AS total_obj_count,
  sum(reachable * max(self_size, 0)) AS reachable_heap_size,
  sum(reachable * native_size) AS reachable_native_alloc_registry_size,
  sum(reachable) AS reachable_obj_count
FROM heap_graph_object
GROUP BY upid, graph_sample_ts;

-- A row for each heap graph.
CREATE PERFETTO TABLE android_heap_graph_stats(
  -- The process.
  upid JOINID(process.id),
  -- When the graph was made.
  graph_sample_ts TIMESTAMP,
  -- How long the process had run.
  process_uptime LONG,
  -- The size of all objects, bytes.
  total_heap_size LONG,
  -- The native memory that belongs to objects, bytes. It is not part of the heap's size.
  total_native_alloc_registry_size LONG,
  -- The number of objects.
  total_obj_count LONG,
  -- The size of the objects that live, bytes.
  reachable_heap_size LONG,
  -- The native memory that belongs to those, bytes.
  reachable_native_alloc_registry_size LONG,
  -- Their number.
  reachable_obj_count LONG,
  -- How readily the kernel kills the process.
  oom_score_adj LONG,
  -- Its memory that no file backs, with what was swapped out, bytes.
  anon_rss_and_swap_size LONG,
  -- Its memory that is shared with devices, bytes.
  dmabuf_rss_size LONG,
  -- How much it allocated according to the runtime, bytes.
  art_bytes_allocated LONG,
  -- Whether the graph was made because the process ran out of memory.
  is_out_of_memory_error BOOL,
  -- The size of the allocation that failed, bytes.
  oome_failing_allocation_size LONG,
  -- By how much the heap could grow then, bytes.
  oome_remaining_art_free_bytes LONG
)
AS
SELECT
  sums.upid,
  sums.graph_sample_ts,
  sums.graph_sample_ts - process.start_ts AS process_uptime,
  sums.total_heap_size,
  sums.total_native_alloc_registry_size,
  sums.total_obj_count,
  sums.reachable_heap_size,
  sums.reachable_native_alloc_registry_size,
  sums.reachable_obj_count,
  _hgs_value_at!(_hgs_oom_scores, sums.upid, sums.graph_sample_ts) AS oom_score_adj,
  _hgs_value_at!(_hgs_anonymous, sums.upid, sums.graph_sample_ts)
  + coalesce(_hgs_value_at!(_hgs_swapped, sums.upid, sums.graph_sample_ts), 0) AS anon_rss_and_swap_size,
  _hgs_value_at!(_hgs_shared, sums.upid, sums.graph_sample_ts) AS dmabuf_rss_size,
  graph.heap_size AS art_bytes_allocated,
  graph.dump_reason = 'OOME'
  OR (SELECT str_value FROM metadata WHERE name = 'trace_trigger') = 'com.android.telemetry.art-outofmemory'
    AS is_out_of_memory_error,
  error.allocation_size_bytes AS oome_failing_allocation_size,
  error.free_bytes_until_oom AS oome_remaining_art_free_bytes
FROM _hgs_sums AS sums
JOIN process USING (upid)
LEFT JOIN heap_graph AS graph ON graph.upid = sums.upid AND graph.ts = sums.graph_sample_ts
LEFT JOIN android_heap_graph_java_oome_details AS error ON error.heap_graph_id = graph.id;
