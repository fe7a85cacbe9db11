-- Places in the code that a symbolizer could name.

INCLUDE PERFETTO MODULE stacks.cpu_profiling;

-- The number by which Breakpad knows a library of Chrome; NULL for other libraries. It has the first 16 bytes of the build
-- id as a UUID, so that the bytes of the first three parts are in reverse order.
CREATE PERFETTO FUNCTION _to_breakpad_module(
  -- The library's path.
  mapping STRING,
  -- Its build id.
  build_id STRING
)
RETURNS STRING
AS
WITH libraries(name) AS (
  VALUES
    ('libmonochrome_64.so'),
    ('libmonochrome.so'),
    ('libchrome.so'),
    ('libwebviewchromium.so'),
    ('libchromium_android_linker.so')
)
SELECT
  substr($build_id, 7, 2) || substr($build_id, 5, 2) || substr($build_id, 3, 2) || substr($build_id, 1, 2)
  || substr($build_id, 11, 2) || substr($build_id, 9, 2)
  || substr($build_id, 15, 2) || substr($build_id, 13, 2)
  || substr($build_id, 17, 16) || '0'
FROM libraries
WHERE length($build_id) >= 40 AND $mapping GLOB '*' || name
LIMIT 1;

-- Each place without symbols that a sample or an allocation has on its stack.
CREATE PERFETTO TABLE _stacks_symbolization_candidates(
  -- The process.
  upid JOINID(process.id),
  -- The library's path.
  module STRING,
  -- Its build id.
  build_id STRING,
  -- The place in it.
  rel_pc LONG,
  -- Breakpad's number of the library, for those of Chrome.
  breakpad_module_id STRING
)
AS
WITH RECURSIVE seen(upid, callsite_id) AS (
  SELECT thread.upid, callsite_id FROM cpu_profiling_samples JOIN thread USING (utid)
  UNION
  SELECT upid, callsite_id FROM heap_profile_allocation
  UNION
  SELECT seen.upid, callsite.parent_id
  FROM seen
  JOIN stack_profile_callsite AS callsite ON callsite.id = seen.callsite_id
  WHERE callsite.parent_id IS NOT NULL
)
SELECT DISTINCT
  seen.upid,
  mapping.name AS module,
  mapping.build_id,
  frame.rel_pc,
  _to_breakpad_module(mapping.name, mapping.build_id) AS breakpad_module_id
FROM seen
JOIN stack_profile_callsite AS callsite ON callsite.id = seen.callsite_id
JOIN stack_profile_frame AS frame ON frame.id = callsite.frame_id
JOIN stack_profile_mapping AS mapping ON mapping.id = frame.mapping
WHERE frame.symbol_set_id IS NULL AND mapping.build_id != '';
