-- When GPUs worked for apps.

-- The tracks: one for each app and GPU.
CREATE PERFETTO TABLE android_gpu_work_period_track(
  -- The track.
  id LONG,
  -- The machine.
  machine_id JOINID(machine.id),
  -- The user of the app.
  uid LONG,
  -- The GPU.
  ugpu LONG,
  -- Its number on the machine.
  gpu_id LONG
)
AS
SELECT
  id,
  machine_id,
  extract_arg(dimension_arg_set_id, 'uid') AS uid,
  extract_arg(dimension_arg_set_id, 'ugpu') AS ugpu,
  extract_arg(dimension_arg_set_id, 'gpu') AS gpu_id
FROM track
WHERE type = 'android_gpu_work_period';
