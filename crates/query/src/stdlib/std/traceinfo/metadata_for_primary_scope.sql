-- Facts about traces, each only once.

-- The fact of the first trace and its first machine, for each name.
CREATE PERFETTO TABLE _metadata_for_primary_scope(
  -- The name.
  name STRING,
  -- The value, if it is a text.
  str_value STRING,
  -- The value, if it is a number.
  int_value LONG,
  -- single, or multi.
  key_type STRING
)
AS
SELECT name, str_value, int_value, key_type
FROM (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY name ORDER BY trace_id IS NULL, trace_id, machine_id IS NULL, machine_id
    ) AS place
  FROM metadata
)
WHERE place = 1;
