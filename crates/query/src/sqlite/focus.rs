//! The part of a flame graph that remains after a search: the matching frames, and the frames below and above them.

/// Parts of a `WITH RECURSIVE` clause: `focused` has the paths of `merged` (`path`, `above`, `name`) that match
/// `$focus_str`, or all paths if it is empty.
macro_rules! focused {
    () => {
        "    below(path) AS (
      SELECT path FROM merged
      WHERE coalesce($focus_str, '') = '' OR instr(lower(name), lower($focus_str)) > 0
      UNION
      SELECT m.path FROM below JOIN merged AS m ON m.above = below.path),
    focused(path) AS (
      SELECT path FROM below
      UNION
      SELECT m.above FROM focused JOIN merged AS m USING (path) WHERE m.above IS NOT NULL),
"
    };
}

pub(crate) use focused;
