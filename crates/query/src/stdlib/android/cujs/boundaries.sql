-- When the threads of an app worked for the frames of a critical user journey.

INCLUDE PERFETTO MODULE android.cujs.base;
INCLUDE PERFETTO MODULE android.cujs.threads;
INCLUDE PERFETTO MODULE android.surfaceflinger;

-- The work of the UI thread on the frames of each journey. Without a mark of the UI thread, that is the main thread.
CREATE PERFETTO TABLE _android_jank_cuj_do_frames AS
SELECT
  cuj.cuj_id,
  fact.ui_thread,
  thread.utid,
  frame.id,
  frame.frame_id AS vsync,
  frame.ts,
  frame.upid,
  slice.ts + slice.dur AS ts_end,
  slice.track_id
FROM _cuj_slices AS cuj
JOIN _cuj_facts AS fact USING (cuj_id)
JOIN thread ON thread.upid = cuj.upid
JOIN android_frames_choreographer_do_frame AS frame ON frame.ui_thread_utid = thread.utid
JOIN slice ON slice.id = frame.id
WHERE iif(fact.ui_thread IS NULL, thread.is_main_thread, thread.utid = fact.ui_thread)
  AND frame.ts <= cuj.ts_end AND slice.ts + slice.dur >= cuj.ts
  AND frame.frame_id BETWEEN ifnull(fact.begin_vsync, 1) AND ifnull(fact.end_vsync, frame.frame_id);

-- The first and the last vsync of each journey: those that it tells, or else those of its frames.
CREATE PERFETTO TABLE _android_jank_cuj_vsync_boundary(
  -- The journey.
  cuj_id LONG,
  upid JOINID(process.id),
  -- The number of the window's layer.
  layer_id LONG,
  -- The first vsync.
  vsync_min LONG,
  -- The last vsync.
  vsync_max LONG
)
AS
SELECT
  cuj.cuj_id,
  cuj.upid,
  cuj.layer_id,
  ifnull(cuj.begin_vsync, min(frame.vsync)) AS vsync_min,
  ifnull(cuj.end_vsync, max(frame.vsync)) AS vsync_max
FROM android_jank_cuj AS cuj
JOIN _android_jank_cuj_do_frames AS frame USING (cuj_id)
GROUP BY cuj.cuj_id;

-- The timelines of the frames of each journey: the expected beginning, and the actual times of all windows.
CREATE PERFETTO TABLE _cuj_timelines AS
SELECT
  bound.cuj_id,
  CAST(expected.name AS INT) AS vsync,
  expected.ts AS ts_expected,
  min(actual.ts) AS ts,
  max(actual.ts + actual.dur) AS ts_end
FROM _android_jank_cuj_vsync_boundary AS bound
JOIN expected_frame_timeline_slice AS expected
  ON expected.upid = bound.upid AND expected.dur > 0
  AND CAST(expected.name AS INT) BETWEEN bound.vsync_min AND bound.vsync_max
JOIN actual_frame_timeline_slice AS actual ON actual.upid = expected.upid AND actual.name = expected.name
GROUP BY bound.cuj_id, vsync, expected.ts;

-- The time that the UI thread had for each frame. It begins when the frame was expected to begin, but not before the end of the
-- frame before it.
--
-- ```
-- expected     |                     |
-- UI thread      doFrame 1..............  doFrame 2....
-- the frame    |---------- 1 -----------|----- 2 ------|
-- ```
--
-- A timeline counts only if it fits the frame: clocks may drift, and the timeline of a very late frame has no beginning.
CREATE PERFETTO TABLE _android_jank_cuj_main_thread_frame_boundary(
  -- The journey.
  cuj_id LONG,
  -- The UI thread.
  utid JOINID(thread.id),
  -- The vsync.
  vsync LONG,
  -- When the UI thread began with the frame.
  ts_do_frame_start TIMESTAMP,
  ts_end TIMESTAMP,
  -- When it ended the frame before; -1 for the first one.
  ts_prev_do_frame_end TIMESTAMP,
  -- When the frame was expected to begin.
  ts_expected TIMESTAMP,
  ts TIMESTAMP,
  dur DURATION
)
AS
WITH
  _cb_frame AS (
    SELECT *, lag(ts_end, 1, -1) OVER (PARTITION BY cuj_id ORDER BY vsync) AS before
    FROM _android_jank_cuj_do_frames
  ),
  _cb_bound AS (
    SELECT
      frame.cuj_id,
      frame.utid,
      frame.vsync,
      frame.ts AS ts_do_frame_start,
      frame.ts_end,
      frame.before AS ts_prev_do_frame_end,
      timeline.ts_expected,
      iif(timeline.ts_expected IS NULL, frame.ts, max(frame.before, timeline.ts_expected)) AS ts
    FROM _cb_frame AS frame
    LEFT JOIN _cuj_timelines AS timeline
      ON timeline.cuj_id = frame.cuj_id AND timeline.vsync = frame.vsync
      AND frame.ts BETWEEN timeline.ts - 1000000 AND timeline.ts_end
  )
SELECT *, ts_end - ts AS dur
FROM _cb_bound;

-- The time that the UI thread had for all frames of a journey.
CREATE PERFETTO TABLE _android_jank_cuj_main_thread_cuj_boundary(
  -- The journey.
  cuj_id LONG,
  -- The UI thread.
  utid JOINID(thread.id),
  ts TIMESTAMP,
  ts_end TIMESTAMP,
  dur DURATION
)
AS
SELECT cuj_id, utid, min(ts) AS ts, max(ts_end) AS ts_end, max(ts_end) - min(ts) AS dur
FROM _android_jank_cuj_main_thread_frame_boundary
GROUP BY cuj_id, utid;

-- The time of a journey in the app: up to the actual end of its last frame. If that frame drew nothing, up to the end of the work
-- on it.
CREATE PERFETTO TABLE _android_jank_cuj_boundary(
  -- The journey.
  cuj_id LONG,
  upid JOINID(process.id),
  ts TIMESTAMP,
  ts_end TIMESTAMP,
  dur DURATION
)
AS
WITH _cb_end AS (
  SELECT
    bound.cuj_id,
    cuj.upid,
    bound.ts,
    ifnull(
      (
        SELECT max(actual.ts + actual.dur)
        FROM actual_frame_timeline_slice AS actual
        WHERE actual.upid = cuj.upid AND CAST(actual.name AS INT) = vsync.vsync_max
      ),
      (
        SELECT max(max(frame.ts_end), cuj.ts_end)
        FROM _android_jank_cuj_do_frames AS frame
        WHERE frame.cuj_id = cuj.cuj_id
      )
    ) AS ts_end
  FROM _android_jank_cuj_main_thread_cuj_boundary AS bound
  JOIN android_jank_cuj AS cuj USING (cuj_id)
  JOIN _android_jank_cuj_vsync_boundary AS vsync USING (cuj_id)
)
SELECT *, ts_end - ts AS dur
FROM _cb_end;
