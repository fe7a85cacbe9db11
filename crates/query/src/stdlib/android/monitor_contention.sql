-- Waiting for locks of Java: threads that want to enter what another thread holds.

INCLUDE PERFETTO MODULE android.suspend;

-- The runtime names such a slice, in one line:
--   monitor contention with owner THREAD (TID) at METHOD(FILE:LINE) waiters=COUNT blocking from METHOD(FILE:LINE)
-- where a METHOD is RETURN_TYPE CLASS.NAME(PARAMETERS). The parts below are those between two marks.

-- The name of the thread that holds the lock.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_thread(
  -- The name of the slice.
  slice_name STRING
)
RETURNS STRING
AS
SELECT str_split(str_split($slice_name, 'with owner ', 1), ' (', 0);

-- The number of this thread.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_tid(
  -- The name of the slice.
  slice_name STRING
)
RETURNS LONG
AS
SELECT CAST(str_split(str_split($slice_name, ' (', 1), ')', 0) AS INT);

-- A method with its parameters: what comes before the second parenthesis.
CREATE PERFETTO FUNCTION _contention_method(
  -- The name of the slice from the method on.
  rest STRING
)
RETURNS STRING
AS
SELECT str_split($rest, '(', 0) || '(' || str_split($rest, '(', 1);

-- A method without its types.
CREATE PERFETTO FUNCTION _contention_short_method(
  -- The method.
  method STRING
)
RETURNS STRING
AS
SELECT str_split(str_split($method, ' ', 1), '(', 0);

-- The method that holds the lock.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_method(
  -- The name of the slice.
  slice_name STRING
)
RETURNS STRING
AS
SELECT _contention_method(str_split($slice_name, ') at ', 1));

-- The method that holds the lock, without types.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_short_blocking_method(
  -- The name of the slice.
  slice_name STRING
)
RETURNS STRING
AS
SELECT _contention_short_method(android_extract_android_monitor_contention_blocking_method($slice_name));

-- The method that waits for the lock.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocked_method(
  -- The name of the slice.
  slice_name STRING
)
RETURNS STRING
AS
SELECT _contention_method(str_split($slice_name, 'blocking from ', 1));

-- The method that waits for the lock, without types.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_short_blocked_method(
  -- The name of the slice.
  slice_name STRING
)
RETURNS STRING
AS
SELECT _contention_short_method(android_extract_android_monitor_contention_blocked_method($slice_name));

-- How many other threads wait for the lock.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_waiter_count(
  -- The name of the slice.
  slice_name STRING
)
RETURNS LONG
AS
SELECT CAST(str_split(str_split($slice_name, 'waiters=', 1), ' ', 0) AS INT);

-- The place in the source of the method that holds the lock.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocking_src(
  -- The name of the slice.
  slice_name STRING
)
RETURNS STRING
AS
SELECT str_split(str_split($slice_name, ')(', 1), ')', 0);

-- The place in the source of the method that waits.
CREATE PERFETTO FUNCTION android_extract_android_monitor_contention_blocked_src(
  -- The name of the slice.
  slice_name STRING
)
RETURNS STRING
AS
SELECT str_split(str_split($slice_name, ')(', 2), ')', 0);

-- Slices that only wait: nothing is within them but the waiting of the runtime itself. In others, an end was lost.
CREATE PERFETTO TABLE _contention_slice AS
SELECT DISTINCT outer_slice.id, outer_slice.track_id
FROM slice AS outer_slice
LEFT JOIN slice AS within ON within.parent_id = outer_slice.id
LEFT JOIN slice AS deep ON deep.parent_id = within.id
WHERE
  outer_slice.name GLOB 'monitor contention*'
  AND (within.name IS NULL OR within.name GLOB 'Lock contention*')
  AND deep.name IS NULL
ORDER BY outer_slice.id;

-- The names of locks of which the app tells: a slice NAME_lock_acquire before the waiting and NAME_lock_held behind it.
CREATE PERFETTO TABLE _contention_lock_name AS
SELECT id, lock_name
FROM (
  SELECT
    id,
    iif(before GLOB '*_lock_acquire', replace(before, '_lock_acquire', ''), NULL) AS lock_name,
    iif(behind GLOB 'Lock contention*', behind_that, behind) AS held_name
  FROM (
    SELECT
      id,
      lag(name) OVER neighbours AS before,
      lead(name) OVER neighbours AS behind,
      lead(name, 2) OVER neighbours AS behind_that
    FROM slice
    WHERE track_id IN (SELECT track_id FROM _contention_slice)
    WINDOW neighbours AS (PARTITION BY track_id ORDER BY ts)
  )
  WHERE id IN (SELECT id FROM _contention_slice)
)
WHERE held_name GLOB '*_lock_held' AND replace(held_name, '_lock_held', '') = lock_name
ORDER BY id;

