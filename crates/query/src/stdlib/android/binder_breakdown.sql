-- What calls by Binder spend their time with, with one reason for each time.

INCLUDE PERFETTO MODULE android.binder;
INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE intervals.overlap;
INCLUDE PERFETTO MODULE slices.with_context;

-- One side of calls, cut into pieces by the innermost slice and the state of the thread: binder_txn_id, binder_reply_id,
-- flat_id (the innermost slice), name, ts, dur, state, io_wait.
CREATE PERFETTO MACRO _binder_pieces(
  -- The columns of android_binder_txns with the slice of the side, and its time.
  id ColumnName,
  ts ColumnName,
  dur ColumnName,
  -- The name of these slices.
  slice_name Expr
)
RETURNS TableOrSubquery
AS (
  WITH
    _bp_root AS (SELECT $id AS id, $ts AS ts, $dur AS dur FROM android_binder_txns),
    _bp_child AS (
      SELECT slice.id AS root_id, within.id, within.parent_id, within.ts, within.dur
      FROM slice
      JOIN descendant_slice(slice.id) AS within
      WHERE slice.name = $slice_name
    ),
    _bp_flat AS (
      SELECT
        row_number() OVER () AS id,
        call.binder_txn_id,
        call.binder_reply_id,
        slice.id AS flat_id,
        slice.name,
        slice.utid,
        flat.ts,
        flat.dur
      FROM _intervals_flatten!(_intervals_merge_root_and_children!(_bp_root, _bp_child)) AS flat
      JOIN thread_slice AS slice USING (id)
      JOIN android_binder_txns AS call ON call.$id = flat.root_id
      WHERE flat.dur > 0
    ),
    _bp_state AS (SELECT id, ts, dur, utid FROM thread_state WHERE dur > 0)
  SELECT binder_txn_id, binder_reply_id, flat_id, name, part.ts, part.dur, state, io_wait
  FROM _interval_intersect!((_bp_flat, _bp_state), (utid)) AS part
  JOIN _bp_flat ON _bp_flat.id = part.id_0
  JOIN thread_state ON thread_state.id = part.id_1
);

-- The reason of a piece. Sleeping counts for the slice that waits; waiting for memory counts first.
CREATE PERFETTO FUNCTION _binder_piece_reason(
  name STRING,
  state STRING,
  io_wait LONG,
  -- Whether the slice is the call itself, not one within.
  is_outermost BOOL
)
RETURNS STRING
AS
SELECT
  CASE
    WHEN $name = 'mm_vmscan_direct_reclaim' THEN 'kernel_memory_reclaim'
    WHEN $name GLOB 'GC: Wait For*' THEN 'userspace_memory_reclaim'
    WHEN $state != 'S' THEN iif($io_wait = 1, 'io', $state)
    WHEN $name GLOB 'monitor contention*' THEN 'monitor_contention'
    WHEN $name GLOB 'Lock contention on a monitor lock*' THEN 'monitor_contention'
    WHEN $name GLOB 'Lock contention*' THEN 'art_lock_contention'
    WHEN $name IN ('binder transaction', 'binder reply') AND NOT $is_outermost THEN 'binder'
    WHEN $name = 'Contending for pthread mutex' THEN 'mutex_contention'
    ELSE $state
  END;

-- What servers spend the time of calls with.
CREATE PERFETTO TABLE android_binder_server_breakdown(
  -- The slice of the call.
  binder_txn_id JOINID(slice.id),
  -- The slice of the server.
  binder_reply_id JOINID(slice.id),
  -- When the piece began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- The reason.
  reason STRING
)
AS
SELECT
  binder_txn_id, binder_reply_id, ts, dur,
  _binder_piece_reason(name, state, io_wait, flat_id IN (binder_txn_id, binder_reply_id)) AS reason
FROM _binder_pieces!(binder_reply_id, server_ts, server_dur, 'binder reply');

-- What callers spend the time of calls with.
CREATE PERFETTO TABLE android_binder_client_breakdown(
  -- The slice of the call.
  binder_txn_id JOINID(slice.id),
  -- The slice of the server.
  binder_reply_id JOINID(slice.id),
  -- When the piece began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- The reason.
  reason STRING
)
AS
SELECT
  binder_txn_id, binder_reply_id, ts, dur,
  _binder_piece_reason(name, state, io_wait, flat_id IN (binder_txn_id, binder_reply_id)) AS reason
FROM _binder_pieces!(binder_txn_id, client_ts, client_dur, 'binder transaction');

-- The pieces of callers, for the span join.
CREATE PERFETTO VIEW _binder_client_piece AS
SELECT binder_txn_id, binder_reply_id, ts, dur, reason AS client_reason
FROM android_binder_client_breakdown;

-- Those of servers.
CREATE PERFETTO VIEW _binder_server_piece AS
SELECT binder_txn_id, ts, dur, reason AS server_reason
FROM android_binder_server_breakdown;

CREATE VIRTUAL TABLE _binder_client_server_piece
USING SPAN_LEFT_JOIN(_binder_client_piece PARTITIONED binder_txn_id, _binder_server_piece PARTITIONED binder_txn_id);

-- What the time of calls is spent with: the reason of the server, where it serves the call.
CREATE PERFETTO TABLE android_binder_client_server_breakdown(
  -- When the piece began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- The slice of the call.
  binder_txn_id JOINID(slice.id),
  -- The slice of the server.
  binder_reply_id JOINID(slice.id),
  -- The reason of the caller.
  client_reason STRING,
  -- The reason of the server; NULL before and after it serves the call.
  server_reason STRING,
  -- The reason that counts.
  reason STRING,
  -- Whose it is: server or client.
  reason_type STRING
)
AS
SELECT
  *,
  ifnull(server_reason, client_reason) AS reason,
  iif(server_reason IS NULL, 'client', 'server') AS reason_type
FROM _binder_client_server_piece;
