-- What the main threads of apps did during their starts, with one reason for each time.

INCLUDE PERFETTO MODULE android.startup.startups;
INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE intervals.overlap;
INCLUDE PERFETTO MODULE slices.hierarchy;
INCLUDE PERFETTO MODULE slices.with_context;

-- The reason that the name of a slice stands for; NULL if it is none.
CREATE PERFETTO FUNCTION _startup_slice_reason(
  name STRING
)
RETURNS STRING
AS
SELECT
  CASE
    WHEN $name = 'mm_vmscan_direct_reclaim' THEN 'kernel_memory_reclaim'
    WHEN $name GLOB 'GC: Wait For*' THEN 'userspace_memory_reclaim'
    WHEN $name GLOB 'monitor contention*' THEN 'monitor_contention'
    WHEN $name GLOB 'Lock contention on a monitor lock*' THEN 'monitor_contention'
    WHEN $name GLOB 'Lock contention*' THEN 'art_lock_contention'
    WHEN $name IN ('binder transaction', 'binder reply') THEN 'binder'
    WHEN $name = 'Contending for pthread mutex' THEN 'mutex_contention'
    WHEN $name GLOB 'dlopen*' THEN 'dlopen'
    WHEN $name GLOB 'VerifyClass*' THEN 'verify_class'
    WHEN $name = 'inflate' THEN 'inflate'
    WHEN $name GLOB 'Choreographer#doFrame*' THEN 'choreographer_do_frame'
    WHEN $name GLOB 'OpenDexFilesFromOat*' THEN 'open_dex_files_from_oat'
    WHEN $name = 'ResourcesManager#getResources' THEN 'resources_manager_get_resources'
    WHEN $name = 'bindApplication' THEN 'bind_application'
    WHEN $name = 'activityStart' THEN 'activity_start'
    WHEN $name = 'activityResume' THEN 'activity_resume'
    WHEN $name = 'activityRestart' THEN 'activity_restart'
    WHEN $name = 'clientTransactionExecuted' THEN 'client_transaction_executed'
  END;

-- Starts and the main threads of their processes. No slice has such an id.
CREATE PERFETTO TABLE _startup_main_threads AS
SELECT -row_number() OVER (ORDER BY startup.ts, app.upid) AS id, startup.startup_id, startup.ts, startup.dur, thread.utid
FROM android_startups AS startup
JOIN android_startup_processes AS app USING (startup_id)
JOIN thread ON thread.upid = app.upid AND thread.is_main_thread
WHERE startup.dur > 0;

-- Those that nothing else on the same thread overlaps: otherwise, a time would count twice.
CREATE PERFETTO TABLE _startup_roots AS
SELECT *
FROM _startup_main_threads AS startup
WHERE
  NOT EXISTS (
    SELECT 1
    FROM _startup_main_threads AS other
    WHERE
      other.utid = startup.utid
      AND other.id != startup.id
      AND other.ts < startup.ts + startup.dur
      AND startup.ts < other.ts + other.dur
  );

-- Their slices that are a reason.
CREATE PERFETTO TABLE _startup_reason_slices AS
SELECT slice.id, slice.parent_id, slice.depth, _startup_slice_reason(slice.name) AS name, slice.ts, slice.dur, slice.utid
FROM _startup_roots AS startup
JOIN thread_slice AS slice
  ON slice.utid = startup.utid
  AND slice.ts < startup.ts + startup.dur
  AND slice.ts + slice.dur > startup.ts
WHERE slice.dur > 0;

-- The same without others between them.
CREATE PERFETTO TABLE _startup_reason_tree AS
SELECT kept.id, kept.parent_id, kept.name, slice.ts, slice.dur, slice.utid
FROM _slice_remove_nulls_and_reparent!((SELECT id, parent_id, depth, name FROM _startup_reason_slices), name) AS kept
JOIN _startup_reason_slices AS slice USING (id);

-- The innermost reason over time. The tree may name slices as parents that are no reason.
CREATE PERFETTO TABLE _startup_reason_parts AS
SELECT part.ts, part.dur, part.root_id, id AS slice_id, name
FROM _intervals_flatten!(
  _intervals_merge_root_and_children_by_intersection!(_startup_roots, _startup_reason_tree, utid)
) AS part
JOIN _startup_reason_tree USING (id);

-- The states of the thread.
CREATE PERFETTO TABLE _startup_state_parts AS
SELECT part.ts, part.dur, part.id_0 AS root_id, state.id AS thread_state_id, state.state, state.io_wait, state.irq_context
FROM _interval_intersect!((
  _startup_roots,
  (SELECT id, ts, dur, utid FROM thread_state WHERE dur > 0)
), (utid)) AS part
JOIN thread_state AS state ON state.id = part.id_1;

-- Both.
CREATE VIRTUAL TABLE _startup_parts
USING SPAN_LEFT_JOIN(_startup_state_parts PARTITIONED root_id, _startup_reason_parts PARTITIONED root_id);

-- What the start of an app waited for: each time has one reason. Waiting for the disk counts first, then what the thread was
-- doing, then interrupts, then the state of the thread.
CREATE PERFETTO TABLE android_startup_opinionated_breakdown(
  -- When it began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- The start.
  startup_id JOINID(android_startups.startup_id),
  -- The slice that is the reason.
  slice_id JOINID(slice.id),
  -- The state of the thread.
  thread_state_id JOINID(thread_state.id),
  -- The reason: that of a slice, io, irq, a state, or launch_delay for the time before the thread did anything.
  reason STRING
)
AS
SELECT
  part.ts,
  part.dur,
  root.startup_id,
  part.slice_id,
  part.thread_state_id,
  CASE
    WHEN part.io_wait = 1 THEN 'io'
    WHEN part.name IS NOT NULL THEN part.name
    WHEN part.irq_context = 1 THEN 'irq'
    ELSE part.state
  END AS reason
FROM _startup_parts AS part
JOIN _startup_roots AS root ON root.id = part.root_id
UNION ALL
SELECT root.ts, min(part.ts) - root.ts AS dur, root.startup_id, NULL, NULL, 'launch_delay'
FROM _startup_state_parts AS part
JOIN _startup_roots AS root ON root.id = part.root_id
GROUP BY root.id
HAVING min(part.ts) > root.ts;