-- Waiting for locks.
CREATE PERFETTO TABLE android_monitor_contention(
  -- The method that holds the lock.
  blocking_method STRING,
  -- The method that waits.
  blocked_method STRING,
  -- The method that holds the lock, without types.
  short_blocking_method STRING,
  -- The method that waits, without types.
  short_blocked_method STRING,
  -- FILE:LINE of the method that holds the lock.
  blocking_src STRING,
  -- FILE:LINE of the method that waits.
  blocked_src STRING,
  -- How many others wait for the lock.
  waiter_count LONG,
  -- The thread that waits.
  blocked_utid JOINID(thread.id),
  -- Its name.
  blocked_thread_name STRING,
  -- The thread that holds the lock.
  blocking_utid JOINID(thread.id),
  -- Its name.
  blocking_thread_name STRING,
  -- Its number, as the slice tells it.
  blocking_tid LONG,
  -- The process.
  upid JOINID(process.id),
  -- Its name.
  process_name STRING,
  -- The slice.
  id LONG,
  -- When the waiting began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- Without the time that the device slept.
  monotonic_dur DURATION,
  -- The track of the thread that waits.
  track_id JOINID(track.id),
  -- Whether the thread that waits is a main thread.
  is_blocked_thread_main LONG,
  -- The number of the thread that waits.
  blocked_thread_tid LONG,
  -- Whether the thread that holds the lock is a main thread.
  is_blocking_thread_main LONG,
  -- Its number.
  blocking_thread_tid LONG,
  -- The call that the thread serves meanwhile, if it does.
  binder_reply_id LONG,
  -- When it began to serve it.
  binder_reply_ts TIMESTAMP,
  -- The number of the thread that serves it.
  binder_reply_tid LONG,
  -- The number of the process.
  pid LONG,
  -- The name of the lock, if the app tells it.
  lock_name STRING
)
AS
SELECT
  android_extract_android_monitor_contention_blocking_method(slice.name) AS blocking_method,
  android_extract_android_monitor_contention_blocked_method(slice.name) AS blocked_method,
  android_extract_android_monitor_contention_short_blocking_method(slice.name) AS short_blocking_method,
  android_extract_android_monitor_contention_short_blocked_method(slice.name) AS short_blocked_method,
  android_extract_android_monitor_contention_blocking_src(slice.name) AS blocking_src,
  android_extract_android_monitor_contention_blocked_src(slice.name) AS blocked_src,
  android_extract_android_monitor_contention_waiter_count(slice.name) AS waiter_count,
  blocked.utid AS blocked_utid,
  blocked.name AS blocked_thread_name,
  blocking.utid AS blocking_utid,
  android_extract_android_monitor_contention_blocking_thread(slice.name) AS blocking_thread_name,
  android_extract_android_monitor_contention_blocking_tid(slice.name) AS blocking_tid,
  blocked.upid,
  process.name AS process_name,
  slice.id,
  slice.ts,
  slice.dur,
  _extract_duration_without_suspend(slice.ts, slice.dur) AS monotonic_dur,
  slice.track_id,
  blocked.is_main_thread AS is_blocked_thread_main,
  blocked.tid AS blocked_thread_tid,
  blocking.is_main_thread AS is_blocking_thread_main,
  blocking.tid AS blocking_thread_tid,
  reply.id AS binder_reply_id,
  reply.ts AS binder_reply_ts,
  iif(reply.id IS NULL, NULL, blocked.tid) AS binder_reply_tid,
  process.pid,
  lock_name
FROM _contention_slice AS valid
JOIN slice ON slice.id = valid.id
JOIN thread_track ON thread_track.id = slice.track_id
LEFT JOIN thread AS blocked ON blocked.utid = thread_track.utid
LEFT JOIN process ON process.upid = blocked.upid
LEFT JOIN ancestor_slice(slice.id) AS reply ON reply.name = 'binder reply'
-- Before Android 14, slices do not have the number of the thread.
LEFT JOIN thread AS blocking
  ON blocking.tid = android_extract_android_monitor_contention_blocking_tid(slice.name)
  AND blocking.upid = blocked.upid
