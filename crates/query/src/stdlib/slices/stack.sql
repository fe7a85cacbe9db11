-- Slices with the same stack: the same names and categories, up to the outermost slice.

INCLUDE PERFETTO MODULE slices.hierarchy;

-- Slices with a number of their stack.
CREATE PERFETTO VIEW slice_with_stack_id(
  -- The slice.
  id ID(slice.id),
  ts TIMESTAMP,
  dur DURATION,
  track_id JOINID(track.id),
  category STRING,
  name STRING,
  depth LONG,
  parent_id JOINID(slice.id),
  arg_set_id ARGSETID,
  thread_ts TIMESTAMP,
  thread_dur LONG,
  thread_instruction_count LONG,
  thread_instruction_delta LONG,
  -- A hash of the names and categories of the slice and those around it.
  stack_id LONG,
  -- That of the parent; 0 without one.
  parent_stack_id LONG
)
AS
-- The deepest slices come first, so that few of the texts are there at the same time.
WITH RECURSIVE _sk_stack(id, own, above, parent_stack_id, step) AS (
  SELECT id, hash(ifnull(category, '') || '|' || ifnull(name, '')), '', 0, 0 FROM slice WHERE parent_id IS NULL
  UNION ALL
  SELECT
    slice.id,
    hash(ifnull(category, '') || '|' || ifnull(name, '')),
    above || '|' || own,
    hash(own || above),
    step + 1
  FROM _sk_stack
  CROSS JOIN slice ON slice.parent_id = _sk_stack.id
  ORDER BY 5 DESC
)
SELECT
  slice.id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur,
  thread_instruction_count, thread_instruction_delta, hash(own || above) AS stack_id, parent_stack_id
FROM _sk_stack
CROSS JOIN slice ON slice.id = _sk_stack.id;

-- The slices with a stack, and those that enclose them.
CREATE PERFETTO FUNCTION ancestor_slice_by_stack(
  -- The stack_id.
  stack_hash LONG
)
RETURNS TABLE(
  id JOINID(slice.id),
  ts TIMESTAMP,
  dur DURATION,
  track_id JOINID(track.id),
  category STRING,
  name STRING,
  depth LONG,
  parent_id JOINID(slice.id),
  arg_set_id ARGSETID,
  thread_ts TIMESTAMP,
  thread_dur LONG
)
AS
SELECT id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur
FROM slice
WHERE id IN (
  SELECT id FROM slice_with_stack_id WHERE stack_id = $stack_hash
  UNION
  SELECT family.id
  FROM slice_with_stack_id AS found
  CROSS JOIN __intrinsic_ancestors(found.id) AS family
  WHERE found.stack_id = $stack_hash
)
ORDER BY ts;

-- The slices with a stack, and those within them.
CREATE PERFETTO FUNCTION descendant_slice_by_stack(
  -- The stack_id.
  stack_hash LONG
)
RETURNS TABLE(
  id JOINID(slice.id),
  ts TIMESTAMP,
  dur DURATION,
  track_id JOINID(track.id),
  category STRING,
  name STRING,
  depth LONG,
  parent_id JOINID(slice.id),
  arg_set_id ARGSETID,
  thread_ts TIMESTAMP,
  thread_dur LONG
)
AS
SELECT id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur
FROM slice
WHERE id IN (
  SELECT id FROM slice_with_stack_id WHERE stack_id = $stack_hash
  UNION
  SELECT family.id
  FROM slice_with_stack_id AS found
  CROSS JOIN __intrinsic_descendants(found.id) AS family
  WHERE found.stack_id = $stack_hash
)
ORDER BY ts;
