-- Calls between processes by Binder.

INCLUDE PERFETTO MODULE android.process_metadata;
INCLUDE PERFETTO MODULE android.suspend;
INCLUDE PERFETTO MODULE slices.flow;

-- How many slices of Binder each process has.
CREATE PERFETTO VIEW android_binder_metrics_by_process(
  -- The name of the process.
  process_name STRING,
  -- Its number.
  pid LONG,
  -- The name of the slices.
  slice_name STRING,
  -- How many.
  event_count LONG
)
AS
SELECT process_name, pid, name AS slice_name, count(*) AS event_count
FROM thread_slice
WHERE name GLOB 'binder*' AND upid IS NOT NULL
GROUP BY process_name, name;

-- Threads of processes with the tracks of their slices.
CREATE PERFETTO VIEW _binder_side AS
SELECT
  track.id AS track_id,
  process.name AS process,
  thread.name AS thread,
  upid,
  utid,
  thread.tid,
  process.pid,
  thread.is_main_thread
FROM thread_track AS track
JOIN thread USING (utid)
JOIN process USING (upid);

-- What a server calls the method that it runs.
CREATE PERFETTO MACRO _is_binder_method(
  -- The name of a slice.
  name Expr
)
RETURNS Expr
AS ($name GLOB 'AIDL::*[Ss]erver' OR $name GLOB 'HIDL::*server');

-- Calls during which the caller does something: as it waits for the answer, its end or that of a slice within was lost.
-- This is not so if it serves a call meanwhile.
CREATE PERFETTO TABLE _broken_binder_call AS
WITH
  around AS MATERIALIZED (
    SELECT DISTINCT outer_slice.id
    FROM slice AS outer_slice
    JOIN slice AS within ON within.parent_id = outer_slice.id
    WHERE outer_slice.name = 'binder transaction'
  )
SELECT id FROM around
EXCEPT
SELECT root_node_id FROM _slice_following_flow!(around);

-- Calls of one kind, with both of their sides.
CREATE PERFETTO MACRO _binder_pairs(
  -- The name of the callers' slices.
  name Expr
)
RETURNS TableOrSubquery
AS (
  SELECT
    call.id AS binder_txn_id,
    client.process AS client_process,
    client.thread AS client_thread,
    client.upid AS client_upid,
    client.utid AS client_utid,
    client.tid AS client_tid,
    client.pid AS client_pid,
    client.is_main_thread,
    call.ts AS client_ts,
    call.dur AS client_dur,
    reply.id AS binder_reply_id,
    server.process AS server_process,
    server.thread AS server_thread,
    server.upid AS server_upid,
    server.utid AS server_utid,
    server.tid AS server_tid,
    server.pid AS server_pid,
    reply.ts AS server_ts,
    reply.dur AS server_dur
  FROM slice AS call
  JOIN _binder_side AS client ON client.track_id = call.track_id
  JOIN flow ON flow.slice_out = call.id
  JOIN slice AS reply ON reply.id = flow.slice_in
  JOIN _binder_side AS server ON server.track_id = reply.track_id
  WHERE call.name = $name
);

-- Calls and how they were served. A call that was served for longer than it took is broken.
CREATE PERFETTO TABLE _sync_binder_call AS
SELECT min(aidl.name) AS aidl_name, aidl.ts AS aidl_ts, aidl.dur AS aidl_dur, pair.*
FROM _binder_pairs!('binder transaction') AS pair
LEFT JOIN slice AS aidl ON aidl.parent_id = pair.binder_reply_id AND _is_binder_method!(aidl.name)
WHERE
  binder_txn_id NOT IN (SELECT id FROM _broken_binder_call)
  AND client_dur != -1
  AND server_dur != -1
  AND client_dur >= server_dur
GROUP BY binder_txn_id, binder_reply_id;

