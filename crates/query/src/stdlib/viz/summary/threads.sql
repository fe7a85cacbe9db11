-- How much is known of threads.

INCLUDE PERFETTO MODULE viz.summary.slices;

-- How long threads ran, but for the idle ones.
CREATE PERFETTO TABLE _sched_summary AS
SELECT utid, max(dur) AS max_running_dur, sum(dur) AS sum_running_dur, count(*) AS running_count
FROM sched
WHERE dur != -1 AND utid NOT IN (SELECT utid FROM thread WHERE is_idle)
GROUP BY utid;

-- How many slices they have.
CREATE PERFETTO TABLE _thread_track_summary AS
SELECT utid, sum(cnt) AS slice_count
FROM thread_track
JOIN _slice_track_summary USING (id)
GROUP BY utid;

-- How many samples of stacks.
CREATE PERFETTO TABLE _stack_sample_summary AS
SELECT task.utid, count(*) AS sample_count
FROM stack_sample AS sample
JOIN stack_sample_task_context AS task ON task.id = sample.task_context_id
WHERE task.utid IS NOT NULL
GROUP BY task.utid;

-- The threads of which something is known: utid, max_running_dur, sum_running_dur, running_count, slice_count and
-- stack_sample_count.
CREATE PERFETTO TABLE _thread_available_info_summary AS
SELECT
  utid,
  ifnull(max_running_dur, 0) AS max_running_dur,
  ifnull(sum_running_dur, 0) AS sum_running_dur,
  ifnull(running_count, 0) AS running_count,
  ifnull(slice_count, 0) AS slice_count,
  ifnull(sample_count, 0) AS stack_sample_count
FROM thread
LEFT JOIN _sched_summary USING (utid)
LEFT JOIN _thread_track_summary USING (utid)
LEFT JOIN _stack_sample_summary USING (utid)
WHERE
  coalesce(running_count, slice_count, sample_count) IS NOT NULL
  OR utid IN (SELECT utid FROM thread_counter_track);
