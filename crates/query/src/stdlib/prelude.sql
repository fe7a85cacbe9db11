-- What is defined without a module.

-- A value as a whole number.
CREATE PERFETTO MACRO cast_int(
  -- The value.
  value Expr
)
RETURNS Expr
AS CAST($value AS INT);

-- A value as a real number.
CREATE PERFETTO MACRO cast_double(
  -- The value.
  value Expr
)
RETURNS Expr
AS CAST($value AS REAL);

-- A value as text.
CREATE PERFETTO MACRO cast_string(
  -- The value.
  value Expr
)
RETURNS Expr
AS CAST($value AS TEXT);
