-- Work and waits that often make frames late.

INCLUDE PERFETTO MODULE android.binder;
INCLUDE PERFETTO MODULE android.slices;
INCLUDE PERFETTO MODULE slices.with_context;

-- Whether the name of a slice is one of these. Handlers count, except those of frames and input.
CREATE PERFETTO MACRO _is_relevant_blocking_call_expr(
  -- The name.
  slice_name Expr
)
RETURNS Expr
AS (
  $slice_name IN (
    'measure', 'layout', 'configChanged', 'animation', 'input', 'traversal', 'Contending for pthread mutex', 'postAndWait',
    'CreateGraphicsPipeline', 'flush layers', 'flush commands', 'queueBuffer',
    'NotificationStackScrollLayout#onMeasure'
  )
  OR $slice_name GLOB 'monitor contention with*'
  OR $slice_name GLOB 'SuspendThreadByThreadId*'
  OR $slice_name GLOB 'LoadApkAssetsFd*'
  OR $slice_name GLOB '*binder transaction*'
  OR $slice_name GLOB 'inflate*'
  OR $slice_name GLOB 'Lock contention on*'
  OR $slice_name GLOB 'android.os.Handler: kotlinx.coroutines*'
  OR $slice_name GLOB 'relayoutWindow*'
  OR $slice_name GLOB 'ImageDecoder#decode*'
  OR $slice_name GLOB 'ExpNotRow#*'
  OR $slice_name GLOB 'GC: Wait For*'
  OR $slice_name GLOB 'Recomposer:*'
  OR $slice_name GLOB 'Compose:*'
  OR $slice_name GLOB 'draw-VRI*'
  OR $slice_name GLOB 'drawLayer *'
  OR $slice_name GLOB 'DrawFrames*'
  OR $slice_name GLOB 'Texture upload*'
  OR (
    ($slice_name GLOB '*Handler: *$*' OR $slice_name GLOB '*.*.*: *$*' OR $slice_name GLOB '*.*$*: #*')
    AND $slice_name NOT GLOB '*Choreographer*'
    AND $slice_name NOT GLOB '*[Ii]nput*'
    AND $slice_name NOT GLOB 'android.os.Handler: #*'
  )
);

-- How long threads that draw only waited for a buffer: that is not work.
CREATE PERFETTO TABLE _draw_frames_waiting AS
SELECT frame.id, sum(wait.dur) AS dur
FROM thread_slice AS wait
JOIN thread_slice AS frame
  ON frame.utid = wait.utid AND wait.ts >= frame.ts AND wait.ts < frame.ts + frame.dur
WHERE wait.name = 'waitForBufferRelease' AND frame.name GLOB 'DrawFrames*'
GROUP BY frame.id;

-- The calls, by their standard names. All layers that are drawn count as drawLayer, too, and calls by Binder by the name
-- of the method.
CREATE PERFETTO TABLE _android_critical_blocking_calls AS
SELECT name, ts, dur, id, process_name, utid, upid, ts + dur AS ts_end
FROM (
  SELECT
    android_standardize_slice_name(slice.name) AS name,
    slice.ts,
    iif(slice.dur = -1 OR waiting.dur IS NULL, slice.dur, max(slice.dur - waiting.dur, 0)) AS dur,
    slice.id,
    slice.process_name,
    slice.utid,
    slice.upid
  FROM thread_slice AS slice
  LEFT JOIN _draw_frames_waiting AS waiting USING (id)
  WHERE _is_relevant_blocking_call_expr!(slice.name)
  UNION ALL
  SELECT 'drawLayer', ts, dur, id, process_name, utid, upid
  FROM thread_slice
  WHERE name GLOB 'drawLayer *'
  UNION ALL
  SELECT aidl_name, client_ts, client_dur, binder_txn_id, client_process, client_utid, client_upid
  FROM android_binder_txns
  WHERE aidl_name IS NOT NULL AND is_sync
);
