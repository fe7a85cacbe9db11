-- The threads that work for critical user journeys.

INCLUDE PERFETTO MODULE android.cujs.base;
INCLUDE PERFETTO MODULE android.surfaceflinger;

-- The threads of a name, in the process of each journey.
CREATE PERFETTO FUNCTION android_jank_cuj_app_thread(
  -- The name.
  thread_name STRING
)
RETURNS TABLE(
  -- The journey.
  cuj_id LONG,
  upid JOINID(process.id),
  utid JOINID(thread.id),
  name STRING,
  -- The track of its slices.
  track_id JOINID(track.id)
)
AS
SELECT cuj.cuj_id, cuj.upid, thread.utid, thread.name, track.id AS track_id
FROM android_jank_cuj AS cuj
JOIN thread ON thread.upid = cuj.upid AND thread.name = $thread_name
JOIN thread_track AS track ON track.utid = thread.utid;

-- The threads that draw, in the process of each journey.
CREATE PERFETTO TABLE android_jank_cuj_render_thread(
  -- The journey.
  cuj_id LONG,
  upid JOINID(process.id),
  utid JOINID(thread.id),
  name STRING,
  -- The track of its slices.
  track_id JOINID(track.id)
)
AS
SELECT *
FROM android_jank_cuj_app_thread('RenderThread');

-- The UI thread of each journey. If the journey tells none, that is the main thread.
CREATE PERFETTO TABLE _android_jank_cuj_main_thread AS
SELECT cuj.cuj_id, cuj.upid, thread.utid, thread.name, track.id AS track_id
FROM android_jank_cuj AS cuj
JOIN thread
  ON thread.upid = cuj.upid AND iif(cuj.ui_thread IS NULL, thread.is_main_thread, thread.utid = cuj.ui_thread)
JOIN thread_track AS track ON track.utid = thread.utid;
