-- Helpers for macros that take lists.

-- One item of a list, for metasql_unparenthesize_exprlist.
CREATE PERFETTO MACRO _metasql_item(item Expr)
RETURNS Expr
AS $item;

-- The items of a list without its parentheses: (a, b) becomes a, b.
CREATE PERFETTO MACRO metasql_unparenthesize_exprlist(
  -- Items in parentheses.
  exprs ExprList
)
RETURNS UnparenExprList
AS __intrinsic_token_apply!(_metasql_item, $exprs);
