-- Services of apps that other apps bind to.

INCLUDE PERFETTO MODULE android.binder;
INCLUDE PERFETTO MODULE slices.with_context;

-- What the system sends to a service: a call without an answer behind the instant requestServiceBinding… bindSeq=NUMBER, with
-- nothing between them.
CREATE PERFETTO TABLE _service_bind_sent AS
SELECT
  next_id AS id,
  utid,
  CAST(str_split(str_split(name, 'bindSeq=', 1), ' ', 0) AS INT) AS bind_seq
FROM (
  SELECT
    name,
    utid,
    lead(id) OVER siblings AS next_id,
    lead(name) OVER siblings AS next_name
  FROM thread_slice
  WHERE dur = 0
  WINDOW siblings AS (PARTITION BY track_id, parent_id ORDER BY ts, id)
)
WHERE name GLOB 'requestServiceBinding*' AND next_name = 'binder transaction async';

-- Where services get it.
CREATE PERFETTO TABLE _service_bind_received AS
SELECT
  ts,
  dur,
  replace(str_split(str_split(name, 'token=', 1), ' ', 0), 'ServiceRecord{', '') AS token,
  str_split(str_split(name, 'act=', 1), ' ', 0) AS act,
  str_split(str_split(name, 'cmp=', 1), ' ', 0) AS cmp,
  str_split(str_split(name, 'flg=', 1), ' ', 0) AS flg,
  CAST(str_split(str_split(name, 'bindSeq=', 1), '}', 0) AS INT) AS bind_seq
FROM slice
WHERE name GLOB 'serviceBind:*';

-- Bindings. The client is the app that asked the system, or the system if it did that itself.
CREATE PERFETTO TABLE android_service_bindings(
  -- The score of the client, by which the system ends processes.
  client_oom_score LONG,
  -- The name of its process.
  client_process STRING,
  -- The name of its thread.
  client_thread STRING,
  -- The number of its process.
  client_pid LONG,
  -- The number of its thread.
  client_tid LONG,
  -- Its process.
  client_upid JOINID(process.id),
  -- Its thread.
  client_utid JOINID(thread.id),
  -- When it asked.
  client_ts TIMESTAMP,
  -- How long that took.
  client_dur DURATION,
  -- The score of the service.
  server_oom_score LONG,
  -- The name of its process.
  server_process STRING,
  -- The name of the thread that got the call.
  server_thread STRING,
  -- The number of the process.
  server_pid LONG,
  -- The number of the thread.
  server_tid LONG,
  -- The process.
  server_upid JOINID(process.id),
  -- The thread.
  server_utid JOINID(thread.id),
  -- When it handled the binding.
  server_ts TIMESTAMP,
  -- How long that took.
  server_dur DURATION,
  -- The system's record of the service.
  token STRING,
  -- The action of the request.
  act STRING,
  -- The service that it names.
  cmp STRING,
  -- Its flags.
  flg STRING,
  -- The number of the binding.
  bind_seq LONG
)
AS
SELECT
  ifnull(asked.client_oom_score, sent.client_oom_score) AS client_oom_score,
  ifnull(asked.client_process, sent.client_process) AS client_process,
  ifnull(asked.client_thread, sent.client_thread) AS client_thread,
  ifnull(asked.client_pid, sent.client_pid) AS client_pid,
  ifnull(asked.client_tid, sent.client_tid) AS client_tid,
  ifnull(asked.client_upid, sent.client_upid) AS client_upid,
  ifnull(asked.client_utid, sent.client_utid) AS client_utid,
  ifnull(asked.client_ts, sent.client_ts) AS client_ts,
  ifnull(asked.client_dur, sent.client_dur) AS client_dur,
  sent.server_oom_score,
  sent.server_process,
  sent.server_thread,
  sent.server_pid,
  sent.server_tid,
  sent.server_upid,
  sent.server_utid,
  received.ts AS server_ts,
  received.dur AS server_dur,
  received.token,
  received.act,
  received.cmp,
  received.flg,
  received.bind_seq
FROM _service_bind_sent AS bind
JOIN _service_bind_received AS received USING (bind_seq)
LEFT JOIN android_binder_txns AS sent ON sent.binder_txn_id = bind.id
-- The call that the system serves meanwhile.
LEFT JOIN ancestor_slice(bind.id) AS around ON around.depth = 0
LEFT JOIN android_binder_txns AS asked ON asked.server_ts = around.ts AND asked.server_utid = bind.utid;
