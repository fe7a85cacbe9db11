-- Critical user journeys: stretches of time in which the system watches whether frames are late. A slice J<NAME> of a process
-- of the system marks each, and instants of its track or of a thread tell how it went.

INCLUDE PERFETTO MODULE android.frames.timeline;

-- The name of a journey: what stands between the angle brackets.
CREATE PERFETTO FUNCTION _cuj_name(
  slice_name STRING
)
RETURNS STRING
AS
SELECT substr($slice_name, 3, length($slice_name) - 3);

-- The number behind a text in the name of an instant; NULL if the text is not there.
CREATE PERFETTO FUNCTION _cuj_number(
  name STRING,
  before STRING
)
RETURNS LONG
AS
SELECT iif(instr($name, $before) > 0, CAST(substr($name, instr($name, $before) + length($before)) AS INT), NULL);

-- The journeys.
CREATE PERFETTO TABLE _cuj_slices AS
SELECT
  row_number() OVER (ORDER BY slice.ts, slice.id) AS cuj_id,
  process.upid,
  process.name AS process_name,
  slice.id AS slice_id,
  slice.name AS cuj_slice_name,
  slice.ts,
  slice.dur,
  slice.ts + slice.dur AS ts_end
FROM slice
JOIN process_track ON process_track.id = slice.track_id
JOIN process USING (upid)
WHERE slice.name GLOB 'J<*>' AND slice.dur > 0
  AND (process.name GLOB 'com.google.android*' OR process.name GLOB 'com.android.*');

-- The instants that may belong to a journey.
CREATE PERFETTO TABLE _cuj_instants AS
SELECT slice.ts, slice.name, track.name AS track_name, thread_track.utid
FROM slice
JOIN track ON track.id = slice.track_id
LEFT JOIN thread_track ON thread_track.id = slice.track_id
WHERE slice.name GLOB 'J<*>#*' OR slice.name GLOB 'FT#*'
ORDER BY slice.ts;

-- What the instants of each journey tell: how it went, its window, and its first and last frame.
CREATE PERFETTO TABLE _cuj_facts AS
SELECT
  cuj.cuj_id,
  max(_cuj_number(instant.name, 'layerId#')) AS layer_id,
  max(_cuj_number(instant.name, 'beginVsync#')) AS begin_vsync,
  max(_cuj_number(instant.name, 'endVsync#')) AS end_vsync,
  max(iif(instant.name GLOB '*#UIThread', instant.utid, NULL)) AS ui_thread,
  CASE
    WHEN sum(instant.name GLOB '*FT#cancel*') > 0 THEN 'canceled'
    WHEN sum(instant.name GLOB '*FT#end*') > 0 THEN 'completed'
  END AS state
FROM _cuj_slices AS cuj
LEFT JOIN _cuj_instants AS instant
  ON instant.ts >= cuj.ts AND instant.ts < cuj.ts_end
  AND (
    instant.name = cuj.cuj_slice_name || '#UIThread'
    OR substr(instant.name, 1, length(cuj.cuj_slice_name) + 4) = cuj.cuj_slice_name || '#FT#'
    OR (instant.track_name = cuj.cuj_slice_name AND instant.name GLOB 'FT#*')
  )
GROUP BY cuj.cuj_id;

-- The journeys with their facts, except those that were canceled. Older releases do not tell, but a journey of less than
-- 4 ms was.
CREATE PERFETTO TABLE android_jank_cuj(
  -- A number in order of time.
  cuj_id LONG,
  upid JOINID(process.id),
  process_name STRING,
  slice_id JOINID(slice.id),
  -- The name with J< and >.
  cuj_slice_name STRING,
  ts TIMESTAMP,
  dur DURATION,
  ts_end TIMESTAMP,
  -- The name alone.
  cuj_name STRING,
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
  cuj_id, upid, process_name, slice_id, cuj_slice_name, ts, dur, ts_end, _cuj_name(cuj_slice_name) AS cuj_name, state,
  ui_thread, layer_id, begin_vsync, end_vsync
FROM _cuj_slices
JOIN _cuj_facts USING (cuj_id)
WHERE state = 'completed' OR (state IS NULL AND dur > 4000000)
ORDER BY ts;

-- The frames of windows within each journey.
CREATE PERFETTO TABLE _cuj_frames AS
SELECT
  cuj.cuj_id,
  fact.layer_id AS cuj_layer_id,
  frame.layer_id,
  frame.layer_name,
  frame.frame_id,
  frame.do_frame_id,
  frame.expected_frame_timeline_id,
  frame.ts,
  frame.ts_end
FROM _cuj_slices AS cuj
JOIN _cuj_facts AS fact USING (cuj_id)
JOIN android_frames_layers AS frame
  ON frame.ui_thread_utid = fact.ui_thread AND frame.frame_id BETWEEN fact.begin_vsync AND fact.end_vsync
WHERE frame.layer_id IS NOT NULL
  AND (frame.ts BETWEEN cuj.ts AND cuj.ts_end OR frame.ts_end BETWEEN cuj.ts AND cuj.ts_end);

-- The name of the layer that each journey watches: the one whose number it tells. If it tells none, the name is known if no
-- frame has several.
CREATE PERFETTO TABLE android_jank_cuj_layer_name(
  cuj_id LONG,
  layer_name STRING
)
AS
SELECT cuj_id, max(layer_name) AS layer_name
FROM _cuj_frames
WHERE layer_id = cuj_layer_id
GROUP BY cuj_id
UNION ALL
SELECT cuj_id, max(layer_name) AS layer_name
FROM (
  SELECT cuj_id, max(layer_name) AS layer_name, count(DISTINCT layer_name) AS layers
  FROM _cuj_frames
  WHERE cuj_layer_id IS NULL
  GROUP BY cuj_id, frame_id
)
GROUP BY cuj_id
HAVING max(layers) = 1;
