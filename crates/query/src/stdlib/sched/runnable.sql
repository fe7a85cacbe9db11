-- What threads waited for before they ran.

-- For each time that a thread ran, the state before in which it was ready to run.
CREATE PERFETTO TABLE sched_previous_runnable_on_thread(
  -- The state in which it ran.
  id JOINID(thread_state.id),
  -- The last state before in which it was ready: woken, or preempted.
  prev_runnable_id JOINID(thread_state.id),
  -- The last state before that began when another thread woke it, outside of interrupts.
  prev_wakeup_runnable_id JOINID(thread_state.id)
)
AS
SELECT id, prev_runnable_id, prev_wakeup_runnable_id
FROM (
  SELECT
    id,
    state,
    max(iif(state != 'Running', id, NULL)) OVER of_thread AS prev_runnable_id,
    max(iif(waker_utid IS NOT NULL AND irq_context IS NOT 1, id, NULL)) OVER of_thread AS prev_wakeup_runnable_id
  FROM thread_state
  WHERE state IN ('R', 'R+', 'Running') AND dur != -1
  WINDOW of_thread AS (PARTITION BY utid ORDER BY id)
)
WHERE state = 'Running'
ORDER BY id;
