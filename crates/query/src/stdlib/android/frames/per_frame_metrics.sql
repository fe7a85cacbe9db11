-- Figures of each frame of an app.

INCLUDE PERFETTO MODULE android.frames.timeline;
INCLUDE PERFETTO MODULE time.conversion;

-- How late frames were.
CREATE PERFETTO TABLE android_frames_overrun(
  -- The number of the vsync.
  frame_id LONG,
  -- The end minus the expected end, which is negative for a frame in time.
  overrun LONG
)
AS
SELECT actual.frame_id, actual.ts + actual.dur - (expected.ts + expected.dur) AS overrun
FROM (SELECT frame_id, min(id) AS id FROM _actual_frames GROUP BY frame_id) AS first
JOIN _actual_frames AS actual ON actual.id = first.id
JOIN (SELECT frame_id, min(id) AS id FROM _expected_frames GROUP BY frame_id) AS first_expected
  ON first_expected.frame_id = first.frame_id
JOIN _expected_frames AS expected ON expected.id = first_expected.id
ORDER BY actual.frame_id;

-- How long the UI thread worked on frames.
CREATE PERFETTO TABLE android_frames_ui_time(
  -- The number of the vsync.
  frame_id LONG,
  ui_time LONG
)
AS
SELECT frame_id, slice.dur AS ui_time
FROM android_frames_choreographer_do_frame
JOIN slice USING (id);

-- The first frame of any process with each number.
CREATE PERFETTO TABLE _frames_once AS
SELECT frame_id, do_frame_id, actual_frame_timeline_id, expected_frame_timeline_id
FROM (SELECT *, row_number() OVER (PARTITION BY frame_id ORDER BY upid) AS place FROM android_frames)
WHERE place = 1
ORDER BY frame_id;

-- How much later than expected frames began.
CREATE PERFETTO TABLE android_app_vsync_delay_per_frame(
  -- The number of the vsync.
  frame_id LONG,
  app_vsync_delay LONG
)
AS
SELECT frame_id, actual.ts - expected.ts AS app_vsync_delay
FROM _frames_once
JOIN slice AS actual ON actual.id = actual_frame_timeline_id
JOIN slice AS expected ON expected.id = expected_frame_timeline_id
ORDER BY frame_id;

-- The time from the expected start of frames that their threads needed.
CREATE PERFETTO TABLE android_cpu_time_per_frame(
  -- The number of the vsync.
  frame_id LONG,
  app_vsync_delay LONG,
  -- The time of the UI thread.
  do_frame_dur DURATION,
  -- The time of the RenderThread, for all windows.
  draw_frame_dur DURATION,
  -- The sum of these three.
  cpu_time LONG
)
AS
SELECT
  frame_id,
  app_vsync_delay,
  ui.dur AS do_frame_dur,
  draw_frame_dur,
  app_vsync_delay + ui.dur + draw_frame_dur AS cpu_time
FROM android_app_vsync_delay_per_frame
JOIN _frames_once USING (frame_id)
JOIN slice AS ui ON ui.id = do_frame_id
JOIN (
  SELECT frame_id, sum(slice.dur) AS draw_frame_dur
  FROM android_frames_draw_frame
  JOIN slice USING (id)
  GROUP BY frame_id
) USING (frame_id)
ORDER BY frame_id;

-- Whether frames were late or slow. The columns from was_jank on are 1 or NULL.
CREATE PERFETTO TABLE android_frame_stats(
  -- The number of the vsync.
  frame_id LONG,
  -- As in android_frames_overrun.
  overrun LONG,
  -- As in android_cpu_time_per_frame; if that is not known, the time of the UI thread and 5 ms.
  cpu_time LONG,
  -- The time of the UI thread.
  ui_time LONG,
  -- It was late.
  was_jank BOOL,
  -- cpu_time is more than 20 ms.
  was_slow_frame BOOL,
  -- More than 50 ms.
  was_big_jank BOOL,
  -- More than 200 ms.
  was_huge_jank BOOL
)
AS
WITH figures AS (
  SELECT frame_id, overrun, ifnull(cpu_time, ui_time + 5000000) AS cpu_time, ui_time
  FROM android_frames_overrun
  JOIN android_frames_ui_time USING (frame_id)
  LEFT JOIN android_cpu_time_per_frame USING (frame_id)
)
SELECT
  *,
  nullif(overrun > 0, 0) AS was_jank,
  nullif(cpu_time > 20000000, 0) AS was_slow_frame,
  nullif(cpu_time > 50000000, 0) AS was_big_jank,
  nullif(cpu_time > 200000000, 0) AS was_huge_jank
FROM figures;