-- What servers of calls without an answer did: they note the method behind the receipt, not within it.
CREATE PERFETTO TABLE _async_binder_reply AS
SELECT
  id,
  ts,
  dur,
  track_id,
  name,
  lead(name) OVER (PARTITION BY track_id ORDER BY ts) AS next_name,
  lead(ts) OVER (PARTITION BY track_id ORDER BY ts) AS next_ts,
  lead(dur) OVER (PARTITION BY track_id ORDER BY ts) AS next_dur
FROM slice
WHERE name = 'binder async rcv' OR _is_binder_method!(name)
ORDER BY id;

-- Calls without an answer.
CREATE PERFETTO TABLE _async_binder_call AS
SELECT
  iif(reply.next_name != 'binder async rcv', reply.next_name, NULL) AS aidl_name,
  iif(reply.next_name != 'binder async rcv', reply.next_ts, NULL) AS aidl_ts,
  iif(reply.next_name != 'binder async rcv', reply.next_dur, NULL) AS aidl_dur,
  pair.*
FROM _binder_pairs!('binder transaction async') AS pair
JOIN _async_binder_reply AS reply ON reply.id = pair.binder_reply_id
WHERE reply.name = 'binder async rcv'
ORDER BY pair.binder_txn_id;

-- Scores of processes over time: the higher, the sooner the system ends the process.
CREATE PERFETTO TABLE _oom_score AS
SELECT
  track.upid,
  CAST(counter.value AS INT) AS value,
  counter.ts,
  lead(counter.ts, 1, trace_end()) OVER (PARTITION BY track.upid ORDER BY counter.ts) AS end_ts
FROM counter
JOIN process_counter_track AS track ON track.id = counter.track_id
WHERE track.name = 'oom_score_adj';

CREATE PERFETTO INDEX _oom_score_index ON _oom_score(upid, ts);

-- Calls with the scores of both sides.
CREATE PERFETTO MACRO _with_oom_scores(
  -- The calls.
  calls TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT call.*, client.value AS client_oom_score, server.value AS server_oom_score
  FROM $calls AS call
  LEFT JOIN _oom_score AS client
    ON client.upid = call.client_upid AND call.client_ts BETWEEN client.ts AND client.end_ts
  LEFT JOIN _oom_score AS server
    ON server.upid = call.server_upid AND call.server_ts BETWEEN server.ts AND server.end_ts
);

-- All calls.
CREATE PERFETTO TABLE _binder_call AS
SELECT *, 1 AS is_sync FROM _with_oom_scores!(_sync_binder_call)
UNION ALL
SELECT *, 0 AS is_sync FROM _with_oom_scores!(_async_binder_call);

-- The side of the caller, for span joins.
CREATE PERFETTO VIEW _binder_txn AS
SELECT client_ts AS ts, client_dur AS dur, client_utid AS utid, * FROM _binder_call WHERE is_sync;

-- The side of the server.
CREATE PERFETTO VIEW _binder_reply AS
SELECT server_ts AS ts, server_dur AS dur, server_utid AS utid, * FROM _binder_call WHERE is_sync;

CREATE VIRTUAL TABLE _binder_txn_state USING SPAN_JOIN(_binder_txn PARTITIONED utid, thread_state PARTITIONED utid);

CREATE VIRTUAL TABLE _binder_reply_state USING SPAN_JOIN(_binder_reply PARTITIONED utid, thread_state PARTITIONED utid);

-- What the threads of both sides did during calls.
CREATE PERFETTO VIEW _binder_state AS
SELECT
  binder_txn_id, client_ts, client_tid, binder_reply_id, server_ts, server_tid, 'binder_txn' AS side, state,
  blocked_function, dur
FROM _binder_txn_state
UNION ALL
SELECT
  binder_txn_id, client_ts, client_tid, binder_reply_id, server_ts, server_tid, 'binder_reply', state, blocked_function,
  dur
FROM _binder_reply_state;

