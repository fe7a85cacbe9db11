//! The part of a flame graph that a search leaves: what is found, and what is below and above it.

/// Parts of a `WITH RECURSIVE`: `focused` has the paths of `merged` (`path`, `above`, `name`) that belong to `$focus_str`,
/// or all if there is none.
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
