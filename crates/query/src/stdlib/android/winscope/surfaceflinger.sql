-- What SurfaceFlinger composes, and what apps ask it to change.

-- Changes that apps asked for.
CREATE PERFETTO VIEW android_surfaceflinger_transaction(
  -- The row.
  id LONG,
  -- The snapshot it is in.
  snapshot_id LONG,
  -- The fields of the change.
  arg_set_id LONG,
  -- The transaction; those with the same number change together.
  transaction_id LONG,
  -- The process that asked.
  pid LONG,
  -- Its user.
  uid LONG,
  -- The layer that changes.
  layer_id LONG,
  -- The display that changes.
  display_id LONG,
  -- What changes: rows of android_surfaceflinger_transaction_flag.
  flags_id LONG,
  -- What happens, such as LAYER_CHANGED.
  transaction_type STRING
)
AS
SELECT id, snapshot_id, arg_set_id, transaction_id, pid, uid, layer_id, display_id, flags_id, transaction_type
FROM __intrinsic_surfaceflinger_transaction;

-- The changes in each set of changes.
CREATE PERFETTO VIEW android_surfaceflinger_transaction_flag(
  -- The set.
  flags_id LONG,
  -- The change.
  flag STRING
)
AS
SELECT flags_id, flag
FROM __intrinsic_surfaceflinger_transaction_flag;

-- The displays of each snapshot.
CREATE PERFETTO VIEW android_surfaceflinger_display(
  -- The row.
  id LONG,
  -- The snapshot it is in.
  snapshot_id LONG,
  -- Whether it is on.
  is_on LONG,
  -- Whether it is no real screen.
  is_virtual LONG,
  -- Where it is.
  trace_rect_id LONG,
  -- Its number.
  display_id LONG,
  -- Its name.
  display_name STRING
)
AS
SELECT id, snapshot_id, is_on, is_virtual, trace_rect_id, display_id, display_name
FROM __intrinsic_surfaceflinger_display;

-- The parts of a window that take input.
CREATE PERFETTO VIEW android_winscope_fill_region(
  -- The row.
  id LONG,
  -- The rectangle of the window.
  trace_rect_id LONG,
  -- A part.
  rect_id LONG
)
AS
SELECT id, trace_rect_id, rect_id
FROM __intrinsic_winscope_fill_region;
