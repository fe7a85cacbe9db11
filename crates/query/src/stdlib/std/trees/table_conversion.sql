-- Trees from tables, and tables from trees.

-- A column with its name, as __intrinsic_tree_from_table takes it.
CREATE PERFETTO MACRO _tree_from_table_col(
  col ColumnName
)
RETURNS _ProjectionFragment
AS __intrinsic_stringify!($col), node.$col;

-- A tree.
CREATE PERFETTO MACRO _tree_from_table(
  -- The nodes: id, parent_id and the columns.
  source_table TableOrSubquery,
  -- More columns, in parentheses.
  columns ColumnNameList
)
RETURNS Expr
AS (
  SELECT __intrinsic_tree_from_table(
    'id', node.id,
    'parent_id', node.parent_id,
    __intrinsic_token_apply!(_tree_from_table_col, $columns)
  )
  FROM $source_table AS node
);

-- A column of the table, under its name.
CREATE PERFETTO MACRO _tree_to_table_col_select(
  place ColumnName,
  col ColumnName
)
RETURNS _ProjectionFragment
AS $place AS $col;

-- Which column of the tree that is.
CREATE PERFETTO MACRO _tree_to_table_col_bind(
  place ColumnName,
  col ColumnName
)
RETURNS Expr
AS __intrinsic_table_ptr_bind($place, __intrinsic_stringify!($col));

-- The nodes of a tree: _tree_id (the place in the tree, from 0), _tree_parent_id, id, parent_id and up to six columns.
CREATE PERFETTO MACRO _tree_to_table(
  -- The tree.
  tree_ptr Expr,
  -- The columns that it was made with, in parentheses.
  columns ColumnNameList
)
RETURNS TableOrSubquery
AS (
  SELECT
    c0 AS _tree_id,
    c1 AS _tree_parent_id,
    c2 AS id,
    c3 AS parent_id,
    __intrinsic_token_apply!(_tree_to_table_col_select, (c4, c5, c6, c7, c8, c9), $columns)
  FROM __intrinsic_table_ptr(__intrinsic_tree_to_table($tree_ptr))
  WHERE
    __intrinsic_table_ptr_bind(c0, '_tree_id')
    AND __intrinsic_table_ptr_bind(c1, '_tree_parent_id')
    AND __intrinsic_table_ptr_bind(c2, 'id')
    AND __intrinsic_table_ptr_bind(c3, 'parent_id')
    AND __intrinsic_token_apply_and!(_tree_to_table_col_bind, (c4, c5, c6, c7, c8, c9), $columns)
);
