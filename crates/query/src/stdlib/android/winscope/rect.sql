-- Rectangles on screens, which rows of other tables name.

-- Rectangles. Equal ones have one row.
CREATE PERFETTO VIEW android_winscope_rect(
  -- The row.
  id LONG,
  -- The left side.
  x DOUBLE,
  -- The upper side.
  y DOUBLE,
  -- The width.
  w DOUBLE,
  -- The height.
  h DOUBLE
)
AS
SELECT id, x, y, w, h
FROM __intrinsic_winscope_rect;

-- Transformations of rectangles.
CREATE PERFETTO VIEW android_winscope_transform(
  -- The row.
  id LONG,
  -- How x changes with x.
  dsdx DOUBLE,
  -- How x changes with y.
  dtdx DOUBLE,
  -- How far it moves to the right.
  tx DOUBLE,
  -- How y changes with x.
  dtdy DOUBLE,
  -- How y changes with y.
  dsdy DOUBLE,
  -- How far it moves down.
  ty DOUBLE
)
AS
SELECT id, dsdx, dtdx, tx, dtdy, dsdy, ty
FROM __intrinsic_winscope_transform;

-- Rectangles of single things, with what is special there.
CREATE PERFETTO VIEW android_winscope_trace_rect(
  -- The row.
  id LONG,
  -- The rectangle.
  rect_id LONG,
  -- The display, or the stack of layers.
  group_id LONG,
  -- How far from the back it is.
  depth LONG,
  -- Whether it sees input that others get.
  is_spy LONG,
  -- Whether it is visible.
  is_visible LONG,
  -- How opaque it is, up to 1.
  opacity DOUBLE,
  -- The transformation of the rectangle.
  transform_id LONG,
  -- The width of its border.
  border_width LONG,
  -- The color of its border.
  border_color DOUBLE
)
AS
SELECT id, rect_id, group_id, depth, is_spy, is_visible, opacity, transform_id, border_width, border_color
FROM __intrinsic_winscope_trace_rect;
