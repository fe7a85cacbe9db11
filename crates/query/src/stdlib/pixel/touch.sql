-- Touches on Pixel phones, from the interrupt of the screen to the process that works them out.

INCLUDE PERFETTO MODULE intervals.intersect;

-- The number behind KEY= in a name, up to a point.
CREATE PERFETTO FUNCTION _pt_number(
  name STRING,
  key STRING
)
RETURNS LONG
AS
SELECT cast_int!(str_split(str_split($name, $key || '=', 1), '.', 0));

-- The work on each frame of touches. The counter within it tells by how much the time of the touch is corrected.
CREATE PERFETTO TABLE _pt_frames AS
SELECT
  slice.id,
  slice.ts,
  slice.dur,
  slice.track_id,
  _pt_number(slice.name, 'IN_TS') AS in_ts,
  (
    SELECT cast_int!(value)
    FROM counter
    WHERE track_id = (SELECT min(id) FROM track WHERE name = 'Resample latency offset')
      AND counter.ts BETWEEN slice.ts AND slice.ts + slice.dur
    ORDER BY counter.ts, counter.id
    LIMIT 1
  ) AS resample_latency_offset
FROM slice
WHERE slice.name GLOB 'algo->processFrame:*';

-- The threads that read the screen after an interrupt: the number of the interrupt, and the time of the touch that they read.
CREATE PERFETTO TABLE _pt_reads AS
SELECT
  slice.id,
  slice.ts,
  slice.dur,
  slice.track_id,
  _pt_number(slice.name, 'IRQ_IDX') AS irq,
  (
    SELECT _pt_number(part.name, 'IN_TS')
    FROM slice AS part
    WHERE part.parent_id = slice.id AND part.name GLOB 'goog_offload_populate_frame:*'
    ORDER BY part.id
    LIMIT 1
  ) AS in_ts
FROM slice
WHERE slice.name GLOB 'gti_irq_thread_fn: IRQ_IDX=*';

-- The numbers of interrupts, at the times when they were counted.
CREATE PERFETTO TABLE _pt_counted AS
SELECT id, ts, 0 AS dur, value
FROM counter
WHERE track_id = (SELECT min(id) FROM track WHERE name = 'gti_th_irq_index');

-- All interrupts.
CREATE PERFETTO TABLE _pt_handlers AS
SELECT id, ts, dur, track_id
FROM slice
WHERE name GLOB 'IRQ (*)' AND dur > 0;

-- The interrupts of the screen.
CREATE PERFETTO TABLE _pt_interrupts AS
SELECT handler.id, handler.ts, handler.dur, handler.track_id, counted.value AS irq
FROM _interval_intersect!((_pt_handlers, _pt_counted), ()) AS both
JOIN _pt_handlers AS handler ON handler.id = both.id_0
JOIN _pt_counted AS counted ON counted.id = both.id_1;

-- Touches: the interrupt, the thread that reads the screen, and the work on the frame. What the trace lacks is NULL.
CREATE PERFETTO TABLE pixel_touch_events(
  -- The time of the touch on the clock of the screen.
  in_ts LONG,
  -- The interrupt.
  ts_pixel_touch_th TIMESTAMP,
  dur_pixel_touch_th DURATION,
  id_pixel_touch_th LONG,
  track_pixel_touch_th JOINID(track.id),
  -- The thread that reads the screen.
  ts_pixel_touch_bh TIMESTAMP,
  dur_pixel_touch_bh DURATION,
  id_pixel_touch_bh LONG,
  track_pixel_touch_bh JOINID(track.id),
  -- The work on the frame.
  ts_pixel_touch TIMESTAMP,
  dur_pixel_touch DURATION,
  id_pixel_touch LONG,
  track_pixel_touch JOINID(track.id),
  -- By how much the time of the touch is corrected, nanoseconds.
  resample_latency_offset LONG
)
AS
SELECT
  frame.in_ts,
  interrupt.ts AS ts_pixel_touch_th,
  interrupt.dur AS dur_pixel_touch_th,
  interrupt.id AS id_pixel_touch_th,
  interrupt.track_id AS track_pixel_touch_th,
  read.ts AS ts_pixel_touch_bh,
  read.dur AS dur_pixel_touch_bh,
  read.id AS id_pixel_touch_bh,
  read.track_id AS track_pixel_touch_bh,
  frame.ts AS ts_pixel_touch,
  frame.dur AS dur_pixel_touch,
  frame.id AS id_pixel_touch,
  frame.track_id AS track_pixel_touch,
  ifnull(frame.resample_latency_offset, 0) AS resample_latency_offset
FROM _pt_frames AS frame
LEFT JOIN _pt_reads AS read ON read.in_ts = frame.in_ts
LEFT JOIN _pt_interrupts AS interrupt ON interrupt.irq = read.irq;
