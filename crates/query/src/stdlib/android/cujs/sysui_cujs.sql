-- The journeys of Android's system UI: those that must not stutter (J<NAME>), and those that must be quick (L<NAME>).

INCLUDE PERFETTO MODULE android.critical_blocking_calls;
INCLUDE PERFETTO MODULE android.cujs.base;
INCLUDE PERFETTO MODULE android.render_thread;

-- The first and the last frame of each journey.
CREATE PERFETTO VIEW _cuj_bounds AS
SELECT
  cuj_id,
  min(expected.ts) AS ts,
  max(ui.ts + ui.dur) AS ts_end
FROM (
  SELECT
    cuj_id,
    min(do_frame_id) AS do_frame_id,
    min(expected_frame_timeline_id) AS expected_frame_timeline_id,
    row_number() OVER (PARTITION BY cuj_id ORDER BY min(ts)) AS place,
    count() OVER (PARTITION BY cuj_id) AS frames
  FROM _cuj_frames
  GROUP BY cuj_id, frame_id
)
JOIN slice AS ui ON ui.id = do_frame_id
LEFT JOIN slice AS expected ON expected.id = expected_frame_timeline_id
WHERE place = 1 OR place = frames
GROUP BY cuj_id;

-- Journeys that must not stutter, which have frames and were not canceled.
CREATE PERFETTO TABLE android_sysui_jank_cujs(
  -- A number in order of time.
  cuj_id LONG,
  upid JOINID(process.id),
  process_name STRING,
  -- The name with J< and >.
  cuj_slice_name STRING,
  -- The name alone.
  cuj_name STRING,
  -- The slice, which has other times.
  slice_id JOINID(slice.id),
  -- When its first frame was expected to begin.
  ts TIMESTAMP,
  -- When the UI thread was done with its last frame.
  ts_end TIMESTAMP,
  dur DURATION,
  -- completed, or NULL if nothing tells.
  state STRING,
  ui_thread JOINID(thread.id),
  -- The number of the window's layer.
  layer_id LONG,
  -- The numbers of the vsyncs of its first and last frame.
  begin_vsync LONG,
  end_vsync LONG
)
AS
SELECT
  cuj.cuj_id, cuj.upid, cuj.process_name, cuj.cuj_slice_name, cuj.cuj_name, cuj.slice_id, bound.ts, bound.ts_end,
  bound.ts_end - bound.ts AS dur, cuj.state, cuj.ui_thread, cuj.layer_id, cuj.begin_vsync, cuj.end_vsync
FROM android_jank_cuj AS cuj
JOIN _cuj_bounds AS bound USING (cuj_id)
ORDER BY bound.ts;

-- Journeys that must be quick.
CREATE PERFETTO TABLE android_sysui_latency_cujs(
  -- A number in order of time.
  cuj_id LONG,
  upid JOINID(process.id),
  process_name STRING,
  -- The name with L< and >.
  cuj_slice_name STRING,
  -- The name alone.
  cuj_name STRING,
  slice_id JOINID(slice.id),
  ts TIMESTAMP,
  ts_end TIMESTAMP,
  dur DURATION,
  -- completed, canceled or timeout.
  state STRING
)
AS
SELECT
  row_number() OVER (ORDER BY cuj.ts, cuj.id) AS cuj_id,
  process.upid,
  process.name AS process_name,
  cuj.name AS cuj_slice_name,
  _cuj_name(cuj.name) AS cuj_name,
  cuj.id AS slice_id,
  cuj.ts,
  cuj.ts + cuj.dur AS ts_end,
  cuj.dur,
  CASE
    WHEN max(instant.name = 'cancel') THEN 'canceled'
    WHEN max(instant.name = 'timeout') THEN 'timeout'
    ELSE 'completed'
  END AS state
FROM slice AS cuj
JOIN process_track ON process_track.id = cuj.track_id
JOIN process USING (upid)
LEFT JOIN (
  SELECT slice.ts, slice.name, track.name AS track_name
  FROM slice
  JOIN track ON track.id = slice.track_id
  WHERE slice.name IN ('cancel', 'timeout') AND slice.dur = 0 AND track.name GLOB 'L<*>'
) AS instant
  ON instant.track_name = cuj.name AND instant.ts BETWEEN cuj.ts AND cuj.ts + cuj.dur
WHERE cuj.name GLOB 'L<*>' AND cuj.dur > 0
GROUP BY cuj.id
ORDER BY cuj.ts;

-- Both kinds.
CREATE PERFETTO TABLE android_jank_latency_cujs(
  -- A number: those of the first kind come first.
  cuj_id LONG,
  -- The same.
  id LONG,
  upid JOINID(process.id),
  process_name STRING,
  cuj_slice_name STRING,
  cuj_name STRING,
  slice_id JOINID(slice.id),
  ts TIMESTAMP,
  ts_end TIMESTAMP,
  dur DURATION,
  state STRING,
  -- The main thread, for journeys that must be quick.
  ui_thread JOINID(thread.id),
  layer_id LONG,
  begin_vsync LONG,
  end_vsync LONG,
  -- jank or latency.
  cuj_type STRING
)
AS
WITH both AS (
  SELECT *, 'jank' AS cuj_type FROM android_sysui_jank_cujs
  UNION ALL
  SELECT
    cuj.*, (SELECT min(utid) FROM thread WHERE thread.upid = cuj.upid AND is_main_thread) AS ui_thread, NULL, NULL, NULL,
    'latency' AS cuj_type
  FROM android_sysui_latency_cujs AS cuj
)
SELECT
  row_number() OVER (ORDER BY cuj_type, cuj_id) AS cuj_id,
  row_number() OVER (ORDER BY cuj_type, cuj_id) AS id,
  upid, process_name, cuj_slice_name, cuj_name, slice_id, ts, ts_end, dur, state, ui_thread, layer_id, begin_vsync,
  end_vsync, cuj_type
FROM both;

-- What the threads of the app did during journeys that often makes frames late.
CREATE PERFETTO TABLE android_cuj_blocking_calls(
  -- The slice.
  slice_id JOINID(slice.id),
  -- Its standard name.
  name STRING,
  -- When it began, or the journey.
  ts TIMESTAMP,
  -- How long it lasted, within the journey.
  dur DURATION,
  -- When it ended, or the journey.
  ts_end TIMESTAMP,
  -- The journey.
  cuj_id LONG,
  -- Its name.
  cuj_name STRING,
  process_name STRING,
  upid JOINID(process.id),
  -- The UI thread or the RenderThread.
  utid JOINID(thread.id)
)
AS
SELECT
  call.id AS slice_id,
  call.name,
  max(call.ts, cuj.ts) AS ts,
  min(call.ts_end, cuj.ts_end) - max(call.ts, cuj.ts) AS dur,
  min(call.ts_end, cuj.ts_end) AS ts_end,
  cuj.cuj_id,
  cuj.cuj_name,
  call.process_name,
  call.upid,
  call.utid
FROM _android_critical_blocking_calls AS call
JOIN android_jank_latency_cujs AS cuj
  ON cuj.upid = call.upid AND call.ts_end > cuj.ts AND call.ts < cuj.ts_end
LEFT JOIN _render_thread_per_process AS drawing ON drawing.upid = cuj.upid
WHERE call.utid IN (cuj.ui_thread, drawing.render_thread_utid);
