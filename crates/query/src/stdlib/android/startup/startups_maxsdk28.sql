-- Starts of apps up to Android 9 (API level 28).

INCLUDE PERFETTO MODULE android.frames.timeline;
INCLUDE PERFETTO MODULE android.startup.startup_events;

-- The system notes only starts with a new activity. Where an activity returns (activityResume) outside of these, the start
-- is hot: it lasts until the end of the first frame after that.
CREATE PERFETTO TABLE _startups_maxsdk28 AS
WITH
  noted AS (SELECT ts, ts_end, package_name AS package, NULL AS startup_type FROM _startup_events),
  hot AS (
    SELECT
      resume.ts,
      frame.ts + frame.dur AS ts_end,
      coalesce(resume.process_name, resume.thread_name, 'unknown') AS package,
      'hot' AS startup_type
    FROM thread_slice AS resume
    JOIN android_first_frame_after(resume.ts) AS frame
    WHERE
      resume.name = 'activityResume'
      AND resume.is_main_thread
      AND NOT EXISTS (SELECT 1 FROM noted WHERE resume.ts BETWEEN noted.ts AND noted.ts_end)
  )
SELECT ts, ts_end, ts_end - ts AS dur, package, startup_type
FROM (SELECT * FROM noted UNION ALL SELECT * FROM hot)
ORDER BY ts;
