-- How much is known of processes.

INCLUDE PERFETTO MODULE viz.summary.slices;
INCLUDE PERFETTO MODULE viz.summary.threads;

-- How many slices they have themselves.
CREATE PERFETTO TABLE _process_track_summary AS
SELECT upid, sum(cnt) AS slice_count
FROM process_track
JOIN _slice_track_summary USING (id)
GROUP BY upid;

-- How many native allocations.
CREATE PERFETTO TABLE _heap_profile_allocation_summary AS
SELECT upid, count(*) AS allocation_count
FROM heap_profile_allocation
GROUP BY upid;

-- How many objects of Java.
CREATE PERFETTO TABLE _heap_profile_graph_summary AS
SELECT upid, count(*) AS graph_object_count
FROM heap_graph_object
GROUP BY upid;

-- The sums of their threads.
CREATE PERFETTO TABLE _thread_process_grouped_summary AS
SELECT
  upid,
  max(max_running_dur) AS max_running_dur,
  sum(sum_running_dur) AS sum_running_dur,
  sum(running_count) AS running_count,
  sum(slice_count) AS slice_count,
  sum(stack_sample_count) AS stack_sample_count
FROM _thread_available_info_summary
JOIN thread USING (utid)
WHERE upid IS NOT NULL
GROUP BY upid;

-- The processes of which something is known: upid, max_running_dur, sum_running_dur, running_count, thread_slice_count,
-- stack_sample_count, process_slice_count, allocation_count and graph_object_count.
CREATE PERFETTO TABLE _process_available_info_summary AS
SELECT
  upid,
  ifnull(threads.max_running_dur, 0) AS max_running_dur,
  ifnull(threads.sum_running_dur, 0) AS sum_running_dur,
  ifnull(threads.running_count, 0) AS running_count,
  ifnull(threads.slice_count, 0) AS thread_slice_count,
  ifnull(threads.stack_sample_count, 0) AS stack_sample_count,
  ifnull(own.slice_count, 0) AS process_slice_count,
  ifnull(allocation_count, 0) AS allocation_count,
  ifnull(graph_object_count, 0) AS graph_object_count
FROM process
LEFT JOIN _thread_process_grouped_summary AS threads USING (upid)
LEFT JOIN _process_track_summary AS own USING (upid)
LEFT JOIN _heap_profile_allocation_summary USING (upid)
LEFT JOIN _heap_profile_graph_summary USING (upid)
WHERE
  coalesce(threads.slice_count, own.slice_count, allocation_count, graph_object_count) IS NOT NULL
  OR upid IN (SELECT upid FROM process_counter_track)
  OR upid IN (SELECT upid FROM process_state_track)
  OR upid IN (SELECT upid FROM profiler_smaps);
