-- Garbage collection in processes with Java.

INCLUDE PERFETTO MODULE android.startup.startups;
INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE slices.with_context;

-- Collections of threads. The runtime may compact as a slice of its own behind it, which counts, too.
CREATE PERFETTO TABLE _gc_slice AS
SELECT
  id AS gc_id,
  name AS gc_name,
  ts,
  iif(dur = -1, trace_end() - ts, dur)
  + iif(next_name IN ('CompactionPhase', 'Background concurrent copying GC'), next_dur, 0) AS dur,
  utid,
  tid,
  upid,
  pid,
  thread_name,
  process_name
FROM (
  SELECT
    *,
    lead(name) OVER (PARTITION BY track_id ORDER BY ts) AS next_name,
    lead(dur) OVER (PARTITION BY track_id ORDER BY ts) AS next_dur
  FROM thread_slice
  WHERE depth = 0
)
WHERE name GLOB '*concurrent*GC';

-- The size of the heap of processes until it changes, and before.
CREATE PERFETTO TABLE _gc_heap AS
SELECT
  counter.ts,
  lead(counter.ts, 1, trace_end()) OVER process_time - counter.ts AS dur,
  track.upid,
  CAST(counter.value AS INT) AS kb,
  counter.ts - lag(counter.ts) OVER process_time AS before_dur,
  counter.value AS value,
  ifnull(max(counter.value - lag(counter.value) OVER process_time, 0), 0) AS allocated
FROM counter
JOIN process_counter_track AS track ON track.id = counter.track_id
WHERE track.name = 'Heap size (KB)'
WINDOW process_time AS (PARTITION BY track.upid ORDER BY counter.ts);

-- Collections with the size of the heap that was noted next after their end.
CREATE PERFETTO TABLE _gc_with_next_heap AS
SELECT
  gc.*,
  (
    SELECT heap.kb
    FROM _gc_heap AS heap
    WHERE heap.upid = gc.upid AND heap.ts >= gc.ts + gc.dur
    ORDER BY heap.ts
    LIMIT 1
  ) AS next_kb
FROM _gc_slice AS gc;

-- And with the sizes during them.
CREATE PERFETTO TABLE _gc_with_heap AS
SELECT
  gc.*,
  max(max(heap.kb, gc.next_kb)) / 1e3 AS max_heap_mb,
  min(min(heap.kb, gc.next_kb)) / 1e3 AS min_heap_mb
FROM _gc_with_next_heap AS gc
JOIN _gc_heap AS heap
  ON heap.upid = gc.upid AND heap.ts < gc.ts + gc.dur AND heap.ts + heap.dur > gc.ts
GROUP BY gc.gc_id;

-- And with the states of the thread.
CREATE VIRTUAL TABLE _gc_states
USING SPAN_LEFT_JOIN(_gc_with_heap PARTITIONED utid, thread_state PARTITIONED utid);

-- Collections: what they freed, and what their threads did meanwhile.
CREATE PERFETTO TABLE android_garbage_collection_events(
  -- The number of the thread that collects.
  tid LONG,
  -- The number of its process.
  pid LONG,
  -- The thread.
  utid JOINID(thread.id),
  -- Its process.
  upid JOINID(process.id),
  -- The name of the thread.
  thread_name STRING,
  -- The name of the process.
  process_name STRING,
  -- Why: native_alloc, alloc, young, collector_transition, explicit, or full for all others.
  gc_type STRING,
  -- Whether objects are compacted in place, rather than copied.
  is_mark_compact LONG,
  -- What was freed: the largest minus the smallest size, megabytes.
  reclaimed_mb DOUBLE,
  -- The smallest size of the heap, megabytes.
  min_heap_mb DOUBLE,
  -- The largest size of the heap, megabytes.
  max_heap_mb DOUBLE,
  -- The slice.
  gc_id LONG,
  -- When it began.
  gc_ts TIMESTAMP,
  -- How long it took.
  gc_dur DURATION,
  -- For how long the thread ran.
  gc_running_dur DURATION,
  -- For how long it waited for a CPU.
  gc_runnable_dur DURATION,
  -- For how long it waited in the kernel for a disk.
  gc_unint_io_dur DURATION,
  -- For how long it waited in the kernel for something else.
  gc_unint_non_io_dur DURATION,
  -- For how long it slept.
  gc_int_dur LONG
)
AS
SELECT
  tid,
  pid,
  utid,
  upid,
  thread_name,
  process_name,
  CASE
    WHEN gc_name GLOB '*NativeAlloc*' THEN 'native_alloc'
    WHEN gc_name GLOB '*Alloc*' THEN 'alloc'
    WHEN gc_name GLOB '*young*' THEN 'young'
    WHEN gc_name GLOB '*CollectorTransition*' THEN 'collector_transition'
    WHEN gc_name GLOB '*Explicit*' THEN 'explicit'
    ELSE 'full'
  END AS gc_type,
  gc_name GLOB '*mark compact*' AS is_mark_compact,
  max_heap_mb - min_heap_mb AS reclaimed_mb,
  min_heap_mb,
  max_heap_mb,
  gc_id,
  gc.ts AS gc_ts,
  gc.dur AS gc_dur,
  sum(iif(state = 'Running', part.dur, 0)) AS gc_running_dur,
  sum(iif(state IN ('R', 'R+'), part.dur, 0)) AS gc_runnable_dur,
  sum(iif(state = 'D' AND io_wait = 1, part.dur, 0)) AS gc_unint_io_dur,
  sum(iif(state = 'D' AND io_wait != 1, part.dur, 0)) AS gc_unint_non_io_dur,
  sum(iif(state = 'S', part.dur, 0)) AS gc_int_dur
