-- The pictures in the Java heap.

-- How Android keeps the pixels of a picture (its class Bitmap::PixelStorageType).
CREATE PERFETTO FUNCTION _android_bitmap_storage_type_name(
  -- The value of the class.
  storage_type LONG
)
RETURNS STRING
AS
SELECT
  CASE $storage_type
    WHEN 0 THEN 'wrapped_pixel_ref'
    WHEN 1 THEN 'heap'
    WHEN 2 THEN 'ashmem'
    WHEN 3 THEN 'hardware'
  END;

-- The process that had a number at a time.
CREATE PERFETTO FUNCTION _android_bitmap_resolve_sender_upid(
  -- The number.
  pid LONG,
  -- The time.
  at_ts TIMESTAMP
)
RETURNS LONG
AS
SELECT max(upid)
FROM process
WHERE pid = $pid AND $at_ts BETWEEN ifnull(start_ts, trace_start()) AND ifnull(end_ts, trace_end());

-- A field of a picture.
CREATE PERFETTO MACRO _bitmap_field(
  -- Its name.
  name Expr,
  -- The column with its value.
  value ColumnName
)
RETURNS Expr
AS max(iif(field.field_name = 'android.graphics.Bitmap.' || $name, field.$value, NULL));

-- Pictures in dumps of the Java heap. Only dumps of the kind HPROF have the values of fields.
CREATE PERFETTO TABLE heap_graph_bitmaps(
  -- The object.
  object_id JOINID(heap_graph_object.id),
  -- The process.
  upid JOINID(process.upid),
  -- When the dump was made.
  graph_sample_ts TIMESTAMP,
  -- Pixels from left to right.
  width LONG,
  -- Pixels from top to bottom.
  height LONG,
  -- Dots per inch.
  density LONG,
  -- The picture's own number: the number of the process times 10^7, plus the kind of memory times 10^6, plus a count.
  bitmap_id LONG,
  -- The number of the process in it.
  bitmap_pid LONG,
  -- The kind of memory in it: wrapped_pixel_ref, heap, ashmem or hardware.
  bitmap_storage_type STRING,
  -- The number of the picture of another process that this one was received from.
  source_id LONG,
  -- The number of the process in it.
  source_pid LONG,
  -- The kind of memory in it.
  source_storage_type STRING,
  -- That process, if the trace has it.
  source_upid JOINID(process.upid),
  -- Its name.
  source_process_name STRING,
  -- The size of the object, bytes.
  self_size LONG,
  -- The native memory that belongs to it, bytes. The pixels are part of it only if they are on the heap.
  native_size LONG,
  -- Whether it lives.
  reachable BOOL
)
AS
WITH
  bitmap AS (
    SELECT
      object.id AS object_id,
      object.upid,
      object.graph_sample_ts,
      _bitmap_field!('mWidth', int_value) AS width,
      _bitmap_field!('mHeight', int_value) AS height,
      _bitmap_field!('mDensity', int_value) AS density,
      _bitmap_field!('mId', long_value) AS bitmap_id,
      -- -1 stands for none.
      nullif(_bitmap_field!('mSourceId', long_value), -1) AS source_id,
      object.self_size,
      object.native_size,
      object.reachable
    FROM heap_graph_object AS object
    JOIN heap_graph_class AS class ON class.id = object.type_id
    LEFT JOIN heap_graph_object_data AS data ON data.id = object.object_data_id
    LEFT JOIN heap_graph_primitive AS field ON field.field_set_id = data.field_set_id
    WHERE 'android.graphics.Bitmap' IN (class.name, class.deobfuscated_name)
    GROUP BY object.id
  ),
  known AS (
    SELECT *, _android_bitmap_resolve_sender_upid(source_id / 10000000, graph_sample_ts) AS source_upid
    FROM bitmap
  )
SELECT
  known.object_id,
  known.upid,
  known.graph_sample_ts,
  known.width,
  known.height,
  known.density,
  known.bitmap_id,
  known.bitmap_id / 10000000 AS bitmap_pid,
  _android_bitmap_storage_type_name(known.bitmap_id % 10000000 / 1000000) AS bitmap_storage_type,
  known.source_id,
  known.source_id / 10000000 AS source_pid,
  _android_bitmap_storage_type_name(known.source_id % 10000000 / 1000000) AS source_storage_type,
  known.source_upid,
  sender.name AS source_process_name,
  known.self_size,
  known.native_size,
  known.reachable
FROM known
LEFT JOIN process AS sender ON sender.upid = known.source_upid
ORDER BY known.object_id;