LEFT JOIN _contention_lock_name AS lock ON lock.id = slice.id
WHERE
  slice.dur != -1
  AND android_extract_android_monitor_contention_short_blocking_method(slice.name) IS NOT NULL
  AND android_extract_android_monitor_contention_short_blocked_method(slice.name) IS NOT NULL
GROUP BY slice.id;

CREATE PERFETTO INDEX _android_monitor_contention_blocking ON android_monitor_contention(blocking_utid, ts);

CREATE PERFETTO INDEX _android_monitor_contention_id ON android_monitor_contention(id);

-- Which waiting holds up which: the thread that holds the lock waits for one itself.
CREATE PERFETTO TABLE _contention_edge AS
SELECT held_up.id AS id, cause.id AS parent_id
FROM android_monitor_contention AS cause
JOIN android_monitor_contention AS held_up
  ON held_up.blocking_utid = cause.blocked_utid AND held_up.ts BETWEEN cause.ts AND cause.ts + cause.dur
ORDER BY held_up.id;

-- Waiting for locks, once for each waiting that holds it up.
CREATE PERFETTO TABLE android_monitor_contention_chain(
  -- The waiting that holds this one up.
  parent_id LONG,
  -- The method that holds the lock.
  blocking_method STRING,
  -- The method that waits.
  blocked_method STRING,
  -- The method that holds the lock, without types.
  short_blocking_method STRING,
  -- The method that waits, without types.
  short_blocked_method STRING,
  -- FILE:LINE of the method that holds the lock.
  blocking_src STRING,
  -- FILE:LINE of the method that waits.
  blocked_src STRING,
  -- How many others wait for the lock.
  waiter_count LONG,
  -- The thread that waits.
  blocked_utid JOINID(thread.id),
  -- Its name.
  blocked_thread_name STRING,
  -- The thread that holds the lock.
  blocking_utid JOINID(thread.id),
  -- Its name.
  blocking_thread_name STRING,
  -- Its number, as the slice tells it.
  blocking_tid LONG,
  -- The process.
  upid JOINID(process.id),
  -- Its name.
  process_name STRING,
  -- The slice.
  id LONG,
  -- When the waiting began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- Without the time that the device slept.
  monotonic_dur DURATION,
  -- The track of the thread that waits.
  track_id JOINID(track.id),
  -- Whether the thread that waits is a main thread.
  is_blocked_thread_main LONG,
  -- The number of the thread that waits.
  blocked_thread_tid LONG,
  -- Whether the thread that holds the lock is a main thread.
  is_blocking_thread_main LONG,
  -- Its number.
  blocking_thread_tid LONG,
  -- The call that the thread serves meanwhile, if it does.
  binder_reply_id LONG,
  -- When it began to serve it.
  binder_reply_ts TIMESTAMP,
  -- The number of the thread that serves it.
  binder_reply_tid LONG,
  -- The number of the process.
  pid LONG,
  -- The first waiting that this one holds up.
  child_id LONG,
  -- The name of the lock, if the app tells it.
  lock_name STRING
)
AS
SELECT
  cause.parent_id,
  blocking_method, blocked_method, short_blocking_method, short_blocked_method, blocking_src, blocked_src, waiter_count,
  blocked_utid, blocked_thread_name, blocking_utid, blocking_thread_name, blocking_tid, upid, process_name, id, ts, dur,
  monotonic_dur, track_id, is_blocked_thread_main, blocked_thread_tid, is_blocking_thread_main, blocking_thread_tid,
  binder_reply_id, binder_reply_ts, binder_reply_tid, pid,
  held_up.child_id,
  lock_name
FROM android_monitor_contention
LEFT JOIN _contention_edge AS cause USING (id)
LEFT JOIN (
  SELECT parent_id AS id, min(id) AS child_id FROM _contention_edge GROUP BY parent_id
) AS held_up USING (id);

CREATE PERFETTO INDEX _android_monitor_contention_chain_blocking
ON android_monitor_contention_chain(blocking_method, blocking_utid, ts);

