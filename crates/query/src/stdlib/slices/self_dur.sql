-- The time of slices without their children.

-- The own time of each slice. Slices that never ended have none, and are left out of the time of their parent.
CREATE PERFETTO TABLE slice_self_dur(
  -- The slice.
  id ID(slice.id),
  -- Its duration without its children.
  self_dur DURATION
)
AS
SELECT parent.id, parent.dur - ifnull(sum(child.dur) FILTER (WHERE child.dur > 0), 0) AS self_dur
FROM slice AS parent
LEFT JOIN slice AS child ON child.parent_id = parent.id
GROUP BY parent.id;