-- How long the threads of both sides were in which state during a call.
CREATE PERFETTO VIEW android_sync_binder_thread_state_by_txn(
  -- The slice of the call.
  binder_txn_id LONG,
  -- When it began.
  client_ts TIMESTAMP,
  -- The number of the thread that called.
  client_tid LONG,
  -- The slice of the server.
  binder_reply_id LONG,
  -- When it began.
  server_ts TIMESTAMP,
  -- The number of the thread that served.
  server_tid LONG,
  -- The side: binder_txn is the caller, binder_reply the server.
  thread_state_type STRING,
  -- The state.
  thread_state STRING,
  -- How long the thread was in it, in sum.
  thread_state_dur DURATION,
  -- How often.
  thread_state_count LONG
)
AS
SELECT
  binder_txn_id,
  client_ts,
  client_tid,
  binder_reply_id,
  server_ts,
  server_tid,
  side AS thread_state_type,
  state AS thread_state,
  sum(dur) AS thread_state_dur,
  count(dur) AS thread_state_count
FROM _binder_state
GROUP BY side, binder_txn_id, binder_reply_id, state
ORDER BY side DESC, binder_txn_id, binder_reply_id, state;

-- How long the threads of both sides were blocked in which function of the kernel during a call.
CREATE PERFETTO VIEW android_sync_binder_blocked_functions_by_txn(
  -- The slice of the call.
  binder_txn_id LONG,
  -- When it began.
  client_ts TIMESTAMP,
  -- The number of the thread that called.
  client_tid LONG,
  -- The slice of the server.
  binder_reply_id LONG,
  -- When it began.
  server_ts TIMESTAMP,
  -- The number of the thread that served.
  server_tid LONG,
  -- The side: binder_txn is the caller, binder_reply the server.
  thread_state_type STRING,
  -- The function.
  blocked_function STRING,
  -- How long the thread was blocked in it, in sum.
  blocked_function_dur DURATION,
  -- How often.
  blocked_function_count LONG
)
AS
SELECT
  binder_txn_id,
  client_ts,
  client_tid,
  binder_reply_id,
  server_ts,
  server_tid,
  side AS thread_state_type,
  blocked_function,
  sum(dur) AS blocked_function_dur,
  count(dur) AS blocked_function_count
FROM _binder_state
WHERE blocked_function IS NOT NULL
GROUP BY side, binder_txn_id, binder_reply_id, blocked_function
ORDER BY side DESC, binder_txn_id, binder_reply_id, blocked_function;

-- Calls between processes.
CREATE PERFETTO TABLE android_binder_txns(
  -- The interface: the third part of aidl_name.
  interface STRING,
  -- The method: the fourth part of aidl_name.
  method_name STRING,
  -- What the server noted, as in AIDL::java::INTERFACE::METHOD::server.
  aidl_name STRING,
  -- When the server began the method. A call without an answer is served then.
  aidl_ts TIMESTAMP,
  -- How long the method took.
  aidl_dur DURATION,
  -- The slice of the call.
  binder_txn_id JOINID(slice.id),
  -- The process that called.
  client_process STRING,
  -- Its thread.
  client_thread STRING,
  -- The process that called.
  client_upid JOINID(process.id),
  -- Its thread.
  client_utid JOINID(thread.id),
  -- The number of the thread.
  client_tid LONG,
  -- The number of the process.
  client_pid LONG,
  -- Whether a main thread called.
  is_main_thread BOOL,
  -- When it called.
  client_ts TIMESTAMP,
  -- How long the call took.
  client_dur DURATION,
  -- The slice of the server.
  binder_reply_id JOINID(slice.id),
  -- The process that served.
  server_process STRING,
  -- Its thread.
  server_thread STRING,
  -- The process that served.
  server_upid JOINID(process.id),
  -- Its thread.
  server_utid JOINID(thread.id),
  -- The number of the thread.
  server_tid LONG,
  -- The number of the process.
  server_pid LONG,
  -- When it began to serve.
  server_ts TIMESTAMP,
  -- How long it served.
  server_dur DURATION,
  -- The score of the process that called, by which the system ends processes.
  client_oom_score LONG,
  -- That of the process that served.
  server_oom_score LONG,
  -- Whether the caller waits for an answer.
  is_sync BOOL,
  -- How long the call took without the time that the device slept.
  client_monotonic_dur DURATION,
  -- How long it was served without the time that the device slept.
  server_monotonic_dur DURATION,
  -- The version of the package that called.
  client_package_version_code LONG,
  -- That of the package that served.
  server_package_version_code LONG,
  -- Whether the package that called can be debugged.
  is_client_package_debuggable BOOL,
  -- Whether the package that served can be debugged.
  is_server_package_debuggable BOOL
)
AS
SELECT
  str_split(call.aidl_name, '::', 2) AS interface,
  str_split(call.aidl_name, '::', 3) AS method_name,
  call.*,
  _extract_duration_without_suspend(call.client_ts, call.client_dur) AS client_monotonic_dur,
  _extract_duration_without_suspend(call.server_ts, call.server_dur) AS server_monotonic_dur,
  client.version_code AS client_package_version_code,
  server.version_code AS server_package_version_code,
  client.debuggable AS is_client_package_debuggable,
  server.debuggable AS is_server_package_debuggable
