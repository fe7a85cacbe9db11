-- The views of windows.

-- Snapshots of all views of a window.
CREATE PERFETTO VIEW android_viewcapture(
  -- The row.
  id LONG,
  -- When it was recorded.
  ts TIMESTAMP,
  -- The fields of the message.
  arg_set_id ARGSETID,
  -- The package of the app.
  package_name STRING,
  -- The window.
  window_name STRING
)
AS
SELECT id, ts, arg_set_id, package_name, window_name
FROM __intrinsic_viewcapture;

-- The views of each snapshot.
CREATE PERFETTO VIEW android_viewcapture_view(
  -- The row.
  id LONG,
  -- The snapshot it is in.
  snapshot_id LONG,
  -- The fields of the message.
  arg_set_id ARGSETID,
  -- The number of the view in its snapshot.
  node_id LONG,
  -- A number that the view keeps.
  hashcode LONG,
  -- Whether it is visible: it and all views around it are shown, and it has an area.
  is_visible LONG,
  -- The view around it; 4294967295 for the outermost.
  parent_id LONG,
  -- The name that the app gave it.
  view_id STRING,
  -- Its class.
  class_name STRING,
  -- Where it is.
  trace_rect_id LONG
)
AS
SELECT
  id,
  snapshot_id,
  arg_set_id,
  node_id,
  hashcode,
  is_visible,
  parent_id,
  view_id,
  class_name,
  trace_rect_id
FROM __intrinsic_viewcapture_view;
