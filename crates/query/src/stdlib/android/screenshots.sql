-- Pictures of the screen.

-- The slices that have one, as the argument screenshot.jpg_image.
CREATE PERFETTO TABLE android_screenshots(
  -- The slice.
  id ID(slice.id),
  -- When it was made.
  ts TIMESTAMP,
  -- 0.
  dur DURATION,
  -- Its name.
  name STRING
)
AS
SELECT id, ts, dur, name
FROM slice
WHERE
  name = 'Screenshot'
  AND category = 'android_screenshot'
  AND EXISTS (SELECT 1 FROM args WHERE args.arg_set_id = slice.arg_set_id AND args.key = 'screenshot.jpg_image');
