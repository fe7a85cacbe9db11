-- SurfaceFlinger, which puts the windows of apps together into the picture of the screen.

INCLUDE PERFETTO MODULE android.cujs.base;

-- Its process.
CREATE PERFETTO TABLE _android_sf_process AS
SELECT *
FROM process
WHERE name = '/system/bin/surfaceflinger'
LIMIT 1;

-- Its main thread, with the track of its slices.
CREATE PERFETTO TABLE _android_sf_main_thread AS
SELECT upid, utid, thread.name, track.id AS track_id
FROM thread
JOIN _android_sf_process USING (upid)
JOIN thread_track AS track USING (utid)
WHERE thread.is_main_thread;

-- Its threads of a name, with the tracks of their slices.
CREATE PERFETTO FUNCTION _android_sf_thread(
  -- The name.
  thread_name STRING
)
RETURNS TABLE(
  -- Its process.
  upid JOINID(process.id),
  -- The thread.
  utid JOINID(thread.id),
  -- Its name.
  name STRING,
  -- The track.
  track_id JOINID(track.id)
)
AS
SELECT upid, utid, thread.name, track.id AS track_id
FROM thread
JOIN _android_sf_process USING (upid)
JOIN thread_track AS track USING (utid)
WHERE thread.name = $thread_name;

-- Which frame of SurfaceFlinger shows a frame of an app. A frame with several windows counts once.
CREATE PERFETTO TABLE android_app_to_sf_frame_timeline_match(
  -- The app.
  app_upid JOINID(process.upid),
  -- The number of its frame.
  app_vsync LONG,
  -- SurfaceFlinger.
  sf_upid JOINID(process.upid),
  -- The number of its frame.
  sf_vsync LONG
)
AS
SELECT DISTINCT
  app.upid AS app_upid,
  CAST(app.name AS INT) AS app_vsync,
  shown.upid AS sf_upid,
  CAST(shown.name AS INT) AS sf_vsync
FROM actual_frame_timeline_slice AS app
JOIN flow ON flow.slice_out = app.id
JOIN actual_frame_timeline_slice AS shown ON shown.id = flow.slice_in
WHERE shown.upid = (SELECT upid FROM _android_sf_process)
ORDER BY 1, 2, 3, 4;

-- A fact about the work of a frame.
CREATE PERFETTO MACRO _sf_workload_fact(
  -- Its key, behind surfaceflinger_workload.
  key Expr
)
RETURNS Expr
AS extract_arg(arg_set_id, 'surfaceflinger_workload.' || $key);

-- What SurfaceFlinger says about its work on frames. Times are nanoseconds.
CREATE PERFETTO TABLE android_surfaceflinger_workloads(
  -- When it says so.
  ts TIMESTAMP,
  -- What the work was for.
  source STRING,
  -- The screen.
  output_name STRING,
  -- The number of the frame.
  sf_vsync LONG,
  -- The time that it needed to begin the frame.
  sf_cpu_frame_signal_nanos LONG,
  -- The time to take what apps sent.
  sf_cpu_commit_nanos LONG,
  -- The time to put windows together.
  sf_cpu_composite_nanos LONG,
  -- The time of the display hardware to show the frame.
  hwc_present_nanos LONG,
  -- The time of the display hardware to check it.
  hwc_validate_nanos LONG,
  -- The time of the display hardware, if it does both in one call.
  hwc_present_or_validate_nanos LONG,
  -- The time to draw windows.
  re_draw_layers_nanos LONG,
  -- The time of the GPU for that.
  re_gpu_completion_nanos LONG,
  -- The time to send the drawing to the GPU's library.
  skia_flush_nanos LONG,
  -- The time of the library to send it to the GPU.
  skia_submit_nanos LONG,
  -- How many windows the GPU put together.
  gpu_composited_layers LONG,
  -- How many the display hardware put together.
  dpu_composited_layers LONG
)
AS
SELECT
  ts,
  _sf_workload_fact!('source') AS source,
  _sf_workload_fact!('output_name') AS output_name,
  _sf_workload_fact!('vsync_id') AS sf_vsync,
  _sf_workload_fact!('summary.timings.sf_cpu.frame_signal_nanos') AS sf_cpu_frame_signal_nanos,
  _sf_workload_fact!('summary.timings.sf_cpu.commit_nanos') AS sf_cpu_commit_nanos,
  _sf_workload_fact!('summary.timings.sf_cpu.composite_nanos') AS sf_cpu_composite_nanos,
  _sf_workload_fact!('summary.timings.hwc.present_nanos') AS hwc_present_nanos,
  _sf_workload_fact!('summary.timings.hwc.validate_nanos') AS hwc_validate_nanos,
  _sf_workload_fact!('summary.timings.hwc.present_or_validate_nanos') AS hwc_present_or_validate_nanos,
  _sf_workload_fact!('summary.timings.re.draw_layers_nanos') AS re_draw_layers_nanos,
  _sf_workload_fact!('summary.timings.re.gpu_completion_nanos') AS re_gpu_completion_nanos,
  _sf_workload_fact!('summary.timings.skia.flush_nanos') AS skia_flush_nanos,
  _sf_workload_fact!('summary.timings.skia.submit_nanos') AS skia_submit_nanos,
  _sf_workload_fact!('summary.stats.gpu_composited_layers') AS gpu_composited_layers,
  _sf_workload_fact!('summary.stats.dpu_composited_layers') AS dpu_composited_layers
FROM slice
WHERE category = 'rendering' AND name = 'WorkloadSummary';
