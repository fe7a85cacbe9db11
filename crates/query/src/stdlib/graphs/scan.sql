-- Scans of graphs: values go along the edges, and a query changes them at each step.

-- A column of the starts, after its name.
CREATE PERFETTO MACRO _gs_start(column ColumnName)
RETURNS _ProjectionFragment
AS __intrinsic_stringify!($column), _gs_starts.$column;

-- A column of the result.
CREATE PERFETTO MACRO _gs_shown(place ColumnName, column ColumnName)
RETURNS _ProjectionFragment
AS _gs_result.$place AS $column;

-- Which column of the result has which place.
CREATE PERFETTO MACRO _gs_bound(place ColumnName, column ColumnName)
RETURNS Expr
AS __intrinsic_table_ptr_bind(_gs_result.$place, __intrinsic_stringify!($column));

-- The rows that a scan returns: id and the columns listed.
CREATE PERFETTO MACRO _gs_rows(scan Expr, columns ColumnNameList)
RETURNS TableOrSubquery
AS (
  SELECT
    _gs_result.c0 AS id
    __intrinsic_token_apply_prefix!(
      _gs_shown, (c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15), $columns
    )
  FROM __intrinsic_table_ptr($scan) AS _gs_result
  WHERE
    __intrinsic_table_ptr_bind(_gs_result.c0, 'id')
    __intrinsic_token_apply_and_prefix!(
      _gs_bound, (c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15), $columns
    )
);

-- Passes values from each start along the edges. At each step, a query gets the nodes that were reached, with the values
-- that arrived, and its result belongs to the result of the scan. A node that is reached in several ways has several rows.
--
-- The graph must have no circle that the starts reach.
CREATE PERFETTO MACRO _graph_scan(
  -- The edges: source_node_id, dest_node_id.
  graph_table TableOrSubquery,
  -- The starts: id, and the columns of scan_columns.
  init_table TableOrSubquery,
  -- Columns in parentheses, up to 15.
  scan_columns ColumnNameList,
  -- A query of $table, in parentheses, with id and the columns of scan_columns in this order.
  step_query TableOrSubquery
)
RETURNS TableOrSubquery
AS _gs_rows!(
  __intrinsic_graph_scan(
    (SELECT __intrinsic_graph_agg(source_node_id, dest_node_id) FROM $graph_table),
    (
      SELECT __intrinsic_row_dataframe_agg(
        'id', _gs_starts.id __intrinsic_token_apply_prefix!(_gs_start, $scan_columns)
      )
      FROM $init_table AS _gs_starts
    ),
    __intrinsic_stringify_ignore_table!($step_query),
    __intrinsic_stringify!($scan_columns)
  ),
  $scan_columns
);

-- The same, but a node waits for the values of all nodes before it: the query gets them together, and should return one row for
-- each id.
CREATE PERFETTO MACRO _graph_aggregating_scan(
  -- The edges: source_node_id, dest_node_id.
  graph_table TableOrSubquery,
  -- The starts: id, and the columns of agg_columns.
  init_table TableOrSubquery,
  -- Columns in parentheses, up to 15.
  agg_columns ColumnNameList,
  -- A query of $table, in parentheses, with id and the columns of agg_columns in this order.
  agg_query TableOrSubquery
)
RETURNS TableOrSubquery
AS _gs_rows!(
  __intrinsic_graph_aggregating_scan(
    (SELECT __intrinsic_graph_agg(source_node_id, dest_node_id) FROM $graph_table),
    (
      SELECT __intrinsic_row_dataframe_agg(
        'id', _gs_starts.id __intrinsic_token_apply_prefix!(_gs_start, $agg_columns)
      )
      FROM $init_table AS _gs_starts
    ),
    __intrinsic_stringify_ignore_table!($agg_query),
    __intrinsic_stringify!($agg_columns)
  ),
  $agg_columns
);

-- The sums of two columns over each node of a forest and the nodes below it: id, and the columns.
CREATE PERFETTO MACRO _forest_sums(
  -- The nodes: id, parent_id, and the columns.
  nodes TableOrSubquery,
  -- The columns.
  first ColumnName,
  second ColumnName
)
RETURNS TableOrSubquery
AS (
  SELECT id, $first, $second
  FROM _graph_aggregating_scan!(
    (SELECT id AS source_node_id, parent_id AS dest_node_id FROM $nodes WHERE parent_id IS NOT NULL),
    (
      SELECT id, $first, $second
      FROM $nodes
      WHERE id NOT IN (SELECT parent_id FROM $nodes WHERE parent_id IS NOT NULL)
    ),
    ($first, $second),
    (
      SELECT own.id, below.$first + own.$first AS $first, below.$second + own.$second AS $second
      FROM (SELECT id, sum($first) AS $first, sum($second) AS $second FROM $table GROUP BY id) AS below
      JOIN $nodes AS own USING (id)
    )
  )
);
