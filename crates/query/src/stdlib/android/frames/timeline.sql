-- The frames of apps: what their threads did, and what the frame timeline tells.

INCLUDE PERFETTO MODULE slices.with_context;

-- Slices of threads whose names begin with a text and have the number of a vsync behind it.
CREATE PERFETTO FUNCTION _frame_parts(
  -- The beginning, without the space.
  beginning STRING
)
RETURNS TABLE(
  id JOINID(slice.id),
  frame_id LONG,
  utid JOINID(thread.id),
  upid JOINID(process.id),
  ts TIMESTAMP,
  dur DURATION
)
AS
SELECT id, frame_id, utid, upid, ts, dur
FROM (
  SELECT id, CAST(substr(name, instr(name, ' ') + 1) AS INT) AS frame_id, utid, upid, ts, dur
  FROM thread_slice
  WHERE name GLOB $beginning || ' [0-9]*'
)
WHERE frame_id > 0;

-- The work of UI threads on frames.
CREATE PERFETTO TABLE android_frames_choreographer_do_frame(
  -- The slice Choreographer#doFrame.
  id JOINID(slice.id),
  -- The number of the vsync, which is in its name.
  frame_id LONG,
  ui_thread_utid JOINID(thread.id),
  upid JOINID(process.id),
  ts TIMESTAMP
)
AS
SELECT id, frame_id, utid AS ui_thread_utid, upid, ts
FROM _frame_parts('Choreographer#doFrame')
ORDER BY id;

-- The work of RenderThreads on frames. A frame with several windows has several.
CREATE PERFETTO TABLE android_frames_draw_frame(
  -- The slice DrawFrame or DrawFrames.
  id JOINID(slice.id),
  -- The number of the vsync, which is in its name.
  frame_id LONG,
  render_thread_utid JOINID(thread.id),
  upid JOINID(process.id)
)
AS
SELECT id, frame_id, utid AS render_thread_utid, upid
FROM (SELECT * FROM _frame_parts('DrawFrame') UNION ALL SELECT * FROM _frame_parts('DrawFrames'))
ORDER BY id;

-- Frames of releases without a frame timeline, where slices have no numbers: a RenderThread draws what the UI thread began
-- last. They are numbered in order.
CREATE PERFETTO VIEW _frames_by_order AS
SELECT
  row_number() OVER (ORDER BY ui.ts, draw.ts) AS frame_id,
  ui.ts,
  max(draw.ts + draw.dur) OVER (PARTITION BY ui.id) - ui.ts AS dur,
  ui.id AS do_frame_id,
  draw.id AS draw_frame_id,
  NULL AS actual_frame_timeline_id,
  NULL AS expected_frame_timeline_id,
  draw.utid AS render_thread_utid,
  ui.utid AS ui_thread_utid,
  NULL AS layer_name,
  ui.upid
FROM (
  SELECT *, lead(ts, 1, trace_end()) OVER (PARTITION BY upid ORDER BY ts) AS until
  FROM thread_slice
  WHERE name = 'Choreographer#doFrame' AND is_main_thread
) AS ui
JOIN thread_slice AS draw
  ON draw.upid = ui.upid AND draw.name = 'DrawFrame' AND draw.ts >= ui.ts AND draw.ts < ui.until;

-- The actual frames by their numbers.
CREATE PERFETTO TABLE _actual_frames AS
SELECT CAST(name AS INT) AS frame_id, id, ts, dur, upid, layer_name
FROM actual_frame_timeline_slice;

-- The expected frames by their numbers.
CREATE PERFETTO TABLE _expected_frames AS
SELECT CAST(name AS INT) AS frame_id, id, ts, dur, upid
FROM expected_frame_timeline_slice;

-- Frames whose slices have the number of their vsync.
CREATE PERFETTO VIEW _frames_by_number AS
SELECT
  ui.frame_id,
  ifnull(actual.ts, ui.ts) AS ts,
  ifnull(actual.dur, drawn.ts + drawn.dur - ui.ts) AS dur,
  ui.id AS do_frame_id,
  draw.id AS draw_frame_id,
  actual.id AS actual_frame_timeline_id,
  expected.id AS expected_frame_timeline_id,
  draw.render_thread_utid,
  ui.ui_thread_utid,
  actual.layer_name,
  ui.upid
