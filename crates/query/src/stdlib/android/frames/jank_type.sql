-- Whose fault a late frame was, by its jank_type in actual_frame_timeline_slice.

-- Whether SurfaceFlinger or the display was late.
CREATE PERFETTO FUNCTION android_is_sf_jank_type(
  -- Reasons, separated by commas.
  jank_type STRING
)
RETURNS BOOL
AS
SELECT
  instr($jank_type, 'SurfaceFlinger CPU Deadline Missed') OR instr($jank_type, 'SurfaceFlinger GPU Deadline Missed')
  OR instr($jank_type, 'SurfaceFlinger Scheduling') OR instr($jank_type, 'Prediction Error')
  OR instr($jank_type, 'Display HAL');

-- Whether the app was late.
CREATE PERFETTO FUNCTION android_is_app_jank_type(
  -- Reasons, separated by commas.
  jank_type STRING
)
RETURNS BOOL
AS
SELECT instr($jank_type, 'App Deadline Missed') OR instr($jank_type, 'App Resynced Jitter');

-- Whether one of them was late, or the frame was dropped.
CREATE PERFETTO FUNCTION android_is_missed_frame_type(
  -- Reasons, separated by commas.
  jank_type STRING
)
RETURNS BOOL
AS
SELECT
  android_is_sf_jank_type($jank_type) OR android_is_app_jank_type($jank_type)
  OR instr($jank_type, 'Dropped Frame') > 0;