FROM _binder_call AS call
LEFT JOIN android_process_metadata AS client ON client.upid = call.client_upid
LEFT JOIN android_process_metadata AS server ON server.upid = call.server_upid
ORDER BY call.binder_txn_id;

-- The interface and the method of a call as frames of a stack. Names of HIDL lack the language.
CREATE PERFETTO MACRO _binder_method_stack(
  -- The frames before.
  stack Expr,
  -- The name of the method.
  name Expr
)
RETURNS Expr
AS cat_stacks(
  cat_stacks($stack, str_split($name, '::', iif($name GLOB 'AIDL*', 2, 1))),
  str_split($name, '::', iif($name GLOB 'AIDL*', 3, 2))
);

-- Whom a process calls, as a profile: thread, process, interface, method.
CREATE PERFETTO FUNCTION android_binder_outgoing_graph(
  -- The process; NULL for all.
  upid JOINID(process.id)
)
RETURNS TABLE(
  -- The profile, in pprof's format, with the time of the server.
  pprof BYTES
)
AS
SELECT
  experimental_profile(
    _binder_method_stack!(cat_stacks(cat_stacks(client_thread), server_process), aidl_name),
    'duration', 'ns', server_dur
  ) AS pprof
FROM android_binder_txns
WHERE $upid IS NULL OR client_upid = $upid;

-- Who calls a process, as a profile: process, interface, method.
CREATE PERFETTO FUNCTION android_binder_incoming_graph(
  -- The process; NULL for all.
  upid JOINID(process.id)
)
RETURNS TABLE(
  -- The profile, in pprof's format, with the time of the server.
  pprof BYTES
)
AS
SELECT
  experimental_profile(
    _binder_method_stack!(cat_stacks(client_process), aidl_name), 'duration', 'ns', server_dur
  ) AS pprof
FROM android_binder_txns
WHERE $upid IS NULL OR server_upid = $upid;

-- Which processes call which, as a profile.
CREATE PERFETTO FUNCTION android_binder_graph(
  -- The lowest score of processes that call.
  min_client_oom_score LONG,
  -- The highest.
  max_client_oom_score LONG,
  -- The lowest score of processes that serve.
  min_server_oom_score LONG,
  -- The highest.
  max_server_oom_score LONG
)
RETURNS TABLE(
  -- The profile, in pprof's format, with the time of the server.
  pprof BYTES
)
AS
SELECT
  experimental_profile(
    cat_stacks(cat_stacks(client_process), server_process), 'duration', 'ns', server_dur
  ) AS pprof
FROM android_binder_txns
WHERE
  client_oom_score BETWEEN $min_client_oom_score AND $max_client_oom_score
  AND server_oom_score BETWEEN $min_server_oom_score AND $max_server_oom_score;