FROM _gc_with_heap AS gc
JOIN (SELECT gc_id, dur, state, io_wait FROM _gc_states) AS part USING (gc_id)
GROUP BY gc_id;

-- The time in which sizes of heaps were noted. The trace may be much longer.
CREATE PERFETTO TABLE _gc_window AS
SELECT min(ts) AS ts, max(ts) AS ts_end, max(ts) - min(ts) AS dur
FROM _gc_heap;

-- Collections during starts of apps.
CREATE PERFETTO TABLE _gc_during_startup AS
SELECT ts, dur, id_0 AS startup_id, id_1 AS gc_id
FROM _interval_intersect!((
  (SELECT startup_id AS id, ts, dur FROM android_startups WHERE dur > 0),
  (SELECT gc_id AS id, gc_ts AS ts, gc_dur AS dur FROM android_garbage_collection_events)
), ());

-- The size of heaps before and after collections, times the seconds since the collection before, or since the process
-- began.
CREATE PERFETTO TABLE _gc_heap_use AS
SELECT
  upid,
  sum(period * min_heap_mb) / 1e9 AS heap_live_mbs,
  sum(period * max_heap_mb) / 1e9 AS heap_total_mbs
FROM (
  SELECT *, ts_end - lag(ts_end) OVER (PARTITION BY upid ORDER BY ts) AS period
  FROM (
    SELECT upid, gc_ts AS ts, gc_ts + gc_dur AS ts_end, min_heap_mb, max_heap_mb
    FROM android_garbage_collection_events
    UNION
    SELECT upid, start, start, 0, 0
    FROM (SELECT upid, max(ifnull(start_ts, ts), ts) AS start FROM process CROSS JOIN _gc_window)
  )
)
WHERE min_heap_mb IS NOT NULL
GROUP BY upid;

-- What processes allocate and what collecting costs them. A rate is a part of the time; an efficiency is what was allocated
-- for it, with more of the heap in use: the larger, the better.
CREATE PERFETTO TABLE _android_garbage_collection_process_stats(
  -- The process.
  upid JOINID(process.id),
  -- The first time at which a size was noted.
  ts TIMESTAMP,
  -- The time to the last.
  dur DURATION,
  -- The size of the heap times time, megabytes times seconds.
  heap_size_mbs DOUBLE,
  -- The mean size, megabytes.
  heap_size_mb DOUBLE,
  -- What was allocated, megabytes.
  heap_allocated_mb DOUBLE,
  -- What was allocated in a second, megabytes.
  heap_allocation_rate DOUBLE,
  -- The size after collections times time, megabytes times seconds.
  heap_live_mbs DOUBLE,
  -- The size before collections times time, megabytes times seconds.
  heap_total_mbs DOUBLE,
  -- The part of the heap that was in use, up to 1.
  heap_utilization DOUBLE,
  -- The time on CPUs for collections.
  gc_running_dur DURATION,
  -- Its part of the time.
  gc_running_rate DOUBLE,
  -- What was allocated for it.
  gc_running_efficiency DOUBLE,
  -- The time of collections during starts of apps.
  gc_during_android_startup_dur DURATION,
  -- The time of all starts.
  total_android_startup_dur DURATION,
  -- Its part of them.
  gc_during_android_startup_rate DOUBLE,
  -- What was allocated for it.
  gc_during_android_startup_efficiency DOUBLE
)
AS
WITH
  heap AS (
    SELECT
      upid,
      sum(allocated) / 1e3 AS heap_allocated_mb,
      sum(value * before_dur) / 1e12 AS heap_size_mbs
    FROM _gc_heap
    GROUP BY upid
  ),
  running AS (
    SELECT upid, sum(gc_running_dur) AS gc_running_dur
    FROM android_garbage_collection_events
    GROUP BY upid
  ),
  startup AS (
    SELECT upid, sum(part.dur) AS gc_during_android_startup_dur
    FROM _gc_during_startup AS part
    JOIN android_garbage_collection_events USING (gc_id)
    GROUP BY upid
  ),
  rate AS (
    SELECT
      *,
      heap_size_mbs * 1e9 / span.dur AS heap_size_mb,
      heap_allocated_mb * 1e9 / span.dur AS heap_allocation_rate,
      heap_live_mbs / heap_total_mbs AS heap_utilization,
      gc_running_dur * 1.0 / span.dur AS gc_running_rate,
      gc_during_android_startup_dur * 1.0 / total_android_startup_dur AS gc_during_android_startup_rate
    FROM heap
    LEFT JOIN running USING (upid)
    LEFT JOIN startup USING (upid)
    LEFT JOIN _gc_heap_use USING (upid)
    CROSS JOIN (SELECT sum(dur) AS total_android_startup_dur FROM android_startups)
    CROSS JOIN _gc_window AS span
  )
