-- How long starts of apps take until something is to be seen.

INCLUDE PERFETTO MODULE android.frames.timeline;
INCLUDE PERFETTO MODULE android.startup.startups;

-- Starts and their processes: those that showed the activity, else those with the name of the package.
CREATE PERFETTO TABLE _startup_apps AS
SELECT startup.startup_id, startup.ts, ifnull(app.upid, named.upid) AS upid
FROM android_startups AS startup
LEFT JOIN android_startup_processes AS app USING (startup_id)
LEFT JOIN process AS named ON app.upid IS NULL AND named.name GLOB startup.package;

-- The frames of starts that end a way to be seen: the first after the start, and the first whose time ends after the app
-- said that it was complete.
CREATE PERFETTO TABLE _startup_frames AS
WITH
  complete AS (
    SELECT app.startup_id, app.upid, slice.utid, min(slice.ts) AS ts
    FROM _startup_apps AS app
    JOIN thread_slice AS slice ON slice.upid = app.upid AND slice.ts >= app.ts
    WHERE slice.is_main_thread AND slice.name GLOB 'reportFullyDrawn*'
    GROUP BY app.startup_id
  )
SELECT app.startup_id, 'initial' AS which, frame.frame_id, frame.draw_frame_id, app.upid, min(frame.ts) AS ts
FROM _startup_apps AS app
JOIN android_frames AS frame ON frame.upid = app.upid AND frame.ts >= app.ts
GROUP BY app.startup_id
UNION ALL
SELECT complete.startup_id, 'full', frame.frame_id, frame.draw_frame_id, complete.upid, min(frame.ts)
FROM complete
JOIN android_frames AS frame
  ON frame.ui_thread_utid = complete.utid AND frame.ts + frame.dur > complete.ts
GROUP BY complete.startup_id;

-- The time from a start until a frame was drawn.
CREATE PERFETTO TABLE _startup_displays AS
SELECT startup_id, which, frame_id, frame.upid, slice.ts + slice.dur - startup.ts AS dur
FROM _startup_frames AS frame
JOIN android_startups AS startup USING (startup_id)
JOIN slice ON slice.id = frame.draw_frame_id;

-- When starts showed something, and when the app was complete, as it said itself with reportFullyDrawn().
CREATE PERFETTO TABLE android_startup_time_to_display(
  -- The start.
  startup_id LONG,
  -- Until the first frame was drawn.
  time_to_initial_display LONG,
  -- Until the app was complete and drawn.
  time_to_full_display LONG,
  -- The first frame.
  ttid_frame_id LONG,
  -- The frame with which it was complete.
  ttfd_frame_id LONG,
  -- The process.
  upid JOINID(process.id)
)
AS
SELECT
  startup_id,
  initial.dur AS time_to_initial_display,
  complete.dur AS time_to_full_display,
  initial.frame_id AS ttid_frame_id,
  complete.frame_id AS ttfd_frame_id,
  initial.upid
FROM android_startups
LEFT JOIN (SELECT * FROM _startup_displays WHERE which = 'initial') AS initial USING (startup_id)
LEFT JOIN (SELECT * FROM _startup_displays WHERE which = 'full') AS complete USING (startup_id)
ORDER BY startup_id;