-- The first thread that waits for a lock, until any thread that waits gets it: only so long does the first owner hold it.
CREATE PERFETTO VIEW _contention_first AS
SELECT first.id, first.blocking_utid, first.ts, min(other.ts + other.dur) - first.ts AS dur
FROM android_monitor_contention_chain AS first
JOIN android_monitor_contention_chain AS other
  ON other.blocking_method = first.blocking_method
  AND other.blocking_utid = first.blocking_utid
  AND other.ts BETWEEN first.ts AND first.ts + first.dur
WHERE first.waiter_count = 0
GROUP BY first.id;

-- The states of threads that may hold locks.
CREATE PERFETTO VIEW _contention_owner_state AS
SELECT utid AS blocking_utid, ts, dur, state, blocked_function
FROM thread_state;

CREATE VIRTUAL TABLE _contention_first_state
USING SPAN_JOIN(_contention_first PARTITIONED blocking_utid, _contention_owner_state PARTITIONED blocking_utid);

-- What the thread that holds a lock does while the first other thread waits.
CREATE PERFETTO TABLE android_monitor_contention_chain_thread_state(
  -- The slice of the thread that waits.
  id LONG,
  -- When the state began, or the waiting.
  ts TIMESTAMP,
  -- How long it lasted, within the waiting.
  dur DURATION,
  -- The thread that holds the lock.
  blocking_utid JOINID(thread.id),
  -- The function of the kernel in which it is blocked.
  blocked_function STRING,
  -- Its state.
  state STRING
)
AS
SELECT id, ts, dur, blocking_utid, blocked_function, state
FROM _contention_first_state;

-- How long the thread that holds a lock is in each state while the first other thread waits.
CREATE PERFETTO VIEW android_monitor_contention_chain_thread_state_by_txn(
  -- The slice of the thread that waits.
  id LONG,
  -- The state of the thread that holds the lock.
  thread_state STRING,
  -- How long it is in it, in sum.
  thread_state_dur DURATION,
  -- How often.
  thread_state_count LONG
)
AS
SELECT id, state AS thread_state, sum(dur) AS thread_state_dur, count(dur) AS thread_state_count
FROM android_monitor_contention_chain_thread_state
GROUP BY id, state;

-- How long the thread that holds a lock is blocked in each function of the kernel while the first other thread waits.
CREATE PERFETTO VIEW android_monitor_contention_chain_blocked_functions_by_txn(
  -- The slice of the thread that waits.
  id LONG,
  -- The function.
  blocked_function STRING,
  -- How long the thread is blocked in it, in sum.
  blocked_function_dur DURATION,
  -- How often.
  blocked_function_count LONG
)
AS
SELECT id, blocked_function, sum(dur) AS blocked_function_dur, count(dur) AS blocked_function_count
FROM android_monitor_contention_chain_thread_state
WHERE blocked_function IS NOT NULL
GROUP BY id, blocked_function;

-- A thread and a method as a frame of a stack. The threads that serve calls are one.
CREATE PERFETTO MACRO _contention_frame(
  -- The name of the thread.
  thread Expr,
  -- The method.
  method Expr
)
RETURNS Expr
AS (iif($thread GLOB 'binder:*', 'binder', $thread) || ':' || $method);

-- Who waits for whom in a process, as a profile: from what holds a lock to what waits for it, and what that holds up.
CREATE PERFETTO FUNCTION android_monitor_contention_graph(
  -- The process.
  upid JOINID(process.id)
)
RETURNS TABLE(
  -- The profile, in pprof's format, with the time of the waiting.
  pprof BYTES
)
AS
WITH RECURSIVE
  waiting AS MATERIALIZED (
    SELECT
      id,
      parent_id,
      dur,
      _contention_frame!(blocked_thread_name, short_blocked_method) AS blocked,
      _contention_frame!(blocking_thread_name, short_blocking_method) AS blocking
    FROM android_monitor_contention_chain
    WHERE upid = $upid
    GROUP BY id, parent_id
  ),
  chain AS (
    SELECT id, dur, cat_stacks(blocked, blocking) AS stack, 1 AS length
    FROM waiting
    WHERE parent_id IS NULL
    UNION ALL
    -- Threads that wait for each other at the same time would go on forever.
    SELECT waiting.id, waiting.dur, cat_stacks(waiting.blocked, waiting.blocking, chain.stack), chain.length + 1
    FROM chain
    JOIN waiting ON waiting.parent_id = chain.id
    WHERE chain.length < 100
  )
SELECT experimental_profile(stack, 'duration', 'ns', dur) AS pprof
FROM chain;