SELECT
  upid,
  ts,
  dur,
  heap_size_mbs,
  heap_size_mb,
  heap_allocated_mb,
  heap_allocation_rate,
  heap_live_mbs,
  heap_total_mbs,
  heap_utilization,
  gc_running_dur,
  gc_running_rate,
  heap_allocation_rate * heap_utilization / (gc_running_rate * (1 - heap_utilization)) AS gc_running_efficiency,
  gc_during_android_startup_dur,
  total_android_startup_dur,
  gc_during_android_startup_rate,
  heap_allocation_rate * heap_utilization
  / (gc_during_android_startup_rate * (1 - heap_utilization)) AS gc_during_android_startup_efficiency
FROM rate
ORDER BY upid;

-- The sums of all processes, with the same columns.
CREATE PERFETTO TABLE _android_garbage_collection_stats(
  -- The first time at which a size was noted.
  ts TIMESTAMP,
  -- The time to the last.
  dur DURATION,
  -- The size of the heaps times time, megabytes times seconds.
  heap_size_mbs DOUBLE,
  -- The mean size, megabytes.
  heap_size_mb DOUBLE,
  -- What was allocated, megabytes.
  heap_allocated_mb DOUBLE,
  -- What was allocated in a second, megabytes.
  heap_allocation_rate DOUBLE,
  -- The size after collections times time, megabytes times seconds.
  heap_live_mbs DOUBLE,
  -- The size before collections times time, megabytes times seconds.
  heap_total_mbs DOUBLE,
  -- The part of the heaps that was in use, up to 1.
  heap_utilization DOUBLE,
  -- The time on CPUs for collections.
  gc_running_dur DURATION,
  -- Its part of the time.
  gc_running_rate DOUBLE,
  -- The time of collections during starts of apps.
  gc_during_android_startup_dur DURATION,
  -- The time of all starts.
  total_android_startup_dur DURATION,
  -- Its part of them.
  gc_during_android_startup_rate DOUBLE,
  -- What was allocated for gc_running_dur.
  gc_running_efficiency DOUBLE,
  -- What was allocated for gc_during_android_startup_dur.
  gc_during_android_startup_efficiency DOUBLE
)
AS
SELECT
  *,
  heap_allocation_rate * heap_utilization / (gc_running_rate * (1 - heap_utilization)) AS gc_running_efficiency,
  heap_allocation_rate * heap_utilization
  / (gc_during_android_startup_rate * (1 - heap_utilization)) AS gc_during_android_startup_efficiency
FROM (
  SELECT
    ts,
    dur,
    sum(heap_size_mbs) AS heap_size_mbs,
    sum(heap_size_mb) AS heap_size_mb,
    sum(heap_allocated_mb) AS heap_allocated_mb,
    sum(heap_allocation_rate) AS heap_allocation_rate,
    sum(heap_live_mbs) AS heap_live_mbs,
    sum(heap_total_mbs) AS heap_total_mbs,
    sum(heap_live_mbs) / sum(heap_total_mbs) AS heap_utilization,
    sum(gc_running_dur) AS gc_running_dur,
    sum(gc_running_rate) AS gc_running_rate,
    sum(gc_during_android_startup_dur) AS gc_during_android_startup_dur,
    total_android_startup_dur,
    sum(gc_during_android_startup_rate) AS gc_during_android_startup_rate
  FROM _android_garbage_collection_process_stats
);
