-- The windows and what contains them.

-- Snapshots of all windows.
CREATE PERFETTO VIEW android_windowmanager(
  -- The row.
  id LONG,
  -- When it was recorded.
  ts TIMESTAMP,
  -- The fields of the message.
  arg_set_id ARGSETID,
  -- The whole message: a row of __intrinsic_winscope_proto.
  base64_proto_id LONG,
  -- The display with the focus.
  focused_display_id LONG,
  -- Whether the snapshot has no time of its own.
  has_invalid_elapsed_ts BOOL
)
AS
SELECT id, ts, arg_set_id, base64_proto_id, focused_display_id, has_invalid_elapsed_ts
FROM __intrinsic_windowmanager;

-- Displays, tasks, activities and windows of each snapshot.
CREATE PERFETTO VIEW android_windowmanager_windowcontainer(
  -- The row.
  id LONG,
  -- The snapshot it is in.
  snapshot_id LONG,
  -- The fields of the message.
  arg_set_id ARGSETID,
  -- The whole message: a row of __intrinsic_winscope_proto.
  base64_proto_id LONG,
  -- Its title.
  title STRING,
  -- Its number.
  token LONG,
  -- The number of the container around it.
  parent_token LONG,
  -- Its place in that container.
  child_index LONG,
  -- Whether it is visible.
  is_visible BOOL,
  -- Where it is: a row of android_winscope_trace_rect.
  window_rect_id LONG,
  -- What it is, such as Task.
  container_type STRING,
  -- A better name than its title.
  name_override STRING
)
AS
SELECT
  id,
  snapshot_id,
  arg_set_id,
  base64_proto_id,
  title,
  token,
  parent_token,
  child_index,
  is_visible,
  window_rect_id,
  container_type,
  name_override
FROM __intrinsic_windowmanager_windowcontainer;
