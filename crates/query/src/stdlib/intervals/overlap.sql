-- How many intervals overlap, and intervals without overlaps.

INCLUDE PERFETTO MODULE intervals.intersect;

INCLUDE PERFETTO MODULE std.metasql.unparenthesize;

-- How many intervals are open over time: value, from ts to the ts of the next row. An interval whose duration is -1 stays
-- open.
CREATE PERFETTO MACRO intervals_overlap_count(
  -- The intervals.
  segments TableOrSubquery,
  -- The column with the start.
  ts_column ColumnName,
  -- The column with the duration.
  dur_column ColumnName
)
RETURNS TableOrSubquery
AS (
  SELECT ts, sum(sum(step)) OVER (ORDER BY ts) AS value
  FROM (
    SELECT $ts_column AS ts, 1 AS step FROM $segments
    UNION ALL
    SELECT $ts_column + $dur_column, -1 FROM $segments WHERE $dur_column != -1
  )
  GROUP BY ts
  ORDER BY ts
);

-- As intervals_overlap_count, for each group: ts, value, group_name.
CREATE PERFETTO MACRO intervals_overlap_count_by_group(
  -- The intervals.
  segments TableOrSubquery,
  -- The column with the start.
  ts_column ColumnName,
  -- The column with the duration.
  dur_column ColumnName,
  -- The column with the group.
  group_column ColumnName
)
RETURNS TableOrSubquery
AS (
  SELECT ts, sum(sum(step)) OVER (PARTITION BY group_name ORDER BY ts) AS value, group_name
  FROM (
    SELECT $ts_column AS ts, 1 AS step, $group_column AS group_name FROM $segments
    UNION ALL
    SELECT $ts_column + $dur_column, -1, $group_column FROM $segments WHERE $dur_column != -1
  )
  GROUP BY ts, group_name
  ORDER BY ts, group_name
);

-- 1 if any two of the intervals overlap, otherwise 0. Intervals that never end are ignored.
CREATE PERFETTO MACRO _intervals_overlap_in_table(
  -- The intervals: ts, dur.
  intervals TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT ifnull(max(ts_next < ts_end), 0) AS has_overlaps
  FROM (
    SELECT ts + dur AS ts_end, lead(ts) OVER (ORDER BY ts) AS ts_next
    FROM $intervals
    WHERE dur != -1
  )
);

-- Puts roots and their descendants into one table, for _intervals_flatten. A root without children has a row too.
CREATE PERFETTO MACRO _intervals_merge_root_and_children(
  -- The roots: id, ts, dur.
  roots_table TableOrSubquery,
  -- Their descendants: root_id, id, parent_id, ts, dur.
  children_table TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT
    root.id AS root_id,
    root.ts AS root_ts,
    root.dur AS root_dur,
    child.id,
    child.parent_id,
    child.ts,
    child.dur
  FROM $roots_table AS root
  LEFT JOIN (SELECT root_id, id, parent_id, ts, dur FROM $children_table WHERE dur > 0) AS child
    ON child.root_id = root.id
  WHERE root.dur > 0
);

-- As _intervals_merge_root_and_children; a child belongs to the roots that it overlaps and that have the same key.
CREATE PERFETTO MACRO _intervals_merge_root_and_children_by_intersection(
  -- The roots: id, ts, dur and the key.
  roots_table TableOrSubquery,
  -- The children: id, parent_id, ts, dur and the key.
  children_table TableOrSubquery,
  -- The column with the key.
  key ColumnName
)
RETURNS TableOrSubquery
AS (
  WITH
    _imr_root AS (SELECT * FROM $roots_table WHERE dur > 0),
    _imr_child AS (SELECT * FROM $children_table WHERE dur > 0)
  SELECT
    part.ts,
    part.dur,
    child.id,
    ifnull(child.parent_id, root.id) AS parent_id,
    root.id AS root_id,
    root.ts AS root_ts,
    root.dur AS root_dur,
    part.$key
  FROM _interval_intersect!((_imr_child, _imr_root), ($key)) AS part
  JOIN _imr_child AS child ON child.id = part.id_0 AND child.$key IS part.$key
  JOIN _imr_root AS root ON root.id = part.id_1 AND root.$key IS part.$key
);