FROM android_frames_choreographer_do_frame AS ui
JOIN android_frames_draw_frame AS draw ON draw.frame_id = ui.frame_id AND draw.upid = ui.upid
JOIN slice AS drawn ON drawn.id = draw.id
LEFT JOIN _actual_frames AS actual ON actual.frame_id = ui.frame_id AND actual.upid = ui.upid
LEFT JOIN _expected_frames AS expected ON expected.frame_id = ui.frame_id AND expected.upid = ui.upid;

-- The frames of apps, once for each window and each slice that drew it.
CREATE PERFETTO TABLE android_frames_layers(
  -- The number of the vsync; without a frame timeline, a number in order.
  frame_id LONG,
  -- As in the frame timeline; without one, the start of the UI thread's work.
  ts TIMESTAMP,
  -- As in the frame timeline; without one, the time until it was drawn.
  dur DURATION,
  ts_end TIMESTAMP,
  do_frame_id JOINID(slice.id),
  draw_frame_id JOINID(slice.id),
  actual_frame_timeline_id JOINID(slice.id),
  expected_frame_timeline_id JOINID(slice.id),
  render_thread_utid JOINID(thread.id),
  ui_thread_utid JOINID(thread.id),
  -- The number behind # in the name of the window's layer.
  layer_id LONG,
  layer_name STRING,
  upid JOINID(process.id),
  process_name STRING
)
AS
SELECT
  frame_id, ts, dur, ts + dur AS ts_end, do_frame_id, draw_frame_id, actual_frame_timeline_id,
  expected_frame_timeline_id, render_thread_utid, ui_thread_utid, CAST(str_split(layer_name, '#', 1) AS INT) AS layer_id,
  layer_name, upid, process.name AS process_name
FROM (
  SELECT * FROM _frames_by_number WHERE EXISTS (SELECT 1 FROM _actual_frames)
  UNION ALL
  SELECT * FROM _frames_by_order WHERE NOT EXISTS (SELECT 1 FROM _actual_frames)
)
JOIN process USING (upid)
ORDER BY frame_id, ts;

-- The frames of apps.
CREATE PERFETTO TABLE android_frames(
  -- The number of the vsync; without a frame timeline, a number in order.
  frame_id LONG,
  -- When the first of its windows began.
  ts TIMESTAMP,
  -- The longest time of its windows.
  dur DURATION,
  -- The first of each, if there are several.
  do_frame_id JOINID(slice.id),
  draw_frame_id JOINID(slice.id),
  actual_frame_timeline_id JOINID(slice.id),
  expected_frame_timeline_id JOINID(slice.id),
  render_thread_utid JOINID(thread.id),
  ui_thread_utid JOINID(thread.id),
  -- How many slices it has in the actual timeline.
  actual_frame_timeline_count LONG,
  -- How many it has in the expected one: all windows share one.
  expected_frame_timeline_count LONG,
  -- How many slices drew it.
  draw_frame_count LONG,
  upid JOINID(process.id),
  process_name STRING
)
AS
SELECT
  frame_id,
  min(ts) AS ts,
  max(dur) AS dur,
  min(do_frame_id) AS do_frame_id,
  min(draw_frame_id) AS draw_frame_id,
  min(actual_frame_timeline_id) AS actual_frame_timeline_id,
  min(expected_frame_timeline_id) AS expected_frame_timeline_id,
  min(render_thread_utid) AS render_thread_utid,
  min(ui_thread_utid) AS ui_thread_utid,
  count(DISTINCT actual_frame_timeline_id) AS actual_frame_timeline_count,
  1 AS expected_frame_timeline_count,
  count(DISTINCT draw_frame_id) AS draw_frame_count,
  upid,
  process_name
FROM android_frames_layers
GROUP BY frame_id, upid
ORDER BY frame_id, upid;

-- The first frame that begins after a time.
CREATE PERFETTO FUNCTION android_first_frame_after(
  ts TIMESTAMP
)
RETURNS TABLE(
  frame_id LONG,
  ts TIMESTAMP,
  dur DURATION,
  do_frame_id JOINID(slice.id),
  draw_frame_id JOINID(slice.id),
  actual_frame_timeline_id JOINID(slice.id),
  expected_frame_timeline_id JOINID(slice.id),
  render_thread_utid JOINID(thread.id),
  ui_thread_utid JOINID(thread.id)
)
AS
SELECT
  frame_id, ts, dur, do_frame_id, draw_frame_id, actual_frame_timeline_id, expected_frame_timeline_id,
  render_thread_utid, ui_thread_utid
FROM android_frames
WHERE ts > $ts
ORDER BY ts
LIMIT 1;
