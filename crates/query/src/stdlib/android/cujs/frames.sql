-- The frames of critical user journeys, and who made them late.

INCLUDE PERFETTO MODULE android.cujs.base;
INCLUDE PERFETTO MODULE android.cujs.boundaries;
INCLUDE PERFETTO MODULE android.cujs.threads;
INCLUDE PERFETTO MODULE android.frames.jank_type;
INCLUDE PERFETTO MODULE android.frames.timeline;
INCLUDE PERFETTO MODULE android.surfaceflinger;

-- The vsyncs for which a callback was missed.
CREATE PERFETTO TABLE _vsync_missed_callback AS
SELECT
  CAST(str_split(name, 'Callback#', 1) AS INT) AS vsync,
  max(name GLOB '*SF*') AS sf_callback_missed,
  max(name GLOB '*HWUI*') AS hwui_callback_missed
FROM slice
WHERE name GLOB '*FT#Missed*Callback*'
GROUP BY 1;

-- The frames of each journey in the frame timeline. A frame with several windows is late if one of them is. If the layer of the
-- journey is known, only frames of that layer count.
CREATE PERFETTO TABLE _android_jank_cuj_frame_timeline(
  -- The journey.
  cuj_id LONG,
  -- The vsync.
  vsync LONG,
  -- Whether the app was late.
  app_missed LONG,
  -- Whether SurfaceFlinger was late.
  sf_missed LONG,
  -- By how much the frame was late.
  jank_score LONG,
  -- Whether a callback of SurfaceFlinger was missed.
  sf_callback_missed LONG,
  -- Whether a callback of the RenderThread was missed.
  hwui_callback_missed LONG,
  -- Whether all windows were in time.
  on_time_finish LONG,
  -- When the frame was shown.
  ts_end_actual TIMESTAMP,
  dur DURATION,
  -- How long the frame was expected to take; that of a screen with 60 Hz if it is unknown.
  dur_expected DURATION,
  -- How many layers the frame had.
  number_of_layers_for_frame LONG,
  -- The name of one of them.
  frame_layer_name STRING
)
AS
SELECT
  bound.cuj_id,
  CAST(actual.name AS INT) AS vsync,
  max(android_is_app_jank_type(actual.jank_type)) AS app_missed,
  max(android_is_sf_jank_type(actual.jank_type)) AS sf_missed,
  ifnull(max(abs(actual.jank_score)), 0) AS jank_score,
  ifnull(max(missed.sf_callback_missed), 0) AS sf_callback_missed,
  ifnull(max(missed.hwui_callback_missed), 0) AS hwui_callback_missed,
  min(actual.on_time_finish) AS on_time_finish,
  max(actual.ts + actual.dur) AS ts_end_actual,
  max(actual.dur) AS dur,
  ifnull(max(expected.dur), 16600000) AS dur_expected,
  count(DISTINCT actual.layer_name) AS number_of_layers_for_frame,
  max(actual.layer_name) AS frame_layer_name
FROM _android_jank_cuj_vsync_boundary AS bound
JOIN actual_frame_timeline_slice AS actual
  ON CAST(actual.name AS INT) BETWEEN bound.vsync_min AND bound.vsync_max
LEFT JOIN expected_frame_timeline_slice AS expected
  ON expected.upid = actual.upid AND expected.name = actual.name
LEFT JOIN _vsync_missed_callback AS missed ON missed.vsync = CAST(actual.name AS INT)
LEFT JOIN android_jank_cuj_layer_name AS layer ON layer.cuj_id = bound.cuj_id
WHERE actual.dur > 0 AND (layer.layer_name IS NULL OR layer.layer_name = actual.layer_name)
GROUP BY 1, 2;

-- Each journey, with the number of its frames and of those that were late. A journey that was canceled has no frames.
CREATE PERFETTO TABLE android_jank_cuj_slice_summary(
  -- The journey.
  cuj_id LONG,
  -- Its name with J< and >.
  name STRING,
  process_name STRING,
  -- completed, canceled, or NULL if nothing tells.
  state STRING,
  -- How many frames it has.
  total_frames LONG,
  -- How many of them the app made late.
  missed_app_frames LONG,
  -- How many of them SurfaceFlinger made late.
  missed_sf_frames LONG,
  -- The name of the window's layer.
  layer_name STRING,
  -- When its first frame began, or else the slice.
  ts TIMESTAMP,
  -- How long its frames took, or else the slice.
  dur DURATION,
  -- The track of the slice.
  track_id JOINID(track.id),
  -- The slice.
  slice_id JOINID(slice.id)
)
AS
SELECT
  cuj.cuj_id,
  cuj.cuj_slice_name AS name,
  cuj.process_name,
  fact.state,
  count.total_frames,
  count.missed_app_frames,
  count.missed_sf_frames,
  layer.layer_name,
  ifnull(bound.ts, cuj.ts) AS ts,
  ifnull(bound.dur, cuj.dur) AS dur,
  slice.track_id,
  cuj.slice_id
FROM _cuj_slices AS cuj
JOIN _cuj_facts AS fact USING (cuj_id)
JOIN slice ON slice.id = cuj.slice_id
LEFT JOIN android_jank_cuj AS kept ON kept.cuj_id = cuj.cuj_id
LEFT JOIN (
  SELECT cuj_id, count() AS total_frames, sum(app_missed) AS missed_app_frames, sum(sf_missed) AS missed_sf_frames
  FROM _android_jank_cuj_frame_timeline
  GROUP BY cuj_id
) AS count ON count.cuj_id = kept.cuj_id
LEFT JOIN android_jank_cuj_layer_name AS layer ON layer.cuj_id = cuj.cuj_id
LEFT JOIN _android_jank_cuj_main_thread_cuj_boundary AS bound ON bound.cuj_id = kept.cuj_id
ORDER BY cuj.cuj_id;