-- Cuts each root into pieces, and names the innermost interval of each: root_id, id, ts, dur. The pieces of an interval are
-- its own time. Children must lie within their parents.
CREATE PERFETTO MACRO _intervals_flatten(
  -- root_id, root_ts, root_dur, id, parent_id, ts, dur; see _intervals_merge_root_and_children.
  children_with_roots_table TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  WITH
    _if_input AS (
      SELECT * FROM $children_with_roots_table WHERE root_dur > 0 AND ifnull(dur, 1) > 0
    ),
    -- From ts on, the interval id is the innermost. Of several changes at a time, the last one counts: first intervals end,
    -- the shorter ones first, then others begin, the longer ones first. Of equally long ones, a child has the higher id.
    _if_change AS (
      SELECT root_id, root_ts + root_dur AS root_end, root_ts AS ts, root_id AS id, 0 AS rank, 0 AS length, 0 AS tie
      FROM _if_input
      UNION ALL
      SELECT root_id, root_ts + root_dur, ts + dur, ifnull(parent_id, root_id), 1, dur, -id
      FROM _if_input
      WHERE id IS NOT NULL
      UNION ALL
      SELECT root_id, root_ts + root_dur, ts, id, 2, -dur, id FROM _if_input WHERE id IS NOT NULL
    ),
    _if_ordered AS (
      SELECT
        root_id,
        root_end,
        ts,
        id,
        row_number() OVER (PARTITION BY root_id, ts ORDER BY rank DESC, length DESC, tie DESC) AS place
      FROM _if_change
    ),
    _if_piece AS (SELECT root_id, root_end, ts, id FROM _if_ordered WHERE place = 1)
  SELECT root_id, id, ts, dur
  FROM (
    SELECT root_id, id, ts, lead(ts, 1, root_end) OVER (PARTITION BY root_id ORDER BY ts) - ts AS dur
    FROM _if_piece
  )
  WHERE dur > 0
);

-- Joins intervals that overlap, touch, or are at most epsilon apart: ts, dur.
CREATE PERFETTO MACRO interval_merge_overlapping(
  -- The intervals: ts, dur.
  intervals TableOrSubquery,
  -- The gap that is closed, nanoseconds.
  epsilon Expr
)
RETURNS TableOrSubquery
AS (
  SELECT min(ts) AS ts, max(ts_end) - min(ts) AS dur
  FROM (
    SELECT ts, ts_end, sum(is_first) OVER (ORDER BY ts, ts_end ROWS UNBOUNDED PRECEDING) AS merged
    FROM (
      SELECT
        ts,
        ts + dur AS ts_end,
        ts > ifnull(max(ts + dur) OVER (
          ORDER BY ts, ts + dur ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) + $epsilon, ts - 1) AS is_first
      FROM $intervals
      WHERE dur >= 0
    )
  )
  GROUP BY merged
);

-- Joins intervals of a partition that overlap or touch: ts, dur, and the columns of the partition.
CREATE PERFETTO MACRO interval_merge_overlapping_partitioned(
  -- The intervals: ts, dur, and the columns of the partition.
  intervals TableOrSubquery,
  -- Columns in parentheses.
  partition_columns ColumnNameList
)
RETURNS TableOrSubquery
AS (
  SELECT
    min(ts) AS ts,
    max(ts_end) - min(ts) AS dur,
    metasql_unparenthesize_exprlist!($partition_columns)
  FROM (
    SELECT
      *,
      sum(is_first) OVER (
        PARTITION BY metasql_unparenthesize_exprlist!($partition_columns)
        ORDER BY ts, ts_end
        ROWS UNBOUNDED PRECEDING
      ) AS merged
    FROM (
      SELECT
        ts,
        ts + dur AS ts_end,
        metasql_unparenthesize_exprlist!($partition_columns),
        ts > ifnull(max(ts + dur) OVER (
          PARTITION BY metasql_unparenthesize_exprlist!($partition_columns)
          ORDER BY ts, ts + dur
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), ts - 1) AS is_first
      FROM $intervals
      WHERE dur >= 0
    )
  )
  GROUP BY metasql_unparenthesize_exprlist!($partition_columns), merged
);
